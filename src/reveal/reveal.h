/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of reveal/ share: rows to ask a box, contracts that might be its own, trees. Part of no other header.
 *
 * The method is FPRev's (Xie et al., USENIX ATC 2025): +M and -M among small units. The units that are added to a partial sum which
 * holds +M or -M alone are lost, so what is left tells which leaves the two do not share their lowest common subtree with.
 */
#ifndef BF_REVEAL_H
#define BF_REVEAL_H

#include "../kernel.h"

enum { BF_NO_NODE = -1 };
enum bf_node { BF_NODE_ROUNDED, BF_NODE_EXACT, BF_NODE_CUT }; /* CUT: its terms are aligned to the largest one, and cut off there */

/* A tree over the leaves 0 .. n-1; inner nodes are numbered from n on. */
struct bf_tree {
  uint32_t n, nodes;              /* nodes: leaves included */
  int32_t *first, *next, *parent; /* first child, next sibling */
  uint32_t *leaves, *low;         /* of a node: how many leaves, the lowest */
  unsigned char *kind, *slots;    /* slots: operands that wait while it is worked out, in the sequence that it is printed in */
  int32_t root;                   /* BF_NO_NODE: the tree is not known */
  int has_cut;                    /* some node is of kind CUT */
};

/* One stretch of leaves that are whole children of a node, not yet looked into. */
struct bf_stretch {
  uint32_t begin, end, limit; /* limit: the leaves of each child, if that is known, else of all */
  int32_t parent;
  int is_lopsided; /* it is most of what it was cut from, so the next pivot is a random one */
};

/* The kinds of rows. Up to BF_ROW_USUAL, nothing in a sum is subnormal or overflows, whatever the order. */
enum bf_row_kind {
  BF_ROW_CANCEL, /* what is added is taken away elsewhere, up to some of the last bits */
  BF_ROW_HIDDEN, /* +M, -M and units of random small sizes */
  BF_ROW_LEVEL,  /* of about one size */
  BF_ROW_SPREAD, /* of several sizes */
  BF_ROW_USUAL = BF_ROW_SPREAD,
  BF_ROW_DEEP, /* HIDDEN with the smallest units that there are */
  BF_ROW_TINY, /* subnormals, and the smallest of the others */
  BF_ROW_WIDE, /* all sizes that cannot overflow */
  BF_ROW_HUGE, /* the largest sizes, which may; the last kind, as a bounded box is not asked about it */
  BF_ROW_KINDS
};
struct bf_witness {
  enum bf_row_kind kind;
  uint32_t plus, minus; /* HIDDEN and DEEP: where +M and -M stand */
  uint64_t seed, bits;  /* bits: the box's answer */
};

enum { BF_WITNESSES = 96, BF_ORDER_MAX = 160, BF_OTHERS = BITFOLD_OTHERS_MAX, BF_TREE_LEAVES = 65536 };

struct bf_reveal {
  const bitfold_box *box;
  bitfold_format output;
  size_t n;
  int size, output_size;
  size_t row_size;             /* bytes of one row; kept has two */
  unsigned char *x, *y, *kept; /* rows of n elements: of the question, y null unless dot; and of the first witness */
  int unit;                    /* the exponent of what rebuilding hides */
  int flushes;                 /* subnormal numbers become 0 in the box */
  uint64_t probes, budget;     /* budget: what rebuilding may bring probes to */
  bitfold_status status;       /* STOPPED, from then on */
  bitfold_message *message;
  uint64_t random;
  struct bf_witness *witness;
  size_t witnesses;
  struct bf_tree tree;
  uint32_t *leaf, *level;
  struct bf_stretch *stretch;
  char *tree_text, *order_text, *contract_text; /* text_size bytes each */
  size_t text_size;
  char (*other)[BF_ORDER_MAX + 64], (*other_order)[BF_ORDER_MAX]; /* contracts that fit too, and their orders alone */
};

/* ---- ask.c ---- */

