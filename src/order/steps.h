/* SPDX-License-Identifier: Apache-2.0 */
/* An order as the additions that it makes, one by one, for sums of any kind; steps.c and tree.c. */
#ifndef BITFOLD_STEPS_H
#define BITFOLD_STEPS_H
#include "../kernel.h"

/* Sums are words that only the caller reads: the bits of a number, or the number of a node. */
struct bf_steps {
  void *context;
  uint64_t zero;                                                   /* where accumulators start */
  uint64_t (*term)(void *context, uint64_t i);                     /* term i by itself */
  uint64_t (*join)(void *context, uint64_t sum, uint64_t i);       /* sum + term i */
  uint64_t (*plus)(void *context, uint64_t left, uint64_t right);  /* two sums, each of terms that are neighbours or lanes */
  uint64_t (*fused)(void *context, const uint64_t *sum, size_t n); /* more than two, rounded once */
  uint64_t (*exact)(void *context, uint64_t first, uint64_t n);    /* terms [first, first + n), rounded once */
  const int *stopped;                                              /* null, or not 0 from when on the sum is of no interest */
  const char *tree;                                                /* the contract's */
  size_t tree_length;
};

/* The sum of terms [first, first + n); helia's lanes stand in its level's size. */
uint64_t bf_steps_sum(const struct bf_steps *steps, const bitfold_level *level, uint64_t first, uint64_t n);
/* That of a tree, n leaves, without the start value; tree.c. */
uint64_t bf_steps_tree(const struct bf_steps *steps, uint64_t first);
/* PyTorch's of a contiguous row, on one thread; torch_steps.c. */
uint64_t bf_steps_torch(const struct bf_steps *steps, const bitfold_level *level, uint64_t first, uint64_t n);
/* The act for contracts with fma or ftz; op/sum_steps.c. */
bf_act_fn bf_sum_by_steps;
#endif
