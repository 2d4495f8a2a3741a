/* SPDX-License-Identifier: Apache-2.0 */
/* x86-64 with AVX2, FMA and conversions of halves: vectors of 32 bytes. */
#include "../kernel.h"

#if BF_HAS_X86
#include <immintrin.h>
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma,f16c")
#endif

#define MACHINE avx2
#define NAME "avx2"
#define VECTOR 32

#include "vectors.h"

#define REGISTER __m256i
#define HAS_ADD_SATURATED
BINARY(add_saturated_i16, v_i16, _mm256_adds_epi16)
BINARY(add_saturated_i8, v_i8, _mm256_adds_epi8)
#define HAS_ABS
VEC v_i16 abs_i16(v_i16 a) { return (v_i16)_mm256_abs_epi16((__m256i)a); }
#define HAS_SIGN
BINARY(signed_i16, v_i16, _mm256_sign_epi16)
VEC v_i16 with_sign(v_i16 magnitude, v_i16 a, v_i16 b) {
  return (v_i16)_mm256_sign_epi16(_mm256_sign_epi16((__m256i)magnitude, (__m256i)a), (__m256i)b);
}
#define HAS_MUL_HIGH
BINARY(mul_high_u16, v_u16, _mm256_mulhi_epu16)
#define HAS_MIN_MAX_I16
BINARY(min_i16, v_i16, _mm256_min_epi16)
BINARY(max_i16, v_i16, _mm256_max_epi16)
#define HAS_MAX_I8
BINARY(max_i8, v_i8, _mm256_max_epi8)
#define HAS_MIN_I8
BINARY(min_i8, v_i8, _mm256_min_epi8)
#define HAS_LOADED
VEC v_i16 loaded_i16(v_i16 a) {
  __asm__("" : "+x"(a));
  return a;
}
#define HAS_PAIRS
VEC v_i16 pairs_i16(v_i16 a, v_i16 b) {
  const __m256i one = _mm256_set1_epi16(1);
  return (v_i16)_mm256_packs_epi32(_mm256_madd_epi16((__m256i)a, one), _mm256_madd_epi16((__m256i)b, one));
}
VEC v_i16 pairs_i8(v_i8 a) { return (v_i16)_mm256_maddubs_epi16(_mm256_set1_epi8(1), (__m256i)a); }
#define HAS_ALTERNATE
VEC v_i16 alternate_i16(v_i16 even, v_i16 odd) { return (v_i16)_mm256_blend_epi16((__m256i)even, (__m256i)odd, 0xaa); }
#define HAS_ANY
VEC int any(v_i16 mask) { return !_mm256_testz_si256((__m256i)mask, (__m256i)mask); }
#define HAS_ZIP
BINARY(zip_low_i16, v_i16, _mm256_unpacklo_epi16)
BINARY(zip_high_i16, v_i16, _mm256_unpackhi_epi16)
BINARY(zip_low_i8, v_i8, _mm256_unpacklo_epi8)
BINARY(zip_high_i8, v_i8, _mm256_unpackhi_epi8)
static inline const __m128i *at(const unsigned char *x) { return (const __m128i *)(const void *)x; }
#define HAS_PARTS
VEC v_i16 load_parts(const unsigned char *x, ptrdiff_t across) {
  const __m256i low = _mm256_castsi128_si256(_mm_loadu_si128(at(x)));
  return (v_i16)_mm256_blend_epi32(low, _mm256_broadcastsi128_si256(_mm_loadu_si128(at(x + across))), 0xf0); /* on any port */
}
#define HAS_BYTES
VEC v_i16 load_bytes(const unsigned char *x, ptrdiff_t across) {
  return (v_i16)_mm256_cvtepi8_epi16(_mm_unpacklo_epi64(_mm_loadl_epi64(at(x)), _mm_loadl_epi64(at(x + across))));
}
VEC v_i16 load_half(const unsigned char *x) { return (v_i16)_mm256_cvtepi8_epi16(_mm_loadu_si128(at(x))); }

#define HAS_MIN_MAX_UNSIGNED
BINARY(max_u32, v_u32, _mm256_max_epu32)
BINARY(min_u32, v_u32, _mm256_min_epu32)
BINARY(max_u16, v_u16, _mm256_max_epu16)
BINARY(min_u16, v_u16, _mm256_min_epu16)
#define HAS_LOAD_F16
VEC v_f32 load_f16(const void *x) { return (v_f32)_mm256_cvtph_ps(_mm_loadu_si128(x)); }
#define HAS_PRODUCT_ERROR
VEC v_f64 product_error(v_f64 x, v_f64 y, v_f64 product) { return (v_f64)_mm256_fmsub_pd(x, y, product); }

