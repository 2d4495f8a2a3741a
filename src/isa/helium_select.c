/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selections on Arm Helium: max, min, argmax, argmin on the integers that floats and halves are; no floating-point state is looked
 * at.
 *
 * As signed integers the largest bits are those of +NaN, +Inf and so on down to +0; as unsigned ones those of -NaN, -Inf down to
 * -0. So the signed maximum is the answer for max if it lies above 0 and the unsigned one for min if it lies above -0, and either
 * shows its kind of NaN. Where all numbers have the other sign the unsigned minimum is the answer; a zero needs a look for the
 * first one. firsts looks for the first block that has the best value, then for the place in the block; where the sign does not
 * decide, or a NaN is in the way, it does so once more with keys in the order of the numbers.
 */
#ifndef F
#include "../kernel.h"

#if BF_HAS_HELIUM
#include <arm_mve.h>

/* What firsts compares, as signed integers: the bits, the bits with the sign bit flipped, or keys. */
enum { BLOCK = 16 };              /* vectors */
enum how { BITS, FLIPPED, KEYS }; /* at -Os FLIPPED serves both signs */

#define SELF "helium_select.c"
#define F f16
#define UINTS uint16x8_t
#define INTS int16x8_t
#define INT int16_t
#define CTP vctp16q
#define UINTS_OF vreinterpretq_u16_s16
#define INTS_OF vreinterpretq_s16_u16
#define DUP_U vdupq_n_u16
#define DUP_S vdupq_n_s16
enum { f16_lanes = 8, f16_sign = 0x8000, f16_infinite = 0x7c00, f16_nan = 0x7e00, f16_least = INT16_MIN };
#include SELF
#undef F
#undef UINTS
#undef INTS
#undef INT
#undef CTP
#undef UINTS_OF
#undef INTS_OF
#undef DUP_U
#undef DUP_S
#define F f32
#define UINTS uint32x4_t
#define INTS int32x4_t
#define INT int32_t
#define CTP vctp32q
#define UINTS_OF vreinterpretq_u32_s32
#define INTS_OF vreinterpretq_s32_u32
#define DUP_U vdupq_n_u32
#define DUP_S vdupq_n_s32
enum { f32_lanes = 4, f32_sign = INT32_MIN, f32_infinite = 0x7f800000, f32_nan = 0x7fc00000, f32_least = INT32_MIN };
#include SELF
#endif
#else
#define WORD BF_JOIN(BF_JOIN(bf, F), word)
#define ACT(word) BF_JOIN(BF_JOIN(BF_JOIN(bf, word), F), helium)
#define L ((size_t)ON(lanes))

/* Integers in the order of the numbers, both zeros 0; a NaN is `nan`. */
BF_INLINE INTS ON(keys)(UINTS x, uint32_t sign, INT nan) {
  UINTS magnitude = vandq(x, DUP_U((WORD)~ON(sign)));
  INTS negative = vshrq(INTS_OF(veorq(x, DUP_U((WORD)sign))), 8 * sizeof(INT) - 1);
  INTS key = vsubq(veorq(INTS_OF(magnitude), negative), negative);
  return vdupq_m(key, nan, vcmphiq(magnitude, (WORD)ON(infinite)));
}

/* The first zero of n elements that has one. */
static WORD ON(first_zero)(const WORD *x, size_t step) {
  while (*x & (WORD)~ON(sign)) x += step;
  return *x;
}

static WORD ON(least_bits)(const WORD *x, size_t n) {
  UINTS least = DUP_U((WORD)-1);
  for (; n >= 4 * L && !BF_SMALL; n -= 4 * L, x += 4 * L)
    least = vminq(vminq(vminq(vminq(least, vld1q(x)), vld1q(x + L)), vld1q(x + 2 * L)), vld1q(x + 3 * L));
  for (int32_t rest = (int32_t)n; rest > 0; rest -= (int32_t)L, x += L) {
    mve_pred16_t these = CTP((uint32_t)rest);
    least = vminq_m(least, least, vld1q_z(x, these), these);
  }
  return vminvq((WORD)-1, least);
}

