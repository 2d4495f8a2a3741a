/* SPDX-License-Identifier: Apache-2.0 */
/* exact: the real sum, rounded once. Inside another order it is rounded to the accumulator. */
#ifndef F
#include "../kernel.h"

/* Elements are multiples of 2^least, below 2^most in magnitude. */
static void range(bitfold_format element, int *least, int *most) {
  const struct bf_format *f = bf_format(element);
  int bias = (1 << (f->exponent ? f->exponent - 1 : 0)) - 1;
  *least = f->kind == BF_BINARY ? 1 - bias - f->fraction : -f->fraction;
  *most = f->kind == BF_BINARY ? bias + 1 : 8 * f->size;
}

void bf_exact_init(struct bf_wide *wide, bitfold_format element, bitfold_operation operation) {
  int least, most, factors = bf_has_product(operation) ? 2 : 1;
  range(element, &least, &most);
  /* What arrives as a double, other than an f64, ends in zeros, which take up to 52 bits below its own. */
  int zeros = bf_is_float(element) && element != BITFOLD_FORMAT_F64 ? DBL_MANT_DIG - 1 : 0;
  bf_wide_init(wide, factors * least - zeros, factors * most);
}

static int64_t upper(int64_t x) { return (x - (x & 0xffffffff)) / 4294967296; } /* x = upper 2^32 + (x & 0xffffffff) */

/* Products of two i32 reach 2^62, so the halves of a product are summed apart; BF_TILE of them cannot overflow. */
static void add_integers(struct bf_wide *wide, const struct bf_terms *terms, uint64_t first, size_t n) {
  int32_t x[BF_TILE], y[BF_TILE];
  int fraction = bf_format(terms->element)->fraction, product = bf_has_product(terms->operation);
  bf_operand_i32(terms, BF_X, first, n, x);
  if (terms->y) bf_operand_i32(terms, BF_Y, first, n, y);
  for (size_t j = 0; j < terms->width; j++) {
    int64_t low = 0, high = 0;
    for (size_t i = j; i < n * terms->width; i += terms->width) {
      int64_t term = x[i];
      if (product) term *= terms->y ? y[i] : x[i];
      else if (terms->operation == BITFOLD_OPERATION_SUMABS && term < 0) term = -term;
      low += term & 0xffffffff;
      high += upper(term);
    }
    bf_wide_add_integer(&wide[j], low, -fraction * (1 + product));
    bf_wide_add_integer(&wide[j], high, 32 - fraction * (1 + product));
  }
}

/* Four sums of the 32-bit digits of products of two i64, each of fewer than 3 * 2^32 a term. */
static void add_long_products(struct bf_wide *wide, const int64_t *x, const int64_t *y, size_t n, size_t step) {
  int64_t digit[4] = {0};
  for (size_t i = 0; i < n * step; i += step) {
    const int64_t a = upper(x[i]), b = upper(y[i]), a_low = x[i] & 0xffffffff, b_low = y[i] & 0xffffffff;
    const uint64_t low = (uint64_t)a_low * (uint64_t)b_low;
    const int64_t one = a * b_low, other = b * a_low, high = a * b; /* magnitudes of 2^63 at most, and 2^62 */
    digit[0] += (int64_t)(low & 0xffffffff);
    digit[1] += (int64_t)(low >> 32) + (one & 0xffffffff) + (other & 0xffffffff);
    digit[2] += upper(one) + upper(other) + (high & 0xffffffff);
    digit[3] += upper(high);
  }
  for (int k = 0; k < 4; k++) bf_wide_add_integer(wide, digit[k], 32 * k);
}

