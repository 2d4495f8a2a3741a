/* SPDX-License-Identifier: Apache-2.0 */
/*
 * x86-64 with AVX-512 F, BW, DQ and VL: vectors of 64 bytes. With BITFOLD_EMULATE_AVX512, which is for tests, the instructions are
 * functions that were included before, on processors with AVX2.
 */
#include "../kernel.h"

#if BF_HAS_X86
#ifdef BITFOLD_EMULATE_AVX512
#pragma GCC push_options
#else
#include <immintrin.h>
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma,f16c"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,fma,f16c")
#endif
#endif

#define MACHINE avx512
#define NAME "avx512"
#define VECTOR 64

#include "vectors.h"

#define REGISTER __m512i
#define HAS_ADD_SATURATED
BINARY(add_saturated_i16, v_i16, _mm512_adds_epi16)
BINARY(add_saturated_i8, v_i8, _mm512_adds_epi8)
#define HAS_ABS
VEC v_i16 abs_i16(v_i16 a) { return (v_i16)_mm512_abs_epi16((__m512i)a); }
#define HAS_SIGN
VEC v_i16 signed_i16(v_i16 magnitude, v_i16 x) {
  const __mmask32 negative = _mm512_movepi16_mask((__m512i)x);
  return (v_i16)_mm512_mask_sub_epi16((__m512i)magnitude, negative, _mm512_setzero_si512(), (__m512i)magnitude);
}
VEC v_i16 with_sign(v_i16 magnitude, v_i16 a, v_i16 b) { return signed_i16(magnitude, a ^ b); }
#define HAS_MUL_HIGH
BINARY(mul_high_u16, v_u16, _mm512_mulhi_epu16)
#define HAS_MIN_MAX_I16
BINARY(min_i16, v_i16, _mm512_min_epi16)
BINARY(max_i16, v_i16, _mm512_max_epi16)
#define HAS_MAX_I8
BINARY(max_i8, v_i8, _mm512_max_epi8)
#define HAS_MIN_I8
BINARY(min_i8, v_i8, _mm512_min_epi8)
#define HAS_PAIRS
VEC v_i16 pairs_i16(v_i16 a, v_i16 b) {
  const __m512i one = _mm512_set1_epi16(1);
  return (v_i16)_mm512_packs_epi32(_mm512_madd_epi16((__m512i)a, one), _mm512_madd_epi16((__m512i)b, one));
}
VEC v_i16 pairs_i8(v_i8 a) { return (v_i16)_mm512_maddubs_epi16(_mm512_set1_epi8(1), (__m512i)a); }
#define HAS_ALTERNATE
VEC v_i16 alternate_i16(v_i16 even, v_i16 odd) { return (v_i16)_mm512_mask_blend_epi16(0xaaaaaaaa, (__m512i)even, (__m512i)odd); }
#define HAS_ANY
VEC int any(v_i16 mask) { return _mm512_test_epi32_mask((__m512i)mask, (__m512i)mask) != 0; }
#define HAS_ZIP
BINARY(zip_low_i16, v_i16, _mm512_unpacklo_epi16)
BINARY(zip_high_i16, v_i16, _mm512_unpackhi_epi16)
BINARY(zip_low_i8, v_i8, _mm512_unpacklo_epi8)
BINARY(zip_high_i8, v_i8, _mm512_unpackhi_epi8)
static inline const __m128i *at(const unsigned char *x) { return (const __m128i *)(const void *)x; }
#define HAS_PARTS
VEC v_i16 load_parts(const unsigned char *x, ptrdiff_t across) {
  __m512i v = _mm512_castsi128_si512(_mm_loadu_si128(at(x)));
  v = _mm512_inserti32x4(v, _mm_loadu_si128(at(x + across)), 1);
  v = _mm512_inserti32x4(v, _mm_loadu_si128(at(x + 2 * across)), 2);
  return (v_i16)_mm512_inserti32x4(v, _mm_loadu_si128(at(x + 3 * across)), 3);
}

#define HAS_MIN_MAX_UNSIGNED
BINARY(max_u32, v_u32, _mm512_max_epu32)
BINARY(min_u32, v_u32, _mm512_min_epu32)
BINARY(max_u16, v_u16, _mm512_max_epu16)
BINARY(min_u16, v_u16, _mm512_min_epu16)
#define HAS_LOAD_F16
VEC v_f32 load_f16(const void *x) { return (v_f32)_mm512_cvtph_ps(_mm256_loadu_si256(x)); }
#define HAS_PRODUCT_ERROR
VEC v_f64 product_error(v_f64 x, v_f64 y, v_f64 product) { return (v_f64)_mm512_fmsub_pd(x, y, product); }