/* The extreme of n contiguous elements. */
static BF_NOINLINE WORD ON(row_extreme)(const WORD *x, size_t n, uint32_t sign) {
  const WORD *const start = x;
  const size_t whole = n;
  INTS top = DUP_S(ON(least));
  UINTS bottom = DUP_U(0);
  for (; n >= 4 * L && !BF_SMALL; n -= 4 * L, x += 4 * L) {
    UINTS a = vld1q(x), b = vld1q(x + L), c = vld1q(x + 2 * L), d = vld1q(x + 3 * L);
    top = vmaxq(vmaxq(vmaxq(vmaxq(top, INTS_OF(a)), INTS_OF(b)), INTS_OF(c)), INTS_OF(d));
    bottom = vmaxq(vmaxq(vmaxq(vmaxq(bottom, a), b), c), d);
  }
  for (int32_t rest = (int32_t)n; rest > 0; rest -= (int32_t)L, x += L) {
    mve_pred16_t these = CTP((uint32_t)rest);
    UINTS a = vld1q_z(x, these);
    top = vmaxq_m(top, top, INTS_OF(a), these);
    bottom = vmaxq(bottom, a);
  }
  const int32_t most = vmaxvq((INT)ON(least), top);
  const uint32_t raw = vmaxvq((WORD)0, bottom), value = sign ? raw : (uint32_t)most;
  if (most > (int32_t)ON(infinite) || raw > ((uint32_t)ON(sign) | ON(infinite))) return ON(nan);
  const int32_t order = (INT)(value ^ sign);
  return order > 0 ? (WORD)value : order ? ON(least_bits)(start, whole) : ON(first_zero)(start, 1);
}

/* Lanes of `value` that are zero become the first zero of their column. */
static UINTS ON(zeros)(UINTS value, mve_pred16_t zero, const WORD *x, size_t step) {
  WORD lane[L];
  vst1q(lane, value);
  for (size_t j = 0; j < L; j++, zero >>= 16 / L)
    if (zero & 1) lane[j] = ON(first_zero)(x + j, step);
  return vld1q(lane);
}

/* New values of one vector of columns, where they beat the best ones. */
static BF_NOINLINE void ON(keep_better)(UINTS value, WORD *best, uint32_t sign, mve_pred16_t these) {
  const INT most = (INT)~ON(least);
  const INTS key = ON(keys)(value, sign, most), old = ON(keys)(vld1q_z(best, these), sign, most);
  vst1q_p(best, value, vcmpgtq(key, old) & these);
}

/* One vector of columns: from its signed and unsigned maxima to the new best values; how is the sign and BF_FRESH. */
static BF_NOINLINE void ON(settle)(INTS top, UINTS bottom, WORD *best, const WORD *x, size_t step, size_t n, uint32_t how,
                                   mve_pred16_t these) {
  const uint32_t sign = how & (uint32_t)ON(sign);
  UINTS value = sign ? bottom : UINTS_OF(top), least = DUP_U((WORD)-1);
  const INTS order = INTS_OF(veorq(value, DUP_U((WORD)sign)));
  const mve_pred16_t other = vcmpltq(order, (INT)0) & these, zero = vcmpeqq(order, (INT)0) & these;
  if (other) {
    const WORD *at = x;
    for (; n; n--, at += step) least = vminq(least, vld1q_z(at, these));
    value = vpselq(least, value, other);
  }
  if (zero) value = ON(zeros)(value, zero, x, step);
  value = vdupq_m(value, (WORD)ON(nan), vcmpgtq(top, (INT)ON(infinite)));
  value = vdupq_m(value, (WORD)ON(nan), vcmphiq(bottom, (WORD)(ON(sign) | ON(infinite))));
  if (how & BF_FRESH) vst1q_p(best, value, these);
  else ON(keep_better)(value, best, sign, these);
}

/* The signed and unsigned maxima of `vectors` vectors of columns, and what follows from them. */
static inline void ON(extremes_of)(WORD *best, const size_t vectors, const WORD *x, size_t step, size_t n, uint32_t how,
                                   mve_pred16_t these) {
  const WORD *at = x;
  INTS top[3];
  UINTS bottom[3];
  for (size_t v = 0; v < vectors; v++) top[v] = DUP_S(ON(least)), bottom[v] = DUP_U(0);
  for (size_t i = n; i; i--, at += step)
    for (size_t v = 0; v < vectors; v++) {
      UINTS a = vectors == 1 ? vld1q_z(at, these) : vld1q(at + v * L);
      top[v] = vmaxq(top[v], INTS_OF(a)), bottom[v] = vmaxq(bottom[v], a);
    }
  for (size_t v = 0; v < vectors; v++) ON(settle)(top[v], bottom[v], best + v * L, x + v * L, step, n, how, these);
}

void ACT(extremes)(void *best, size_t width, const void *data, size_t step, size_t n, uint32_t how) {
  const WORD *x = data;
  WORD *y = best;
  if (width == 1 && step == 1) {
    const WORD value = ON(row_extreme)(x, n, how & (uint32_t)ON(sign));
    if (how & BF_FRESH) *y = value;
    else ON(keep_better)(DUP_U(value), y, how, CTP(1));
    return;
  }
  for (; width >= 3 * L && !BF_SMALL; width -= 3 * L, x += 3 * L, y += 3 * L) ON(extremes_of)(y, 3, x, step, n, how, CTP(L));
  for (int32_t rest = (int32_t)width; rest > 0; rest -= (int32_t)L, x += L, y += L)
    ON(extremes_of)(y, 1, x, step, n, how, CTP((uint32_t)rest));
}

