/* SPDX-License-Identifier: Apache-2.0 */
/* pairwise(B,leaf): while longer than B, split at n/2 rounded down to a multiple of 8; leaves by the order `leaf`. */
#ifndef F
#include "../kernel.h"

uint64_t bf_pairwise_split(uint64_t n, uint64_t block) { return n > block ? n / 2 & ~(uint64_t)7 : 0; }

enum { LEAVES = 64 };
/* Leaves that a machine may sum eight at a time. */
static int is_batched(const bitfold_level *level) {
  const bitfold_level *leaf = level + 1;
  return level->size >= 16 && level->size <= 4096 && leaf->order == BITFOLD_ORDER_LANES && leaf->size == 8 &&
         leaf->fold != BITFOLD_FOLD_HALVES;
}

/*
 * How many leaves `units` eights of values have, if they are a tree of 8 .. most that are equal but for one eight, with which
 * they may be too long; 0 otherwise.
 */
static size_t leaves_of(uint64_t units, uint64_t block, size_t most) {
  size_t leaves = 8;
  while (leaves < most && 8 * (units / leaves) > block) leaves *= 2;
  return 8 * (units / leaves) <= block && 8 * (units / (leaves / 2)) > block ? leaves : 0;
}

#define SELF "../order/pairwise.c"
#include "../format/each_accumulator.h"
const struct bf_order bf_order_pairwise = {f16_pairwise, bf16_pairwise, f32_pairwise, f64_pairwise};
#else
static ON(value)
    ON(part)(const struct bf_isa *isa, const bitfold_level *level, const ON(value) * x, uint64_t n, const ON(value) * end);

static ON(value) ON(leaf)(const struct bf_isa *isa, const bitfold_level *leaf, const ON(value) * x, uint64_t n) {
  ON(value) row[8] = {0};
  const uint64_t after = leaf->tail == BITFOLD_TAIL_AFTER ? n % 8 : 0;
  isa->BF_JOIN(deposit, F)(row, 8, x, n - after);
  BF_ON(fold)(isa, leaf, 1, row);
  for (uint64_t i = n - after; i < n; i++) row[0] = ON(plus)(row[0], x[i]);
  return row[0];
}

/* The sums of leaves that do not have whole eights, or too many of them, are made anew. */
static void ON(mend)(const struct bf_isa *isa, const bitfold_level *level, ON(value) * sum, const ON(value) * x, uint64_t n,
                     size_t leaves) {
  const uint64_t left = n / 2 & ~(uint64_t)7;
  if (!(n % 8) && (n / 8 + leaves - 1) / leaves * 8 <= level->size) return;
  if (leaves == 1) {
    *sum = ON(part)(isa, level, x, n, x + n);
    return;
  }
  ON(mend)(isa, level, sum, x, left, leaves / 2);
  ON(mend)(isa, level, sum + leaves / 2, x + left, n - left, leaves / 2);
}

/* By eight leaves at a time, because each would wait for the adder alone. */
static BF_NOINLINE ON(value)
    ON(batch)(const struct bf_isa *isa, const bitfold_level *level, const ON(value) * x, uint64_t n, size_t leaves) {
  ON(value) sum[LEAVES];
  isa->BF_JOIN(leaves, F)(sum, leaves, x, n / 8, level[1].fold == BITFOLD_FOLD_PAIRS);
  ON(mend)(isa, level, sum, x, n, leaves);
  for (; leaves > 8; leaves /= 2) isa->BF_JOIN(pair, F)(sum, sum, leaves / 2);
  for (size_t i = 0; i < 8; i += 2) sum[i] = ON(plus)(sum[i], sum[i + 1]);
  return ON(plus)(ON(plus)(sum[0], sum[2]), ON(plus)(sum[4], sum[6]));
}

/* n terms that lie one behind the other, and others after them until the end. */
static ON(value)
    ON(part)(const struct bf_isa *isa, const bitfold_level *level, const ON(value) * x, uint64_t n, const ON(value) * end) {
  const uint64_t left = bf_pairwise_split(n, level->size), to_end = (uint64_t)(end - x) * sizeof *x;
  const size_t leaves = leaves_of(n / 8, level->size, to_end < BF_FAR ? LEAVES : 8);
  if (!left) return ON(leaf)(isa, level + 1, x, n);
  if (leaves) {
    bf_announce_pages(x, n * sizeof *x, to_end);
    return ON(batch)(isa, level, x, n, leaves);
  }
  const ON(value) sum = ON(part)(isa, level, x, left, end);
  return ON(plus)(sum, ON(part)(isa, level, x + left, n - left, end));
}

/* Whether that was possible: n terms that can be read as they lie. */
static int ON(in_one_piece)(const struct bf_terms *terms, const bitfold_level *level, uint64_t first, uint64_t n, ON(value) * out) {
  ON(value) tile[BF_TILE];
  uint64_t more = n;
  if (terms->width != 1 || !terms->isa->BF_JOIN(leaves, F) || !is_batched(level)) return 0;
  const ON(value) *x = BF_ON(in_place)(terms, first, n);
  if (!x) return 0;
  (void)BF_ON(terms)(terms, first, 1, tile, &more); /* counts them */
  *out = ON(part)(terms->isa, level, x, n, x + n);
  return 1;
}

/* Recursion: 64 deep at most, for each split leaves little more than half. */
static void ON(pairwise)(const struct bf_terms *terms, const bitfold_level *level, uint64_t first, uint64_t n, ON(value) * out) {
  uint64_t left = bf_pairwise_split(n, level->size);
  if (left && !bf_stopped(terms) && ON(in_one_piece)(terms, level, first, n, out)) return;
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
