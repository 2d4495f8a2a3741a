/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A piece of a clamping sum as a map: whatever the accumulator x was before the piece, it is clamp(x + total, low, high) after it.
 *
 * Steps compose to such a map, because a clamp of a clamp is one clamp; low and high are the images of the accumulator's edges. No
 * step clamped, from x, exactly if x + lowest and x + highest stay within the edges. Once the totals pass +-2^62 the map is
 * constant (the edges are below 2^48), so they may stop there.
 */
#include "piece.h"

static int64_t plus(int64_t a, int64_t b) {
  const int64_t most = (int64_t)1 << 62;
  int64_t sum = a + b; /* both within +-2^62 */
  return sum > most ? most : sum < -most ? -most : sum;
}
static int64_t clamp(int64_t x, int64_t low, int64_t high) { return x < low ? low : x > high ? high : x; }

void bf_scan_init(struct bf_scan *scan, const bitfold_rule *rule, int bits) {
  struct bf_codes codes;
  bf_codes_init(&codes, rule, bits);
  *scan = (struct bf_scan){0, codes.low, codes.high, 0, 0};
}

static void follow(struct bf_scan *scan, const struct bf_scan *next) {
  int64_t lowest = plus(scan->total, next->lowest), highest = plus(scan->total, next->highest);
  scan->low = clamp(plus(scan->low, next->total), next->low, next->high);
  scan->high = clamp(plus(scan->high, next->total), next->low, next->high);
  scan->total = plus(scan->total, next->total);
  scan->lowest = lowest < scan->lowest ? lowest : scan->lowest;
  scan->highest = highest > scan->highest ? highest : scan->highest;
}

static int wraps(const bitfold_contract *contract) { return contract->rule->overflow == BITFOLD_OVERFLOW_WRAP; }

void bf_scan_merge(struct bf_scan *scan, const struct bf_scan *right, const bitfold_contract *contract) {
  if (wraps(contract)) scan->total = (int64_t)((uint64_t)scan->total + (uint64_t)right->total);
  else follow(scan, right);
}

enum { SOME = BF_IN_PLACE ? BF_TILE : BF_TILE / 4 }; /* terms at a time; a small processor's stack is small */

/* The map of some terms: the images of both edges, and the running totals. */
static struct bf_scan map_of(const struct bf_codes *codes, const int32_t *x, const int32_t *y, size_t n) {
  struct bf_codes low = *codes, high = *codes;
  int64_t term[SOME], total = 0, lowest = 0, highest = 0;
  low.sum = codes->low, high.sum = codes->high;
  bf_codes_add_tile(bf_isa_best(), &low, 1, x, y, n);
  bf_codes_add_tile(bf_isa_best(), &high, 1, x, y, n);
  bf_codes_terms(codes, term, x, y, n, 1);
  for (size_t i = 0; i < n; i++) {
    total += term[i]; /* so few of them stay below 2^56 */
    lowest = total < lowest ? total : lowest;
    highest = total > highest ? total : highest;
  }
  return (struct bf_scan){total, low.sum, high.sum, lowest, highest};
}

void bf_scan_add(struct bf_scan *scan, const bitfold_contract *contract, const struct bf_terms *terms, uint64_t n) {
  const int product = bf_has_product(contract->operation);
  int32_t x[SOME], y[SOME];
  struct bf_codes codes;
  bf_codes_init(&codes, contract->rule, bf_format(contract->element)->fraction + 1);
  for (uint64_t first = 0, count; first < n; first += count) {
    count = n - first < SOME ? n - first : SOME;
    bf_operand_i32(terms, BF_X, first, (size_t)count, x);
    if (terms->y) bf_operand_i32(terms, BF_Y, first, (size_t)count, y);
    if (contract->operation == BITFOLD_OPERATION_SUMABS)
      for (size_t i = 0; i < count; i++) x[i] = x[i] < 0 ? -x[i] : x[i];
    const struct bf_scan map = map_of(&codes, x, product ? (terms->y ? y : x) : NULL, (size_t)count);
    bf_scan_merge(scan, &map, contract);
  }
}

void bf_scan_finish(const struct bf_scan *scan, struct bf_codes *codes) {
  if (codes->rule->overflow == BITFOLD_OVERFLOW_WRAP) {
    uint64_t size = (uint64_t)(codes->high - codes->low) + 1;
    codes->sum = codes->low + (int64_t)(((uint64_t)scan->total - (uint64_t)codes->low) & (size - 1));
    return;
  }
  codes->sum = clamp(scan->total, scan->low, scan->high);
  codes->clamped = scan->lowest < codes->low || scan->highest > codes->high;
}
