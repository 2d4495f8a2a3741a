/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selections of floats on Cortex-M4F, M7 and M33: a comparison as floats, under a control state of our own, and a branch that is
 * taken where a better value comes. Rows of argmax and argmin are compared as integers, which saves the way from one set of flags
 * to the other; where the best one is a zero, a NaN or of the wrong sign, there is a second look.
 */
#include "../kernel.h"

#if BF_HAS_M4F
#include "m4f.h"

/* M of a best value's register and an element's, sixteen times: for sixteen columns, or for one and its next elements. */
#define FOUR(M, how, a, b, c, d, e, f, g, h) M(how, a, e) M(how, b, f) M(how, c, g) M(how, d, h)
#define SIXTEEN(M, how)                                                                                                            \
  FOUR(M, how, 0, 1, 2, 3, 16, 17, 18, 19)                                                                                         \
  FOUR(M, how, 4, 5, 6, 7, 20, 21, 22, 23)                                                                                         \
  FOUR(M, how, 8, 9, 10, 11, 24, 25, 26, 27)                                                                                       \
  FOUR(M, how, 12, 13, 14, 15, 28, 29, 30, 31)
#define IN_TURN(M, how)                                                                                                            \
  FOUR(M, how, 0, 0, 0, 0, 16, 17, 18, 19)                                                                                         \
  FOUR(M, how, 0, 0, 0, 0, 20, 21, 22, 23)                                                                                         \
  FOUR(M, how, 0, 0, 0, 0, 24, 25, 26, 27)                                                                                         \
  FOUR(M, how, 0, 0, 0, 0, 28, 29, 30, 31)
#define COMPARE_max(best, element) " vcmp.f32 s" #element ", s" #best "\n vmrs APSR_nzcv, fpscr\n"
#define COMPARE_min(best, element) " vcmp.f32 s" #best ", s" #element "\n vmrs APSR_nzcv, fpscr\n"

/* The asm leaves other flags in FPSCR, which no C code here relies on. extremes: hi is greater or unordered; a best value that is
 * NaN stays. */
#define BETTER(how, best, element) COMPARE_##how(best, element) " bhi 3" #element "f\n2" #element ":\n"
#define TAKE(how, best, element)                                                                                                   \
  "3" #element ": bvc 4" #element "f\n vcmp.f32 s" #best ", s" #best "\n vmrs APSR_nzcv, fpscr\n bvs 2" #element "b\n4" #element   \
  ": vmov.f32 s" #best ", s" #element "\n b 2" #element "b\n"
#define EXTREMES(bests, elements, EACH, how)                                                                                       \
  __asm__ volatile("vldmia %3, {" bests "}\n1: vldmia %0, {" elements                                                              \
                   "}\n add %0, %0, %2\n" EACH(BETTER, how) " subs %1, %1, #1\n bne 1b\n vstmia %3, {" bests                       \
                                                            "}\n b 5f\n" EACH(TAKE, how) "5:"                                      \
                   : "+&r"(x), "+&r"(n)                                                                                            \
                   : "r"(step), "r"(best)                                                                                          \
                   : FLOATS, "cc", "memory")
#define ONE(M, how) M(how, 0, 16)
#define ONLY_FOUR(M, how) FOUR(M, how, 0, 1, 2, 3, 16, 17, 18, 19)

/* n turns, at least one, of sixteen columns, four, one, or of one column's next sixteen elements. */
static void extremes_16(float *best, const float *x, size_t step, size_t n, uint32_t sign) {
  if (sign) EXTREMES("s0-s15", "s16-s31", SIXTEEN, min);
  else EXTREMES("s0-s15", "s16-s31", SIXTEEN, max);
}
static void extremes_4(float *best, const float *x, size_t step, size_t n, uint32_t sign) {
  if (sign) EXTREMES("s0-s3", "s16-s19", ONLY_FOUR, min);
  else EXTREMES("s0-s3", "s16-s19", ONLY_FOUR, max);
}
static void extreme(float *best, const float *x, size_t step, size_t n, uint32_t sign) {
  if (sign) EXTREMES("s0", "s16", ONE, min);
  else EXTREMES("s0", "s16", ONE, max);
}
static void extreme_of_row(float *best, const float *x, size_t step, size_t n, uint32_t sign) {
  if (sign) EXTREMES("s0", "s16-s31", IN_TURN, min);
  else EXTREMES("s0", "s16-s31", IN_TURN, max);
}

