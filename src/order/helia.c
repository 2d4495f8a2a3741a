/* SPDX-License-Identifier: Apache-2.0 */
/*
 * helia: lanes(4,fold=left) where the reduced axes are the last ones, sequential otherwise (H61, H62). reduce.c has looked
 * at the axes and left the lanes in the level's size: 4 or 1.
 */
#ifndef F
#include "../kernel.h"
#define SELF "../order/helia.c"
#include "../format/each_accumulator.h"
const struct bf_order bf_order_helia = {f16_helia, bf16_helia, f32_helia, f64_helia};
#else
static void ON(helia)(const struct bf_terms *terms, const bitfold_level *level, uint64_t first, uint64_t n, ON(value) * out) {
  const bitfold_level lanes = {BITFOLD_ORDER_LANES, BITFOLD_FOLD_LEFT, BITFOLD_TAIL_LANES, level->size};
  bf_order_lanes.F(terms, &lanes, first, n, out);
}
#endif
