/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cortex-M4F and its successors M7 and M33: sixteen float registers of sums beside sixteen of elements, which one vldm loads.
 *
 * The loops are assembly because compilers load one float at a time. Halves are converted by pairs as they lie in a register, so
 * they need aligned words; where they have none, rows begin one element later, and columns are added one by one.
 */
#include "../kernel.h"

#if BF_HAS_M4F
#include "m4f.h"

/* n turns, at least 1: load the elements at x, go `step` bytes on, add to the sums, which lie at row before and after. */
#define LOOP(sums, elements, adds)                                                                                                 \
  __asm__ volatile("vldmia %3, {" sums "}\n1: vldmia %0, {" elements "}\n add %0, %0, %2\n" adds                                   \
                   " subs %1, %1, #1\n bne 1b\n vstmia %3, {" sums "}"                                                             \
                   : "+&r"(x), "+&r"(n)                                                                                            \
                   : "r"(step), "r"(row)                                                                                           \
                   : FLOATS, "cc", "memory")

#define ADD(sum, element) " vadd.f32 s" #sum ", s" #sum ", s" #element "\n"
#define ADD4(a, b, c, d, e, f, g, h) ADD(a, e) ADD(b, f) ADD(c, g) ADD(d, h)
/* The two halves of a word, the lower one first. */
#define PAIR(a, b, word) " vcvtb.f32.f16 s30, s" #word "\n vcvtt.f32.f16 s31, s" #word "\n" ADD(a, 30) ADD(b, 31)
#define PAIR4(a, b, c, d, e, f, g, h, i, j, k, l) PAIR(a, b, i) PAIR(c, d, j) PAIR(e, f, k) PAIR(g, h, l)

static void columns_16(float *row, const float *x, size_t step, size_t n) {
  LOOP("s0-s15", "s16-s31",
       ADD4(0, 1, 2, 3, 16, 17, 18, 19) ADD4(4, 5, 6, 7, 20, 21, 22, 23) ADD4(8, 9, 10, 11, 24, 25, 26, 27)
           ADD4(12, 13, 14, 15, 28, 29, 30, 31));
}
static void columns_4(float *row, const float *x, size_t step, size_t n) {
  LOOP("s0-s3", "s16-s19", ADD4(0, 1, 2, 3, 16, 17, 18, 19));
}
static void column(float *row, const float *x, size_t step, size_t n) { LOOP("s0", "s16", ADD(0, 16)); }

/* Four rows of four lanes, or sixteen terms of one sum, a turn. */
static void lanes(float *row, const float *x, size_t step, size_t n) {
  LOOP("s0-s3", "s16-s31",
       ADD4(0, 1, 2, 3, 16, 17, 18, 19) ADD4(0, 1, 2, 3, 20, 21, 22, 23) ADD4(0, 1, 2, 3, 24, 25, 26, 27)
           ADD4(0, 1, 2, 3, 28, 29, 30, 31));
}
static void chain(float *row, const float *x, size_t step, size_t n) {
  LOOP("s0", "s16-s31",
       ADD4(0, 0, 0, 0, 16, 17, 18, 19) ADD4(0, 0, 0, 0, 20, 21, 22, 23) ADD4(0, 0, 0, 0, 24, 25, 26, 27)
           ADD4(0, 0, 0, 0, 28, 29, 30, 31));
}

void bf_spread_f32_m4f(float *row, size_t width, const void *data, size_t step, size_t n) {
  const float *x = data;
  const size_t bytes = step * sizeof *x, turn = 16 / width; /* rows a turn, where they are contiguous */
  if (width == step && (width == 1 || width == 4) && n >= turn) {
    if (width == 1) chain(row, x, 64, n / turn);
    else lanes(row, x, 64, n / turn);
    x += n / turn * 16, n %= turn;
  }
  if (!n) return;
  if (width == BF_SPREAD) columns_16(row, x, bytes, n), width = 0;
  for (; width >= 4; width -= 4, row += 4, x += 4) columns_4(row, x, bytes, n);
  for (; width; width--, row++, x++) column(row, x, bytes, n);
}

