/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums of many outputs whose terms are contiguous: where an order has 1, 2 or 4 lanes, which would wait for the adder, rows are
 * added side by side, one to a lane; where it has more, row after row, and all are folded at once.
 */
#ifndef F
#include "picking.h"
#include "sums.h"

enum { LINES = 64, PART = 64, AT_ONCE = 16 }; /* outputs; terms of each in a buffer, and outputs there */

/* The lanes of an order that is nothing else, or 0. */
static size_t lanes_of(const bitfold_level *level) {
  if (level->order == BITFOLD_ORDER_SEQUENTIAL) return 1;
  return level->order == BITFOLD_ORDER_LANES ? (size_t)level->size : 0;
}
static int is_few(size_t lanes) { return lanes == 1 || lanes == 2 || lanes == 4; }

size_t bf_rows_width(const struct bf_job *job, const struct bf_walk *walk) {
  const struct bf_axis *last = &walk->reduced[walk->reduceds - 1];
  const int contiguous = !walk->reduceds || last->x == job->terms.size;
  if (!job->terms.isa->lines_f32 || !job->contract->depth || walk->inner.extent < 2 || !contiguous) return 0;
  return lanes_of(job->levels) || !walk->reduceds || last->extent >= 16 ? LINES : 0;
}

#define SELF "../op/lines.c"
#include "../format/each_accumulator.h"

void bf_sum_rows(struct bf_job *job) {
  switch ((int)job->contract->accumulator) {
#define ACCUMULATOR(f)                                                                                                             \
  case f##_format:                                                                                                                 \
    f##_each_row(job);                                                                                                             \
    break;
#include "../format/accumulators.def"
#undef ACCUMULATOR
  }
}
#else
static struct bf_terms ON(row_at)(const struct bf_terms *terms, size_t j) {
  struct bf_terms one = *terms;
  one.width = 1;
  if (one.x) one.x += (int64_t)j * one.x_across;
  if (one.y) one.y += (int64_t)j * one.y_across;
  return one;
}

/* Terms [first, first + n) of every output join their lanes, row[l * width + j], some rows at a time by way of a buffer. */
static void ON(fill_parts)(const struct bf_terms *terms, size_t lanes, uint64_t first, uint64_t n, ON(value) * row) {
  ON(value) part[AT_ONCE][PART], some[4 * AT_ONCE];
  const size_t width = terms->width;
  for (size_t j = 0, count; j < width; j += count) {
    count = width - j < AT_ONCE ? width - j : AT_ONCE;
    for (size_t l = 0; l < lanes; l++) memcpy(some + l * count, row + l * width + j, count * sizeof *some);
    for (uint64_t at = 0; at < n && !bf_stopped(terms); at += PART) {
      const size_t terms_here = n - at < PART ? (size_t)(n - at) : PART;
      for (size_t k = 0; k < count; k++) {
        const struct bf_terms one = ON(row_at)(terms, j + k);
        const ON(value) *x = BF_ON(terms)(&one, first + at, terms_here, part[k], NULL);
        if (x != part[k]) memcpy(part[k], x, terms_here * sizeof *x);
      }
      terms->isa->BF_JOIN(lines, F)(some, count, lanes, (const void *)part, (int64_t)sizeof part[0], terms_here);
    }
    for (size_t l = 0; l < lanes; l++) memcpy(row + l * width + j, some + l * count, count * sizeof *some);
  }
}

static int ON(is_plain)(const struct bf_terms *terms) {
  return terms->element == ON(format) && terms->size == sizeof(ON(value)) && !terms->x_swapped &&
         (terms->operation == BITFOLD_OPERATION_SUM || terms->operation == BITFOLD_OPERATION_MEAN);
}

static void ON(fill_lines)(const struct bf_terms *terms, size_t lanes, uint64_t first, uint64_t n, ON(value) * row) {
  const int plain = ON(is_plain)(terms);
  int64_t step;
  for (uint64_t some; n && !bf_stopped(terms); first += some, n -= some) {
    const unsigned char *x = plain ? bf_run_of(terms, first, &step, &some) : NULL;
    if (x) some = bf_picked_at_once(terms, some < n ? some : n), some -= some < n ? some % lanes : 0;
    if (x && some >= lanes) {
      terms->isa->BF_JOIN(lines, F)(row, terms->width, lanes, x, terms->x_across, (size_t)some);
      bf_count_picked(terms, first, some);
      continue;
    }
    some = plain && n > PART ? PART : n; /* odd lanes at the end of a run */
    ON(fill_parts)(terms, lanes, first, some, row);
  }
}