void bf_extremes_f32_m4f(void *best, size_t width, const void *data, size_t step, size_t n, uint32_t sign) {
  const float *x = data;
  float *y = best;
  const size_t bytes = step * sizeof *x;
  if (sign & BF_FRESH)
    for (size_t j = 0; j < width; j++) y[j] = f32_from_bits(0xff800000 ^ (sign & 0x80000000));
  sign &= 0x80000000;
  const uint64_t control = bf_control_enter();
  if (width == 1 && step == 1 && n >= 16) extreme_of_row(y, x, 64, n / 16, sign), x += n / 16 * 16, n %= 16;
  for (size_t left = n ? width : 0; left;) {
    size_t columns = left >= 16 ? 16 : left >= 4 ? 4 : 1;
    if (columns == 16) extremes_16(y, x, bytes, n, sign);
    else if (columns == 4) extremes_4(y, x, bytes, n, sign);
    else extreme(y, x, bytes, n, sign);
    left -= columns, x += columns, y += columns;
  }
  bf_control_leave(control);
  for (bf_f32_word *at = best; width; width--, at++)
    if ((*at & 0x7fffffff) > 0x7f800000) *at = 0x7fc00000;
}

/* firsts of columns: a NaN is not greater than anything. %2 is the number of the row, at %5 lie the indices. */
#define LATER(how, best, element) COMPARE_##how(best, element) " bgt 3" #element "f\n2" #element ":\n"
#define NOTE(how, best, element)                                                                                                   \
  "3" #element ": vmov.f32 s" #best ", s" #element "\n str %2, [%5, #4*" #best "]\n b 2" #element "b\n"
#define FIRSTS(bests, elements, EACH, how)                                                                                         \
  __asm__ volatile("vldmia %4, {" bests "}\n1: vldmia %0, {" elements                                                              \
                   "}\n add %0, %0, %3\n" EACH(LATER, how) " add %2, %2, #1\n subs %1, %1, #1\n bne 1b\n vstmia %4, {" bests       \
                                                           "}\n b 5f\n" EACH(NOTE, how) "5:"                                       \
                   : "+&r"(x), "+&r"(n), "+&r"(row)                                                                                \
                   : "r"(step), "r"(best), "r"(index)                                                                              \
                   : FLOATS, "cc", "memory")

static void firsts_16(int32_t *index, float *best, const float *x, size_t step, size_t n, uint32_t sign) {
  size_t row = 0;
  if (sign) FIRSTS("s0-s15", "s16-s31", SIXTEEN, min);
  else FIRSTS("s0-s15", "s16-s31", SIXTEEN, max);
}
static void firsts_4(int32_t *index, float *best, const float *x, size_t step, size_t n, uint32_t sign) {
  size_t row = 0;
  if (sign) FIRSTS("s0-s3", "s16-s19", ONLY_FOUR, min);
  else FIRSTS("s0-s3", "s16-s19", ONLY_FOUR, max);
}

/* Columns, sixteen or four at a time; those whose best is not above the start are looked at again. */
static void column_firsts(int32_t *index, size_t width, const float *x, size_t step, size_t n, uint32_t sign) {
  const float start = f32_from_bits(0xff800000 ^ sign);
  float best[16];
  for (size_t j = 0; j < width; j++) best[j] = start, index[j] = 0;
  if (width == 16) firsts_16(index, best, x, step * sizeof *x, n, sign);
  else firsts_4(index, best, x, step * sizeof *x, n, sign);
  for (size_t j = 0; j < width; j++)
    if (f32_to_bits(best[j]) == f32_to_bits(start)) bf_firsts_f32_scalar(index + j, 1, x + j, step, n, sign);
}

