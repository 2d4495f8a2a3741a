/* SPDX-License-Identifier: Apache-2.0 */
/* The machine that every other is measured against, and borrows from: plain C. */
#ifndef F
#include "../kernel.h"

#define FROM f16
#define TO f32
#include "widen.h"
#define FROM bf16
#define TO f32
#include "widen.h"
#define FROM f32
#define TO f32
#include "widen.h"
#define FROM f16
#define TO f64
#include "widen.h"
#define FROM bf16
#define TO f64
#include "widen.h"
#define FROM f32
#define TO f64
#include "widen.h"
#define FROM f64
#define TO f64
#include "widen.h"

void bf_widen_f16_f64_scalar(double *tile, const unsigned char *x, int64_t step, int64_t across, size_t n, size_t width) {
  widen_f16_f64_scalar(tile, x, step, across, n, width);
}
void bf_widen_bf16_f64_scalar(double *tile, const unsigned char *x, int64_t step, int64_t across, size_t n, size_t width) {
  widen_bf16_f64_scalar(tile, x, step, across, n, width);
}

/* deposit_f32_scalar when F is f32 */
#define ACT(word) BF_JOIN(BF_JOIN(word, F), scalar)
#define SELF "../isa/scalar.c"
#include "../format/each_accumulator.h"

/* Two digits a term: 32 bits of it, and the rest of at most 53, which is 2^21 units of room. */
void bf_exact_f64_scalar(struct bf_wide *wide, const double *x, size_t n, size_t step) {
  if ((size_t)wide->room < n << 21) bf_wide_carry(wide);
  wide->room -= (int)(n << 21); /* n is at most BF_TILE, so this is at most half of BF_WIDE_ROOM */
  int64_t *digits = wide->digit;
  for (; n; n--, x += step) {
    uint64_t bits = f64_to_bits(*x), fraction = bits & 0xfffffffffffff;
    int field = (int)(bits >> 52) & 2047;
    if (field == 2047) {
      wide->saw |= fraction ? BF_SAW_NAN : bits >> 63 ? BF_SAW_MINUS : BF_SAW_PLUS;
      continue;
    }
    int normal = field != 0, place = field - normal - 1074 + BF_WIDE_POINT;
    uint64_t magnitude = fraction | (uint64_t)normal << 52;
    int64_t sign = -(int64_t)(bits >> 63), *digit = digits + (place >> 5);
    digit[0] += ((int64_t)(magnitude << (place & 31) & 0xffffffff) ^ sign) - sign;
    digit[1] += ((int64_t)(magnitude >> 1 >> (31 - (place & 31))) ^ sign) - sign;
  }
}

void bf_best_scalar(struct bf_best *best, const int64_t *keys, uint64_t index, size_t n, size_t step) {
  struct bf_best found = *best;
  for (size_t i = 0; i < n; i++, keys += step)
    if (*keys > found.key) found.key = *keys, found.index = index + i;
  *best = found;
}

#define SELF "../isa/scalar.c"
#define DENSE
#define F f16
#define SIGN 0x8000u
#define INFINITE 0x7c00u
#define NOT_A_NUMBER 0x7e00u
#include SELF
#undef F
#undef SIGN
#undef INFINITE
#undef NOT_A_NUMBER
#define F f32
#define SIGN 0x80000000u
#define INFINITE 0x7f800000u
#define NOT_A_NUMBER 0x7fc00000u
#include SELF
#undef F
#undef DENSE
#undef SELF

static int runs_here(void) { return 1; }

const struct bf_isa bf_isa_scalar = {
    .name = "scalar",
    .is_whole = 1,
    .runs_here = runs_here,
#define WIDEN(from, to) .widen_##from##_##to = widen_##from##_##to##_scalar,
#include "../format/widen.def"
#undef WIDEN
#define ACCUMULATOR(f) .deposit_##f = deposit_##f##_scalar, .add_##f = add_##f##_scalar,
#include "../format/accumulators.def"
#undef ACCUMULATOR
    .exact_f64 = bf_exact_f64_scalar,
    .best = bf_best_scalar,
    .spread_f16 = bf_spread_f16_scalar,
    .spread_f32 = bf_spread_f32_scalar,
    .extremes_f16 = bf_extremes_f16_scalar,
    .extremes_f32 = bf_extremes_f32_scalar,
    .firsts_f16 = bf_firsts_f16_scalar,
    .firsts_f32 = bf_firsts_f32_scalar,
};
#elif defined(DENSE)
#define WORD BF_JOIN(BF_JOIN(bf, F), word)
#define DENSE_ACT(word) BF_JOIN(BF_JOIN(BF_JOIN(bf, word), F), scalar)

/* Inlined where width is a constant, so that the row stays in registers. */
static inline void ON(spread_few)(float *row, const size_t width, const WORD *x, size_t step, size_t n) {
  float lane[BF_SPREAD];
  for (size_t j = 0; j < width; j++) lane[j] = row[j];
  for (; n; n--, x += step)
    for (size_t j = 0; j < width; j++) lane[j] = f32_plus(lane[j], ON(from_bits)(x[j]));
  for (size_t j = 0; j < width; j++) row[j] = lane[j];
}

