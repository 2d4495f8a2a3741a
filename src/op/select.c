/* SPDX-License-Identifier: Apache-2.0 */
/*
 * max, min, argmax and argmin as one search: each element becomes an integer key, the first greatest key wins.
 *
 * A float's key is its magnitude bits, negated where its sign is set, so both zeros have key 0 and ties keep the first; an
 * integer's is itself. min negates, or complements the bits of an i64, whose least number has no negative. A float's NaN gets the
 * greatest key of all where it propagates and the least where it is ignored. Nothing here looks at floating-point state.
 */
#include "picking.h"

int bf_key_is_nan(const bitfold_contract *contract, int64_t key) {
  return bf_is_float(contract->element) && (key == BF_NAN_WINS || key == BF_NAN_LOSES);
}

struct bf_keys bf_keys_of(const bitfold_contract *contract) {
  const struct bf_format *f = bf_format(contract->element);
  struct bf_keys keys = {.sign = (uint64_t)1 << (8 * f->size - 1), .infinity = UINT64_MAX, .binary = f->kind == BF_BINARY};
  if (keys.binary) keys.infinity = (((uint64_t)1 << f->exponent) - 1) << f->fraction;
  keys.whole = !keys.binary && f->size == 8;
  keys.nan = contract->nan == BITFOLD_NAN_PROPAGATE ? BF_NAN_WINS : BF_NAN_LOSES;
  keys.least = contract->operation == BITFOLD_OPERATION_MIN || contract->operation == BITFOLD_OPERATION_ARGMIN;
  return keys;
}

int64_t bf_key(const bitfold_contract *contract, uint64_t bits) {
  const struct bf_keys keys = bf_keys_of(contract);
  return bf_key_of(&keys, bits);
}

/* Loops of their own, so that what is the same for all elements is decided outside them. */
static inline void each_key(struct bf_keys how, const uint64_t *bits, int64_t *keys, size_t n, const int binary, const int least,
                            const int whole) {
  how.binary = binary, how.least = least, how.whole = whole;
  for (size_t i = 0; i < n; i++) keys[i] = bf_key_of(&how, bits[i]);
}
static void keys_from(const struct bf_keys how, const uint64_t *bits, int64_t *keys, size_t n) {
  if (how.binary && how.least) each_key(how, bits, keys, n, 1, 1, 0);
  else if (how.binary) each_key(how, bits, keys, n, 1, 0, 0);
  else if (how.whole) each_key(how, bits, keys, n, 0, how.least, 1);
  else if (how.least) each_key(how, bits, keys, n, 0, 1, 0);
  else each_key(how, bits, keys, n, 0, 0, 0);
}

void bf_select(const struct bf_terms *terms, const bitfold_contract *contract, uint64_t first, uint64_t n, struct bf_best *best) {
  const struct bf_keys how = bf_keys_of(contract);
  uint64_t bits[BF_TILE];
  int64_t keys[BF_TILE];
  if (terms->isa->pick_rows && terms->width == 1) {
    bf_pick(best, terms, &how, first, n);
    return;
  }
  for (size_t count; n && !bf_stopped(terms); first += count, n -= count) {
    count = bf_fit(terms->width);
    if (count > n) count = (size_t)n;
    bf_operand_bits(terms, first, count, bits);
    keys_from(how, bits, keys, count * terms->width);
    for (size_t j = 0; j < terms->width; j++) terms->isa->best(&best[j], keys + j, first, count, terms->width);
  }
}
