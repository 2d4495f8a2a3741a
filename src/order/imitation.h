/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Orders of other libraries that depend on more than their terms: on where the axes lie in memory, on the operation, on a cast.
 * Before a call is planned, such an order says what it comes to there. Part of kernel.h.
 */

struct bf_job;
/* How a mean divides: in its accumulator, or in f64, rounded then to the accumulator or at once to the output. */
enum bf_mean { BF_MEAN_OWN, BF_MEAN_F64, BF_MEAN_F64_AT_ONCE };
/*
 * Replaces job->depth levels by those of orders that are no imitations, or of this one's own functions, which then find all that
 * they need in levels[1] and on; and may put walk's reduced axes into another sequence. The job has its contract, terms and n, the
 * walk all its axes. Whatever cannot be imitated for certain is refused in one sentence: BITFOLD_STATUS_CONTRACT or
 * BITFOLD_STATUS_SHAPE.
 */
typedef bitfold_status bf_resolve_fn(struct bf_job *job, bitfold_level *levels, struct bf_walk *walk, bitfold_message *message);

/* The terms of one output in another sequence: the reduced axes, `count` of them, the outermost first. */
void bf_walk_resort(struct bf_walk *walk, const int *sequence, int count);

#define ORDER(name, NAME, word)
#define IMITATION(name, NAME, word) bf_resolve_fn bf_resolve_##name;
#include "orders.def"
#undef ORDER
bf_resolve_fn *bf_resolver(bitfold_order order); /* null for orders that are no imitations */

/* Resolves the contract's order, and leaves out lanes that change nothing; in resolve.c. */
bitfold_status bf_resolve(struct bf_job *job, bitfold_level *levels, struct bf_walk *walk, bitfold_message *message);