void DENSE_ACT(spread)(float *row, size_t width, const void *data, size_t step, size_t n) {
  const WORD *x = data;
  if (BF_SMALL) {
    for (; n; n--, x += step)
      for (size_t j = 0; j < width; j++) row[j] = f32_plus(row[j], ON(from_bits)(x[j]));
    return;
  }
  switch (width) {
  case 1: ON(spread_few)(row, 1, x, step, n); break;
  case 4: ON(spread_few)(row, 4, x, step, n); break;
  case BF_SPREAD: ON(spread_few)(row, BF_SPREAD, x, step, n); break;
  default: ON(spread_few)(row, width, x, step, n);
  }
}

/* Signed integers in the order of the numbers, both zeros 0; a NaN is `nan`. */
static inline int32_t ON(key)(uint32_t bits, uint32_t sign, int32_t nan) {
  uint32_t magnitude = bits & (SIGN - 1);
  int32_t key = (int32_t)magnitude;
  if ((bits ^ sign) & SIGN) key = -key;
  return magnitude > INFINITE ? nan : key;
}

/* Of one column: the best bits and their place. */
static inline WORD ON(extreme)(WORD best, const WORD *x, size_t step, size_t n, uint32_t sign) {
  int32_t most = ON(key)(best, sign, INT32_MAX);
  for (; n; n--, x += step) {
    const int32_t key = ON(key)(*x, sign, INT32_MAX);
    if (key > most) most = key, best = key == INT32_MAX ? NOT_A_NUMBER : *x;
  }
  return best;
}
static inline int32_t ON(first)(const WORD *x, size_t step, size_t n, uint32_t sign) {
  int32_t most = INT32_MIN, index = 0;
  for (size_t i = 0; i < n; i++, x += step) {
    const int32_t key = ON(key)(*x, sign, INT32_MIN);
    if (key > most) most = key, index = (int32_t)i;
  }
  return index;
}

/* One or two columns are taken one by one, more of them row by row, as they lie in memory. */
static inline int ON(is_few)(size_t width) { return BF_SMALL || width <= 2; }

void DENSE_ACT(extremes)(void *best, size_t width, const void *data, size_t step, size_t n, uint32_t how) {
  WORD *y = best;
  const WORD *x = data;
  const uint32_t sign = how & SIGN;
  if (how & BF_FRESH)
    for (size_t j = 0; j < width; j++) y[j] = (WORD)(INFINITE | (SIGN ^ sign));
  if (ON(is_few)(width))
    for (; width; width--, x++, y++) *y = ON(extreme)(*y, x, step, n, sign);
  else
    for (; n; n--, x += step)
      for (size_t j = 0; j < width; j++) {
        const int32_t key = ON(key)(x[j], sign, INT32_MAX);
        if (key > ON(key)(y[j], sign, INT32_MAX)) y[j] = key == INT32_MAX ? NOT_A_NUMBER : x[j];
      }
}

void DENSE_ACT(firsts)(int32_t *index, size_t width, const void *data, size_t step, size_t n, uint32_t sign) {
  enum { SOME = 16 };
  const WORD *x = data;
  if (ON(is_few)(width)) {
    for (; width; width--, x++) *index++ = ON(first)(x, step, n, sign);
    return;
  }
  for (size_t some; width; width -= some, index += some, x += some) {
    const WORD *row = x;
    int32_t best[SOME];
    some = width < SOME ? width : SOME;
    for (size_t j = 0; j < some; j++) best[j] = INT32_MIN, index[j] = 0;
    for (size_t i = 0; i < n; i++, row += step)
      for (size_t j = 0; j < some; j++) {
        const int32_t key = ON(key)(row[j], sign, INT32_MIN);
        if (key > best[j]) best[j] = key, index[j] = (int32_t)i;
      }
  }
}
#else
static void ACT(add)(ON(value) * out, const ON(value) * x, const ON(value) * y, size_t n) {
  for (size_t i = 0; i < n; i++) out[i] = ON(plus)(x[i], y[i]);
}

/* Complete rows of a few lanes that stay in registers. */
static inline const ON(value) * ACT(deposit_few)(ON(value) * row, const size_t lanes, const ON(value) * x, uint64_t rows) {
  ON(value) lane[16];
  for (size_t l = 0; l < lanes; l++) lane[l] = row[l];
  for (; rows; rows--, x += lanes)
    for (size_t l = 0; l < lanes; l++) lane[l] = ON(plus)(lane[l], x[l]);
  for (size_t l = 0; l < lanes; l++) row[l] = lane[l];
  return x;
}

static void ACT(deposit)(ON(value) *restrict row, size_t lanes, const ON(value) *restrict x, uint64_t n) {
  uint64_t rows = n / lanes;
  switch (lanes) {
  case 1: x = ACT(deposit_few)(row, 1, x, rows); break;
  case 2: x = ACT(deposit_few)(row, 2, x, rows); break;
  case 4: x = ACT(deposit_few)(row, 4, x, rows); break;
  case 8: x = ACT(deposit_few)(row, 8, x, rows); break;
  case 16: x = ACT(deposit_few)(row, 16, x, rows); break;
  default:
    for (; rows; rows--, x += lanes)
      for (size_t l = 0; l < lanes; l++) row[l] = ON(plus)(row[l], x[l]);
  }
  for (size_t l = 0; l < n % lanes; l++) row[l] = ON(plus)(row[l], x[l]);
}
#endif