/* Rows of lanes, one output after the other, become sums. */
static void ON(fold_rows)(const struct bf_isa *isa, const bitfold_level *level, size_t width, ON(value) * row, ON(value) * out) {
  const size_t lanes = (size_t)level->size;
  const int halving = level->fold == BITFOLD_FOLD_PAIRS && !(lanes & (lanes - 1));
  if (level->fold == BITFOLD_FOLD_LEFT) {
    memset(out, 0, width * sizeof *out); /* a lane is never -0, so that adding the first one to +0 is nothing */
    isa->BF_JOIN(lines, F)(out, width, 1, (const void *)row, (int64_t)(lanes * sizeof *row), lanes);
    return;
  }
  for (size_t values = lanes * width; halving && values > width; values /= 2) isa->BF_JOIN(pair, F)(row, row, values / 2);
  for (size_t j = 0; j < width; j++) {
    if (!halving) BF_ON(fold)(isa, level, 1, row + j * lanes);
    out[j] = row[halving ? j : j * lanes];
  }
}

/* All n terms of one output join as many lanes; runs as long as a row of lanes are columns of runs. */
static void ON(join_runs)(const struct bf_terms *terms, size_t lanes, uint64_t n, ON(value) * row) {
  const struct bf_axis *runs = &terms->reduced[terms->reduceds - 2];
  int64_t step;
  for (uint64_t first = 0, some; first < n && !bf_stopped(terms); first += some * lanes) {
    const unsigned char *x = bf_run_of(terms, first, &step, &some);
    some = runs->extent - first / lanes % runs->extent;
    some = (bf_picked_at_once(terms, some * lanes) + lanes - 1) / lanes;
    terms->isa->BF_JOIN(down, F)(row, lanes, x, runs->x, some);
    bf_count_picked(terms, first, some * lanes);
  }
}

static void ON(deposit_rows)(const struct bf_terms *terms, const bitfold_level *level, uint64_t n, ON(value) * sum) {
  enum { VALUES = 1024 };
  const size_t lanes = (size_t)level->size, most = VALUES / lanes;
  const bitfold_level left = {BITFOLD_ORDER_LANES, BITFOLD_FOLD_LEFT, level->tail, lanes};
  const uint64_t after = level->order == BITFOLD_ORDER_LANES && level->tail == BITFOLD_TAIL_AFTER ? n % lanes : 0;
  const int runs = ON(is_plain)(terms) && terms->reduceds > 1 && terms->reduced[terms->reduceds - 1].extent == lanes;
  ON(value) row[VALUES];
  for (size_t j = 0, count; j < terms->width; j += count) {
    count = terms->width - j < most ? terms->width - j : most;
    memset(row, 0, count * lanes * sizeof *row);
    for (size_t k = 0; k < count; k++) {
      const struct bf_terms one = ON(row_at)(terms, j + k);
      if (runs) ON(join_runs)(&one, lanes, n, row + k * lanes);
      else BF_ON(join)(&one, lanes, 0, n - after, row + k * lanes);
    }
    ON(fold_rows)(terms->isa, level->order == BITFOLD_ORDER_LANES ? level : &left, count, row, sum + j);
    for (size_t k = 0; k < count && after; k++) {
      const struct bf_terms one = ON(row_at)(terms, j + k);
      BF_ON(join)(&one, 1, n - after, after, sum + j + k);
    }
  }
}

static void ON(each_row)(struct bf_job *job) {
  struct bf_terms *terms = &job->terms;
  const bitfold_level *level = job->levels;
  const size_t lanes = lanes_of(level), width = terms->width;
  const int after = level->order == BITFOLD_ORDER_LANES && level->tail == BITFOLD_TAIL_AFTER && job->n % lanes;
  ON(value) row[4 * LINES] = {0};
  if (is_few(lanes) && width > 1 && !after) {
    const bitfold_level left = {BITFOLD_ORDER_LANES, BITFOLD_FOLD_LEFT, BITFOLD_TAIL_LANES, lanes};
    ON(fill_lines)(terms, lanes, 0, job->n, row);
    BF_ON(fold)(terms->isa, level->order == BITFOLD_ORDER_LANES ? level : &left, width, row);
  } else if (lanes > 1) ON(deposit_rows)(terms, level, job->n, row);
  else
    for (size_t j = 0; j < width; j++) {
      const struct bf_terms one = ON(row_at)(terms, j);
      bf_order(level->order)->F(&one, level, 0, job->n, row + j);
    }
  BF_ON(finish)(job, row);
}
#endif