#define HAS_FOLDS
VEC uint32_t greatest_u32(v_u32 v) { return _mm512_reduce_max_epu32((__m512i)v); }
VEC uint32_t least_u32(v_u32 v) { return _mm512_reduce_min_epu32((__m512i)v); }
VEC double fold_f64(v_f64 v) { return _mm512_reduce_add_pd(v); }
#define HAS_ROUND
VEC v_i32 round_i32(v_f32 x) { return (v_i32)_mm512_cvtps_epi32(x); }
VEC v_f64 load_wide_i32(const int32_t *x) {
  return (v_f64)_mm512_cvtepi32_pd(_mm256_loadu_si256((const __m256i *)(const void *)x));
}
#define HAS_NARROW
VEC v_part narrow_f64(v_f64 x) { return (v_part)_mm512_cvtpd_ps(x); }
#define HAS_LOAD_WIDE
VEC v_f64 load_wide(const float *x) { return (v_f64)_mm512_cvtps_pd(_mm256_loadu_ps(x)); }

#include "inexact_x86.h"

#ifndef BITFOLD_EMULATE_AVX512
/* As assembly, because a compiler that thinks that there are no NaN might trade the operands. */
#define HAS_PICK_FLOATS
VEC v_f32 larger_f32(v_f32 x, v_f32 y) {
  v_f32 v;
  __asm__("vmaxps %2, %1, %0" : "=v"(v) : "v"(x), "v"(y));
  return v;
}
VEC v_f32 smaller_f32(v_f32 x, v_f32 y) {
  v_f32 v;
  __asm__("vminps %2, %1, %0" : "=v"(v) : "v"(x), "v"(y));
  return v;
}
VEC v_i32 odd_f32(v_i32 so_far, v_f32 a, v_f32 b) {
  __mmask16 k;
  __asm__("vcmpunordps %2, %1, %0" : "=k"(k) : "v"(a), "v"(b));
  return (v_i32)_mm512_mask_mov_epi32((__m512i)so_far, k, _mm512_set1_epi32(-1));
}
VEC v_f64 larger_f64(v_f64 x, v_f64 y) {
  v_f64 v;
  __asm__("vmaxpd %2, %1, %0" : "=v"(v) : "v"(x), "v"(y));
  return v;
}
VEC v_f64 smaller_f64(v_f64 x, v_f64 y) {
  v_f64 v;
  __asm__("vminpd %2, %1, %0" : "=v"(v) : "v"(x), "v"(y));
  return v;
}
VEC v_i64 odd_f64(v_i64 so_far, v_f64 a, v_f64 b) {
  __mmask8 k;
  __asm__("vcmpunordpd %2, %1, %0" : "=k"(k) : "v"(a), "v"(b));
  return (v_i64)_mm512_mask_mov_epi64((__m512i)so_far, k, _mm512_set1_epi64(-1));
}
#endif
#define HAS_LARGER_I8
BINARY(larger_i8, v_i8, _mm512_max_epi8)
#define HAS_LARGER_I16
BINARY(larger_i16, v_i16, _mm512_max_epi16)
#define HAS_LARGER_I32
BINARY(larger_i32, v_i32, _mm512_max_epi32)
#define HAS_LARGER_I64
BINARY(larger_i64, v_i64, _mm512_max_epi64)
#define HAS_CHOOSE
VEC v_i8 choose_i8(v_i8 a, v_i8 b, v_i8 x, v_i8 y) {
  return (v_i8)_mm512_mask_blend_epi8(_mm512_cmpgt_epi8_mask((__m512i)a, (__m512i)b), (__m512i)y, (__m512i)x);
}
VEC v_i16 choose_i16(v_i16 a, v_i16 b, v_i16 x, v_i16 y) {
  return (v_i16)_mm512_mask_blend_epi16(_mm512_cmpgt_epi16_mask((__m512i)a, (__m512i)b), (__m512i)y, (__m512i)x);
}
VEC v_i32 choose_i32(v_i32 a, v_i32 b, v_i32 x, v_i32 y) {
  return (v_i32)_mm512_mask_blend_epi32(_mm512_cmpgt_epi32_mask((__m512i)a, (__m512i)b), (__m512i)y, (__m512i)x);
}
VEC v_i64 choose_i64(v_i64 a, v_i64 b, v_i64 x, v_i64 y) {
  return (v_i64)_mm512_mask_blend_epi64(_mm512_cmpgt_epi64_mask((__m512i)a, (__m512i)b), (__m512i)y, (__m512i)x);
}
VEC v_i32 choose_f32(v_f32 a, v_f32 b, v_i32 x, v_i32 y) {
  return (v_i32)_mm512_mask_blend_epi32(_mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_GT_OQ), (__m512i)y, (__m512i)x);
}
VEC v_i64 choose_f64(v_f64 a, v_f64 b, v_i64 x, v_i64 y) {
  return (v_i64)_mm512_mask_blend_epi64(_mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_GT_OQ), (__m512i)y, (__m512i)x);
}
#define HAS_TOP_BITS
#define BYTE_BITS 1
VEC uint64_t top_bits(v_i8 mask) { return _mm512_movepi8_mask((__m512i)mask); }

static int runs_here(void) {
#ifdef BITFOLD_EMULATE_AVX512
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
#else
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
#endif
}

VEC v_f32 round_f16(__m512 x) { return _mm512_cvtph_ps(_mm512_cvtps_ph(x, 0)); }
#define HAS_ROUND_F16

#include "vector.h"

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
