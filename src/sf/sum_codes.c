/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one function that adds SuperFloat codes, by any rule: product, step, read-out. There is no other loop over codes in the
 * library (S39, S40), save the exact sum.
 */
#include "../kernel.h"

/* x / 2^bits, rounded down, for |x| <= 2^62: an unsigned shift of what a bias has made positive. */
static int64_t floor_shift(int64_t x, int bits) {
  const uint64_t bias = (uint64_t)1 << 62;
  return (int64_t)(((uint64_t)x + bias) >> bits) - (int64_t)(bias >> bits);
}

/* The same toward zero: the magnitude is shifted, the sign put back. */
static int64_t toward_zero(int64_t x, int bits) {
  int64_t shifted = (int64_t)((x < 0 ? 0 - (uint64_t)x : (uint64_t)x) >> bits);
  return x < 0 ? -shifted : shifted;
}

static int extra_bits(int extra, int bits) { return extra == BITFOLD_BITS_DATA ? bits - 1 : extra; }

static int extra_of(const bitfold_rule *rule, int bits, int product) {
  return extra_bits(product ? rule->product_extra : rule->sum_extra, bits);
}

static void edges(const bitfold_rule *rule, int bits, int64_t *low, int64_t *high) {
  int wide = rule->accumulator_bits == BITFOLD_BITS_DATA      ? bits
             : rule->accumulator_bits == BITFOLD_BITS_PRODUCT ? 2 * bits - 1
                                                              : rule->accumulator_bits;
  *high = ((int64_t)1 << (wide - 1)) - 1;
  *low = -*high - (rule->full_range || rule->overflow == BITFOLD_OVERFLOW_WRAP);
}

int bf_rule_is_valid(const bitfold_rule *rule, int width) {
  int bits = rule->accumulator_bits, product = rule->product_extra, sum = rule->sum_extra;
  if (!rule->name || (unsigned)rule->product > BITFOLD_PRODUCT_FLOAT32 || (unsigned)rule->overflow > BITFOLD_OVERFLOW_WRAP ||
      (unsigned)rule->readout > BITFOLD_READOUT_NEAREST)
    return 0;
  if (rule->product == BITFOLD_PRODUCT_EXACT && product != BITFOLD_BITS_DATA && product < width - 1) return 0;
  return (bits == BITFOLD_BITS_DATA || bits == BITFOLD_BITS_PRODUCT || (bits >= 2 && bits <= 48)) && sum >= BITFOLD_BITS_DATA &&
         sum <= 32 && product >= BITFOLD_BITS_DATA && product <= 32;
}

void bf_codes_init(struct bf_codes *codes, const bitfold_rule *rule, int bits) {
  *codes = (struct bf_codes){.rule = rule, .bits = bits};
  edges(rule, bits, &codes->low, &codes->high);
}

static int64_t product(const bitfold_rule *rule, int bits, int32_t x, int32_t y) {
  int64_t exact = (int64_t)x * y, unit = (int64_t)1 << (bits - 1);
  int extra = extra_of(rule, bits, 1);
  if (rule->minus_one_is_zero && (x == -unit || y == -unit)) return 0;
  switch (rule->product) {
  case BITFOLD_PRODUCT_TOWARD_ZERO: return toward_zero(exact, bits - 1) * ((int64_t)1 << extra);
  case BITFOLD_PRODUCT_FLOOR: return floor_shift(exact, bits - 1) * ((int64_t)1 << extra);
  default: return exact * ((int64_t)1 << (extra - (bits - 1)));
  }
}

/* The running sum modulo the accumulator's size, a power of two. */
static void add_wrapping(struct bf_codes *codes, const int64_t *term, size_t n) {
  const uint64_t size = (uint64_t)(codes->high - codes->low) + 1;
  uint64_t sum = (uint64_t)codes->sum;
  for (size_t i = 0; i < n; i++) sum += (uint64_t)term[i];
  codes->sum = codes->low + (int64_t)((sum - (uint64_t)codes->low) & (size - 1));
}

/* One step after the other (S1): the sum, and whether a clamp changed it, stay in registers. */
static void add_clamping(struct bf_codes *codes, const int64_t *term, size_t n) {
  const int64_t low = codes->low, high = codes->high;
  int64_t sum = codes->sum;
  int clamped = 0;
  for (size_t i = 0; i < n; i++) {
    sum += term[i];
    clamped |= (sum < low) | (sum > high);
    sum = sum < low ? low : sum > high ? high : sum;
  }
  codes->sum = sum;
  codes->clamped |= clamped;
}

static void add_floats(struct bf_codes *codes, const int32_t *x, const int32_t *y, size_t n, size_t stride) {
  const int32_t one = 1 << (codes->bits - 1);
  const float unit = 1.0f / (float)one;
  for (size_t i = 0; i < n * stride; i += stride) {
    float term = (float)x[i] * unit;
    if (y) term = f32_times(term, (float)y[i] * unit);
    if (y && codes->rule->minus_one_is_zero && (x[i] == -one || y[i] == -one)) term = 0;
    codes->float_sum = f32_plus(codes->float_sum, term);
  }
}

int64_t bf_codes_term(const bitfold_rule *rule, int bits, int32_t x, const int32_t *y) {
  return y ? product(rule, bits, x, *y) : (int64_t)x * ((int64_t)1 << extra_of(rule, bits, 0));
}

