/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The upper half of a binary32 in memory; while adding, a float whose lower half is 0. Rounding a float result once more to 8 bits
 * gives the correctly rounded result, because 24 >= 2 * 8 + 2; near the subnormals float still has 16 bits more.
 */
typedef float bf16_value;
typedef uint16_t bf16_bits;
#define bf16_format BITFOLD_FORMAT_BF16

static inline float bf16_from_bits(uint16_t h) { return f32_from_bits((uint32_t)h << 16); }
static inline uint16_t bf16_to_bits(float x) {
  uint32_t bits = f32_to_bits(x);
  if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fc0;
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16); /* a carry into the exponent is the next binade, or Inf */
}
static inline float bf16_round(float x) { return bf16_from_bits(bf16_to_bits(x)); }
static inline float bf16_plus(float a, float b) { return bf16_round(f32_plus(a, b)); }
static inline float bf16_times(float a, float b) { return bf16_round(f32_times(a, b)); }
static inline float bf16_over(float a, float b) { return bf16_round(f32_over(a, b)); }
static inline float bf16_absolute(float a) { return f32_absolute(a); }