static inline INTS ON(compared)(UINTS x, enum how how, uint32_t sign) {
  if (how == BITS) return INTS_OF(x);
  if (how == FLIPPED) return INTS_OF(veorq(x, DUP_U((WORD)sign)));
  return ON(keys)(x, sign, (INT)ON(least));
}

/* The greatest of n elements, at most a block, by what is compared. */
static inline int32_t ON(best_of)(const WORD *x, size_t n, const enum how how, uint32_t sign) {
  const int is_raw = how == FLIPPED && !BF_SMALL; /* then it is the unsigned maximum, which needs no flip for each vector */
  INTS top = DUP_S(ON(least));
  UINTS raw = DUP_U(0);
  if (n == BLOCK * L && !BF_SMALL)
    for (size_t k = 0; k < BLOCK; k++) {
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
  for (; !BF_SMALL && how != KEYS && n - i >= L; i += L)
    if ((found = vcmpeqq(vld1q(x + i), bits))) return i + (size_t)__builtin_ctz(found) / (16 / L);
  for (;; i += L) {
    const mve_pred16_t these = CTP((uint32_t)(n - i < L ? n - i : L));
    const UINTS a = vld1q_z(x + i, these);
    if (how == KEYS) found = vcmpeqq_m(ON(keys)(a, sign, (INT)ON(least)), (INT)best, these);
    else found = vcmpeqq_m(a, bits, these);
    if (found) return i + (size_t)__builtin_ctz(found) / (16 / L);
  }
}

/* The first greatest of n elements by what is compared, if it lies above *best, which it becomes; else 0. */
BF_INLINE size_t ON(row_first)(const WORD *x, size_t n, const enum how how, uint32_t sign, int32_t *best) {
  const int32_t start = *best;
  size_t block = 0;
  for (size_t i = 0; i < n; i += BLOCK * L) {
    int32_t value = ON(best_of)(x + i, n - i < BLOCK * L ? n - i : BLOCK * L, how, sign);
    if (value > *best) *best = value, block = i;
  }
  return *best == start ? 0 : block + ON(place_of)(x + block, n - block, how, sign, *best);
}

static BF_NOINLINE int32_t ON(first)(const WORD *x, size_t n, uint32_t sign) {
  int32_t best = 0;
  size_t at = sign || BF_SMALL ? ON(row_first)(x, n, FLIPPED, sign, &best) : ON(row_first)(x, n, BITS, sign, &best);
  if (best > 0 && best <= (int32_t)ON(infinite)) return (int32_t)at;
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

/* One vector of columns by what is compared: the bits, and if they do not decide, keys. */
static BF_NOINLINE void ON(firsts_of)(int32_t *to, const WORD *x, size_t step, size_t n, uint32_t sign, mve_pred16_t these,
                                      enum how how) {
  UINTS best, index;
  for (;; how = KEYS) {
    const WORD *at = x;
    best = how == KEYS ? UINTS_OF(DUP_S(ON(least))) : DUP_U(0), index = DUP_U(0);
    for (size_t i = 0; i < n; i++, at += step)
      ON(later)(&best, &index, UINTS_OF(ON(compared)(vld1q_z(at, these), how, sign)), i, 1);
    if (how == KEYS || ON(decided)(INTS_OF(best), these)) break;
  }
  ON(place)(to, index, these);
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
    else ON(firsts_of)(to + v * L, x + v * L, step, n, sign, all, KEYS);
  }
}

/* Indices of columns are kept in lanes, which count to 65,535 where they are halves. */
void ACT(firsts)(int32_t *index, size_t width, const void *data, size_t step, size_t n, uint32_t sign) {
  const WORD *x = data;
  if (width == 1 && step == 1) *index = ON(first)(x, n, sign);
  else if (n > (WORD)-1) BF_JOIN(BF_JOIN(bf_firsts, F), scalar)(index, width, x, step, n, sign);
  else {
    for (; width >= 3 * L && !BF_SMALL; width -= 3 * L, x += 3 * L, index += 3 * L) {
      if (sign) ON(firsts_of_three)(index, x, step, n, sign, 0);
      else ON(firsts_of_three)(index, x, step, n, sign, 1);
    }
    for (int32_t rest = (int32_t)width; rest > 0; rest -= (int32_t)L, x += L, index += L)
      ON(firsts_of)(index, x, step, n, sign, CTP((uint32_t)rest), FLIPPED);
  }
}
#endif
