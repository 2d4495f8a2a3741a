/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selections of halves on Cortex-M4F, M7 and M33, two at a time: after ssub16 (signed) or usub16 (unsigned), sel takes each half
 * from one operand or the other.
 *
 * As signed integers +NaN lies above all numbers, as unsigned ones -NaN does. The signed maximum is the answer for max where it is
 * above 0, the unsigned one for min where it is above -0. Where all have the other sign it is the unsigned minimum, and for argmax
 * and argmin the nearest to zero; where a NaN is in the way of those, the scalar machine has a second look.
 */
#include "../kernel.h"

#if BF_HAS_M4F
#include <arm_acle.h>
#include "m4f.h"

enum { INFINITE = 0x7c00, NOT_A_NUMBER = 0x7e00, SIGN = 0x8000 };

static inline uint32_t greater(uint32_t a, uint32_t b) { return (void)__ssub16((int16x2_t)a, (int16x2_t)b), __sel(a, b); }
static inline uint32_t higher(uint32_t a, uint32_t b) { return (void)__usub16(a, b), __sel(a, b); }
static inline uint32_t lower(uint32_t a, uint32_t b) { return (void)__usub16(a, b), __sel(b, a); }

static uint32_t twice(uint32_t half) { return half | half << 16; }

/* Of two halves: the greatest of all, signed and unsigned. */
struct range {
  uint32_t top, bottom;
};

/* The value that the range decides for `sign`, NaN included, or 0: it takes a second look. */
static uint32_t decided(int32_t top, uint32_t bottom, uint32_t sign) {
  if (top > INFINITE || bottom > (SIGN | INFINITE)) return NOT_A_NUMBER;
  if (sign) return bottom > SIGN ? bottom : 0;
  return top > 0 ? (uint32_t)top : 0;
}

/* Whether there is nothing but numbers of the other sign, zeros of that sign included. */
static int is_other(int32_t top, uint32_t bottom, uint32_t sign) { return sign ? bottom < SIGN : top < 0; }

static inline struct range ranged(struct range r, uint32_t word) {
  return (struct range){greater(r.top, word), higher(r.bottom, word)};
}

static void keep(bf_f16_word *best, uint32_t value, uint32_t how) {
  const bf_f16_word half = (bf_f16_word)value;
  if (how & BF_FRESH) *best = half;
  else bf_extremes_f16_scalar(best, 1, &half, 1, 1, how);
}

/* The least bits of a column, and its first zero where it has one. */
static uint32_t least_bits(const bf_f16_word *x, size_t step, size_t n) {
  uint32_t least = *x;
  for (; n; n--, x += step)
    if (*x < least) least = *x;
  return least;
}
static uint32_t first_zero(const bf_f16_word *x, size_t step) {
  while (*x & (SIGN - 1)) x += step;
  return *x;
}

/* What is left to do for one column. */
static void settle(bf_f16_word *best, const bf_f16_word *x, size_t step, size_t n, uint32_t how, int32_t top, uint32_t bottom) {
  uint32_t value = decided(top, bottom, how & SIGN);
  if (!value) value = is_other(top, bottom, how & SIGN) ? least_bits(x, step, n) : first_zero(x, step);
  keep(best, value, how);
}

static void extreme_of_row(bf_f16_word *best, const bf_f16_word *x, size_t n, uint32_t how) {
  const size_t head = !is_aligned(x), words = (n - head) / 2;
  const bf_f32_word *word = (const bf_f32_word *)(const void *)(x + head);
  struct range r = {twice(x[0]), twice(x[0])};
  r = ranged(r, twice(x[n - 1]));
  size_t i = 0;
  for (; i + 8 <= words; i += 8)
    for (size_t k = 0; k < 8; k++) r = ranged(r, word[i + k]);
  for (; i < words; i++) r = ranged(r, word[i]);
  const int32_t top = (int16_t)greater(r.top, r.top << 16 | r.top >> 16);
  const uint32_t bottom = higher(r.bottom, r.bottom << 16 | r.bottom >> 16) & 0xffff;
  uint32_t value = decided(top, bottom, how & SIGN);
  if (!value && is_other(top, bottom, how & SIGN)) {
    uint32_t least = lower(twice(x[0]), twice(x[n - 1]));
    for (i = 0; i < words; i++) least = lower(least, word[i]);
    value = lower(least, least << 16 | least >> 16) & 0xffff;
  } else if (!value) value = first_zero(x, 1);
  keep(best, value, how);
}

static BF_NOINLINE void settle_pair(bf_f16_word *best, const bf_f16_word *x, size_t step, size_t n, uint32_t how, struct range r) {
  settle(best, x, step, n, how, (int16_t)r.top, r.bottom & 0xffff);
  settle(best + 1, x + 1, step, n, how, (int32_t)r.top >> 16, r.bottom >> 16);
}

/* A pair of columns that lies in aligned words, and three such pairs. */
static void extremes_of_pair(bf_f16_word *best, const bf_f16_word *x, size_t step, size_t n, uint32_t how) {
  struct range a = {twice(SIGN), 0};
  const bf_f32_word *word = (const bf_f32_word *)(const void *)x;
  for (size_t i = n; i; i--, word += step / 2) a = ranged(a, word[0]);
  settle_pair(best, x, step, n, how, a);
}
static void extremes_of_six(bf_f16_word *best, const bf_f16_word *x, size_t step, size_t n, uint32_t how) {
  struct range a = {twice(SIGN), 0}, b = a, c = a;
  const bf_f32_word *word = (const bf_f32_word *)(const void *)x;
  for (size_t i = n; i; i--, word += step / 2) a = ranged(a, word[0]), b = ranged(b, word[1]), c = ranged(c, word[2]);
  settle_pair(best, x, step, n, how, a);
  settle_pair(best + 2, x + 2, step, n, how, b);
  settle_pair(best + 4, x + 4, step, n, how, c);
}

