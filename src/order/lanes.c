/* SPDX-License-Identifier: Apache-2.0 */
/* lanes(L,fold,tail): element i joins lane i mod L, lanes start at +0; then the lanes are folded. */
#ifndef F
#include "../kernel.h"
#define SELF "../order/lanes.c"
#include "../format/each_accumulator.h"
const struct bf_order bf_order_lanes = {f16_lanes, bf16_lanes, f32_lanes, f64_lanes};
#else
/* The row of lanes, each `width` values, becomes its first `width` values. */
void BF_ON(fold)(const struct bf_isa *isa, const bitfold_level *level, size_t width, ON(value) * row) {
  size_t lanes = (size_t)level->size;
  void (*const pair)(ON(value) *, const ON(value) *, size_t) = width == 1 ? isa->BF_JOIN(pair, F) : NULL;
  switch (level->fold) {
  case BITFOLD_FOLD_LEFT:
    for (size_t l = 1; l < lanes && width == 1; l++) row[0] = ON(plus)(row[0], row[l]);
    for (size_t l = 1; l < lanes && width > 1; l++) isa->BF_JOIN(add, F)(row, row, row + l * width, width);
    break;
  case BITFOLD_FOLD_PAIRS:
    for (; lanes > 1; lanes = lanes / 2 + lanes % 2) {
      if (pair) pair(row, row, lanes / 2);
      for (size_t l = 0; l < lanes / 2 && !pair; l++)
        isa->BF_JOIN(add, F)(row + l * width, row + 2 * l * width, row + (2 * l + 1) * width, width);
      if (lanes % 2) memmove(row + lanes / 2 * width, row + (lanes - 1) * width, width * sizeof *row);
    }
    break;
  case BITFOLD_FOLD_HALVES:
    for (lanes /= 2; lanes; lanes /= 2) isa->BF_JOIN(add, F)(row, row, row + lanes * width, lanes * width);
    break;
  }
}

static void ON(deposit_all)(const struct bf_isa *isa, ON(value) * row, size_t lanes, const ON(value) * x, uint64_t n) {
  for (uint64_t some; n; x += some, n -= some) {
    some = bf_near_of(n, sizeof *x);
    if (some < n) some -= some % lanes;
    bf_announce_pages(x, some * sizeof *x, n * sizeof *x);
    isa->BF_JOIN(deposit, F)(row, lanes, x, some);
  }
}

/* Adds terms [first, first + n), n a multiple of the lanes or the end of the row, to lanes that lie `row` by `row`. */
void BF_ON(join)(const struct bf_terms *terms, size_t lanes, uint64_t first, uint64_t n, ON(value) * row) {
  ON(value) tile[BF_TILE];
  const size_t most = bf_fit(terms->width) / lanes * lanes;
  for (uint64_t count; n && !bf_stopped(terms); first += count, n -= count) {
    uint64_t more = n;
    const ON(value) *x = BF_ON(terms)(terms, first, n < most ? (size_t)n : most, tile, &more);
    count = more < n ? more - more % lanes : n;
    ON(deposit_all)(terms->isa, row, lanes * terms->width, x, count * terms->width);
  }
}

static void ON(lanes)(const struct bf_terms *terms, const bitfold_level *level, uint64_t first, uint64_t n, ON(value) * out) {
  ON(value) row[BITFOLD_LANES_MAX];
  const size_t lanes = (size_t)level->size;
  memset(row, 0, lanes * terms->width * sizeof *row);
  const uint64_t after = level->tail == BITFOLD_TAIL_AFTER ? n % lanes : 0;
  BF_ON(join)(terms, lanes, first, n - after, row);
  BF_ON(fold)(terms->isa, level, terms->width, row);
  if (after) BF_ON(join)(terms, 1, first + n - after, after, row);
  memcpy(out, row, terms->width * sizeof *out);
}
#endif
