/* SPDX-License-Identifier: Apache-2.0 */
/* Rounded sums that read many outputs where they lie: rows_down.c, lines.c, and what sum.c does for them. */
#ifndef BITFOLD_SUMS_H
#define BITFOLD_SUMS_H
#include "../kernel.h"

/* Sums of job->terms.width outputs in their accumulator: divided if they are means, rounded and stored. */
#define ACCUMULATOR(f) void bf_##f##_finish(struct bf_job *job, f##_value *sum);
#include "../format/accumulators.def"
#undef ACCUMULATOR
/* How many outputs bf_sum_columns and bf_sum_rows take at a time; 0 where they are not for this layout, order or machine. */
size_t bf_columns_width(const struct bf_job *job, const struct bf_walk *walk);
size_t bf_rows_width(const struct bf_job *job, const struct bf_walk *walk);
bf_act_fn bf_sum_columns, bf_sum_rows;
#endif