#define HAS_FOLDS
VEC uint32_t greatest_u32(v_u32 v) {
  __m128i x = _mm_max_epu32(_mm256_castsi256_si128((__m256i)v), _mm256_extracti128_si256((__m256i)v, 1));
  x = _mm_max_epu32(x, _mm_unpackhi_epi64(x, x));
  return (uint32_t)_mm_cvtsi128_si32(_mm_max_epu32(x, _mm_srli_epi64(x, 32)));
}
VEC uint32_t least_u32(v_u32 v) { return ~greatest_u32(~v); }
VEC double fold_f64(v_f64 v) {
  const __m128d x = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
  return _mm_cvtsd_f64(_mm_add_sd(x, _mm_unpackhi_pd(x, x)));
}
#define HAS_ROUND
VEC v_i32 round_i32(v_f32 x) { return (v_i32)_mm256_cvtps_epi32(x); }
VEC v_f64 load_wide_i32(const int32_t *x) { return (v_f64)_mm256_cvtepi32_pd(_mm_loadu_si128((const __m128i *)(const void *)x)); }
#define HAS_NARROW
VEC v_part narrow_f64(v_f64 x) { return (v_part)_mm256_cvtpd_ps(x); }
#define HAS_LOAD_WIDE
VEC v_f64 load_wide(const float *x) { return (v_f64)_mm256_cvtps_pd(_mm_loadu_ps(x)); }

/* a + b * 1, which is the same: there are processors whose additions and multiplications have units of their own. */
#define HAS_ALSO_PLUS
VEC v_f64 also_plus_f64(v_f64 a, v_f64 b) {
  const v_f64 one = fill_f64(1);
  __asm__("vfmadd231pd %2, %1, %0" : "+x"(a) : "x"(b), "x"(one)); /* a compiler would see through the function of that name */
  return a;
}

#include "inexact_x86.h"

/* As assembly, because a compiler that thinks that there are no NaN might trade the operands. */
#define HAS_PICK_FLOATS
VEC v_f32 larger_f32(v_f32 x, v_f32 y) {
  v_f32 v;
  __asm__("vmaxps %2, %1, %0" : "=x"(v) : "x"(x), "x"(y));
  return v;
}
VEC v_f32 smaller_f32(v_f32 x, v_f32 y) {
  v_f32 v;
  __asm__("vminps %2, %1, %0" : "=x"(v) : "x"(x), "x"(y));
  return v;
}
VEC v_i32 odd_f32(v_i32 so_far, v_f32 a, v_f32 b) {
  v_i32 v;
  __asm__("vcmpunordps %2, %1, %0" : "=x"(v) : "x"(a), "x"(b));
  return so_far | v;
}
VEC v_f64 larger_f64(v_f64 x, v_f64 y) {
  v_f64 v;
  __asm__("vmaxpd %2, %1, %0" : "=x"(v) : "x"(x), "x"(y));
  return v;
}
VEC v_f64 smaller_f64(v_f64 x, v_f64 y) {
  v_f64 v;
  __asm__("vminpd %2, %1, %0" : "=x"(v) : "x"(x), "x"(y));
  return v;
}
VEC v_i64 odd_f64(v_i64 so_far, v_f64 a, v_f64 b) {
  v_i64 v;
  __asm__("vcmpunordpd %2, %1, %0" : "=x"(v) : "x"(a), "x"(b));
  return so_far | v;
}
#define HAS_LARGER_I8
BINARY(larger_i8, v_i8, _mm256_max_epi8)
#define HAS_LARGER_I16
BINARY(larger_i16, v_i16, _mm256_max_epi16)
#define HAS_LARGER_I32
BINARY(larger_i32, v_i32, _mm256_max_epi32)
#define HAS_CHOOSE
VEC v_i8 choose_i8(v_i8 a, v_i8 b, v_i8 x, v_i8 y) { return (v_i8)_mm256_blendv_epi8((__m256i)y, (__m256i)x, (__m256i)(a > b)); }
VEC v_i16 choose_i16(v_i16 a, v_i16 b, v_i16 x, v_i16 y) {
  return (v_i16)_mm256_blendv_epi8((__m256i)y, (__m256i)x, (__m256i)(a > b));
}
VEC v_i32 choose_i32(v_i32 a, v_i32 b, v_i32 x, v_i32 y) {
  return (v_i32)_mm256_blendv_epi8((__m256i)y, (__m256i)x, (__m256i)(a > b));
}
VEC v_i64 choose_i64(v_i64 a, v_i64 b, v_i64 x, v_i64 y) {
  return (v_i64)_mm256_blendv_epi8((__m256i)y, (__m256i)x, (__m256i)(a > b));
}
VEC v_i32 choose_f32(v_f32 a, v_f32 b, v_i32 x, v_i32 y) {
  return (v_i32)_mm256_blendv_epi8((__m256i)y, (__m256i)x, (__m256i)(a > b));
}
VEC v_i64 choose_f64(v_f64 a, v_f64 b, v_i64 x, v_i64 y) {
  return (v_i64)_mm256_blendv_epi8((__m256i)y, (__m256i)x, (__m256i)(a > b));
}
#define HAS_TOP_BITS
#define BYTE_BITS 1
VEC uint64_t top_bits(v_i8 mask) { return (uint32_t)_mm256_movemask_epi8((__m256i)mask); }

static int runs_here(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); /* and F16C: every processor with AVX2 has it */
}

VEC v_f32 round_f16(__m256 x) { return _mm256_cvtph_ps(_mm256_cvtps_ph(x, 0)); }
#define HAS_ROUND_F16

#include "vector.h"

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
