/* SPDX-License-Identifier: Apache-2.0 */
/*
 * max, min, argmax and argmin as one search: each element becomes an integer key, the first greatest key wins.
 *
 * A float's key is its magnitude bits, negated where its sign is set, so both zeros have key 0 and ties keep the first; an
 * integer's is itself. min negates, or complements the bits of an i64, whose least number has no negative. A float's NaN gets the
 * greatest key of all where it propagates and the least where it is ignored. Nothing here looks at floating-point state.
 */
#include "../kernel.h"

#define NAN_WINS INT64_MAX
#define NAN_LOSES (-INT64_MAX)

int bf_key_is_nan(const bitfold_contract *contract, int64_t key) {
  return bf_is_float(contract->element) && (key == NAN_WINS || key == NAN_LOSES);
}

/* What turns an element's bits into its key. */
struct keys {
  uint64_t sign;     /* the sign bit */
  uint64_t infinity; /* the greatest magnitude that is a number; all of them for integers */
  int64_t nan;
  int binary, least, whole; /* whole: 64-bit integers */
};

static struct keys keys_of(const bitfold_contract *contract) {
  const struct bf_format *f = bf_format(contract->element);
  struct keys keys = {.sign = (uint64_t)1 << (8 * f->size - 1), .infinity = UINT64_MAX, .binary = f->kind == BF_BINARY};
  if (keys.binary) keys.infinity = (((uint64_t)1 << f->exponent) - 1) << f->fraction;
  keys.whole = !keys.binary && f->size == 8;
  keys.nan = contract->nan == BITFOLD_NAN_PROPAGATE ? NAN_WINS : NAN_LOSES;
  keys.least = contract->operation == BITFOLD_OPERATION_MIN || contract->operation == BITFOLD_OPERATION_ARGMIN;
  return keys;
}

static inline int64_t key_of(const struct keys keys, uint64_t bits) {
  if (keys.whole) return (int64_t)(keys.least ? ~bits : bits);
  uint64_t magnitude = bits & (keys.sign - 1);
  int64_t key = (int64_t)magnitude;
  if (bits & keys.sign) key = keys.binary ? -key : key - (int64_t)keys.sign;
  if (keys.least) key = -key;
  return magnitude > keys.infinity ? keys.nan : key;
}

int64_t bf_key(const bitfold_contract *contract, uint64_t bits) { return key_of(keys_of(contract), bits); }

/* Loops of their own, so that what is the same for all elements is decided outside them. */
static inline void each_key(struct keys how, const uint64_t *bits, int64_t *keys, size_t n, const int binary, const int least,
                            const int whole) {
  how.binary = binary, how.least = least, how.whole = whole;
  for (size_t i = 0; i < n; i++) keys[i] = key_of(how, bits[i]);
}
static void keys_from(const struct keys how, const uint64_t *bits, int64_t *keys, size_t n) {
  if (how.binary && how.least) each_key(how, bits, keys, n, 1, 1, 0);
  else if (how.binary) each_key(how, bits, keys, n, 1, 0, 0);
  else if (how.whole) each_key(how, bits, keys, n, 0, how.least, 1);
  else if (how.least) each_key(how, bits, keys, n, 0, 1, 0);
  else each_key(how, bits, keys, n, 0, 0, 0);
}

void bf_select(const struct bf_terms *terms, const bitfold_contract *contract, uint64_t first, uint64_t n, struct bf_best *best) {
  const struct keys how = keys_of(contract);
  uint64_t bits[BF_TILE];
  int64_t keys[BF_TILE];
  for (size_t count; n && !bf_stopped(terms); first += count, n -= count) {
    count = bf_fit(terms->width);
    if (count > n) count = (size_t)n;
    bf_operand_bits(terms, first, count, bits);
    keys_from(how, bits, keys, count * terms->width);
    for (size_t j = 0; j < terms->width; j++) terms->isa->best(&best[j], keys + j, first, count, terms->width);
  }
}