/*
 * Sixteen elements a turn against `best`, as signed integers (gt), as unsigned ones (hi), or which is nearer to zero; at becomes
 * the best one's address.
 */
#define TEST_gt(element) " cmp " #element ", %2\n bgt"
#define TEST_hi(element) " cmp " #element ", %2\n bhi"
#define TEST_nearer(element) " cmp %2, " #element ", lsl #1\n bhi"
#define SET_gt(element) "mov %2, " #element
#define SET_hi(element) SET_gt(element)
#define SET_nearer(element) "lsl %2, " #element ", #1"
#define AGAINST(how, element, label) TEST_##how(element) " 3" #label "f\n2" #label ":\n"
#define NEW_BEST(how, element, behind, label) "3" #label ": " SET_##how(element) "\n sub %3, %0, #4*" #behind "\n b 2" #label "b\n"
#define LOAD4(how, a, b, c, d)                                                                                                     \
  " ldmia %0!, {r4, r5, r6, r8}\n" AGAINST(how, r4, a) AGAINST(how, r5, b) AGAINST(how, r6, c) AGAINST(how, r8, d)
#define NEW4(how, a, b, c, d) NEW_BEST(how, r4, 4, a) NEW_BEST(how, r5, 3, b) NEW_BEST(how, r6, 2, c) NEW_BEST(how, r8, 1, d)
#define EACH4(M, how) M(how, 0, 1, 2, 3) M(how, 4, 5, 6, 7) M(how, 8, 9, 10, 11) M(how, 12, 13, 14, 15)
#define FIRST_OF_ROW(how)                                                                                                          \
  __asm__ volatile("1:\n" EACH4(LOAD4, how) " subs %1, %1, #1\n bne 1b\n b 5f\n" EACH4(NEW4, how) "5:"                             \
                   : "+&r"(x), "+&r"(turns), "+&r"(best), "+&r"(at)                                                                \
                   :                                                                                                               \
                   : "r4", "r5", "r6", "r8", "cc", "memory")

/* Where there is no number of the right sign: the nearest to zero, if it is a number. */
static int32_t nearest_of_row(const bf_f32_word *x, size_t n) {
  const bf_f32_word *const start = x, *at = x;
  uint32_t best = (0x7f800000u << 1) + 1; /* nearer than any NaN, farther than the infinities */
  size_t turns = n / 16;
  if (turns) FIRST_OF_ROW(nearer);
  for (; x < start + n; x++)
    if (*x << 1 < best) best = *x << 1, at = x;
  return (int32_t)(at - start);
}

static int32_t first_of_row(const bf_f32_word *x, size_t n, uint32_t sign) {
  const bf_f32_word *const start = x, *at = x;
  uint32_t best = sign;
  size_t turns = n / 16;
  if (turns && sign) FIRST_OF_ROW(hi);
  else if (turns) FIRST_OF_ROW(gt);
  for (; x < start + n; x++)
    if ((int32_t)(*x ^ sign) > (int32_t)(best ^ sign)) best = *x, at = x;
  int32_t index = (int32_t)(at - start);
  if (best == sign) return nearest_of_row(start, n);
  if ((best & 0x7fffffff) > 0x7f800000) bf_firsts_f32_scalar(&index, 1, start, 1, n, sign);
  return index;
}

void bf_firsts_f32_m4f(int32_t *index, size_t width, const void *data, size_t step, size_t n, uint32_t sign) {
  const float *x = data;
  if (width == 1 && step == 1) {
    *index = first_of_row(data, n, sign);
    return;
  }
  const uint64_t control = bf_control_enter();
  for (size_t columns; width; width -= columns, x += columns, index += columns) {
    columns = width >= 16 ? 16 : width >= 4 ? 4 : width;
    if (columns >= 4) column_firsts(index, columns, x, step, n, sign);
    else bf_firsts_f32_scalar(index, columns, x, step, n, sign);
  }
  bf_control_leave(control);
}
#endif
