/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contiguous rows that cost less than the preparations of a call: exact sums of one block, sums in sequence and selections of few
 * elements. bf_reduce_row does what is refused here, with the same bits.
 */
#ifndef F
#include "kernel.h"

enum { SHORT = 32 };

static int is_order(const bitfold_contract *c, bitfold_order order, bitfold_format accumulator) {
  const bitfold_level *level = c->level;
  return c->depth == 1 && level->order == order && c->accumulator == accumulator && !c->rule && !c->nan && !c->tree_length &&
         !c->fma && !c->ftz && !level->size && !level->fold && !level->tail;
}
static int is_plain(const bitfold_contract *c) {
  return !c->depth && !c->rule && !c->accumulator && !c->tree_length && !c->fma && !c->ftz;
}

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

int bf_quick(bitfold_operation operation, bitfold_format element, const void *x, const void *other, size_t n,
             const bitfold_contract *contract, void *y) {
  const int is_exact = !contract || is_order(contract, BITFOLD_ORDER_EXACT, BITFOLD_FORMAT_NONE);
  if (!bf_is_selection(operation) && is_exact) return bf_slim_row(operation, element, x, other, n, y);
  if (n < 1 || n > SHORT) return 0;
  if (element == BITFOLD_FORMAT_F32) return f32_quick(operation, x, other, n, contract, y);
  return element == BITFOLD_FORMAT_F64 && f64_quick(operation, x, other, n, contract, y);
}
#else
static ON(value) ON(in_sequence)(const ON(value) * x, const ON(value) * y, size_t n) {
  ON(value) sum = 0;
  for (size_t i = 0; i < n; i++) sum = ON(plus)(sum, y ? ON(times)(x[i], y[i]) : x[i]);
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

static int ON(quick)(bitfold_operation operation, const ON(value) * x, const ON(value) * other, size_t n, const bitfold_contract *c,
                     void *y) {
  const bitfold_format element = ON(format);
  const int least = operation == BITFOLD_OPERATION_MIN || operation == BITFOLD_OPERATION_ARGMIN;
  if (operation == BITFOLD_OPERATION_SUM || operation == BITFOLD_OPERATION_DOT) {
    if (!c || !is_order(c, BITFOLD_ORDER_SEQUENTIAL, element)) return 0;
    const ON(value) sum = ON(in_sequence)(x, other, n);
    if (sum != sum) return 0;
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
