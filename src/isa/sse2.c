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

static int runs_here(void) { return 1; }

#include "vector.h"

#endif
