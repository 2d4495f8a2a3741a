/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Short contiguous rows of f32 and f64, where a call would cost more than the elements: the sums and selections that need no tile.
 * bf_reduce_row does what is refused here, with the same bits.
 */
#ifndef F
#include "kernel.h"

enum { SHORT = 32 };

/*
 * The correctly rounded sum as doubles. Terms whose exponents lie at most 24 apart are multiples of one number and their sums below
 * 2^53 times it (24 + 24 bits and 5 for 32 terms), so that no addition rounds. Zeros do not count.
 */
static int f32_exactly(const float *x, size_t n, float *y) {
  double sum[4] = {0};
  uint32_t most = 0, least = UINT32_MAX;
  for (size_t i = 0; i < n; i++) {
    const uint32_t magnitude = f32_to_bits(x[i]) & 0x7fffffff;
    most = magnitude > most ? magnitude : most;
    least = magnitude - 1 < least ? magnitude - 1 : least; /* of 0: the greatest there is */
  }
  if (most >= 0x7f800000) return 0;
  const uint32_t low = least == UINT32_MAX ? 1 : (least + 1) >> 23, high = most >> 23;
  if (high > (low ? low : 1) + 24) return 0;
  size_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (size_t l = 0; l < 4; l++) sum[l] = f64_plus(sum[l], (double)x[i + l]);
  for (; i < n; i++) sum[0] = f64_plus(sum[0], (double)x[i]);
  *y = (float)f64_plus(f64_plus(f64_plus(sum[0], sum[1]), f64_plus(sum[2], sum[3])), 0); /* + 0: a sum of nothing but -0 is +0 */
  return 1;
}

/* The sum and its error, each by Knuth's error-free addition, which must leave none in the end: then one addition rounds the two.
 */
static double error_of(double a, double b, double sum) {
  const double other = f64_plus(sum, -a);
  return f64_plus(f64_plus(a, -f64_plus(sum, -other)), f64_plus(b, -other));
}
static int f64_exactly(const double *x, size_t n, double *y) {
  double sum = 0, error = 0, lost = 0;
  for (size_t i = 0; i < n; i++) {
    const double next = f64_plus(sum, x[i]), part = error_of(sum, x[i], next), errors = f64_plus(error, part);
    lost = f64_plus(lost, f64_absolute(error_of(error, part, errors)));
    sum = next, error = errors;
  }
  if (!(lost == 0) || (f64_to_bits(sum) & 0x7fffffffffffffff) > 0x7fe0000000000000) return 0; /* or not finite, or nearly so */
  *y = f64_plus(f64_plus(sum, error), 0);
  return 1;
}

static int is_order(const bitfold_contract *c, bitfold_order order, bitfold_format accumulator) {
  const bitfold_level *level = c->level;
  return c->depth == 1 && level->order == order && c->accumulator == accumulator && !c->rule && !c->nan && !c->tree_length &&
         !level->size && !level->fold && !level->tail;
}
static int is_plain(const bitfold_contract *c) { return !c->depth && !c->rule && !c->accumulator && !c->tree_length; }

#define SELF "quick.c"
#define F f32
#define KEY int32_t
#define INFINITE INT32_C(0x7f800000)
#include SELF
#undef F
#undef KEY
#undef INFINITE
#define F f64
#define KEY int64_t
#define INFINITE INT64_C(0x7ff0000000000000)
#include SELF
#undef F
#undef KEY
#undef INFINITE
#undef SELF

int bf_quick(bitfold_operation operation, bitfold_format element, const void *x, size_t n, const bitfold_contract *contract,
             void *y) {
  if (n < 1 || n > SHORT) return 0;
  if (element == BITFOLD_FORMAT_F32) return f32_quick(operation, x, n, contract, y);
  return element == BITFOLD_FORMAT_F64 && f64_quick(operation, x, n, contract, y);
}
#else
static ON(value) ON(in_sequence)(const ON(value) * x, size_t n) {
  ON(value) sum = 0;
  for (size_t i = 0; i < n; i++) sum = ON(plus)(sum, x[i]);
  return sum;
}

/* The place of the first greatest key; n where there is a NaN, which the policies look at. */
static size_t ON(first)(const ON(value) * x, size_t n, int least) {
  KEY keys[SHORT], best = -INFINITE - 1, most = 0;
  const KEY signs = least ? -1 : 0;
  for (size_t i = 0; i < n; i++) {
    const KEY bits = (KEY)ON(to_bits)(x[i]), magnitude = bits & (KEY)(~(ON(bits))0 >> 1);
    const KEY sign = (bits >> (8 * sizeof bits - 1)) ^ signs; /* 0 or -1 */
    keys[i] = (magnitude ^ sign) - sign;
    most = magnitude > most ? magnitude : most;
    best = keys[i] > best ? keys[i] : best;
  }
  size_t place = 0;
  while (place + 1 < n && keys[place] < best) place++;
  return most > INFINITE ? n : place; /* a NaN's own key is not looked for */
}

static int ON(quick)(bitfold_operation operation, const ON(value) * x, size_t n, const bitfold_contract *c, void *y) {
  const bitfold_format element = ON(format);
  const int least = operation == BITFOLD_OPERATION_MIN || operation == BITFOLD_OPERATION_ARGMIN;
  if (operation == BITFOLD_OPERATION_SUM) {
    ON(value) sum;
    if (c && is_order(c, BITFOLD_ORDER_SEQUENTIAL, element)) {
      sum = ON(in_sequence)(x, n);
      if (sum != sum) return 0;
    } else if ((c && !is_order(c, BITFOLD_ORDER_EXACT, BITFOLD_FORMAT_NONE)) || !ON(exactly)(x, n, &sum)) return 0;
    memcpy(y, &sum, sizeof sum);
    return 1;
  }
  if (!bf_is_selection(operation) || (c && (!is_plain(c) || (unsigned)c->nan - 1 > BITFOLD_NAN_IGNORE - 1))) return 0;
  const size_t place = ON(first)(x, n, least);
  if (place == n) return 0;
  const int64_t index = (int64_t)place;
  if (bf_is_arg(operation)) memcpy(y, &index, sizeof index);
  else memcpy(y, x + place, sizeof *x);
  return 1;
}
#endif
