/* SPDX-License-Identifier: Apache-2.0 */
/* sequential: ((0 + x0) + x1) + ... */
#ifndef F
#include "../kernel.h"
#define SELF "../order/sequential.c"
#include "../format/each_accumulator.h"
const struct bf_order bf_order_sequential = {f16_sequential, bf16_sequential, f32_sequential, f64_sequential};
#else
static void ON(sequential)(const struct bf_terms *terms, const bitfold_level *level, uint64_t first, uint64_t n, ON(value) * out) {
  const bitfold_level one_lane = {BITFOLD_ORDER_LANES, BITFOLD_FOLD_LEFT, BITFOLD_TAIL_LANES, 1};
  (void)level;
  bf_order_lanes.F(terms, &one_lane, first, n, out);
}
#endif
