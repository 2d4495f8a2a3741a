/* SPDX-License-Identifier: Apache-2.0 */
/* binary32, in memory and while adding. */
typedef float f32_value;
typedef uint32_t f32_bits;
#define f32_format BITFOLD_FORMAT_F32

static inline uint32_t f32_to_bits(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
static inline float f32_from_bits(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}
static inline float f32_plus(float a, float b) { return bf_opaque_f32(bf_opaque_f32(a) + bf_opaque_f32(b)); }
static inline float f32_times(float a, float b) { return bf_opaque_f32(bf_opaque_f32(a) * bf_opaque_f32(b)); }
static inline float f32_over(float a, float b) { return bf_opaque_f32(bf_opaque_f32(a) / bf_opaque_f32(b)); }
static inline float f32_absolute(float a) { return f32_from_bits(f32_to_bits(a) & 0x7fffffff); }
