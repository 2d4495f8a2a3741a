/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums of many neighbouring outputs whose terms lie in rows: the rows are added to an array of accumulators as they lie in memory,
 * for sequential and lanes, and for blocks and pairwise over those.
 */
#ifndef F
#include "picking.h"
#include "sums.h"

enum { ROOM = 65 * 256, MOST = 1024, FEWEST = 16 }; /* bytes of accumulators, on the stack */

/* How many arrays of accumulators an order needs; 0 where it is none of these. */
static size_t arrays(const bitfold_level *level, uint64_t n) {
  size_t inner, splits = 0;
  switch (level->order) {
  case BITFOLD_ORDER_SEQUENTIAL: return 1;
  case BITFOLD_ORDER_LANES: return (size_t)level->size;
  case BITFOLD_ORDER_BLOCKS: return (inner = arrays(level + 1, n)) ? inner + 1 : 0;
  case BITFOLD_ORDER_PAIRWISE:
    for (uint64_t left; (left = bf_pairwise_split(n, level->size)); splits++) n -= left; /* the right half is the longer one */
    return (inner = arrays(level + 1, n)) ? inner + splits : 0;
  default: return 0;
  }
}

static int is_plain(const struct bf_terms *terms, bitfold_format value) {
  return terms->element == value && value >= BITFOLD_FORMAT_F32 && !terms->x_swapped && /* halves are added as floats */
         (terms->operation == BITFOLD_OPERATION_SUM || terms->operation == BITFOLD_OPERATION_MEAN);
}

size_t bf_columns_width(const struct bf_job *job, const struct bf_walk *walk) {
  const bitfold_contract *c = job->contract;
  const struct bf_isa *isa = job->terms.isa;
  const int wide = c->accumulator == BITFOLD_FORMAT_F64, y = bf_is_float(c->element) && job->terms.y;
  const int64_t size = job->terms.size;
  if (!isa->down_f32 || !c->depth || walk->inner.extent < 2 || walk->inner.x != size || (y && walk->inner.y != size)) return 0;
  const size_t count = arrays(job->levels, job->n);
  if (!count) return 0;
  size_t width = (size_t)(wide ? ROOM / 8 : ROOM / 4) / (count + 1) / FEWEST * FEWEST;
  const size_t most = is_plain(&job->terms, c->accumulator) ? MOST : BF_TILE;
  return width < most ? width : most;
}

#define SELF "../op/rows_down.c"
#include "../format/each_accumulator.h"

void bf_sum_columns(struct bf_job *job) {
  switch ((int)job->contract->accumulator) {
#define ACCUMULATOR(f)                                                                                                             \
  case f##_format:                                                                                                                 \
    f##_each_column(job);                                                                                                          \
    break;
#include "../format/accumulators.def"
#undef ACCUMULATOR
  }
}
#else
/* n rows, `step` bytes apart, the first of them in lane `lane`, which is 0 unless n is 1. */
static void ON(fill)(const struct bf_terms *terms, size_t lanes, size_t lane, const unsigned char *x, int64_t step, uint64_t n,
                     ON(value) * row) {
  enum { DEEP = 8, NARROW = 32 };
  const size_t width = terms->width;
  const int dense = step == (int64_t)(width * sizeof *row) && !((uintptr_t)x & (sizeof *row - 1)) && lanes * width <= NARROW;
  if (dense) terms->isa->BF_JOIN(deposit, F)(row + lane * width, n == 1 ? width : lanes * width, (const void *)x, n * width);
  else if (lanes == 1) terms->isa->BF_JOIN(down, F)(row, width, x, step, n);
  else
    for (uint64_t some; n; n -= some, x += (int64_t)some * step) {
      some = n < DEEP * lanes ? n : DEEP * lanes;
      for (size_t l = 0; l < lanes && l < some; l++) {
        const uint64_t rows = (some - l + lanes - 1) / lanes;
        terms->isa->BF_JOIN(down, F)(row + (lane + l) * width, width, x + (int64_t)l * step, (int64_t)lanes * step, rows);
      }
    }
}

/* Terms [first, first + n) join lanes, each `width` values of row. */
static void ON(gather_rows)(const struct bf_terms *terms, size_t lanes, uint64_t first, uint64_t n, ON(value) * row) {
  const int plain = is_plain(terms, ON(format));
  ON(value) tile[BF_TILE];
  size_t lane = 0;
  /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): an order has a lane */
  for (uint64_t some; n && !bf_stopped(terms); first += some, n -= some, lane = (lane + some) % lanes) {
    int64_t step = (int64_t)(terms->width * sizeof *tile);
    const unsigned char *x = (const void *)tile;
    some = bf_fit(terms->width);
    if (plain) x = bf_run_of(terms, first, &step, &some), some = bf_picked_at_once(terms, some);
    if (some > n) some = n;
    if (lane || some < lanes) some = some < lanes - lane ? some : lanes - lane;
    else if (some < n) some -= some % lanes;
    if (!plain) x = (const void *)BF_ON(terms)(terms, first, (size_t)some, tile, NULL);
    if (lane)
      for (uint64_t i = 0; i < some; i++) ON(fill)(terms, lanes, lane + i, x + (int64_t)i * step, step, 1, row);
    else ON(fill)(terms, lanes, 0, x, step, some, row);
    if (plain) bf_count_picked(terms, first, some);
  }
}

/* The sums become out's; room holds the arrays of the order. */
static void ON(columns)(const struct bf_terms *terms, const bitfold_level *level, uint64_t first, uint64_t n, ON(value) * out,
                        ON(value) * room) {
  const size_t width = terms->width, lanes = level->order == BITFOLD_ORDER_SEQUENTIAL ? 1 : (size_t)level->size;
  uint64_t left, after;
  switch (level->order) {
  case BITFOLD_ORDER_BLOCKS:
    memset(out, 0, width * sizeof *out);
    for (uint64_t count; n && !bf_stopped(terms); first += count, n -= count) {
      count = n < level->size ? n : level->size;
      ON(columns)(terms, level + 1, first, count, room, room + width);
      terms->isa->BF_JOIN(add, F)(out, out, room, width);
    }
    return;
  case BITFOLD_ORDER_PAIRWISE:
    left = bf_pairwise_split(n, level->size);
    if (!left || bf_stopped(terms)) {
      ON(columns)(terms, level + 1, first, n, out, room);
      return;
    }
    ON(columns)(terms, level, first, left, out, room);
    ON(columns)(terms, level, first + left, n - left, room, room + width);
    terms->isa->BF_JOIN(add, F)(out, out, room, width);
    return;
  default: break;
  }
  const bitfold_level lane = {BITFOLD_ORDER_LANES, BITFOLD_FOLD_LEFT, BITFOLD_TAIL_LANES, lanes};
  after = level->order == BITFOLD_ORDER_LANES && level->tail == BITFOLD_TAIL_AFTER ? n % lanes : 0;
  memset(room, 0, lanes * width * sizeof *room);
  ON(gather_rows)(terms, lanes, first, n - after, room);
  if (lanes > 1) BF_ON(fold)(terms->isa, level->order == BITFOLD_ORDER_LANES ? level : &lane, width, room);
  if (after) ON(gather_rows)(terms, 1, first + n - after, after, room);
  memcpy(out, room, width * sizeof *out);
}

static void ON(each_column)(struct bf_job *job) {
  ON(value) room[ROOM / sizeof(ON(value))];
  ON(columns)(&job->terms, job->levels, 0, job->n, room, room + job->terms.width);
  BF_ON(finish)(job, room);
}
#endif
