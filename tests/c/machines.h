/* SPDX-License-Identifier: Apache-2.0 */
/* One random reduction: contract, tensors that hold it in some layout, and what it must come to. */
#ifndef MACHINES_H
#define MACHINES_H

#include <stddef.h>
#include <stdint.h>
#include <bitfold/bitfold.h>

enum { TEXT_BYTES = 2048, TERMS_MAX = 200000, OUTPUTS_MAX = 3000, TREE_MAX = 60, UNTOUCHED = 0xa5 };

uint64_t random_below(uint64_t *state, uint64_t limit);
static inline int one_in(uint64_t *state, uint64_t n) { return random_below(state, n) == 0; }

/* Any contract that is fit for rows of n terms; *text is what its tree points into. */
void random_contract(uint64_t *state, size_t n, bitfold_contract *contract, char text[TEXT_BYTES]);

/* A tensor in memory of its own: the bytes before `first` and all that is not an element are nobody's. */
struct array {
  bitfold_tensor view;
  unsigned char *memory;
  size_t bytes;
};

/* Permuted, reversed, spread out, unaligned, in the other byte order; where elements may coincide, some axes are repeated. */
void random_array(uint64_t *state, bitfold_format format, int rank, const int64_t *shape, int may_repeat, struct array *array);

/* Where the positions of the axes in `mask` lie, in row-major order, in bytes from element 0. Returns how many there are. */
size_t positions(const bitfold_tensor *view, unsigned mask, int64_t *bytes);

/* Shape and axes: bit i of `reduced` says that axis i is. */
struct problem {
  int rank;
  unsigned reduced;
  int64_t shape[BITFOLD_RANK_MAX];
  size_t outputs, terms;
};
void random_problem(uint64_t *state, struct problem *problem);

#endif
