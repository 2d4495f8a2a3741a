/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of keys on Arm Helium; included by files that each_lane.h includes. */
/* Integers in the order of the numbers, both zeros 0; a NaN is `nan`. */
static inline INTS ON(keys)(UINTS x, uint32_t sign, INT nan) {
  UINTS magnitude = vandq(x, DUP_U((WORD)~ON(sign)));
  INTS negative = vshrq(INTS_OF(veorq(x, DUP_U((WORD)sign))), 8 * sizeof(INT) - 1);
  INTS key = vsubq(veorq(INTS_OF(magnitude), negative), negative);
  return vdupq_m(key, nan, vcmphiq(magnitude, (WORD)ON(infinite)));
}
