/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Acts of rounded sums on vectors, once per accumulator: loops_deposit.h has lanes within one row, loops_trees.h trees of rows,
 * loops_lines.h rows and columns side by side, loops_blocks.h blocks of rows, loops_widen.h what brings elements to the accumulator's type. Every addition here is
 * the format's own, in lanes.
 */

/* Floats rounded to halves, and to bf16; any NaN stays one. */
VEC v_f32 chosen(v_i32 mask, v_i32 x, v_i32 y) { return (v_f32)((mask & x) | (~mask & y)); }
#ifndef HAS_ROUND_F16
VEC v_f32 round_f16(v_f32 x) {
  const v_i32 bits = (v_i32)x, magnitude = bits & 0x7fffffff, sign = bits ^ magnitude;
  const v_i32 normal = (magnitude + 0xfff + ((magnitude >> 13) & 1)) & ~0x1fff;
  const v_i32 bounded = (v_i32)chosen(normal >= 0x47800000, 0x7f800000 + (v_i32){0}, normal);
  const v_i32 small = (v_i32)(((v_f32)magnitude + 0.5f) - 0.5f); /* to a multiple of 2^-24 */
  const v_i32 rounded = (v_i32)chosen(magnitude < 0x38800000, small, bounded);
  return chosen(magnitude > 0x7f800000, 0x7fc00000 + (v_i32){0}, rounded | sign);
}
#endif
VEC v_f32 round_bf16(v_f32 x) {
  const v_u32 bits = (v_u32)x, rounded = (bits + 0x7fff + ((bits >> 16) & 1)) & 0xffff0000;
  return chosen(x != x, 0x7fc00000 + (v_i32){0}, (v_i32)rounded);
}

#define f32_tile_of f32 /* the vectors that its values lie in */
#define f64_tile_of f64
#define f16_tile_of f32
#define bf16_tile_of f32
typedef v_f32 f32_vector, f16_vector, bf16_vector;
typedef v_f64 f64_vector;
VEC v_f32 f32_add(v_f32 x, v_f32 y) { return x + y; }
VEC v_f64 f64_add(v_f64 x, v_f64 y) { return x + y; }
VEC v_f32 f16_add(v_f32 x, v_f32 y) { return round_f16(x + y); }
VEC v_f32 bf16_add(v_f32 x, v_f32 y) { return round_bf16(x + y); }
VEC v_f32 f32_multiply(v_f32 x, v_f32 y) { return x * y; }
VEC v_f64 f64_multiply(v_f64 x, v_f64 y) { return x * y; }
VEC v_f32 f16_multiply(v_f32 x, v_f32 y) { return round_f16(x * y); }
VEC v_f32 bf16_multiply(v_f32 x, v_f32 y) { return round_bf16(x * y); }

#define V ON(vector)
#define TILE ON(tile_of)
#define LANES (VECTOR / sizeof(ON(value)))
#define SELF "../isa/loops_deposit.h"
#include "../format/each_accumulator.h"
#define SELF "../isa/loops_trees.h"
#include "../format/each_accumulator.h"
#define SELF "../isa/loops_lines.h"
#include "../format/each_accumulator.h"
#undef V
#undef LANES
#undef TILE
#include "loops_leaves.h"
#include "loops_blocks.h"
#include "loops_widen.h"
