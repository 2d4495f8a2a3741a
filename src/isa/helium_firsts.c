/* SPDX-License-Identifier: Apache-2.0 */
/*
 * argmax and argmin on Arm Helium, on the integers that floats and halves are; no floating-point state is looked at.
 *
 * Rows are searched for the first block that has the best value, then for the place in the block; columns keep an index in each
 * lane. First the bits are compared, as signed integers for argmax and unsigned ones for argmin, which is right if the best one is
 * a number of the right sign and not a zero. Else the search is done once more: where there is nothing of the right sign the
 * nearest to zero is best; where a NaN is in the way, keys in the order of the numbers say.
 */
#ifndef F
#include "../kernel.h"

#if BF_HAS_HELIUM
enum { VECTORS = 16 }; /* of a block */

/*
 * What is compared, as signed integers: the bits, the bits with the sign bit flipped (at -Os for both signs), which is nearest to
 * zero, or keys.
 */
enum how { BITS, FLIPPED, NEAREST, KEYS };

#define SELF "helium_firsts.c"
#include "each_lane.h"
#endif
#else
#include "helium_keys.h"

static inline INTS ON(compared)(UINTS x, enum how how, uint32_t sign) {
  if (how == BITS) return INTS_OF(x);
  if (how == FLIPPED || BF_SMALL) return INTS_OF(veorq(x, DUP_U((WORD)sign)));
  if (how == NEAREST) return INTS_OF(veorq(vshlq_n(x, 1), DUP_U((WORD)~ON(sign)))); /* without the sign, the least one greatest */
  return ON(keys)(x, sign, (INT)ON(least));
}

/* The greatest of n elements, at most a block, by what is compared. */
static inline int32_t ON(best_of)(const WORD *x, size_t n, const enum how how, uint32_t sign) {
  const int is_raw = how == FLIPPED && !BF_SMALL; /* then it is the unsigned maximum, which needs no flip for each vector */
  INTS top = DUP_S(ON(least));
  UINTS raw = DUP_U(0);
  if (n == VECTORS * L && !BF_SMALL)
    for (size_t k = 0; k < VECTORS; k++) {
      UINTS a = vld1q(x + k * L);
      if (is_raw) raw = vmaxq(raw, a);
      else top = vmaxq(top, ON(compared)(a, how, sign));
    }
  else
    for (int32_t rest = (int32_t)n; rest > 0; rest -= (int32_t)L, x += L) {
      mve_pred16_t these = CTP((uint32_t)rest);
      UINTS a = vld1q_z(x, these);
      if (is_raw) raw = vmaxq(raw, a);
      else top = vmaxq_m(top, top, ON(compared)(a, how, sign), these);
    }
  return is_raw ? (INT)(vmaxvq((WORD)0, raw) ^ sign) : vmaxvq((INT)ON(least), top);
}

/* The place of the first of n elements that is `best` by what is compared; there is one. */
static inline size_t ON(place_of)(const WORD *x, size_t n, const enum how how, uint32_t sign, int32_t best) {
  const WORD bits = (WORD)((uint32_t)best ^ sign);
  mve_pred16_t found;
  size_t i = 0;
  for (; !BF_SMALL && how <= FLIPPED && n - i >= L; i += L)
    if ((found = vcmpeqq(vld1q(x + i), bits))) return i + (size_t)__builtin_ctz(found) / (16 / L);
  for (;; i += L) {
    const mve_pred16_t these = CTP((uint32_t)(n - i < L ? n - i : L));
    const UINTS a = vld1q_z(x + i, these);
    if (how == NEAREST || how == KEYS) found = vcmpeqq_m(ON(compared)(a, how, sign), (INT)best, these);
    else found = vcmpeqq_m(a, bits, these);
    if (found) return i + (size_t)__builtin_ctz(found) / (16 / L);
  }
}

/* The first greatest of n elements by what is compared, if it lies above *best, which it becomes; else 0. */
static inline size_t ON(row_first)(const WORD *x, size_t n, const enum how how, uint32_t sign, int32_t *best) {
  const int32_t start = *best;
  size_t block = 0;
  for (size_t i = 0; i < n; i += VECTORS * L) {
    int32_t value = ON(best_of)(x + i, n - i < VECTORS * L ? n - i : VECTORS * L, how, sign);
    if (value > *best) *best = value, block = i;
  }
  return *best == start ? 0 : block + ON(place_of)(x + block, n - block, how, sign, *best);
}

