/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one function that adds SuperFloat codes, by any rule: product, step, read-out. There is no other loop over codes in the
 * library (S39, S40), save the exact sum and what in_place.c does for this one, with the same bits.
 */
#include "../kernel.h"

/* x / 2^bits, rounded down, for |x| <= 2^62: an unsigned shift of what a bias has made positive. */
static int64_t floor_shift(int64_t x, int bits) {
  const uint64_t bias = (uint64_t)1 << 62;
  return (int64_t)(((uint64_t)x + bias) >> bits) - (int64_t)(bias >> bits);
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

/* A product's narrowing: the exact one is rounded to 2^shift, toward zero or down (rest 0), and times unit. */
struct narrowing {
  int shift;
  int32_t rest, zero; /* zero: the operand that makes a product 0 */
  int64_t unit;
};

static struct narrowing narrowing_of(const bitfold_rule *rule, int bits) {
  const int exact = rule->product == BITFOLD_PRODUCT_EXACT, extra = extra_of(rule, bits, 1);
  struct narrowing n = {exact ? 0 : bits - 1, 0, INT32_MIN, (int64_t)1 << (exact ? extra - (bits - 1) : extra)};
  if (rule->product == BITFOLD_PRODUCT_TOWARD_ZERO) n.rest = (1 << n.shift) - 1;
  if (rule->minus_one_is_zero) n.zero = -(1 << (bits - 1));
  return n;
}

static inline int64_t product(const struct narrowing *n, int32_t x, int32_t y) {
  const uint32_t bias = (uint32_t)1 << 30; /* makes every product of two codes positive, so that a shift rounds it down */
  const int32_t exact = x * y * ((x != n->zero) & (y != n->zero)), up = -(exact < 0) & n->rest; /* no branch */
  const uint32_t biased = (uint32_t)(exact + up) + bias;
  return ((int64_t)(biased >> n->shift) - (int64_t)(bias >> n->shift)) * n->unit;
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

void bf_codes_terms(const struct bf_codes *codes, int64_t *term, const int32_t *x, const int32_t *y, size_t n, size_t stride) {
  const int64_t unit = (int64_t)1 << extra_of(codes->rule, codes->bits, 0);
  const struct narrowing narrowing = narrowing_of(codes->rule, codes->bits);
  if (y)
    for (size_t i = 0; i < n; i++) term[i] = product(&narrowing, x[i * stride], y[i * stride]);
  else
    for (size_t i = 0; i < n; i++) term[i] = x[i * stride] * unit;
}

void bf_codes_add(struct bf_codes *codes, const int32_t *x, const int32_t *y, size_t n, size_t stride) {
  enum { SOME = 64 };
  int64_t term[SOME];
  if (codes->rule->product == BITFOLD_PRODUCT_FLOAT32) {
    add_floats(codes, x, y, n, stride);
    return;
  }
  for (size_t first = 0, count; first < n; first += count) {
    count = n - first < SOME ? n - first : SOME;
    bf_codes_terms(codes, term, x + first * stride, y ? y + first * stride : NULL, count, stride);
    if (codes->rule->overflow == BITFOLD_OVERFLOW_WRAP) add_wrapping(codes, term, count);
    else add_clamping(codes, term, count);
  }
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
  if (count) {
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
  float sum = !count ? codes->float_sum : f32_over(codes->float_sum, bf_f32_count(count));
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

/* At most BF_TILE codes by way of tiles; 0 if one is out of range. */
static int add_gathered(struct bf_codes *codes, bitfold_format format, const unsigned char *x, const unsigned char *y, size_t n) {
  const int64_t size = (int64_t)bitfold_format_size(format);
  const struct bf_axis row = {n, size, size, 0};
  const struct bf_terms terms = {.reduced = &row, .reduceds = 1, .element = format, .size = (int)size, .x = x, .y = y, .width = 1};
  int32_t a[BF_TILE], b[BF_TILE];
  bf_operand_i32(&terms, BF_X, 0, n, a);
  if (y) bf_operand_i32(&terms, BF_Y, 0, n, b);
  if (!bf_codes_in_range(format, a, n) || (y && !bf_codes_in_range(format, b, n))) return 0;
  bf_codes_add_tile(bf_isa_best(), codes, 1, a, y ? b : NULL, n);
  return 1;
}

enum { FEW = 32 };

static inline int32_t code_at(const unsigned char *x, size_t i, const int size) {
  int16_t code;
  if (size == 1) return (int8_t)x[i];
  memcpy(&code, x + 2 * i, sizeof code);
  return code;
}

/* Codes that are terms as they are, to a clamping accumulator of 31 bits at the most. */
static void add_few_as_they_are(struct bf_codes *codes, const unsigned char *x, size_t n, const int size) {
  const int32_t low = (int32_t)codes->low, high = (int32_t)codes->high;
  int32_t sum = (int32_t)codes->sum, clamped = 0;
  for (size_t i = 0; i < n; i++) {
    const int32_t next = sum + code_at(x, i, size), below = next < high ? next : high;
    sum = below > low ? below : low;
    clamped |= sum ^ next;
  }
  codes->sum = sum;
  codes->clamped |= clamped != 0;
}

/* Few codes, each of which is one of the format's: without a machine's help. */
static void add_few(struct bf_codes *codes, int size, const unsigned char *x, const unsigned char *y, size_t n) {
  int32_t a[FEW], b[FEW];
  const bitfold_rule *rule = codes->rule;
  const int is_clamping = rule->overflow == BITFOLD_OVERFLOW_CLAMP && rule->product != BITFOLD_PRODUCT_FLOAT32;
  if (!y && is_clamping && !rule->sum_extra && codes->high < (int32_t)1 << 30) {
    if (size == 1) add_few_as_they_are(codes, x, n, 1);
    else add_few_as_they_are(codes, x, n, 2);
    return;
  }
  for (size_t i = 0; i < n; i++) a[i] = code_at(x, i, size);
  for (size_t i = 0; i < n && y; i++) b[i] = code_at(y, i, size);
  bf_codes_add(codes, a, y ? b : NULL, n, 1);
}

/* Returns 0 if a code is out of range. */
static int add_all(struct bf_codes *codes, bitfold_format format, const unsigned char *x, const unsigned char *y, size_t n) {
  const size_t size = bitfold_format_size(format);
  if (n <= FEW && bf_format(format)->fraction + 1 == 8 * (int)size) {
    add_few(codes, (int)size, x, y, n);
    return 1;
  }
  for (size_t count; n; n -= count) {
    count = bf_codes_add_row(bf_isa_best(), codes, format, x, y, n);
    if (!count) {
      count = n < BF_TILE ? n : BF_TILE;
      if (!add_gathered(codes, format, x, y, count)) return 0;
    }
    x += count * size;
    if (y) y += count * size;
  }
  return 1;
}

bitfold_status bitfold_sum_codes(const bitfold_rule *rule, bitfold_format format, const void *x, const void *y, size_t n,
                                 int16_t *code, uint64_t *clamped) {
  struct bf_codes codes;
  if (!rule || !code || (n && !x)) return BITFOLD_STATUS_NULL;
  if (!bf_is_sf(format) || !bf_rule_is_valid(rule, bf_format(format)->fraction + 1)) return BITFOLD_STATUS_CONTRACT;
  const int floats = rule->product == BITFOLD_PRODUCT_FLOAT32; /* which alone depend on the processor's control */
  bf_codes_init(&codes, rule, bf_format(format)->fraction + 1);
  const uint64_t control = floats ? bf_control_enter() : 0;
  const int inside = add_all(&codes, format, x, y, n);
  if (inside) *code = (int16_t)bf_codes_read(&codes, y != NULL, 0);
  if (floats) bf_control_leave(control);
  if (inside && clamped) *clamped = (uint64_t)codes.clamped;
  return inside ? BITFOLD_STATUS_OK : BITFOLD_STATUS_VALUE;
}
