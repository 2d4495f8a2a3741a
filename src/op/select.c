/* SPDX-License-Identifier: Apache-2.0 */
/*
 * max, min, argmax and argmin as one search: each element becomes an integer key, the first greatest key wins.
 *
 * A float's key is its magnitude bits, negated where its sign is set, so both zeros have key 0 and ties keep the first; min
 * negates. A NaN gets the greatest key of all where it propagates and the least where it is ignored. Nothing here looks at
 * floating-point state.
 */
#include "../kernel.h"

#define NAN_WINS INT64_MAX
#define NAN_LOSES (-INT64_MAX)

int bf_key_is_nan(int64_t key) { return key == NAN_WINS || key == NAN_LOSES; }

static inline int64_t key_of(const struct bf_format *f, uint64_t bits, int64_t nan) {
  int top = 8 * f->size - 1;
  uint64_t sign = bits >> top & 1, magnitude = bits & ~(~(uint64_t)0 << top);
  if (f->kind != BF_BINARY) return sign ? -(int64_t)(((uint64_t)1 << top) - magnitude) : (int64_t)magnitude;
  if (magnitude > (uint64_t)((1 << f->exponent) - 1) << f->fraction) return nan;
  return sign ? -(int64_t)magnitude : (int64_t)magnitude;
}

int64_t bf_key(const bitfold_contract *contract, uint64_t bits) {
  const int least = contract->operation == BITFOLD_OPERATION_MIN || contract->operation == BITFOLD_OPERATION_ARGMIN;
  const int64_t nan = contract->nan == BITFOLD_NAN_PROPAGATE ? NAN_WINS : NAN_LOSES;
  int64_t key = key_of(bf_format(contract->element), bits, nan);
  return least && !bf_key_is_nan(key) ? -key : key;
}

void bf_select(const struct bf_terms *terms, const bitfold_contract *contract, uint64_t first, uint64_t n, struct bf_best *best) {
  uint64_t bits[BF_TILE];
  int64_t keys[BF_TILE];
  for (size_t count; n; first += count, n -= count) {
    count = BF_TILE / terms->width;
    if (count > n) count = (size_t)n;
    bf_operand_bits(terms, first, count, bits);
    for (size_t i = 0; i < count * terms->width; i++) keys[i] = bf_key(contract, bits[i]);
    for (size_t j = 0; j < terms->width; j++) terms->isa->best(&best[j], keys + j, first, count, terms->width);
  }
}
