/* SPDX-License-Identifier: Apache-2.0 */
/* Every x86-64: vectors of 16 bytes. */
#include "../kernel.h"

#if BF_HAS_X86
#include <emmintrin.h>

#define MACHINE sse2
#define NAME "sse2"
#define VECTOR 16

#include "vectors.h"

#define REGISTER __m128i
#define HAS_ADD_SATURATED
BINARY(add_saturated_i16, v_i16, _mm_adds_epi16)
BINARY(add_saturated_i8, v_i8, _mm_adds_epi8)
#define HAS_MUL_HIGH
BINARY(mul_high_u16, v_u16, _mm_mulhi_epu16)
#define HAS_MIN_MAX_I16
BINARY(min_i16, v_i16, _mm_min_epi16)
BINARY(max_i16, v_i16, _mm_max_epi16)

#include "inexact_x86.h"

/* As assembly, because a compiler that thinks that there are no NaN might trade the operands. */
#define HAS_PICK_FLOATS
VEC v_f32 larger_f32(v_f32 x, v_f32 y) {
  __asm__("maxps %1, %0" : "+x"(x) : "x"(y));
  return x;
}
VEC v_f32 smaller_f32(v_f32 x, v_f32 y) {
  __asm__("minps %1, %0" : "+x"(x) : "x"(y));
  return x;
}
VEC v_i32 odd_f32(v_i32 so_far, v_f32 a, v_f32 b) {
  __asm__("cmpunordps %1, %0" : "+x"(a) : "x"(b));
  return so_far | (v_i32)a;
}
VEC v_f64 larger_f64(v_f64 x, v_f64 y) {
  __asm__("maxpd %1, %0" : "+x"(x) : "x"(y));
  return x;
}
VEC v_f64 smaller_f64(v_f64 x, v_f64 y) {
  __asm__("minpd %1, %0" : "+x"(x) : "x"(y));
  return x;
}
VEC v_i64 odd_f64(v_i64 so_far, v_f64 a, v_f64 b) {
  __asm__("cmpunordpd %1, %0" : "+x"(a) : "x"(b));
  return so_far | (v_i64)a;
}
#define HAS_LARGER_I16
BINARY(larger_i16, v_i16, _mm_max_epi16)
#define HAS_TOP_BITS
#define BYTE_BITS 1
VEC uint64_t top_bits(v_i8 mask) { return (uint32_t)_mm_movemask_epi8((__m128i)mask); }

static int runs_here(void) { return 1; }

#include "vector.h"

#endif