void bf_extremes_f16_m4f(void *best, size_t width, const void *data, size_t step, size_t n, uint32_t how) {
  const bf_f16_word *x = data;
  bf_f16_word *y = best;
  if (width == 1 && step == 1) {
    extreme_of_row(y, x, n, how);
    return;
  }
  const int words = step % 2 == 0 || n == 1;
  if (words && !is_aligned(x)) bf_extremes_f16_scalar(y++, 1, x++, step, n, how), width--;
  for (; words && width >= 6; width -= 6, x += 6, y += 6) extremes_of_six(y, x, step, n, how);
  for (; words && width >= 2; width -= 2, x += 2, y += 2) extremes_of_pair(y, x, step, n, how);
  if (width) bf_extremes_f16_scalar(y, width, x, step, n, how);
}

/* Of a column without a number of the right sign: the first one nearest to zero, if it is a number. */
static int32_t nearest(const bf_f16_word *x, size_t step, size_t n) {
  uint32_t best = (INFINITE << 1) + 1;
  int32_t index = 0;
  for (size_t i = 0; i < n; i++, x += step) {
    const uint32_t distance = *x << 1 & 0xffff;
    if (distance < best) best = distance, index = (int32_t)i;
  }
  return index;
}

/* Rows in blocks: the first block with the best value, then the place in it. */
static int32_t first_of_row(const bf_f16_word *x, size_t n, uint32_t sign) {
  enum { WORDS = 16 };
  const size_t head = !is_aligned(x);
  size_t block = 0;
  int32_t index = 0, best = head ? (int16_t)(x[0] ^ sign) : 0; /* as signed integers, with the sign bit flipped for argmin */
  if (best < 0) best = 0;
  for (size_t i = head; i < n; i += 2 * WORDS) {
    const bf_f32_word *word = (const bf_f32_word *)(const void *)(x + i);
    uint32_t most = twice(sign);
    if (n - i < 2 * WORDS) {
      for (size_t k = i; k < n; k++)
        if ((int16_t)(x[k] ^ sign) > (int16_t)(most ^ sign)) most = twice(x[k]);
    } else if (sign)
      for (size_t k = 0; k < WORDS; k++) most = higher(most, word[k]);
    else
      for (size_t k = 0; k < WORDS; k++) most = greater(most, word[k]);
    most ^= twice(sign);
    const int32_t low = (int16_t)most, high = (int32_t)most >> 16;
    if (low > best || high > best) best = low > high ? low : high, block = i;
  }
  if (best == 0) index = nearest(x, 1, n);
  else if (best > INFINITE) bf_firsts_f16_scalar(&index, 1, x, 1, n, sign);
  else {
    while ((int16_t)(x[block] ^ sign) != best) block++;
    index = (int32_t)block;
  }
  return index;
}

/* Pairs of columns that lie in aligned words: a pair is looked at closely where one of its halves is better. */
static inline void firsts_of_pairs(int32_t *index, const size_t pairs, const bf_f16_word *x, size_t step, size_t n,
                                   const uint32_t sign) {
  uint32_t best[3] = {twice(sign), twice(sign), twice(sign)};
  const bf_f32_word *word = (const bf_f32_word *)(const void *)x;
  for (size_t j = 0; j < 2 * pairs; j++) index[j] = 0;
  for (size_t i = 0; i < n; i++, word += step / 2)
    for (size_t p = 0; p < pairs; p++) {
      const uint32_t more = sign ? higher(best[p], word[p]) : greater(best[p], word[p]);
      if (__builtin_expect(more == best[p], 1)) continue;
      if ((more ^ best[p]) & 0xffff) index[2 * p] = (int32_t)i;
      if ((more ^ best[p]) >> 16) index[2 * p + 1] = (int32_t)i;
      best[p] = more;
    }
  for (size_t j = 0; j < 2 * pairs; j++) {
    const uint32_t value = best[j / 2] >> 16 * (j % 2) & 0xffff;
    if (value == sign) index[j] = nearest(x + j, step, n);
    else if ((value & (SIGN - 1)) > INFINITE) bf_firsts_f16_scalar(index + j, 1, x + j, step, n, sign);
  }
}
static BF_NOINLINE void firsts_of_six(int32_t *index, const bf_f16_word *x, size_t step, size_t n, uint32_t sign) {
  if (sign) firsts_of_pairs(index, 3, x, step, n, SIGN);
  else firsts_of_pairs(index, 3, x, step, n, 0);
}

void bf_firsts_f16_m4f(int32_t *index, size_t width, const void *data, size_t step, size_t n, uint32_t sign) {
  const bf_f16_word *x = data;
  if (width == 1 && step == 1) {
    *index = first_of_row(x, n, sign);
    return;
  }
  const int words = step % 2 == 0 || n == 1;
  if (words && !is_aligned(x)) bf_firsts_f16_scalar(index++, 1, x++, step, n, sign), width--;
  for (; words && width >= 6; width -= 6, x += 6, index += 6) firsts_of_six(index, x, step, n, sign);
  for (; words && width >= 2; width -= 2, x += 2, index += 2) firsts_of_pairs(index, 1, x, step, n, sign);
  if (width) bf_firsts_f16_scalar(index, width, x, step, n, sign);
}
#endif
