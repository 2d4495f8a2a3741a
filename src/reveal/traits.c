/* SPDX-License-Identifier: Apache-2.0 */
/* How a box adds, beside its order: zeros, subnormals, overflow, the width and rounding of its additions, products that are fused.
 */
#include "reveal.h"

static int lowest(bitfold_format format, int flushes) {
  const struct bf_format *f = bf_format(format);
  const int least = 2 - (1 << (f->exponent - 1));
  return flushes ? least : least - f->fraction;
}

/* The exponent of a binary number that is one bit; INT32_MIN for any other. */
static int32_t lone_bit(bitfold_format format, uint64_t bits) {
  const struct bf_real value = bf_decode(format, bits);
  if (value.class != BF_FINITE || value.magnitude != (uint64_t)1 << 63) return INT32_MIN;
  return value.exponent + 63;
}

static int is_zero(bitfold_format format, uint64_t bits) {
  const struct bf_real value = bf_decode(format, bits);
  return value.class == BF_FINITE && !value.magnitude;
}

static int find_zeros(struct bf_reveal *r, bitfold_revelation *found) {
  uint64_t bits;
  bf_fill(r, 0, 0);
  for (size_t i = 0; i < r->n; i++) bf_set(r, i, 1, 0, 0);
  if (!bf_ask(r, &bits)) return 0;
  found->minus_zero = is_zero(r->output, bits) && bits != 0;
  return 1;
}

/* A subnormal alone, and one as a difference of normal numbers. */
int bf_find_flushing(struct bf_reveal *r) {
  const struct bf_format *f = bf_format(r->box->element);
  const int least = lowest(r->box->element, 1);
  uint64_t bits;
  r->unit = bf_unit(r->box->element, 1);
  if (r->box->operation == BITFOLD_OPERATION_MEAN || bf_format(r->output)->exponent < f->exponent) return 1;
  bf_fill(r, 0, 0);
  bf_set(r, r->n - 1, 0, 1, least - 1);
  if (!bf_ask(r, &bits)) return 0;
  r->flushes = is_zero(r->output, bits);
  if (r->flushes) r->unit = bf_unit(r->box->element, 0);
  if (r->n == 1) return 1;
  bf_set(r, r->n - 1, 0, 3, least - 1);
  bf_set(r, 0, 1, 1, least);
  if (!bf_ask(r, &bits)) return 0;
  r->flushes |= is_zero(r->output, bits);
  return 1;
}

/* Two of the largest numbers; of different operands, as one may not be added to anything but a start value. */
static int find_saturation(struct bf_reveal *r, bitfold_revelation *found) {
  const struct bf_format *f = bf_format(r->box->element), *out = bf_format(r->output);
  const uint64_t infinity = (((uint64_t)1 << out->exponent) - 1) << out->fraction;
  uint64_t bits;
  if (r->n == 1 || r->box->bounded || r->box->operation == BITFOLD_OPERATION_MEAN || r->output != r->box->element) return 1;
  bf_fill(r, 0, 0);
  bf_set(r, 0, 0, 1, (1 << (f->exponent - 1)) - 1);
  bf_set(r, r->n - 1, 0, 1, (1 << (f->exponent - 1)) - 1);
  if (!bf_ask(r, &bits)) return 0;
  found->saturates = bits < infinity;
  return 1;
}

/* Two leaves that are added to each other alone, and a third, to which their sum is added. */
struct place {
  size_t a, b, c;
};
static int find_place(const struct bf_tree *t, struct place *at) {
  if (t->root == BF_NO_NODE || t->n < 3) return 0;
  for (uint32_t node = t->n; node < t->nodes; node++) {
    const int32_t a = t->first[node], b = t->next[a];
    if (t->kind[node] != BF_NODE_ROUNDED || t->next[b] != BF_NO_NODE || a >= (int32_t)t->n || b >= (int32_t)t->n) continue;
    *at = (struct place){(size_t)a, (size_t)b, 0};
    while (at->c == at->a || at->c == at->b) at->c++;
    return 1;
  }
  return 0;
}

