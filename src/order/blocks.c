/* SPDX-License-Identifier: Apache-2.0 */
/* blocks(B,inner): blocks of B elements by the order `inner`; their results are added left to right. */
#ifndef F
#include "../kernel.h"
#define SELF "../order/blocks.c"
#include "../format/each_accumulator.h"
const struct bf_order bf_order_blocks = {f16_blocks, bf16_blocks, f32_blocks, f64_blocks};
#else
static void ON(blocks)(const struct bf_terms *terms, const bitfold_level *level, uint64_t first, uint64_t n, ON(value) * out) {
  memset(out, 0, terms->width * sizeof *out);
  for (uint64_t count; n && !bf_stopped(terms); first += count, n -= count) {
    ON(value) block[BF_WIDTH_MAX];
    count = n < level->size ? n : level->size;
    bf_order(level[1].order)->F(terms, level + 1, first, count, block);
    terms->isa->BF_JOIN(add, F)(out, out, block, terms->width);
  }
}
#endif
