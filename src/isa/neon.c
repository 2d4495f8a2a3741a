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
#define HAS_ABS
VEC v_i16 abs_i16(v_i16 a) { return (v_i16)vabsq_s16((int16x8_t)a); }
#define HAS_MUL_HIGH
VEC v_u16 mul_high_u16(v_u16 a, v_u16 b) {
  const uint16x8_t x = (uint16x8_t)a, y = (uint16x8_t)b;
  const uint32x4_t low = vmull_u16(vget_low_u16(x), vget_low_u16(y)), high = vmull_high_u16(x, y);
  return (v_u16)vuzp2q_u16(vreinterpretq_u16_u32(low), vreinterpretq_u16_u32(high));
}
#define HAS_MIN_MAX_I16
VEC v_i16 min_i16(v_i16 a, v_i16 b) { return (v_i16)vminq_s16((int16x8_t)a, (int16x8_t)b); }
VEC v_i16 max_i16(v_i16 a, v_i16 b) { return (v_i16)vmaxq_s16((int16x8_t)a, (int16x8_t)b); }
#define HAS_MAX_I8
VEC v_i8 max_i8(v_i8 a, v_i8 b) { return (v_i8)vmaxq_s8((int8x16_t)a, (int8x16_t)b); }

#define HAS_PAIRS
VEC v_i16 pairs_i16(v_i16 a, v_i16 b) { return (v_i16)vpaddq_s16((int16x8_t)a, (int16x8_t)b); }
VEC v_i16 pairs_i8(v_i8 a) { return (v_i16)vpaddlq_s8((int8x16_t)a); }
#define HAS_MIN_I8
VEC v_i8 min_i8(v_i8 a, v_i8 b) { return (v_i8)vminq_s8((int8x16_t)a, (int8x16_t)b); }
#define HAS_MIN_MAX_UNSIGNED
VEC v_u32 max_u32(v_u32 a, v_u32 b) { return (v_u32)vmaxq_u32((uint32x4_t)a, (uint32x4_t)b); }
VEC v_u32 min_u32(v_u32 a, v_u32 b) { return (v_u32)vminq_u32((uint32x4_t)a, (uint32x4_t)b); }
VEC v_u16 max_u16(v_u16 a, v_u16 b) { return (v_u16)vmaxq_u16((uint16x8_t)a, (uint16x8_t)b); }
VEC v_u16 min_u16(v_u16 a, v_u16 b) { return (v_u16)vminq_u16((uint16x8_t)a, (uint16x8_t)b); }
#define HAS_PRODUCT_ERROR
VEC v_f64 product_error(v_f64 x, v_f64 y, v_f64 product) { return (v_f64)vfmaq_f64(-product, x, y); }

#define HAS_FOLDS
VEC uint32_t greatest_u32(v_u32 v) { return vmaxvq_u32((uint32x4_t)v); }
VEC uint32_t least_u32(v_u32 v) { return vminvq_u32((uint32x4_t)v); }
VEC double fold_f64(v_f64 v) { return v[0] + v[1]; }

#define HAS_LARGER_I8
VEC v_i8 larger_i8(v_i8 a, v_i8 b) { return (v_i8)vmaxq_s8((int8x16_t)a, (int8x16_t)b); }
#define HAS_LARGER_I16
VEC v_i16 larger_i16(v_i16 a, v_i16 b) { return (v_i16)vmaxq_s16((int16x8_t)a, (int16x8_t)b); }
#define HAS_LARGER_I32
VEC v_i32 larger_i32(v_i32 a, v_i32 b) { return (v_i32)vmaxq_s32((int32x4_t)a, (int32x4_t)b); }
/* Four bits of each byte. */
#define HAS_TOP_BITS
#define BYTE_BITS 4
VEC uint64_t top_bits(v_i8 mask) { return vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16((uint16x8_t)mask, 4)), 0); }

static int runs_here(void) { return 1; }

#include "vector.h"

#endif
