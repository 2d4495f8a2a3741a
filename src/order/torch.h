/* SPDX-License-Identifier: Apache-2.0 */
/* PyTorch's order: what torch_layout.c learns from a layout and torch.c goes by. */
#ifndef BITFOLD_TORCH_H
#define BITFOLD_TORCH_H
#include "../kernel.h"

/* Elements worth a thread, threads, and bytes of a vector, which is no longer on AVX-512. */
enum { BF_TORCH_GRAIN = 32768, BF_TORCH_THREADS = 256, BF_TORCH_VECTOR = 32 };

/* How n terms become one sum; torch.c says more. */
enum bf_torch_way {
  BF_TORCH_CASCADE = 1, /* one by one, over four levels */
  BF_TORCH_FOUR,        /* four cascades side by side */
  BF_TORCH_ALONG        /* four cascades of vectors */
};

/*
 * The two innermost loops: `columns` outputs, or parts of one, of `row` terms each. The way of each follows from their layout in
 * the memory that is read, and from how many columns there are.
 */
struct bf_torch {
  uint64_t row, columns;
  uint64_t share;        /* outputs dealt out to a thread; 0: they are not */
  uint64_t lanes;        /* accumulators of a vector */
  uint64_t places;       /* threads that sum one output, each in a place of its own */
  int down;              /* a column's terms are neighbours */
  int across;            /* the columns are */
  int rising;            /* terms lie closer together than columns */
  int parts;             /* columns are parts of one output, or of each */
  int halves;            /* elements are halves: a vector has twice as many of them as of accumulators */
  enum bf_torch_way way; /* of all terms; 0: by the columns */
};
struct bf_torch bf_torch_from(const bitfold_level *levels);
void bf_torch_to(const struct bf_torch *torch, bitfold_level *levels);

/*
 * The way of column `at` of those in the block [begin, end), which terms of `row` each; *same becomes how many from there on have
 * the same. lanes: accumulators of a vector.
 */
enum bf_torch_way bf_torch_way_of(const struct bf_torch *torch, uint64_t row, uint64_t columns, uint64_t at, size_t lanes,
                                  uint64_t *same);
size_t bf_torch_vector(const struct bf_torch *torch, bitfold_format accumulator); /* elements of one */
size_t bf_torch_lanes(const bitfold_level *levels,
                      bitfold_format accumulator); /* values that one output may take, for the planner */
int bf_torch_is_mixed(const bitfold_level *levels);
bf_act_fn bf_sum_torch; /* neighbours that may have several ways */
#endif
