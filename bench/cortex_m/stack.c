/* SPDX-License-Identifier: Apache-2.0 */
/* Finds how many bytes of stack each of the twelve functions uses, its callees included: paints the stack, calls, looks what has
 * changed. */
#include <stdio.h>
#include "subjects.h"

enum { WORDS = 1024, PAINT = 0x5ac3f10e, ELEMENTS = 1120 };

static const cmsis_nn_dims shapes[] = {{2, 3, 5, 7}, {1, 4, 40, 7}, {1, 1, 16, 70}, {1, 1, 1, 259}, {1, 1, 37, 1}, {7, 5, 1, 32}};
static uint32_t x[ELEMENTS], y[ELEMENTS];

static void empty(void) {}

/* Bytes below this function's frame that `call` has written to. */
__attribute__((noinline)) static unsigned depth(any_fn *call, enum act act, const cmsis_nn_dims *dims, const cmsis_nn_dims *mask,
                                                int32_t axis, const cmsis_nn_dims *output) {
  volatile uint32_t *stack;
  unsigned words = WORDS;
  __asm__ volatile("mov %0, sp" : "=r"(stack));
  for (unsigned i = 1; i <= WORDS; i++) *(stack - i) = PAINT;
  if (act == FIRSTS) ((axis_fn *)call)(x, dims, axis, y);
  else ((masked_fn *)call)(x, dims, mask, y, output);
  while (words && *(stack - words) == PAINT) words--;
  return 4 * words;
}

/* The deepest call on one shape, over all masks or axes. */
static unsigned deepest(const struct function *f, const cmsis_nn_dims *dims) {
  unsigned most = 0;
  for (int m = 0; m < (f->act == FIRSTS ? 4 : 16); m++) {
    const cmsis_nn_dims mask = {m & 1, m >> 1 & 1, m >> 2 & 1, m >> 3 & 1};
    const cmsis_nn_dims output = {mask.n ? 1 : dims->n, mask.h ? 1 : dims->h, mask.w ? 1 : dims->w, mask.c ? 1 : dims->c};
    if (depth(empty, f->act, dims, &mask, m, &output)) return WORDS * 4;
    const unsigned bytes = depth(f->call, f->act, dims, &mask, m, &output);
    if (bytes > most) most = bytes;
  }
  return most;
}

int main(void) {
  for (unsigned i = 0; i < TWELVE; i++) {
    unsigned most = 0;
    for (unsigned s = 0; s < sizeof shapes / sizeof *shapes; s++) {
      for (unsigned kind = 0; kind < KINDS; kind++) {
        const unsigned n = (unsigned)(shapes[s].n * shapes[s].h * shapes[s].w * shapes[s].c);
        fill(&twelve[i], (enum kind)kind, n, 1, x);
        const unsigned bytes = deepest(&twelve[i], &shapes[s]);
        if (bytes > most) most = bytes;
      }
    }
    printf("%s %u\n", twelve[i].name, most);
  }
  return 0;
}
