/* SPDX-License-Identifier: Apache-2.0 */
/* A reduction as loops over its outputs and over the terms of each; tensor.c makes them. Part of kernel.h. */

struct bf_axis {
  uint64_t extent;
  int64_t x, y, output; /* byte strides; where there is one operand, y is what an imitation counts outputs by, or 0 */
};
struct bf_walk {
  struct bf_axis outer[BITFOLD_RANK_MAX], inner, reduced[BITFOLD_RANK_MAX]; /* reduced: row-major, adjacent axes merged */
  int outers, reduceds;
  uint64_t outputs, terms;               /* terms: of one output */
  int rows;                              /* the reduced axes are the last ones, once extents of 1 are left out (H62) */
  struct bf_axis axis[BITFOLD_RANK_MAX]; /* as they were given, for imitations; bit i of `marked`: axis i is reduced */
  int rank, output_rank, marked;
};
bitfold_status bf_walk_init(struct bf_walk *walk, const bitfold_tensor *x, const bitfold_tensor *y, const bitfold_axes *axes,
                            const bitfold_tensor *output, bitfold_message *message);
