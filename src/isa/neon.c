/* SPDX-License-Identifier: Apache-2.0 */
/* 64-bit Arm: vectors of 16 bytes. */
#include "../kernel.h"

#if BF_HAS_NEON
#include <arm_neon.h>

#define MACHINE neon
#define NAME "neon"
#define VECTOR 16

#include "vectors.h"

#define HAS_ADD_SATURATED
VEC v_i16 add_saturated_i16(v_i16 a, v_i16 b) { return (v_i16)vqaddq_s16((int16x8_t)a, (int16x8_t)b); }
VEC v_i8 add_saturated_i8(v_i8 a, v_i8 b) { return (v_i8)vqaddq_s8((int8x16_t)a, (int8x16_t)b); }
#define HAS_MIN_MAX_I16
VEC v_i16 min_i16(v_i16 a, v_i16 b) { return (v_i16)vminq_s16((int16x8_t)a, (int16x8_t)b); }
VEC v_i16 max_i16(v_i16 a, v_i16 b) { return (v_i16)vmaxq_s16((int16x8_t)a, (int16x8_t)b); }
#define HAS_MAX_I8
VEC v_i8 max_i8(v_i8 a, v_i8 b) { return (v_i8)vmaxq_s8((int8x16_t)a, (int8x16_t)b); }

static int runs_here(void) { return 1; }

#include "vector.h"

#endif