/* The same for i64: a sum has two such digits. */
static void add_longs(struct bf_wide *wide, const struct bf_terms *terms, uint64_t first, size_t n) {
  const int absolute = terms->operation == BITFOLD_OPERATION_SUMABS;
  int64_t x[BF_TILE], y[BF_TILE];
  bf_operand_i64(terms, BF_X, first, n, x);
  if (terms->y) bf_operand_i64(terms, BF_Y, first, n, y);
  for (size_t j = 0; j < terms->width; j++) {
    int64_t low = 0, high = 0;
    if (bf_has_product(terms->operation)) add_long_products(&wide[j], x + j, (terms->y ? y : x) + j, n, terms->width);
    else
      for (size_t i = j; i < n * terms->width; i += terms->width) {
        uint64_t magnitude = bf_magnitude(x[i]);
        low += absolute ? (int64_t)(magnitude & 0xffffffff) : x[i] & 0xffffffff;
        high += absolute ? (int64_t)(magnitude >> 32) : upper(x[i]);
      }
    bf_wide_add_integer(&wide[j], low, 0);
    bf_wide_add_integer(&wide[j], high, 32);
  }
}

/* Sums of any float, and products of f16, bf16 and f32: exact as doubles. */
static void add_doubles(struct bf_wide *wide, const struct bf_terms *terms, uint64_t first, size_t n) {
  double tile[BF_TILE];
  const double *x = bf_f64_terms(terms, first, n, tile, NULL);
  for (size_t j = 0; j < terms->width; j++) terms->isa->exact_f64(&wide[j], x + j, n, terms->width);
}

/* Products of f64: 106 bits. */
static void add_products(struct bf_wide *wide, const struct bf_terms *terms, uint64_t first, size_t n) {
  double x[BF_TILE], y[BF_TILE];
  bf_operand_f64(terms, BF_X, first, n, x);
  if (terms->y) bf_operand_f64(terms, BF_Y, first, n, y);
  for (size_t j = 0; j < terms->width; j++) bf_wide_add_products(&wide[j], x + j, (terms->y ? y : x) + j, n, terms->width);
}

void bf_exact_digits(struct bf_wide *wide, const struct bf_terms *terms, uint64_t first, uint64_t n) {
  int products = terms->element == BITFOLD_FORMAT_F64 && bf_has_product(terms->operation);
  for (size_t count; n && !bf_stopped(terms); first += count, n -= count) {
    count = bf_fit(terms->width);
    if (count > n) count = (size_t)n;
    if (terms->element == BITFOLD_FORMAT_I64) add_longs(wide, terms, first, count);
    else if (!bf_is_float(terms->element)) add_integers(wide, terms, first, count);
    else if (products) add_products(wide, terms, first, count);
    else add_doubles(wide, terms, first, count);
  }
}

/* By the machine's blocks where it has them, and one output does not share its cache lines with others. */
void bf_exact_add(struct bf_wide *wide, const struct bf_terms *terms, uint64_t first, uint64_t n) {
  struct bf_slim slim = {0, 0, 1, wide};
  if (terms->width > 1 || !bf_slim_can(terms)) {
    bf_exact_digits(wide, terms, first, n);
    return;
  }
  bf_slim_add(&slim, terms, first, n);
  bf_slim_spill(&slim, terms);
}

#define SELF "../order/exact.c"
#include "../format/each_accumulator.h"
const struct bf_order bf_order_exact = {f16_exact, bf16_exact, f32_exact, f64_exact};
#else
static void ON(exact)(const struct bf_terms *terms, const bitfold_level *level, uint64_t first, uint64_t n, ON(value) * out) {
  (void)level;
  struct bf_terms one = *terms;
  one.width = 1;
  for (size_t j = 0; j < terms->width; j++) {
    struct bf_wide wide;
    int event;
    bf_exact_init(&wide, terms->element, terms->operation);
    bf_exact_add(&wide, &one, first, n);
    out[j] = ON(from_bits)((ON(bits))bf_encode(ON(format), bf_wide_over(&wide, 1), &event));
    one.x += terms->x_across;
    if (one.y) one.y += terms->y_across;
  }
}
#endif