void bf_codes_add(struct bf_codes *codes, const int32_t *x, const int32_t *y, size_t n, size_t stride) {
  const int64_t unit = (int64_t)1 << extra_of(codes->rule, codes->bits, 0);
  int64_t term[BF_TILE];
  if (codes->rule->product == BITFOLD_PRODUCT_FLOAT32) {
    add_floats(codes, x, y, n, stride);
    return;
  }
  for (size_t i = 0; i < n; i++)
    term[i] = y ? product(codes->rule, codes->bits, x[i * stride], y[i * stride]) : x[i * stride] * unit;
  if (codes->rule->overflow == BITFOLD_OVERFLOW_WRAP) add_wrapping(codes, term, n);
  else add_clamping(codes, term, n);
}

/* numerator / denominator to the nearest integer, ties to even; denominator is positive. */
static int64_t nearest(int64_t numerator, uint64_t denominator) {
  uint64_t magnitude = numerator < 0 ? 0 - (uint64_t)numerator : (uint64_t)numerator;
  uint64_t quotient = magnitude / denominator, rest = magnitude % denominator, other = denominator - rest;
  quotient += rest > other || (rest == other && (quotient & 1));
  return numerator < 0 ? -(int64_t)quotient : (int64_t)quotient;
}

static int64_t read_integer(const struct bf_codes *codes, int is_product, uint64_t count) {
  int extra = extra_of(codes->rule, codes->bits, is_product);
  if (count != 1) {
    /* below 2^48 in magnitude: a count that does not fit beside the fraction bits makes the mean 0 */
    return count > (uint64_t)1 << 50 ? 0 : extra > 12 && count >> (62 - extra) ? 0 : nearest(codes->sum, count << extra);
  }
  switch (codes->rule->readout) {
  case BITFOLD_READOUT_FLOOR: return floor_shift(codes->sum, extra);
  case BITFOLD_READOUT_HALF_UP: return floor_shift(codes->sum + ((int64_t)1 << extra) / 2, extra);
  default: return nearest(codes->sum, (uint64_t)1 << extra);
  }
}

/* The float, times 2^(N-1), as an integer; the rule's sums are finite and below 2^63. */
static int64_t read_float(const struct bf_codes *codes, uint64_t count) {
  int event;
  float sum = count == 1 ? codes->float_sum : f32_over(codes->float_sum, bf_f32_count(count));
  struct bf_real value = bf_decode(BITFOLD_FORMAT_F32, f32_to_bits(sum));
  value.exponent += codes->bits - 1;
  return (int64_t)bf_encode(BITFOLD_FORMAT_I64, value, &event);
}

int32_t bf_codes_read(struct bf_codes *codes, int is_product, uint64_t count) {
  const int64_t high = ((int64_t)1 << (codes->bits - 1)) - 1, low = -high - (codes->rule->readout_full_range != 0);
  int64_t code =
      codes->rule->product == BITFOLD_PRODUCT_FLOAT32 ? read_float(codes, count) : read_integer(codes, is_product, count);
  codes->clamped |= code < low || code > high;
  return (int32_t)(code < low ? low : code > high ? high : code);
}

struct bf_real bf_codes_over(const struct bf_codes *codes, uint64_t count) {
  if (codes->rule->product == BITFOLD_PRODUCT_FLOAT32) return bf_f32_real(f32_over(codes->float_sum, bf_f32_count(count)));
  struct bf_wide wide;
  int fraction = codes->bits - 1 + extra_of(codes->rule, codes->bits, 0);
  bf_wide_init(&wide, -fraction, 64);
  bf_wide_add_integer(&wide, codes->sum, -fraction);
  return bf_wide_over(&wide, count);
}

int bf_codes_in_range(bitfold_format format, const int32_t *codes, size_t n) {
  const int32_t unit = (int32_t)1 << bf_format(format)->fraction;
  int32_t outside = 0;
  for (size_t i = 0; i < n; i++) outside |= codes[i] < -unit || codes[i] >= unit;
  return !outside;
}

bitfold_status bitfold_sum_codes(const bitfold_rule *rule, bitfold_format format, const void *x, const void *y, size_t n,
                                 int16_t *code, uint64_t *clamped) {
  struct bf_codes codes;
  struct bf_axis row = {n, (int64_t)bitfold_format_size(format), (int64_t)bitfold_format_size(format), 0};
  struct bf_terms terms = {.reduced = &row, .reduceds = 1, .element = format, .size = (int)row.x, .x = x, .y = y, .width = 1};
  int32_t a[BF_TILE], b[BF_TILE];
  if (!rule || !code || (n && !x)) return BITFOLD_STATUS_NULL;
  if (!bf_is_sf(format) || !bf_rule_is_valid(rule, bf_format(format)->fraction + 1)) return BITFOLD_STATUS_CONTRACT;
  bf_codes_init(&codes, rule, bf_format(format)->fraction + 1);
  uint64_t control = bf_control_enter();
  int inside = 1;
  for (size_t first = 0, count; first < n && inside; first += count) {
    count = n - first < BF_TILE ? n - first : BF_TILE;
    bf_operand_i32(&terms, BF_X, first, count, a);
    if (y) bf_operand_i32(&terms, BF_Y, first, count, b);
    inside = bf_codes_in_range(format, a, count) && (!y || bf_codes_in_range(format, b, count));
    bf_codes_add(&codes, a, y ? b : NULL, count, 1);
  }
  if (inside) *code = (int16_t)bf_codes_read(&codes, y != NULL, 1);
  bf_control_leave(control);
  if (inside && clamped) *clamped = (uint64_t)codes.clamped;
  return inside ? BITFOLD_STATUS_OK : BITFOLD_STATUS_VALUE;
}
