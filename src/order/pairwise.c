/* SPDX-License-Identifier: Apache-2.0 */
/* pairwise(B,leaf): while longer than B, split at n/2 rounded down to a multiple of 8; leaves by the order `leaf`. */
#ifndef F
#include "../kernel.h"

uint64_t bf_pairwise_split(uint64_t n, uint64_t block) { return n > block ? n / 2 & ~(uint64_t)7 : 0; }

enum { SIDE_BY_SIDE = 16 };
/* A part of 8 leaves' length has 16 of them at the most, as a leaf of long ones is not much shorter than a half. */
static int is_batch(const bitfold_level *level, uint64_t n) {
  const bitfold_level *leaf = level + 1;
  return n <= 8 * level->size && level->size >= 64 && level->size <= 4096 && leaf->order == BITFOLD_ORDER_LANES &&
         leaf->size == 8 && leaf->fold != BITFOLD_FOLD_HALVES;
}

#define SELF "../order/pairwise.c"
#include "../format/each_accumulator.h"
const struct bf_order bf_order_pairwise = {f16_pairwise, bf16_pairwise, f32_pairwise, f64_pairwise};
#else
/*
 * Up to 16 leaves of one output, which lie in memory one behind the other, summed side by side, as each would wait for the adder
 * alone: lanes(8) of 8 leaves at a time. Leaves differ in length by a few terms, which are added at the end.
 */
struct ON(batch) {
  const bitfold_level *level;
  uint64_t end[SIDE_BY_SIDE]; /* of each leaf, and its sum */
  ON(value) sum[SIDE_BY_SIDE];
  size_t count, taken;
};
static void ON(list)(struct ON(batch) * batch, uint64_t first, uint64_t n) {
  const uint64_t left = bf_pairwise_split(n, batch->level->size);
  if (!left) {
    batch->end[batch->count++] = first + n;
    return;
  }
  ON(list)(batch, first, left);
  ON(list)(batch, first + left, n - left);
}
static ON(value) ON(combine)(struct ON(batch) * batch, uint64_t n) {
  const uint64_t left = bf_pairwise_split(n, batch->level->size);
  if (!left) return batch->sum[batch->taken++];
  const ON(value) sum = ON(combine)(batch, left);
  return ON(plus)(sum, ON(combine)(batch, n - left));
}
static void ON(add_leaves)(struct ON(batch) * batch, const struct bf_isa *isa, const ON(value) * x) {
  const bitfold_level *leaf = batch->level + 1;
  ON(value) row[SIDE_BY_SIDE * 8] = {0};
  const ON(value) * start[SIDE_BY_SIDE];
  uint64_t least = UINT64_MAX, length[SIDE_BY_SIDE];
  for (size_t i = 0; i < SIDE_BY_SIDE; i++) {
    const size_t some = i < batch->count ? i : 0; /* one too many is summed and forgotten */
    const uint64_t at = some ? batch->end[some - 1] : 0;
    start[i] = x + at, length[i] = batch->end[some] - at;
    if (length[i] < least) least = length[i];
  }
  least /= 8;
  for (size_t i = 0; i < batch->count; i += 8) isa->BF_JOIN(leaves, F)(row + 8 * i, start + i, least);
  for (size_t i = 0; i < batch->count; i++) {
    const uint64_t rest = length[i] - 8 * least, after = leaf->tail == BITFOLD_TAIL_AFTER ? rest % 8 : 0;
    if (rest - after) isa->BF_JOIN(deposit, F)(row + 8 * i, 8, start[i] + 8 * least, rest - after);
    length[i] = after, start[i] += 8 * least + rest - after;
  }
  if (leaf->fold == BITFOLD_FOLD_PAIRS) {
    for (size_t values = 8 * batch->count; values > batch->count; values /= 2) isa->BF_JOIN(pair, F)(row, row, values / 2);
    memcpy(batch->sum, row, batch->count * sizeof *row);
  } else { /* a lane is never -0, so that adding the first one to +0 is nothing */
    memset(batch->sum, 0, sizeof batch->sum);
    isa->BF_JOIN(lines, F)(batch->sum, batch->count, 1, (const void *)row, 8 * (int64_t)sizeof *row, 8);
  }
  for (size_t i = 0; i < batch->count; i++)
    for (uint64_t a = 0; a < length[i]; a++) batch->sum[i] = ON(plus)(batch->sum[i], start[i][a]);
}

/* Whether that was possible: n terms that can be read as they lie, few leaves, of lanes(8). */
static int ON(side_by_side)(const struct bf_terms *terms, const bitfold_level *level, uint64_t first, uint64_t n, ON(value) * out) {
  struct ON(batch) batch = {.level = level};
  ON(value) tile[BF_TILE];
  uint64_t more = n;
  if (terms->width != 1 || !terms->isa->BF_JOIN(leaves, F) || !is_batch(level, n)) return 0;
  const ON(value) *x = BF_ON(in_place)(terms, first, n);
  if (!x) return 0;
  (void)BF_ON(terms)(terms, first, 1, tile, &more); /* counts them */
  ON(list)(&batch, 0, n);
  ON(add_leaves)(&batch, terms->isa, x);
  *out = ON(combine)(&batch, n);
  return 1;
}

/* Recursion: 64 deep at most, for each split leaves little more than half. */
static void ON(pairwise)(const struct bf_terms *terms, const bitfold_level *level, uint64_t first, uint64_t n, ON(value) * out) {
  uint64_t left = bf_pairwise_split(n, level->size);
  if (left && !bf_stopped(terms) && ON(side_by_side)(terms, level, first, n, out)) return;
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
