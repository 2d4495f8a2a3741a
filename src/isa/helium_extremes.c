/* SPDX-License-Identifier: Apache-2.0 */
/*
 * max and min on Arm Helium, on the integers that floats and halves are; no floating-point state is looked at.
 *
 * As signed integers the largest bits are those of +NaN, +Inf and so on down to +0; as unsigned ones those of -NaN, -Inf down to
 * -0. So the signed maximum is the answer for max if it lies above 0 and the unsigned one for min if it lies above -0, and either
 * shows its kind of NaN. Where all numbers have the other sign the unsigned minimum is the answer; a zero needs a look for the
 * first one.
 */
#ifndef F
#include "../kernel.h"

#if BF_HAS_HELIUM
#define SELF "helium_extremes.c"
#include "each_lane.h"
#endif
#else
#include "helium_keys.h"

/* The first zero of n elements that has one. */
static WORD ON(first_zero)(const WORD *x, size_t step) {
  while (*x & (WORD)~ON(sign)) x += step;
  return *x;
}

static WORD ON(least_bits)(const WORD *x, size_t n) {
  UINTS least = DUP_U((WORD)-1);
  for (; n >= 4 * L; n -= 4 * L, x += 4 * L)
    least = vminq(vminq(vminq(vminq(least, vld1q(x)), vld1q(x + L)), vld1q(x + 2 * L)), vld1q(x + 3 * L));
  for (int32_t rest = (int32_t)n; rest > 0; rest -= (int32_t)L, x += L) {
    mve_pred16_t these = CTP((uint32_t)rest);
    least = vminq_m(least, least, vld1q_z(x, these), these);
  }
  return vminvq((WORD)-1, least);
}

/* The extreme of a row; the scalar machine joins it with the best one, or, at -Os, looks again where the sign does not decide. */
static BF_NOINLINE void ON(row_extreme)(WORD *best, const WORD *x, size_t n, uint32_t how) {
  const uint32_t sign = how & (uint32_t)ON(sign);
  INTS top = DUP_S(ON(least));
  UINTS bottom = DUP_U(0);
  const WORD *at = x;
  int32_t rest = (int32_t)n;
  for (; rest >= 4 * ON(lanes) && !BF_SMALL; rest -= 4 * ON(lanes), at += 4 * L) {
    UINTS a = vld1q(at), b = vld1q(at + L), c = vld1q(at + 2 * L), d = vld1q(at + 3 * L);
    top = vmaxq(vmaxq(vmaxq(vmaxq(top, INTS_OF(a)), INTS_OF(b)), INTS_OF(c)), INTS_OF(d));
    bottom = vmaxq(vmaxq(vmaxq(vmaxq(bottom, a), b), c), d);
  }
  for (; rest > 0; rest -= ON(lanes), at += L) {
    mve_pred16_t these = CTP((uint32_t)rest);
    UINTS a = vld1q_z(at, these);
    top = vmaxq_m(top, top, INTS_OF(a), these);
    bottom = vmaxq(bottom, a);
  }
  const int32_t most = vmaxvq((INT)ON(least), top);
  const uint32_t raw = vmaxvq((WORD)0, bottom);
  WORD value = (WORD)(sign ? raw : (uint32_t)most);
  const int32_t order = (INT)(value ^ sign);
  const int nan = most > (int32_t)ON(infinite) || raw > ((uint32_t)ON(sign) | ON(infinite));
  if (nan) value = ON(nan);
  else if (order <= 0 && !BF_SMALL) value = order ? ON(least_bits)(x, n) : ON(first_zero)(x, 1);
  if (order <= 0 && BF_SMALL) SCALAR(extremes)(best, 1, x, 1, n, how);
  else if (how & BF_FRESH) *best = value;
  else SCALAR(extremes)(best, 1, &value, 1, 1, how);
}

/* Lanes of `value` that are zero become the first zero of their column. */
static BF_NOINLINE UINTS ON(zeros)(UINTS value, mve_pred16_t zero, const WORD *x, size_t step) {
  WORD lane[L];
  vst1q(lane, value);
  for (size_t j = 0; j < L; j++, zero >>= 16 / L)
    if (zero & 1) lane[j] = ON(first_zero)(x + j, step);
  return vld1q(lane);
}

/* One vector of columns: from its signed and unsigned maxima to the new best values; how is the sign and BF_FRESH. */
static BF_NOINLINE void ON(settle)(INTS top, UINTS bottom, WORD *best, const WORD *x, size_t step, size_t n, uint32_t how,
                                   mve_pred16_t these) {
  const uint32_t sign = how & (uint32_t)ON(sign);
  const INT most = (INT)~ON(least);
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
  if (!(how & BF_FRESH)) these &= vcmpgtq(ON(keys)(value, sign, most), ON(keys)(vld1q_z(best, these), sign, most));
  vst1q_p(best, value, these);
}

/* The same at -Os: the scalar machine does all but what the signs decide. */
static inline void ON(settle_small)(INTS top, UINTS bottom, WORD *best, size_t width, const WORD *x, size_t step, size_t n,
                                    uint32_t how, mve_pred16_t these) {
  const uint32_t sign = how & (uint32_t)ON(sign);
  const UINTS value = sign ? bottom : UINTS_OF(top);
  const mve_pred16_t decided = vcmpgtq(INTS_OF(veorq(value, DUP_U((WORD)sign))), (INT)0) & vcmpleq(top, (INT)ON(infinite)) &
                               ~vcmphiq(bottom, (WORD)(ON(sign) | ON(infinite)));
  if ((how & BF_FRESH) && !(these & ~decided)) vst1q_p(best, value, these);
  else SCALAR(extremes)(best, width, x, step, n, how);
}

/* The signed and unsigned maxima of one vector of columns, or what there is of it, or of three, and what follows from them. */
static inline void ON(extremes_of)(WORD *best, size_t width, const size_t vectors, const WORD *x, size_t step, size_t n,
                                   uint32_t how) {
  const mve_pred16_t these = CTP((uint32_t)width);
  const WORD *at = x;
  INTS top[3];
  UINTS bottom[3];
  for (size_t v = 0; v < vectors; v++) top[v] = DUP_S(ON(least)), bottom[v] = DUP_U(0);
  for (size_t i = n; i; i--, at += step)
    for (size_t v = 0; v < vectors; v++) {
      UINTS a = vectors == 1 ? vld1q_z(at, these) : vld1q(at + v * L);
      top[v] = vmaxq(top[v], INTS_OF(a)), bottom[v] = vmaxq(bottom[v], a);
    }
  for (size_t v = 0; v < vectors; v++) {
    if (BF_SMALL) ON(settle_small)(top[v], bottom[v], best, width, x, step, n, how, these);
    else ON(settle)(top[v], bottom[v], best + v * L, x + v * L, step, n, how, these);
  }
}

void ACT(extremes)(void *best, size_t width, const void *data, size_t step, size_t n, uint32_t how) {
  const WORD *x = data;
  WORD *y = best;
  if (width == 1 && step == 1) {
    ON(row_extreme)(y, x, n, how);
    return;
  }
  for (; width >= 3 * L && !BF_SMALL; width -= 3 * L, x += 3 * L, y += 3 * L) ON(extremes_of)(y, L, 3, x, step, n, how);
  for (size_t count; width; width -= count, x += count, y += count) {
    count = width < L ? width : L;
    ON(extremes_of)(y, count, 1, x, step, n, how);
  }
}
#endif