static BF_APART int32_t ON(first)(const WORD *x, size_t n, uint32_t sign) {
  int32_t best = 0;
  size_t at = sign || BF_SMALL ? ON(row_first)(x, n, FLIPPED, sign, &best) : ON(row_first)(x, n, BITS, sign, &best);
  if (best > 0 && best <= (int32_t)ON(infinite)) return (int32_t)at;
  if (BF_SMALL) {
    int32_t index;
    SCALAR(firsts)(&index, 1, x, 1, n, sign);
    return index;
  }
  if (best == 0) { /* all NaN: none is nearer than an infinity */
    best = (INT)((WORD)((uint32_t)ON(infinite) << 1) ^ (WORD)~ON(sign)) - 1;
    return (int32_t)ON(row_first)(x, n, NEAREST, sign, &best);
  }
  best = ON(least);
  return (int32_t)ON(row_first)(x, n, KEYS, sign, &best);
}

/* One more row, number i, of a vector of columns: where x is greater, as signed or unsigned integers, it is the best. */
static inline void ON(later)(UINTS *best, UINTS *index, UINTS x, size_t i, const int is_signed) {
  mve_pred16_t greater = is_signed ? vcmpgtq(INTS_OF(x), INTS_OF(*best)) : vcmphiq(x, *best);
  *best = vorrq_m(*best, x, x, greater);
  *index = vdupq_m(*index, (WORD)i, greater);
}

/* Whether all the best values are numbers of the sign that is looked for. */
static int ON(decided)(INTS best, mve_pred16_t these) {
  return !(these & ~(vcmpgtq(best, (INT)0) & vcmpleq(best, (INT)ON(infinite))));
}

static void ON(place)(int32_t *to, UINTS index, mve_pred16_t these) {
  WORD lane[L];
  vst1q(lane, index);
  for (size_t j = 0; j < L && these >> j * (16 / L) & 1; j++) to[j] = (int32_t)lane[j];
}

/* Up to a vector of columns by what is compared; 0 if that does not decide. */
static inline int ON(columns_by)(int32_t *to, const WORD *x, size_t step, size_t n, uint32_t sign, mve_pred16_t these,
                                 const enum how how) {
  UINTS best = how == KEYS ? UINTS_OF(DUP_S(ON(least))) : DUP_U(0), index = DUP_U(0);
  for (size_t i = 0; i < n; i++, x += step) ON(later)(&best, &index, UINTS_OF(ON(compared)(vld1q_z(x, these), how, sign)), i, 1);
  if (how != KEYS && !ON(decided)(INTS_OF(best), these)) return 0;
  ON(place)(to, index, these);
  return 1;
}

/* At -Os the scalar machine has the second look. */
static BF_APART void ON(firsts_of)(int32_t *to, size_t width, const WORD *x, size_t step, size_t n, uint32_t sign) {
  const mve_pred16_t these = CTP((uint32_t)width);
  if (ON(columns_by)(to, x, step, n, sign, these, FLIPPED)) return;
  if (BF_SMALL) SCALAR(firsts)(to, width, x, step, n, sign);
  else ON(columns_by)(to, x, step, n, sign, these, KEYS);
}

/* Three vectors of columns; where the signs do not decide, one after the other. */
static inline void ON(firsts_of_three)(int32_t *to, const WORD *x, size_t step, size_t n, uint32_t sign, const int is_signed) {
  const UINTS start = DUP_U((WORD)sign), none = DUP_U(0);
  const mve_pred16_t all = CTP(L);
  const WORD *at = x;
  UINTS best[3] = {start, start, start}, index[3] = {none, none, none};
  for (size_t i = 0; i < n; i++, at += step)
    for (size_t v = 0; v < 3; v++) ON(later)(&best[v], &index[v], vld1q(at + v * L), i, is_signed);
  for (size_t v = 0; v < 3; v++) {
    if (ON(decided)(INTS_OF(veorq(best[v], start)), all)) ON(place)(to + v * L, index[v], all);
    else ON(columns_by)(to + v * L, x + v * L, step, n, sign, all, KEYS);
  }
}

/* Indices of columns are kept in lanes, which count to 65,535 where they are halves. */
void ACT(firsts)(int32_t *index, size_t width, const void *data, size_t step, size_t n, uint32_t sign) {
  const WORD *x = data;
  if (width == 1 && step == 1) *index = ON(first)(x, n, sign);
  else if (n > (WORD)-1) SCALAR(firsts)(index, width, x, step, n, sign);
  else {
    for (; width >= 3 * L && !BF_SMALL; width -= 3 * L, x += 3 * L, index += 3 * L) {
      if (sign) ON(firsts_of_three)(index, x, step, n, sign, 0);
      else ON(firsts_of_three)(index, x, step, n, sign, 1);
    }
    for (size_t count; width; width -= count, x += count, index += count) {
      count = width < L ? width : L;
      ON(firsts_of)(index, count, x, step, n, sign);
    }
  }
}
#endif
