/* SPDX-License-Identifier: Apache-2.0 */
/* What a contract's order comes to for one call: imitations in the words of other orders, lanes that change nothing left out. */
#include "kernel.h"

/*
 * Lanes of one term at the most, which are then added from the left, or none of which has a term, are added in sequence: no lane is
 * -0, and adding +0 changes nothing. A term that is fused with its addition is another when it joins a sum, not +0, so not there.
 */
static void leave_out(bitfold_level *levels, unsigned depth, uint64_t n) {
  for (bitfold_level *level = levels; level < levels + depth; level++) {
    if ((level->order == BITFOLD_ORDER_PAIRWISE || level->order == BITFOLD_ORDER_BLOCKS) && level->size < n) n = level->size;
    if (level->order != BITFOLD_ORDER_LANES || n > level->size) continue;
    if (level->fold == BITFOLD_FOLD_LEFT || (level->tail == BITFOLD_TAIL_AFTER && n < level->size))
      *level = (bitfold_level){.order = BITFOLD_ORDER_SEQUENTIAL};
  }
}

bitfold_status bf_resolve(struct bf_job *job, bitfold_level *levels, struct bf_walk *walk, bitfold_message *message) {
  const bitfold_contract *c = job->contract;
  memcpy(levels, c->level, sizeof c->level);
  job->levels = levels, job->depth = c->depth;
  bf_resolve_fn *const imitate = c->depth ? bf_resolver(levels->order) : NULL;
  const bitfold_status status = imitate ? imitate(job, levels, walk, message) : BITFOLD_STATUS_OK;
  if (status) return status;
  job->terms.reduced = walk->reduced, job->terms.reduceds = walk->reduceds;
  job->terms.x_across = walk->inner.x, job->output_across = walk->inner.output;
  if (!c->fma) leave_out(levels, job->depth, walk->terms);
  return BITFOLD_STATUS_OK;
}
