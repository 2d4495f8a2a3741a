/* SPDX-License-Identifier: Apache-2.0 */
/* The planner: from the contract, the shape and the strides to the act that runs and how many outputs it takes at once. */
#include "kernel.h"
#include "op/picking.h"
#include "op/sums.h"
#include "order/steps.h"
#include "order/torch.h"

/*
 * How many neighbouring outputs to take side by side. More hide the adder's latency and, where neighbours lie closer in memory than
 * terms, use whole cache lines; one lets an order read contiguous terms where they lie.
 */
static size_t width_of(const struct bf_job *job, const struct bf_walk *walk) {
  const bitfold_level *levels = job->levels;
  const int size = job->terms.size;
  const struct bf_axis *last = &walk->reduced[walk->reduceds - 1];
  uint64_t step = bf_magnitude(last->x), across = bf_magnitude(walk->inner.x);
  int columns = across < step;
  size_t lanes = 1;
  for (unsigned i = 0; i < job->depth; i++) {
    if (levels[i].order == BITFOLD_ORDER_TREE) return 1;
    if ((levels[i].order == BITFOLD_ORDER_LANES || levels[i].order == BITFOLD_ORDER_CANONICAL) && levels[i].size > lanes)
      lanes = (size_t)levels[i].size;
    if (levels[i].order == BITFOLD_ORDER_TORCH) lanes = bf_torch_lanes(levels, job->contract->accumulator);
    if (levels[i].order == BITFOLD_ORDER_EXACT) return columns ? BF_EXACT_WIDTH : 1;
  }
  size_t most = BF_TILE / lanes;
  if (most > BF_WIDTH_MAX) most = BF_WIDTH_MAX;
  if (columns || !job->depth) return columns ? most : 1;
  return lanes >= 4 && step == (uint64_t)size ? 1 : most;
}

/* Codes that neighbour one another, as outputs or, in short rows, as terms, are taken many outputs at a time. */
static size_t width_of_codes(const struct bf_job *job, const struct bf_walk *walk) {
  enum { LONG = 2048 };
  const struct bf_axis *last = &walk->reduced[walk->reduceds - 1];
  const uint64_t size = (uint64_t)job->terms.size, x = bf_magnitude(walk->inner.x), y = bf_magnitude(walk->inner.y);
  if (walk->terms >= LONG && bf_magnitude(last->x) == size && x > size) return 1;
  return x <= size && y <= size ? BF_CODES_WIDTH : walk->terms < LONG ? BF_SEGMENTS : BF_WIDTH_MAX;
}

/* Whether there are too few outputs for the threads, and rows that are worth being cut. */
static int is_cut(const struct bf_job *job, const struct bf_walk *walk) {
  enum { LEAST = 1 << 17 };
  return job->threads > 1 && walk->outputs < (uint64_t)job->threads && walk->terms >= LEAST;
}

/* Exact sums: many columns or short rows at once, long rows by blocks, and anything digit by digit. */
static struct bf_plan exact_plan(const struct bf_job *job, const struct bf_walk *walk, size_t width) {
  enum { MANY = 256, FEW = 8, SHORT = 16 };
  const struct bf_axis *last = &walk->reduced[walk->reduceds - 1];
  const int many = bf_exact_many(&job->terms), size = job->terms.size;
  if (many && walk->inner.x == size && walk->inner.extent >= FEW)
    return (struct bf_plan){"columns", bf_sum_columns_exactly, MANY, 0};
  if (many && last->x == size && last->extent >= SHORT && last->extent <= BF_BLOCK && walk->inner.extent > 1)
    return (struct bf_plan){"short rows", bf_sum_short_rows_exactly, MANY, 0};
  if ((width == 1 || walk->inner.extent == 1) && bf_slim_can(&job->terms))
    return (struct bf_plan){"blocks", bf_sum_rows_exactly, MANY, 0};
  return (struct bf_plan){"digits", bf_sum_exactly, width, 0};
}

static struct bf_plan selection_plan(const struct bf_job *job, const struct bf_walk *walk, size_t width) {
  if (bf_selects_columns(job, walk)) return (struct bf_plan){"columns of keys", bf_select_columns, BF_PICK_COLUMNS, 0};
  if (bf_selects_rows(job, walk)) return (struct bf_plan){"rows of keys", bf_select_rows, BF_PICK_ROWS, 0};
  return (struct bf_plan){"keys", bf_select_each, width, 0};
}

struct bf_plan bf_plan_of(const struct bf_job *job, const struct bf_walk *walk) {
  const bitfold_contract *c = job->contract;
  const size_t width = width_of(job, walk);
  const int exact = c->depth && c->level[0].order == BITFOLD_ORDER_EXACT;
  if (is_cut(job, walk) && exact) return (struct bf_plan){"digits of pieces", bf_cut_sum, 1, 1};
  if (is_cut(job, walk) && bf_is_selection(c->operation)) return (struct bf_plan){"keys of pieces", bf_cut_selection, 1, 1};
  if (bf_is_selection(c->operation)) return selection_plan(job, walk, width);
  if (c->rule) return (struct bf_plan){"codes", bf_sum_by_rule, width_of_codes(job, walk), 0};
  if (c->fma || c->ftz) return (struct bf_plan){"single steps", bf_sum_by_steps, width, 0};
  if (exact) return exact_plan(job, walk, width);
  if (bf_torch_is_mixed(job->levels)) return (struct bf_plan){"tiles", bf_sum_torch, width, 0};
  const size_t columns = bf_columns_width(job, walk), rows = bf_rows_width(job, walk);
  if (columns) return (struct bf_plan){"columns", bf_sum_columns, columns, 0};
  if (rows) return (struct bf_plan){"rows", bf_sum_rows, rows, 0};
  return (struct bf_plan){"tiles", bf_sum_by_order, width, 0};
}
