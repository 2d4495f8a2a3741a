/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Includes SELF once for vectors of eight halves and once for vectors of four floats, on Arm Helium, with F and the words that name
 * their types: UINTS and INTS are vectors of their bits, INT one of them, L how many there are, CTP the predicate of the first
 * ones.
 */
#include <arm_mve.h>

#define WORD BF_JOIN(BF_JOIN(bf, F), word)
#define ACT(word) BF_JOIN(BF_JOIN(BF_JOIN(bf, word), F), helium)
#define SCALAR(word) BF_JOIN(BF_JOIN(BF_JOIN(bf, word), F), scalar)
#define L ((size_t)ON(lanes))

enum { f16_lanes = 8, f16_sign = 0x8000, f16_infinite = 0x7c00, f16_nan = 0x7e00, f16_least = INT16_MIN };
enum { f32_lanes = 4, f32_sign = INT32_MIN, f32_infinite = 0x7f800000, f32_nan = 0x7fc00000, f32_least = INT32_MIN };

#define F f16
#define UINTS uint16x8_t
#define INTS int16x8_t
#define INT int16_t
#define CTP vctp16q
#define UINTS_OF vreinterpretq_u16_s16
#define INTS_OF vreinterpretq_s16_u16
#define DUP_U vdupq_n_u16
#define DUP_S vdupq_n_s16
#include SELF
#undef F
#undef UINTS
#undef INTS
#undef INT
#undef CTP
#undef UINTS_OF
#undef INTS_OF
#undef DUP_U
#undef DUP_S
#define F f32
#define UINTS uint32x4_t
#define INTS int32x4_t
#define INT int32_t
#define CTP vctp32q
#define UINTS_OF vreinterpretq_u32_s32
#define INTS_OF vreinterpretq_s32_u32
#define DUP_U vdupq_n_u32
#define DUP_S vdupq_n_s32
#include SELF
