/* SPDX-License-Identifier: Apache-2.0 */
/* Chains of clamping steps side by side: each lane is an output of its own, and neighbours lie next to one another in memory. */
#include "in_place.h"
#include "step.h"

struct rows {
  const unsigned char *x;
  ptrdiff_t step;
  size_t n;
  int16_t low, high;
};
BF_EACH struct bf_chains add(struct bf_chains chains, struct rows rows, const int size, const int wide) {
  for (; rows.n >= 8; rows.n -= 8, rows.x += 8 * rows.step)
    bf_eight_rows(&chains, BF_WIDTH_MAX, rows.x, size, rows.step, rows.low, rows.high, wide);
  for (; rows.n; rows.n--, rows.x += rows.step) bf_one_row(&chains, BF_WIDTH_MAX, rows.x, size, rows.low, rows.high, wide);
  return chains;
}

void bf_add_columns(struct bf_codes *codes, size_t width, const void *terms, int size, ptrdiff_t step, size_t n) {
  if (!BF_IN_PLACE) return;
  const struct rows rows = {terms, step, n, (int16_t)codes->low, (int16_t)codes->high};
  struct bf_chains chains = {{0}, {0}};
  for (size_t j = 0; j < width; j++) chains.sum[j] = (int16_t)codes[j].sum;
  if (size == 1) chains = add(chains, rows, 1, 0);
  else if (bf_is_wide(codes)) chains = add(chains, rows, 2, 1);
  else chains = add(chains, rows, 2, 0);
  for (size_t j = 0; j < width; j++) codes[j].sum = chains.sum[j], codes[j].clamped |= chains.clamped[j] != 0;
}
