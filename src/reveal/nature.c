/* SPDX-License-Identifier: Apache-2.0 */
/* What sort of box it is: whether it adds at all, gives the same answer twice, and adds in an order that is the same for all
 * values. */
#include "reveal.h"

int bf_says(struct bf_reveal *r, bitfold_revelation *found, bitfold_finding finding) {
  found->finding = finding;
  found->message = *r->message;
  return 0;
}

/* One element alone among zeros is its own sum, and zeros are 0; else there is nothing to look for. 1, or 0 with the finding. */
int bf_adds(struct bf_reveal *r, bitfold_revelation *found) {
  const size_t at[] = {0, r->n - 1, (size_t)bf_below(&r->random, r->n)};
  struct bf_digits where, n;
  bitfold_contract exact;
  uint64_t bits, expected;
  (void)bf_number(&n, (int64_t)r->n);
  if (!bf_assemble(r, BITFOLD_FORMAT_NONE, "exact", "", &exact)) return 0;
  for (int k = 0; k < 7; k++) {
    bf_fill(r, 0, 0);
    if (k) bf_set(r, at[k % 3], k > 3, 3, 0);
    if (!bf_ask(r, &bits) || !bf_ask_contract(r, &exact, &expected)) return 0;
    if (bits == expected || (!(bits << (65 - 8 * r->output_size)) && !(expected << (65 - 8 * r->output_size)))) continue;
    const char *got = bf_decode(r->output, bits).class == BF_NAN ? "NaN" : "another number";
    if (!k)
      BF_FAIL(r->message, BITFOLD_STATUS_OK, "it does not add, or starts from a value of its own: ", n.text, " zeros give ", got);
    else
      BF_FAIL(r->message, BITFOLD_STATUS_OK, "it does not add: ", k > 3 ? "-3" : "3", " at element ",
              bf_number(&where, (int64_t)at[k % 3]), " and 0 at the other of its ", n.text, " give ", got);
    return bf_says(r, found, BITFOLD_FINDING_NO_SUM);
  }
  return 1;
}

int bf_is_steady(struct bf_reveal *r, size_t step, bitfold_revelation *found) {
  const int repeats = bf_repeats(r, step);
  if (repeats) return repeats > 0;
  r->tree.root = BF_NO_NODE, r->tree_text[0] = 0, found->others = 0;
  BF_FAIL(r->message, BITFOLD_STATUS_OK, "not deterministic: the same row, asked twice, gives different results");
  return bf_says(r, found, BITFOLD_FINDING_UNSTABLE);
}

/* Most ordinary rows have the exact sum, which no additions of many terms come near, unless they keep more bits than the result. */
int bf_is_compensated(struct bf_reveal *r, bitfold_revelation *found) {
  bitfold_contract exact;
  unsigned rows = 0, same = 0;
  if (found->accumulator_bits > (unsigned)bf_format(r->output)->fraction + 3) return 0;
  if (r->tree.has_cut || r->n < 8 || !bf_assemble(r, BITFOLD_FORMAT_NONE, "exact", "", &exact)) return 0;
  for (size_t i = 0; i < r->witnesses; i++) {
    uint64_t bits;
    if (r->witness[i].kind != BF_ROW_LEVEL && r->witness[i].kind != BF_ROW_SPREAD) continue;
    bf_row(r, &r->witness[i]);
    rows++, same += bf_ask_contract(r, &exact, &bits) && bits == r->witness[i].bits;
  }
  if (!rows || 4 * same < 3 * rows) return 0;
  BF_FAIL(r->message, BITFOLD_STATUS_OK,
          "compensated: terms are hidden as in a tree, yet sums of ordinary rows are nearly always exact");
  (void)bf_says(r, found, BITFOLD_FINDING_VALUES);
  return 1;
}

/*
 * All terms meet at once, it seems: then a sum of terms of one size is the exact one but for its last bit. Where it is not, they
 * are added one by one, in an order of their values.
 */
int bf_is_by_value(struct bf_reveal *r) {
  const struct bf_tree *t = &r->tree;
  bitfold_contract exact;
  if (!t->has_cut || t->nodes != t->n + 1 || !bf_assemble(r, BITFOLD_FORMAT_NONE, "exact", "", &exact)) return 0;
  for (size_t i = 0; i < r->witnesses; i++) {
    uint64_t bits;
    if (r->witness[i].kind != BF_ROW_LEVEL) continue;
    bf_row(r, &r->witness[i]);
    if (bf_ask_contract(r, &exact, &bits) && bits + 1 - r->witness[i].bits > 2) return 1;
  }
  return 0;
}
