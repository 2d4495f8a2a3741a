/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree("((0+1)+2)"): an explicit tree over element indices. A node of two operands is one rounded addition; a node of more is one
 * fused addition, the exact sum rounded once, as matrix units do.
 *
 * The text is read once, left to right. Values wait in slots until their node closes; opened[i] counts the nodes whose first
 * operand is slot i. A left-deep tree needs two slots, and any tree written with the operand that needs more slots first, log2(n)
 * + 1.
 */
#ifndef F
#include "steps.h"

enum { SLOTS = 64, LEAVES_MAX = 65536, SEEN_BITS = 2048 };

struct reader {
  const char *text, *end;
  uint32_t opened[SLOTS + 1];
  size_t top;
};

enum step { OPEN, CLOSE, PLUS, LEAF, END, WRONG };

static enum step next(struct reader *reader, uint64_t *leaf) {
  if (reader->text == reader->end) return END;
  char c = *reader->text++;
  if (c == '(') return OPEN;
  if (c == ')') return CLOSE;
  if (c == '+') return PLUS;
  if (c < '0' || c > '9') return WRONG;
  *leaf = (uint64_t)(c - '0');
  while (reader->text != reader->end && *reader->text >= '0' && *reader->text <= '9' && *leaf <= LEAVES_MAX)
    *leaf = *leaf * 10 + (uint64_t)(*reader->text++ - '0');
  return LEAF;
}

/* The first operand's slot of the innermost open node; SLOTS + 1 if none is open. */
static size_t innermost(const struct reader *reader) {
  size_t slot = reader->top + 1;
  while (slot--)
    if (reader->opened[slot]) return slot;
  return SLOTS + 1;
}

/* Slots [slot, top) are one value from here on. */
static void close(struct reader *reader, size_t slot) {
  reader->opened[slot]--;
  reader->top = slot + 1;
  reader->opened[reader->top] = 0;
}

/* Reads the whole text for its form alone: the number of leaves, or 0 and what is wrong. */
static uint64_t leaves(const char *text, size_t length, const char **wrong) {
  struct reader reader = {text, text + length, {0}, 0};
  uint64_t count = 0, leaf;
  int operand = 1; /* an operand is due, else an operator */
  for (enum step step; (step = next(&reader, &leaf)) != END;) {
    size_t slot = innermost(&reader);
    *wrong = "write it like ((0+1)+2)";
    if (step == WRONG || operand != (step == OPEN || step == LEAF)) return 0;
    if (step == PLUS && slot > SLOTS) return 0;
    if (step == CLOSE && (slot > SLOTS || reader.top - slot < 2)) return 0;
    *wrong = "more than 64 operands wait; write the deeper operand first";
    if (step == LEAF && reader.top == SLOTS) return 0;
    *wrong = "a tree has at most 65536 leaves";
    if (step == LEAF && (leaf >= LEAVES_MAX || count == LEAVES_MAX)) return 0;
    if (step == OPEN) reader.opened[reader.top]++;
    if (step == LEAF) count++, reader.opened[++reader.top] = 0;
    if (step == CLOSE) close(&reader, slot);
    operand = step == OPEN || step == PLUS;
  }
  *wrong = "its brackets do not match";
  return reader.top == 1 && !operand && innermost(&reader) > SLOTS ? count : 0;
}

/* Whether each index below count is a leaf exactly once: count leaves in all, so it is enough that none is missing. */
static int is_permutation(const char *text, size_t length, uint64_t count) {
  for (uint64_t base = 0; base < count; base += SEEN_BITS) {
    unsigned char seen[SEEN_BITS / 8] = {0};
    struct reader reader = {text, text + length, {0}, 0};
    uint64_t leaf;
    for (enum step step; (step = next(&reader, &leaf)) != END;)
      if (step == LEAF && leaf - base < SEEN_BITS) seen[(leaf - base) / 8] |= (unsigned char)(1 << leaf % 8);
    for (uint64_t i = 0; i < SEEN_BITS && base + i < count; i++)
      if (!(seen[i / 8] >> i % 8 & 1)) return 0;
  }
  return 1;
}

uint64_t bf_tree_leaves(const char *text, size_t length, bitfold_message *message) {
  const char *wrong;
  uint64_t count = leaves(text, length, &wrong);
  if (count && !is_permutation(text, length, count)) count = 0, wrong = "its n leaves are each of 0 .. n-1 once";
  if (!count) BF_FAIL(message, BITFOLD_STATUS_CONTRACT, "tree(\"...\"): ", wrong);
  return count;
}

uint64_t bf_steps_tree(const struct bf_steps *steps, uint64_t first) {
  struct reader reader = {steps->tree, steps->tree + steps->tree_length, {0}, 0};
  uint64_t slot[SLOTS + 1] = {0}, leaf;
  for (enum step step; (step = next(&reader, &leaf)) != END;) {
    if (step == OPEN) reader.opened[reader.top]++;
    if (step == LEAF) {
      slot[reader.top] = steps->term(steps->context, first + leaf);
      reader.opened[++reader.top] = 0;
    }
    if (step == CLOSE) {
      const size_t at = innermost(&reader), operands = reader.top - at;
      slot[at] =
          operands == 2 ? steps->plus(steps->context, slot[at], slot[at + 1]) : steps->fused(steps->context, slot + at, operands);
      close(&reader, at);
    }
  }
  return slot[0];
}

#define SELF "../order/tree.c"
#include "../format/each_accumulator.h"
const struct bf_order bf_order_tree = {f16_tree, bf16_tree, f32_tree, f64_tree};
#else
/* The exact sum of n values, rounded once. */
static ON(value) ON(fused)(const struct bf_isa *isa, const ON(value) * x, size_t n) {
  struct bf_wide wide;
  int event;
  bf_exact_init(&wide, ON(format), BITFOLD_OPERATION_SUM);
  for (size_t i = 0; i < n; i++) {
    double term = (double)x[i];
    isa->exact_f64(&wide, &term, 1, 1);
  }
  return ON(from_bits)((ON(bits))bf_encode(ON(format), bf_wide_over(&wide, 1), &event));
}

/* terms->tree has been checked and has n leaves; width is 1. */
static void ON(tree)(const struct bf_terms *terms, const bitfold_level *level, uint64_t first, uint64_t n, ON(value) * out) {
  struct reader reader = {terms->tree, terms->tree + terms->tree_length, {0}, 0};
  ON(value) slot[SLOTS + 1], tile[1];
  uint64_t leaf;
  (void)level;
  for (enum step step; n && (step = next(&reader, &leaf)) != END;) {
    if (step == OPEN) reader.opened[reader.top]++;
    if (step == LEAF) {
      slot[reader.top] = *BF_ON(terms)(terms, first + leaf, 1, tile, NULL);
      reader.opened[++reader.top] = 0;
    }
    if (step == CLOSE) {
      size_t at = innermost(&reader), operands = reader.top - at;
      slot[at] = operands == 2 ? ON(plus)(slot[at], slot[at + 1]) : ON(fused)(terms->isa, slot + at, operands);
      close(&reader, at);
    }
  }
  *out = ON(plus)(0, n ? slot[0] : 0);
}
#endif
