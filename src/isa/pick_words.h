/* SPDX-License-Identifier: Apache-2.0 */
/* What selections ask of a machine: like primitives.h, from the compiler's vector arithmetic where it has no HAS_ word. */

/* larger_: the greater of each two lanes. choose_: x where a > b, else y. */
#ifndef HAS_CHOOSE
VEC v_i8 choose_i8(v_i8 a, v_i8 b, v_i8 x, v_i8 y) { return ((a > b) & x) | (~(a > b) & y); }
VEC v_i16 choose_i16(v_i16 a, v_i16 b, v_i16 x, v_i16 y) { return ((a > b) & x) | (~(a > b) & y); }
VEC v_i32 choose_i32(v_i32 a, v_i32 b, v_i32 x, v_i32 y) { return ((a > b) & x) | (~(a > b) & y); }
VEC v_i64 choose_i64(v_i64 a, v_i64 b, v_i64 x, v_i64 y) { return ((a > b) & x) | (~(a > b) & y); }
VEC v_i32 choose_f32(v_f32 a, v_f32 b, v_i32 x, v_i32 y) { return ((a > b) & x) | (~(a > b) & y); }
VEC v_i64 choose_f64(v_f64 a, v_f64 b, v_i64 x, v_i64 y) { return ((a > b) & x) | (~(a > b) & y); }
#endif
#ifndef HAS_LARGER_I8
VEC v_i8 larger_i8(v_i8 a, v_i8 b) { return choose_i8(a, b, a, b); }
#endif
#ifndef HAS_LARGER_I16
VEC v_i16 larger_i16(v_i16 a, v_i16 b) { return choose_i16(a, b, a, b); }
#endif
#ifndef HAS_LARGER_I32
VEC v_i32 larger_i32(v_i32 a, v_i32 b) { return choose_i32(a, b, a, b); }
#endif
#ifndef HAS_LARGER_I64
VEC v_i64 larger_i64(v_i64 a, v_i64 b) { return choose_i64(a, b, a, b); }
#endif

/* larger_ and smaller_ of floats: x where it is greater, less, than y, else y, which is no NaN. */
#ifndef HAS_PICK_FLOATS
VEC v_f32 larger_f32(v_f32 x, v_f32 y) { return (v_f32)choose_f32(x, y, (v_i32)x, (v_i32)y); }
VEC v_f32 smaller_f32(v_f32 x, v_f32 y) { return (v_f32)choose_f32(y, x, (v_i32)x, (v_i32)y); }
VEC v_f64 larger_f64(v_f64 x, v_f64 y) { return (v_f64)choose_f64(x, y, (v_i64)x, (v_i64)y); }
VEC v_f64 smaller_f64(v_f64 x, v_f64 y) { return (v_f64)choose_f64(y, x, (v_i64)x, (v_i64)y); }

/* odd_: so_far, and all bits set in lanes where a or b is NaN. */
VEC v_i32 is_odd_f32(v_f32 x) { return ((v_i32)x & INT32_MAX) > 0x7f800000; }
VEC v_i64 is_odd_f64(v_f64 x) { return ((v_i64)x & INT64_MAX) > (int64_t)0x7ff << 52; }
VEC v_i32 odd_f32(v_i32 so_far, v_f32 a, v_f32 b) { return so_far | is_odd_f32(a) | is_odd_f32(b); }
VEC v_i64 odd_f64(v_i64 so_far, v_f64 a, v_f64 b) { return so_far | is_odd_f64(a) | is_odd_f64(b); }
#endif

/* The top bits of all bytes of a mask, BYTE_BITS for each. */
#ifndef HAS_TOP_BITS
#define BYTE_BITS 1
VEC uint64_t top_bits(v_i8 mask) {
  uint64_t bits = 0;
  for (size_t i = 0; i < VECTOR; i++) bits |= (uint64_t)((uint8_t)mask[i] >> 7) << i;
  return bits;
}
#endif

/* Halves of a vector that trade places, and so on down to its 64-bit lanes. */
#define TRADE(word, ...)                                                                                                           \
  VEC v_i64 word(v_i64 v) { return SHUFFLE(v_i64, v, v, __VA_ARGS__); }
/* low_ and high_: of each two neighbouring parts the lower, or the upper, ones of a and of b in turn. */
#define PAIR(word, type, ...)                                                                                                      \
  VEC type word(type a, type b) { return SHUFFLE(type, a, b, __VA_ARGS__); }
#if VECTOR == 64
TRADE(trade_halves, 4, 5, 6, 7, 0, 1, 2, 3)
TRADE(trade_quarters, 2, 3, 0, 1, 6, 7, 4, 5)
TRADE(trade_lanes, 1, 0, 3, 2, 5, 4, 7, 6)
PAIR(low_halves, v_i64, 0, 1, 2, 3, 8, 9, 10, 11)
PAIR(high_halves, v_i64, 4, 5, 6, 7, 12, 13, 14, 15)
PAIR(low_quarters, v_i64, 0, 1, 8, 9, 4, 5, 12, 13)
PAIR(high_quarters, v_i64, 2, 3, 10, 11, 6, 7, 14, 15)
PAIR(low_longs, v_i64, 0, 8, 2, 10, 4, 12, 6, 14)
PAIR(high_longs, v_i64, 1, 9, 3, 11, 5, 13, 7, 15)
PAIR(low_ints, v_i32, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30)
PAIR(high_ints, v_i32, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31)
#elif VECTOR == 32
TRADE(trade_quarters, 2, 3, 0, 1)
TRADE(trade_lanes, 1, 0, 3, 2)
PAIR(low_quarters, v_i64, 0, 1, 4, 5)
PAIR(high_quarters, v_i64, 2, 3, 6, 7)
PAIR(low_longs, v_i64, 0, 4, 2, 6)
PAIR(high_longs, v_i64, 1, 5, 3, 7)
PAIR(low_ints, v_i32, 0, 8, 2, 10, 4, 12, 6, 14)
PAIR(high_ints, v_i32, 1, 9, 3, 11, 5, 13, 7, 15)
#else
TRADE(trade_lanes, 1, 0)
PAIR(low_longs, v_i64, 0, 2)
PAIR(high_longs, v_i64, 1, 3)
PAIR(low_ints, v_i32, 0, 4, 2, 6)
PAIR(high_ints, v_i32, 1, 5, 3, 7)
#endif