static void halves_16(float *row, const bf_f16_word *x, size_t step, size_t n) {
  LOOP("s0-s15", "s16-s23", PAIR4(0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19) PAIR4(8, 9, 10, 11, 12, 13, 14, 15, 20, 21, 22, 23));
}
static void halves_4(float *row, const bf_f16_word *x, size_t step, size_t n) {
  LOOP("s0-s3", "s16-s17", PAIR(0, 1, 16) PAIR(2, 3, 17));
}
static void halves_lanes(float *row, const bf_f16_word *x, size_t step, size_t n) {
  LOOP("s0-s3", "s16-s23", PAIR4(0, 1, 2, 3, 0, 1, 2, 3, 16, 17, 18, 19) PAIR4(0, 1, 2, 3, 0, 1, 2, 3, 20, 21, 22, 23));
}
static void halves_chain(float *row, const bf_f16_word *x, size_t step, size_t n) {
  LOOP("s0", "s16-s23", PAIR4(0, 0, 0, 0, 0, 0, 0, 0, 16, 17, 18, 19) PAIR4(0, 0, 0, 0, 0, 0, 0, 0, 20, 21, 22, 23));
}

static void half_column(float *row, const bf_f16_word *x, size_t step, size_t n) {
  float sum = *row;
  for (; n; n--, x += step) {
    uint32_t bits = *x;
    float element;
    __asm__ volatile("vmov %0, %1\n vcvtb.f32.f16 %0, %0" : "=&t"(element) : "r"(bits));
    sum = f32_plus(sum, element);
  }
  *row = sum;
}

/* Rows of four lanes that begin in the middle of a word: lane 0 has its first element before, lanes 1 to 3 their last ones after.
 */
static void halves_turned(float *row, const bf_f16_word *x, size_t n) {
  float turned[4] = {row[1], row[2], row[3], row[0]};
  half_column(&turned[3], x, 1, 1);
  if (n > 1) bf_spread_f16_m4f(turned, 4, x + 1, 4, n - 1);
  for (size_t lane = 0; lane < 3; lane++) half_column(&turned[lane], x + 4 * n - 3 + lane, 1, 1);
  row[0] = turned[3], row[1] = turned[0], row[2] = turned[1], row[3] = turned[2];
}

void bf_spread_f16_m4f(float *row, size_t width, const void *data, size_t step, size_t n) {
  const bf_f16_word *x = data;
  if (width == 4 && step == 4 && !is_aligned(x)) {
    halves_turned(row, x, n);
    return;
  }
  if (width == 1 && step == 1 && !is_aligned(x)) half_column(row, x++, 1, 1), n--;
  const size_t turn = 16 / width;
  if (width == step && (width == 1 || width == 4) && n >= turn) {
    if (width == 1) halves_chain(row, x, 32, n / turn);
    else halves_lanes(row, x, 32, n / turn);
    x += n / turn * 16, n %= turn;
  }
  if (!n) return;
  const int words = step % 2 == 0 || n == 1;
  if (words && width > 1 && !is_aligned(x)) half_column(row++, x++, step, n), width--;
  if (words && width == BF_SPREAD) halves_16(row, x, step * sizeof *x, n), width = 0;
  for (; words && width >= 4; width -= 4, row += 4, x += 4) halves_4(row, x, step * sizeof *x, n);
  for (; width; width--, row++, x++) half_column(row, x, step, n);
}

#define MACHINE m4f
#include "deposit.h"

static int runs_here(void) { return 1; }

const struct bf_isa bf_isa_m4f = {
    .name = "m4f",
    .runs_here = runs_here,
    .deposit_f32 = deposit_f32_m4f,
    .spread_f16 = bf_spread_f16_m4f,
    .spread_f32 = bf_spread_f32_m4f,
    .extremes_f16 = bf_extremes_f16_m4f,
    .extremes_f32 = bf_extremes_f32_m4f,
    .firsts_f16 = bf_firsts_f16_m4f,
    .firsts_f32 = bf_firsts_f32_m4f,
};
#endif
