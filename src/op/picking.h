/* SPDX-License-Identifier: Apache-2.0 */
/* Selections by a machine's own acts on rows and columns: what select.c, select_rows.c, select_columns.c and the planner share. */
#ifndef BITFOLD_PICKING_H
#define BITFOLD_PICKING_H
#include "../kernel.h"

/* The outputs that each takes at once. */
enum { BF_PICK_ROWS = 256, BF_PICK_COLUMNS = 512 };
int bf_selects_rows(const struct bf_job *job, const struct bf_walk *walk);
int bf_selects_columns(const struct bf_job *job, const struct bf_walk *walk);
bf_act_fn bf_select_rows, bf_select_columns;
/* bf_select of rows, on a machine that has pick_rows. */
void bf_pick(struct bf_best *best, const struct bf_terms *terms, const struct bf_keys *keys, uint64_t first, uint64_t n);
/* Where term `index` of output 0 lies, the bytes from there to the next, and how many there are with that step. */
const unsigned char *bf_run_of(const struct bf_terms *terms, uint64_t index, int64_t *step, uint64_t *left);
/* Counts n terms of each output that were read so, and asks the caller whether to stop; how many may be read before that. */
void bf_count_picked(const struct bf_terms *terms, uint64_t first, uint64_t n);
uint64_t bf_picked_at_once(const struct bf_terms *terms, uint64_t n);

#endif
