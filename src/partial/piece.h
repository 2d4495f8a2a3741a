/* SPDX-License-Identifier: Apache-2.0 */
/* What bitfold_partial.state holds, by the kind of contract; shared by the files of this folder alone. */
#ifndef BITFOLD_PIECE_H
#define BITFOLD_PIECE_H
#include "../kernel.h"

enum bf_piece { BF_PIECE_REFUSED, BF_PIECE_WIDE, BF_PIECE_BEST, BF_PIECE_SCAN, BF_PIECE_NODES, BF_PIECE_STREAM };
enum bf_piece bf_piece_of(const bitfold_contract *contract);

/* The winner so far and its bits. */
struct bf_winner {
  struct bf_best best;
  uint64_t bits;
};
/*
 * The composition of a rule's steps from an unknown start: x -> clamp(x + total, low, high), and the lowest and highest running
 * total, which tell whether a step clamped. A wrapping rule needs the total alone, modulo 2^64.
 */
struct bf_scan {
  int64_t total, low, high, lowest, highest;
};
/*
 * Subtrees from left to right, `length` elements each, that lie one behind the other from the piece's first element on; their
 * values one behind the other too, as doubles, which hold every accumulator's values.
 */
enum { BF_NODES = 100, BF_NODE_VALUES = 432 };
struct bf_nodes {
  uint64_t nodes, values;
  uint64_t length[BF_NODES];
  double value[BF_NODE_VALUES];
};
union bf_state {
  struct bf_wide wide;
  struct bf_winner winner;
  struct bf_scan scan;
  struct bf_nodes nodes;
};

void bf_scan_init(struct bf_scan *scan, const bitfold_rule *rule, int bits);
void bf_scan_add(struct bf_scan *scan, const bitfold_contract *contract, const struct bf_terms *terms, uint64_t n);
void bf_scan_merge(struct bf_scan *scan, const struct bf_scan *right, const bitfold_contract *contract);
void bf_scan_finish(const struct bf_scan *scan, struct bf_codes *codes);

/* Adds n terms that follow the piece; where that fails, partial and state are half-changed copies to be thrown away. */
bitfold_status bf_nodes_add(bitfold_partial *partial, union bf_state *state, const struct bf_terms *terms, uint64_t n);
bitfold_status bf_nodes_merge(bitfold_partial *partial, union bf_state *state, const union bf_state *right);
int bf_nodes_join(const bitfold_partial *partial, uint64_t start, uint64_t left, uint64_t right);
int bf_accumulator_holds(bitfold_format accumulator, double value);
int bf_nodes_finite(const union bf_state *state);
struct bf_real bf_nodes_finish(const bitfold_partial *partial, const union bf_state *state);
/* Values of the subtree of `length` elements at `start`; 0 if there is no such subtree. */
uint64_t bf_node_values(const bitfold_partial *partial, uint64_t start, uint64_t length);
/* The greatest place <= at where the order may be cut. */
uint64_t bf_cut(const bitfold_contract *contract, uint64_t length, uint64_t at);
int bf_may_end(const bitfold_partial *partial, uint64_t end);

#endif