/* (+-2^high +- part 2^low) -+ 2^high: what an addition keeps of its smaller operand. */
static int keeps(struct bf_reveal *r, const struct place *at, int negative, int high, uint64_t part, int low, uint64_t *bits) {
  bf_fill(r, 0, 0);
  bf_set(r, at->a, negative, 1, high);
  bf_set(r, at->b, negative, part, low);
  bf_set(r, at->c, !negative, 1, high);
  return bf_ask(r, bits);
}

/* From what becomes of a half and of three quarters of the last place, and of their negatives. */
static int find_rounding(struct bf_reveal *r, const struct place *at, int high, int last, bitfold_revelation *found) {
  static const struct {
    unsigned char up[5]; /* half, three quarters, a quarter, minus three quarters, minus a half */
    bitfold_rounding rounding;
  } known[] = {{{0, 1, 0, 1, 0}, BITFOLD_ROUNDING_NEAREST},
               {{1, 1, 0, 1, 1}, BITFOLD_ROUNDING_NEAREST_AWAY},
               {{0, 0, 0, 0, 0}, BITFOLD_ROUNDING_ZERO},
               {{1, 1, 1, 0, 0}, BITFOLD_ROUNDING_UP},
               {{0, 0, 0, 1, 1}, BITFOLD_ROUNDING_DOWN}};
  static const unsigned char part[] = {2, 3, 1, 3, 2};
  unsigned char up[5];
  for (int k = 0; k < 5; k++) {
    uint64_t bits;
    if (!keeps(r, at, k > 2, high, part[k], last - 2, &bits)) return 0;
    up[k] = !is_zero(r->output, bits);
  }
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    int same = 1;
    for (int k = 0; k < 5; k++) same &= up[k] == known[i].up[k];
    if (same) found->rounding = known[i].rounding;
  }
  return 1;
}

static int find_width(struct bf_reveal *r, const struct place *at, bitfold_revelation *found) {
  const int is_half = bf_format(r->box->element)->exponent == 5 || bf_format(r->output)->exponent == 5, high = is_half ? 15 : 0;
  const int a = lowest(r->box->element, found->flushes), b = lowest(r->output, found->flushes), low = a > b ? a : b;
  int kept = 0, gone = high - low + 1; /* distances below 2^high */
  while (gone - kept > 1) {
    const int middle = (kept + gone) / 2;
    uint64_t bits;
    if (!keeps(r, at, 0, high, 1, high - middle, &bits)) return 0;
    if (lone_bit(r->output, bits) == high - middle) kept = middle;
    else gone = middle;
  }
  if (gone > high - low) return 1; /* no end of it shows */
  found->accumulator_bits = (unsigned)kept + 1;
  return high - kept - 2 >= low ? find_rounding(r, at, high, high - kept, found) : 1;
}

/* (1 + e) (1 + e) next to -(1 + 2e): e^2 is left of a product that was not rounded. */
static int find_fusion(struct bf_reveal *r, const struct place *at, bitfold_revelation *found) {
  const struct bf_format *f = bf_format(r->box->element);
  const size_t of[] = {at->a, at->b};
  int left = 0;
  found->fused = -1;
  if (!r->y || found->accumulator_bits > 2 * (unsigned)f->fraction) return 1; /* which holds all products */
  for (int k = 0; k < 2; k++) {
    const uint64_t one = (uint64_t)1 << f->fraction;
    uint64_t bits;
    bf_fill(r, 0, 0);
    bf_set(r, of[k], 0, one + 1, -f->fraction);
    memcpy(r->y + of[k] * (size_t)r->size, r->x + of[k] * (size_t)r->size, (size_t)r->size);
    bf_set(r, of[1 - k], 1, one + 2, -f->fraction);
    if (!bf_ask(r, &bits)) return 0;
    left |= !is_zero(r->output, bits);
  }
  found->fused = left;
  return 1;
}

int bf_find_traits(struct bf_reveal *r, bitfold_revelation *found) {
  struct place at;
  found->fused = -1;
  found->flushes = r->flushes;
  if (!find_zeros(r, found) || !find_saturation(r, found)) return 0;
  if (r->box->operation == BITFOLD_OPERATION_MEAN || !find_place(&r->tree, &at)) return 1;
  return find_width(r, &at, found) && find_fusion(r, &at, found);
}
