/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of exact sums on vectors: what a block's terms are made of, summed without a rounding. Included by vector.h.
 *
 * Why no addition rounds: with all terms multiples of one power of two, u, and all sums below 2^53 u, every sum is a double.
 */

/* Of a block's magnitudes, as bits: the greatest, and the least but zero, less 1. */
struct span {
  uint32_t most, least;
};

/* At least log2(n). */
VEC int log_of(size_t n) { return n > 1 ? bf_top_bit(n - 1) + 1 : 0; }

/* Biased exponents of the greatest and the least but zero, to which `less` is to be added; a block of zeros has one. */
struct reach {
  int most, least;
};
VEC struct reach reach_of(struct span span, const int fraction, const uint32_t less) {
  struct reach reach = {(int)(span.most >> fraction), (int)((span.least + less) >> fraction)};
  if (span.least == UINT32_MAX) reach.least = reach.most;
  if (!reach.most) reach.most = 1;
  if (!reach.least) reach.least = 1;
  return reach;
}

#include "loops_exact_f32.h"
#include "loops_exact_many.h"
#include "loops_exact_pairs.h"