uint64_t bf_draw(uint64_t *random);
uint64_t bf_below(uint64_t *random, uint64_t limit);
/* Hands the row to the box: 1 and its answer with the one NaN for any NaN, 0 where the box asks to stop. */
int bf_ask(struct bf_reveal *r, uint64_t *bits);
/* The same of a contract; 0 where it refuses. */
int bf_ask_contract(const struct bf_reveal *r, const bitfold_contract *contract, uint64_t *bits);
/* An element of the row becomes (-1)^negative magnitude 2^exponent. */
void bf_set(struct bf_reveal *r, size_t i, int negative, uint64_t magnitude, int exponent);
void bf_fill(struct bf_reveal *r, uint64_t magnitude, int exponent); /* all of x, and y with ones */
/* Exponents of what hides, and of the units that are hidden; deep: the smallest there are. */
int bf_hider(bitfold_format element);
int bf_unit(bitfold_format element, int deep);

/* ---- witness.c ---- */

void bf_row(struct bf_reveal *r, const struct bf_witness *witness);
/* Asks the box about a new row of the kind, and keeps question and answer, unless there is no room. */
int bf_add_witness(struct bf_reveal *r, enum bf_row_kind kind);
int bf_gather(struct bf_reveal *r);
/* The row of a HIDDEN witness again, with +M and -M elsewhere; *was keeps what stood there, for the next call. */
struct bf_patch {
  size_t at[2];
  uint64_t bits[2];
  int is_set;
};
void bf_move_hiders(struct bf_reveal *r, struct bf_patch *was, const struct bf_witness *witness);
/* Whether the box gives the same answer again to each step-th witness: 1, 0, or -1 where it stopped. */
int bf_repeats(struct bf_reveal *r, size_t step);
/* Which answers a contract gives: 2 for all of the witnesses, 1 for all of the usual kinds, else 0. */
int bf_fits(struct bf_reveal *r, const bitfold_contract *contract);

/* ---- patterns.c ---- */

/* Orders that a row of n may have been added in, with these blocks; visit returns 0 to go on. is_usual: not one of all numbers of
 * lanes. */
enum bf_stage { BF_STAGE_SIMPLE, BF_STAGE_NESTED, BF_STAGES };
typedef int bf_visit_fn(void *context, const char *order, int is_usual);
int bf_each_order(enum bf_stage stage, uint64_t n, const uint64_t *block, size_t blocks, bf_visit_fn *visit, void *context);

/* ---- guess.c ---- */

/*
 * The first contract of the table that fits the witnesses (all of them, or for want of such a one the usual ones) and whose tree
 * the box has: 1; 0 if there is none, -1 where the box stopped.
 */
int bf_guess(struct bf_reveal *r, bitfold_contract *contract, bitfold_revelation *found);
/* The contract of the box's operation and formats with an accumulator, an order, and other parts; 0 where it is none. */
int bf_assemble(const struct bf_reveal *r, bitfold_format accumulator, const char *order, const char *parts,
                bitfold_contract *contract);
/* Number i of the parts that may stand beside an order: none, fma, ftz, both, as far as the box can have them; null past the last.
 */
const char *bf_parts(const struct bf_reveal *r, size_t i);

/* ---- rebuild.c ---- */

/* The box's tree by FPRev's method: 1, or 0 and a message. */
int bf_rebuild(struct bf_reveal *r);
/* The tree of a contract, into r->tree: 1, or 0 where its sums cannot be counted exactly. */
int bf_rebuild_contract(struct bf_reveal *r, const bitfold_contract *contract);

/* ---- tree_text.c ---- */

/* Sorts operands so that few wait, and writes the tree to r->tree_text; "" where there is none, or one of too many leaves. */
void bf_write_tree(struct bf_reveal *r);

/* ---- nature.c ---- */

/* Sets a finding, with the message that has been written; 0. */
int bf_says(struct bf_reveal *r, bitfold_revelation *found, bitfold_finding finding);
/* 1, or 0 with the finding or where the box stopped. */
int bf_adds(struct bf_reveal *r, bitfold_revelation *found);
int bf_is_steady(struct bf_reveal *r, size_t step, bitfold_revelation *found);
/* Of a box whose rebuilt tree no contract fits: what hidden terms look like may not be what happens to others. */
int bf_is_compensated(struct bf_reveal *r, bitfold_revelation *found); /* with the finding, once traits are known */
int bf_is_by_value(struct bf_reveal *r);

/* ---- traits.c ---- */

/* Whether it makes subnormal numbers 0, and so the smallest units that it does not. 0 where the box stopped. */
int bf_find_flushing(struct bf_reveal *r);
/* How the box adds, beside the order: r->tree's where it is known. 0 where the box stopped. */
int bf_find_traits(struct bf_reveal *r, bitfold_revelation *found);

#endif
