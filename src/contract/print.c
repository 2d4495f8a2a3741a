/* SPDX-License-Identifier: Apache-2.0 */
/* Contract to text, and comparison: what is printed is all that the bits depend on, in one fixed sequence. */
#include "../kernel.h"

const char *bf_fold_name(bitfold_fold fold) {
  return fold == BITFOLD_FOLD_LEFT ? "left" : fold == BITFOLD_FOLD_PAIRS ? "pairs" : "halves";
}
const char *bf_tail_name(bitfold_tail tail) { return tail == BITFOLD_TAIL_AFTER ? "after" : "lanes"; }

static void add(struct bf_text *text, const char *a, const char *b, const char *c) {
  bf_append_word(text, a);
  bf_append_word(text, b);
  bf_append_word(text, c);
}

static void print_order(struct bf_text *text, const bitfold_contract *contract, unsigned depth) {
  const bitfold_level *level = &contract->level[depth];
  bf_append_word(text, bf_order_name(level->order));
  switch (level->order) {
  case BITFOLD_ORDER_LANES:
    bf_append_word(text, "(");
    bf_append_number(text, level->size);
    add(text, ",fold=", bf_fold_name(level->fold), level->tail == BITFOLD_TAIL_AFTER ? ",tail=after)" : ")");
    break;
  case BITFOLD_ORDER_TORCH:
    if (level->size == 1) break;
    bf_append_word(text, "(");
    bf_append_number(text, level->size);
    bf_append_word(text, ")");
    break;
  case BITFOLD_ORDER_CANONICAL:
    bf_append_word(text, "(");
    bf_append_number(text, level->size);
    bf_append_word(text, ")");
    break;
  case BITFOLD_ORDER_PAIRWISE:
  case BITFOLD_ORDER_BLOCKS:
    bf_append_word(text, "(");
    bf_append_number(text, level->size);
    bf_append_word(text, ",");
    if (depth + 1 < contract->depth) print_order(text, contract, depth + 1);
    bf_append_word(text, ")");
    break;
  case BITFOLD_ORDER_TREE:
    bf_append_word(text, "(\"");
    bf_append(text, contract->tree, contract->tree_length);
    bf_append_word(text, "\")");
    break;
  default: break;
  }
}

void bf_append_order(struct bf_text *text, const bitfold_contract *contract) {
  if (contract->rule) bf_append_word(text, contract->rule->name);
  if (contract->depth) print_order(text, contract, 0);
}

size_t bitfold_contract_print(const bitfold_contract *contract, char *text, size_t capacity) {
  struct bf_text out = {0};
  out.start = text;
  out.capacity = text ? capacity : 0;
  bf_append(&out, "", 0);
  if (bf_contract_check(contract, NULL)) {
    bf_append_word(&out, "(not a whole contract)");
    return out.length;
  }
  add(&out, bitfold_operation_name(contract->operation), ":", bitfold_format_name(contract->element));
  int half = contract->element <= BITFOLD_FORMAT_BF16; /* whose accumulator is another format by default, so all are written */
  if (contract->accumulator && (half || contract->accumulator != contract->element))
    add(&out, ":acc=", bitfold_format_name(contract->accumulator), "");
  if (contract->rule || contract->depth) bf_append_word(&out, ":");
  bf_append_order(&out, contract);
  add(&out, contract->fma ? ":fma" : "", contract->ftz ? ":ftz" : "", "");
  if (contract->nan) add(&out, ":nan=", contract->nan == BITFOLD_NAN_PROPAGATE ? "propagate" : "ignore", "");
  int other = bf_is_arg(contract->operation) || (bf_is_integer(contract->element) && !bf_is_selection(contract->operation));
  if (other || contract->output != contract->element) add(&out, ":out=", bitfold_format_name(contract->output), "");
  return out.length;
}

int bf_same_order(const bitfold_contract *a, const bitfold_contract *b) {
  if (a->depth != b->depth || a->tree_length != b->tree_length) return 0;
  for (size_t i = 0; i < a->tree_length; i++)
    if (a->tree[i] != b->tree[i]) return 0;
  for (unsigned i = 0; i < a->depth && i < BITFOLD_LEVELS_MAX; i++) {
    const bitfold_level *x = &a->level[i], *y = &b->level[i];
    if (x->order != y->order || x->fold != y->fold || x->tail != y->tail || x->size != y->size) return 0;
  }
  return 1;
}

static int same_rule(const bitfold_rule *a, const bitfold_rule *b) {
  if (a == b || !a || !b) return a == b;
  return bf_same(a->name, b->name) && a->product == b->product && a->minus_one_is_zero == b->minus_one_is_zero &&
         a->accumulator_bits == b->accumulator_bits && a->overflow == b->overflow && a->full_range == b->full_range &&
         a->sum_extra == b->sum_extra && a->product_extra == b->product_extra && a->readout == b->readout &&
         a->readout_full_range == b->readout_full_range;
}

int bitfold_contract_equal(const bitfold_contract *a, const bitfold_contract *b) {
  if (!a || !b) return a == b;
  return a->operation == b->operation && a->element == b->element && a->accumulator == b->accumulator && a->output == b->output &&
         a->nan == b->nan && a->fma == b->fma && a->ftz == b->ftz && same_rule(a->rule, b->rule) && bf_same_order(a, b);
}
