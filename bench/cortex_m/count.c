/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts the instructions that the twelve functions and their kernels execute, under QEMU with -icount shift=7.
 *
 * There every instruction takes 128 ns of the emulated time that SysTick shows. A line of the output: function, kind of data,
 * shape, elements, instructions of the whole call, instructions of the kernel alone. Both run from the first instruction of what is
 * called to its return. An argument limits the kinds to the first.
 */
#include <stdio.h>
#include "../../src/kernel.h"
#include "subjects.h"

#define SYST_CSR (*(volatile uint32_t *)0xe000e010u)
#define SYST_RVR (*(volatile uint32_t *)0xe000e014u)
#define SYST_CVR (*(volatile uint32_t *)0xe000e018u)
enum { TICKS_MASK = 0xffffff, NANOSECONDS = 128, TURNS = 1000, COLUMNS = 48, COLUMN_ROWS = 256, ELEMENTS = COLUMNS * COLUMN_ROWS };

struct shape {
  const char *name;
  unsigned n, width; /* n rows of `width` outputs */
};
static const struct shape shapes[] = {{"row", 16, 1}, {"row", 64, 1}, {"row", 1024, 1}, {"columns", COLUMN_ROWS, COLUMNS}};

static uint32_t x[ELEMENTS], y[COLUMNS];

/* The compiler must not make one copy of the code around a call for an empty function and another for the others. */
#if defined(__clang__)
#define ONCE __attribute__((noinline))
#else
#define ONCE __attribute__((noipa))
#endif

ONCE static void empty(void) {}

/* A call and the reading of the clock around it: the code is the same for an empty function, whose count is taken off. */
ONCE static uint32_t masked(masked_fn *call, const cmsis_nn_dims *dims, const cmsis_nn_dims *mask, const cmsis_nn_dims *output) {
  const uint32_t before = SYST_CVR;
  call(x, dims, mask, y, output);
  return (before - SYST_CVR) & TICKS_MASK;
}
ONCE static uint32_t along(axis_fn *call, const cmsis_nn_dims *dims, int32_t axis) {
  const uint32_t before = SYST_CVR;
  call(x, dims, axis, y);
  return (before - SYST_CVR) & TICKS_MASK;
}
ONCE static uint32_t spread(bf_spread_fn *call, float *row, size_t width, const void *from, size_t step, size_t n) {
  const uint32_t before = SYST_CVR;
  call(row, width, from, step, n);
  return (before - SYST_CVR) & TICKS_MASK;
}
/* extremes and firsts, whose arguments are alike */
ONCE static uint32_t select(bf_extremes_fn *call, size_t width, size_t n, uint32_t sign) {
  const uint32_t before = SYST_CVR;
  call(y, width, x, width, n, sign);
  return (before - SYST_CVR) & TICKS_MASK;
}

static uint32_t instructions(uint32_t ticks, uint32_t empty_ticks) {
  const uint64_t scaled = (uint64_t)(ticks - empty_ticks) * 1000000000u, each = (uint64_t)SYSTICK_HZ * NANOSECONDS;
  return (uint32_t)((scaled + each / 2) / each) + 1; /* the empty function's return */
}

static uint32_t count_call(const struct function *f, const struct shape *shape) {
  const cmsis_nn_dims dims = {1, 1, (int32_t)shape->n, (int32_t)shape->width}, mask = {0, 0, 1, 0};
  const cmsis_nn_dims output = {1, 1, 1, (int32_t)shape->width};
  if (f->act == FIRSTS) return instructions(along((axis_fn *)f->call, &dims, 2), along((axis_fn *)empty, &dims, 2));
  return instructions(masked((masked_fn *)f->call, &dims, &mask, &output), masked((masked_fn *)empty, &dims, &mask, &output));
}

#define ACT(word, format) BF_JOIN(BF_JOIN(BF_JOIN(bf, word), format), BITFOLD_MACHINE)

/* A contiguous row is spread over four lanes, columns sixteen at a time; the calls between are not counted. */
static uint32_t count_spread(const struct function *f, const struct shape *shape) {
  bf_spread_fn *call = f->is_half ? ACT(spread, f16) : ACT(spread, f32);
  const size_t width = shape->width > 1 ? BF_SPREAD : 4, step = shape->width > 1 ? shape->width : 4;
  const size_t n = shape->width > 1 ? shape->n : shape->n / 4, size = f->is_half ? 2 : 4;
  uint32_t total = 0;
  for (size_t j = 0; j < step; j += width) {
    float row[BF_SPREAD] = {0};
    const unsigned char *from = (const unsigned char *)x + j * size;
    total += instructions(spread(call, row, width, from, step, n), spread((bf_spread_fn *)empty, row, width, from, step, n));
  }
  return total;
}

static uint32_t count_kernel(const struct function *f, const struct shape *shape) {
  bf_extremes_fn *call = f->is_half ? ACT(extremes, f16) : ACT(extremes, f32);
  uint32_t how = !f->is_min ? 0 : f->is_half ? 0x8000u : 0x80000000u;
  if (f->act == SPREAD) return count_spread(f, shape);
  if (f->act == FIRSTS) call = f->is_half ? (bf_extremes_fn *)ACT(firsts, f16) : (bf_extremes_fn *)ACT(firsts, f32);
  else how |= BF_FRESH; /* as src/dense.c calls it for the first block */
  return instructions(select(call, shape->width, shape->n, how), select((bf_extremes_fn *)empty, shape->width, shape->n, how));
}

/* A loop of a known number of instructions: its two in each turn, the first and the return. */
__attribute__((naked)) static void loop(void) {
  __asm__ volatile(".syntax unified\n\tldr r0, =1000\n0:\tsubs r0, r0, #1\n\tbne 0b\n\tbx lr\n\t.ltorg");
}

int main(int argc, char **argv) {
  (void)argv;
  SYST_RVR = TICKS_MASK;
  SYST_CVR = 0;
  SYST_CSR = 5; /* count, by the processor's clock */
  const cmsis_nn_dims none = {1, 1, 1, 1};
  const uint32_t known =
      instructions(masked((masked_fn *)loop, &none, &none, &none), masked((masked_fn *)empty, &none, &none, &none));
  if (known != 2 * TURNS + 2) {
    printf("a loop of %d instructions is counted as %lu: is QEMU run with -icount shift=7?\n", 2 * TURNS + 2, (unsigned long)known);
    return 1;
  }
  for (unsigned i = 0; i < TWELVE; i++) {
    for (unsigned kind = 0; kind < (argc > 1 ? 1u : KINDS); kind++) {
      for (const struct shape *shape = shapes; shape < shapes + sizeof shapes / sizeof *shapes; shape++) {
        fill(&twelve[i], (enum kind)kind, shape->n * shape->width, shape->width, x);
        const uint32_t call = count_call(&twelve[i], shape), kernel = count_kernel(&twelve[i], shape);
        printf("%s %s %s %u %lu %lu\n", twelve[i].name, kind_names[kind], shape->name, shape->n * shape->width, (unsigned long)call,
               (unsigned long)kernel);
      }
    }
  }
  return 0;
}
