/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The acts of every machine of vectors, written once. isa/<name>.c defines MACHINE, its name, and VECTOR, the bytes of a vector,
 * switches its instructions on, defines what it does better than the compiler's own vector arithmetic, and includes this file.
 */
#include "primitives.h"
#include "shuffles.h"

#include "loops_sum.h"
#include "loops_exact.h"
#include "loops_select.h"
#include "loops_scan.h"
#include "loops_calm.h"
#include "loops_products.h"

const struct bf_isa BF_JOIN(bf_isa, MACHINE) = {
    .name = NAME,
    .is_whole = 1,
    .runs_here = runs_here,
    .scan_i16 = scan_i16,
    .scan_i8 = scan_i8,
    .lines_i16 = lines_i16,
    .columns_i16 = columns_i16,
    .calm = calm,
    .reach = reach,
    .products_i16 = products_i16,
    .dots_i16 = dots_i16,

    .pick_rows = &pick_rows,
    .pick_columns = &pick_columns,
    .raise_columns = &raise_columns,
#define ACCUMULATOR(f) .deposit_##f = f##_deposit, .add_##f = f##_add_all, .times_##f = f##_times_all, .trees_##f = f##_trees,
#include "../format/accumulators.def"
#undef ACCUMULATOR
#define ACCUMULATOR(f) .pair_##f = f##_pair, .lines_##f = f##_lines, .down_##f = f##_columns,
#include "../format/accumulators.def"
#undef ACCUMULATOR
    .leaves_f32 = f32_leaves,
    .leaves_f64 = f64_leaves,
    .blocks_f32 = f32_blocks,
    .blocks_f64 = f64_blocks,
    .widen_f16_f32 = widen_f16_f32,
    .widen_bf16_f32 = widen_bf16_f32,
    .widen_f16_f64 = bf_widen_f16_f64_scalar,
    .widen_bf16_f64 = bf_widen_bf16_f64_scalar,
    .exact_f64 = bf_exact_f64_scalar,
    .best = bf_best_scalar,
    .widen_f32_f32 = widen_f32_f32,
    .widen_f32_f64 = widen_f32_f64,
    .widen_f64_f64 = widen_f64_f64,
    .spread_f16 = bf_spread_f16_scalar,
    .spread_f32 = bf_spread_f32_scalar,
    .extremes_f16 = bf_extremes_f16_scalar,
    .extremes_f32 = bf_extremes_f32_scalar,
    .firsts_f16 = bf_firsts_f16_scalar,
    .firsts_f32 = bf_firsts_f32_scalar,
    .join_f64 = join_f64,
    .narrow_f32 = narrow_f32,
    .rows_f32 = rows_f32,
    .columns_f32 = columns_f32,
    .block_f16 = block_f16,
    .block_bf16 = block_bf16,
    .block_f32 = block_f32,
    .block_f64 = block_f64,
    .block_dot_f32 = block_dot_f32,
    .block_dot_f64 = BLOCK_DOT_F64,
};
