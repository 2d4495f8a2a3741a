/* SPDX-License-Identifier: Apache-2.0 */
/*
 * binary16 in memory; while adding, a float that holds a binary16 value. Rounding a float result once more to 11 bits gives the
 * correctly rounded half sum, product and quotient, because 24 >= 2 * 11 + 2 (Figueroa 1995); results below 2^-14 are exact in
 * float.
 */
typedef float f16_value;
typedef uint16_t f16_bits;
#define f16_format BITFOLD_FORMAT_F16

/* Both candidates and a choice, which compilers turn into vector code. */
static inline float f16_from_bits(uint16_t h) {
  uint32_t sign = (uint32_t)(h & 0x8000) << 16, magnitude = h & 0x7fff;
  uint32_t normal = (magnitude << 13) + ((magnitude < 0x7c00 ? 112u : 224u) << 23);
  uint32_t subnormal = f32_to_bits((float)(int32_t)magnitude * 0x1p-24f); /* 2^-24 and more: flush-to-zero cannot touch it */
  return f32_from_bits(sign | (magnitude < 0x0400 ? subnormal : normal));
}
static inline uint16_t f16_to_bits(float x) {
  uint32_t bits = f32_to_bits(x), magnitude = bits & 0x7fffffff, sign = bits >> 16 & 0x8000;
  if (magnitude > 0x7f800000) return 0x7e00;
  if (magnitude >= 0x47800000) return (uint16_t)(sign | 0x7c00); /* 2^16 and above; 65520 and above carry into Inf below */
  if (magnitude < 0x33000000) return (uint16_t)sign;             /* below 2^-25 */
  uint32_t exponent = magnitude >> 23, fraction = (magnitude & 0x7fffff) | 0x800000;
  uint32_t shift = exponent < 113 ? 126 - exponent : 13; /* bits that do not fit: 13, more below 2^-14 */
  uint32_t kept = fraction >> shift, rest = fraction & ((1u << shift) - 1), half = 1u << (shift - 1);
  kept += rest > half || (rest == half && (kept & 1));
  return (uint16_t)(sign | (exponent < 113 ? kept : kept + ((exponent - 113) << 10)));
}
static inline float f16_round(float x) { return f16_from_bits(f16_to_bits(x)); }
static inline float f16_plus(float a, float b) { return f16_round(f32_plus(a, b)); }
static inline float f16_times(float a, float b) { return f16_round(f32_times(a, b)); }
static inline float f16_over(float a, float b) { return f16_round(f32_over(a, b)); }
static inline float f16_absolute(float a) { return f32_absolute(a); }
