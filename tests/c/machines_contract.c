/* SPDX-License-Identifier: Apache-2.0 */
/* Random contracts: every operation and format, orders inside orders with any parameters, trees, rules of nobody's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hostile.h"
#include "machines.h"

uint64_t random_below(uint64_t *state, uint64_t limit) { return (hostile_next(state) >> 32) % limit; }

/* Text that grows; what does not fit is cut, and then no contract. */
struct text {
  char *at;
  size_t room;
};
static void put(struct text *text, const char *word) {
  const size_t n = strlen(word);
  if (n + 1 > text->room) return;
  memcpy(text->at, word, n + 1);
  text->at += n, text->room -= n;
}
static void put_number(struct text *text, const char *before, uint64_t number, const char *after) {
  char digits[24];
  snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
  put(text, before), put(text, digits), put(text, after);
}

/* Lanes as machines like them, off by one, and any. */
static uint64_t lanes(uint64_t *state) {
  const uint64_t power = UINT64_C(1) << random_below(state, 9);
  if (one_in(state, 3)) return 1 + random_below(state, 256);
  return one_in(state, 4) && power < 256 ? power + 1 : power;
}

static void put_lanes(struct text *text, uint64_t *state) {
  static const char *const folds[] = {"left", "pairs", "halves"};
  const uint64_t count = lanes(state), powers = count & (count - 1) ? 2 : 3;
  put_number(text, "lanes(", count, ",fold=");
  put(text, folds[random_below(state, powers)]);
  put(text, one_in(state, 3) ? ",tail=after)" : ")");
}

static void put_order(struct text *text, uint64_t *state, int depth) {
  static const char *const words[] = {"exact", "sequential", "reverse"};
  static const uint64_t blocks[] = {1, 2, 3, 7, 8, 10, 16, 20, 32, 64, 100, 128, 255, 256, 257, 512, 1000, 4096};
  const uint64_t pick = random_below(state, depth < 4 ? 9 : 6), block = blocks[random_below(state, 18)];
  if (pick < 3) put(text, words[pick]);
  else if (pick < 5) put_lanes(text, state);
  else if (pick == 5) put_number(text, "canonical(", lanes(state), ")");
  else {
    put_number(text, pick == 6 ? "pairwise(" : "blocks(", block, ",");
    put_order(text, state, depth + 1);
    put(text, ")");
  }
}

/* Terms first .. first + n - 1 as a tree; n is at least 1. */
static void put_tree(struct text *text, uint64_t *state, size_t first, size_t n) {
  if (n == 1) {
    put_number(text, "", first, "");
    return;
  }
  const size_t half = 1 + (size_t)random_below(state, n - 1), quarter = half > 1 && one_in(state, 4) ? half / 2 : 0;
  put(text, "(");
  if (quarter) put_tree(text, state, first, quarter), put(text, "+");
  put_tree(text, state, first + quarter, half - quarter);
  put(text, "+");
  put_tree(text, state, first + half, n - half);
  put(text, ")");
}

static const char *format_of(uint64_t *state) {
  const uint64_t pick = random_below(state, 20);
  const int first = pick < 9 ? BITFOLD_FORMAT_F16 : pick < 12 ? BITFOLD_FORMAT_I8 : pick < 15 ? BITFOLD_FORMAT_SF2 : 0;
  if (!first) return pick < 17 ? "sf8" : "sf16";
  return bitfold_format_name((bitfold_format)((uint64_t)first + random_below(state, first == BITFOLD_FORMAT_SF2 ? 15 : 4)));
}

static void put_parts(struct text *text, uint64_t *state, const char *format, int selects, size_t n) {
  static const char *const floats[] = {"f16", "bf16", "f32", "f64"};
  static const char *const outputs[] = {"f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64"};
  const int is_float = strchr(format, 'f') && format[0] != 's';
  if (selects) {
    if (is_float) put(text, one_in(state, 2) ? ":nan=ignore" : ":nan=propagate");
    if (one_in(state, 4)) put(text, ":out=i32");
    return;
  }
  if (format[0] == 's' && !one_in(state, 8))
    put(text, ":"), put(text, bitfold_rule_at(random_below(state, one_in(state, 2) ? 3 : 8))->name);
  if (is_float && n && n <= TREE_MAX && one_in(state, 12)) {
    put(text, ":tree(\"");
    put_tree(text, state, 0, n);
    put(text, "\")");
  } else if (is_float) {
    put(text, ":");
    static const char *const imitations[] = {"helia", "numpy", "numpy-1"};
    if (one_in(state, 12)) put_number(text, "torch(", 1 + random_below(state, 20), ")");
    else if (one_in(state, 6)) put(text, imitations[random_below(state, sizeof imitations / sizeof *imitations)]);
    else put_order(text, state, 1);
  }
  if (is_float && one_in(state, 12)) put(text, ":fma");
  if (is_float && one_in(state, 12)) put(text, ":ftz");
  if (is_float && one_in(state, 2)) put(text, ":acc="), put(text, floats[random_below(state, 4)]);
  if (one_in(state, 3)) put(text, ":out="), put(text, outputs[random_below(state, is_float || format[0] == 's' ? 4 : 8)]);
}

/* Any fields; bitfold_reduce refuses what does not go together, on every machine. */
static const bitfold_rule *random_rule(uint64_t *state) {
  static bitfold_rule rule;
  rule = (bitfold_rule){.name = "own", .accumulator_bits = BITFOLD_BITS_DATA};
  rule.product = (bitfold_product)random_below(state, 3), rule.minus_one_is_zero = one_in(state, 2);
  if (one_in(state, 2)) rule.accumulator_bits = one_in(state, 4) ? BITFOLD_BITS_PRODUCT : 2 + (int)random_below(state, 47);
  rule.overflow = (bitfold_overflow)one_in(state, 4), rule.full_range = one_in(state, 2);
  if (one_in(state, 4)) rule.sum_extra = (int)random_below(state, 34) - 1;
  if (one_in(state, 4)) rule.product_extra = (int)random_below(state, 34) - 1;
  if (rule.product == BITFOLD_PRODUCT_EXACT && rule.product_extra < 15) rule.product_extra = BITFOLD_BITS_DATA;
  rule.readout = (bitfold_readout)random_below(state, 3), rule.readout_full_range = one_in(state, 2);
  return &rule;
}

void random_contract(uint64_t *state, size_t n, bitfold_contract *contract, char text[TEXT_BYTES]) {
  struct text words;
  do {
    const int operation = BITFOLD_OPERATION_SUM + (int)random_below(state, 9);
    const char *format = format_of(state);
    words = (struct text){text, TEXT_BYTES};
    put(&words, bitfold_operation_name((bitfold_operation)operation));
    put(&words, ":"), put(&words, format);
    put_parts(&words, state, format, operation >= BITFOLD_OPERATION_MAX, n);
  } while (bitfold_contract_parse(text, contract, NULL) != BITFOLD_STATUS_OK);
  if (contract->rule && one_in(state, 4)) {
    contract->rule = random_rule(state);
    put(&words, " with a rule of its own");
  }
}
