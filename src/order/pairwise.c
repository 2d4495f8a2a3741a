/* SPDX-License-Identifier: Apache-2.0 */
/* pairwise(B,leaf): while longer than B, split at n/2 rounded down to a multiple of 8; leaves by the order `leaf`. */
#ifndef F
#include "../kernel.h"

uint64_t bf_pairwise_split(uint64_t n, uint64_t block) { return n > block ? n / 2 & ~(uint64_t)7 : 0; }

#define SELF "../order/pairwise.c"
#include "../format/each_accumulator.h"
const struct bf_order bf_order_pairwise = {f16_pairwise, bf16_pairwise, f32_pairwise, f64_pairwise};
#else
/* Recursion: 64 deep at most, for each split leaves little more than half. */
static void ON(pairwise)(const struct bf_terms *terms, const bitfold_level *level, uint64_t first, uint64_t n, ON(value) * out) {
  uint64_t left = bf_pairwise_split(n, level->size);
  if (!left || bf_stopped(terms)) {
    bf_order(level[1].order)->F(terms, level + 1, first, n, out);
    return;
  }
  ON(value) right[BF_WIDTH_MAX];
  ON(pairwise)(terms, level, first, left, out);
  ON(pairwise)(terms, level, first + left, n - left, right);
  terms->isa->BF_JOIN(add, F)(out, out, right, terms->width);
}
#endif
