/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine avx512 on a processor without AVX-512: its file, with SIMDe's functions for the instructions, and those below for the
 * few that SIMDe 0.7.4 lacks. What the machine does in assembly is left to the compiler's vectors here.
 */
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>
#include <simde/x86/f16c.h>
#include <stdint.h>

#define OF(type, bytes) __attribute__((vector_size(bytes))) type
typedef OF(int16_t, 64) i16x32;
typedef OF(uint16_t, 64) u16x32;
typedef OF(uint32_t, 64) u32x16;
typedef OF(uint32_t, 128) u32x32;
typedef OF(int32_t, 32) i32x8;
typedef OF(float, 32) f32x8;
typedef OF(double, 64) f64x8;
typedef union {
  simde__m512 f32;
  simde__m512i i32;
  simde__m256 f32_half[2];
  simde__m256i i32_half[2];
  simde__m128i quarter[4];
} halves;

static inline uint32_t emulated_cmpgt_epi16_mask(simde__m512i a, simde__m512i b) {
  const i16x32 greater = (i16x32)a > (i16x32)b;
  uint32_t mask = 0;
  for (int i = 0; i < 32; i++) mask |= (uint32_t)(greater[i] & 1) << i;
  return mask;
}
static inline simde__m512i emulated_mask_sub_epi16(simde__m512i kept, uint32_t mask, simde__m512i a, simde__m512i b) {
  u16x32 result = (u16x32)kept;
  for (int i = 0; i < 32; i++)
    if (mask >> i & 1) result[i] = (uint16_t)(((u16x32)a)[i] - ((u16x32)b)[i]);
  return (simde__m512i)result;
}
static inline simde__m512i emulated_mulhi_epu16(simde__m512i a, simde__m512i b) {
  const u32x32 product = __builtin_convertvector((u16x32)a, u32x32) * __builtin_convertvector((u16x32)b, u32x32);
  return (simde__m512i) __builtin_convertvector(product >> 16, u16x32);
}
static inline simde__m512d emulated_cvtepi32_pd(simde__m256i x) { return (simde__m512d) __builtin_convertvector((i32x8)x, f64x8); }
static inline simde__m512d emulated_cvtps_pd(simde__m256 x) { return (simde__m512d) __builtin_convertvector((f32x8)x, f64x8); }
static inline simde__m256 emulated_cvtpd_ps(simde__m512d x) { return (simde__m256) __builtin_convertvector((f64x8)x, f32x8); }
static inline simde__m512i emulated_cvtps_epi32(simde__m512 x) {
  halves result = {.f32 = x};
  for (int h = 0; h < 2; h++) result.i32_half[h] = simde_mm256_cvtps_epi32(result.f32_half[h]);
  return result.i32;
}
static inline simde__m256i emulated_cvtps_ph(simde__m512 x, int rounding) {
  (void)rounding; /* 0: to nearest */
  const halves of = {.f32 = x};
  halves result;
  for (int h = 0; h < 2; h++) result.quarter[h] = simde_mm256_cvtps_ph(of.f32_half[h], 0);
  return result.i32_half[0];
}
static inline simde__m512 emulated_cvtph_ps(simde__m256i x) {
  const halves of = {.i32_half = {x, x}};
  halves result;
  for (int h = 0; h < 2; h++) result.f32_half[h] = simde_mm256_cvtph_ps(of.quarter[h]);
  return result.f32;
}
static inline double emulated_reduce_add_pd(simde__m512d x) {
  const f64x8 v = (f64x8)x;
  return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}
static inline uint32_t emulated_reduce_max_epu32(simde__m512i x) {
  uint32_t most = 0;
  for (int i = 0; i < 16; i++) most = ((u32x16)x)[i] > most ? ((u32x16)x)[i] : most;
  return most;
}
static inline uint32_t emulated_reduce_min_epu32(simde__m512i x) {
  uint32_t least = UINT32_MAX;
  for (int i = 0; i < 16; i++) least = ((u32x16)x)[i] < least ? ((u32x16)x)[i] : least;
  return least;
}
#undef _mm512_madd_epi16 /* SIMDe's takes the operands of another */
#define _mm512_madd_epi16 simde_mm512_madd_epi16
#define _mm512_cmpgt_epi16_mask emulated_cmpgt_epi16_mask
#define _mm512_mask_sub_epi16 emulated_mask_sub_epi16
#define _mm512_mulhi_epu16 emulated_mulhi_epu16
#define _mm512_cvtepi32_pd emulated_cvtepi32_pd
#define _mm512_cvtps_pd emulated_cvtps_pd
#define _mm512_cvtpd_ps emulated_cvtpd_ps
#define _mm512_cvtps_epi32 emulated_cvtps_epi32
#define _mm512_cvtps_ph emulated_cvtps_ph
#define _mm512_cvtph_ps emulated_cvtph_ps
#define _mm512_reduce_add_pd emulated_reduce_add_pd
#define _mm512_reduce_max_epu32 emulated_reduce_max_epu32
#define _mm512_reduce_min_epu32 emulated_reduce_min_epu32

#define BITFOLD_EMULATE_AVX512
#include "../../../src/isa/avx512.c"
