/* SPDX-License-Identifier: Apache-2.0 */
/* Acts of rounded sums on vectors: additions in lanes. Included by vector.h, and by itself once per format. */
#ifndef F
#define SELF "loops_sum.h"
#define F f32
#define V v_f32
#define LANES LANES_F32
#include SELF
#undef F
#undef V
#undef LANES
#define F f64
#define V v_f64
#define LANES LANES_F64
#include SELF
#undef F
#undef V
#undef LANES
#undef SELF
#else
/* Complete rows of `vectors` vectors, which stay in registers; rows are `lanes` values apart. */
VEC void ON(strip)(ON(value) * row, const size_t vectors, const ON(value) * x, size_t lanes, uint64_t rows) {
  V sum[8];
  for (size_t v = 0; v < vectors; v++) sum[v] = BF_JOIN(load, F)(row + v * LANES);
  for (; rows; rows--, x += lanes)
    for (size_t v = 0; v < vectors; v++) sum[v] += BF_JOIN(load, F)(x + v * LANES);
  for (size_t v = 0; v < vectors; v++) BF_JOIN(store, F)(row + v * LANES, sum[v]);
}

static void ON(deposit)(ON(value) * row, size_t lanes, const ON(value) * x, uint64_t n) {
  const uint64_t rows = n / lanes, rest = n % lanes;
  size_t l = 0;
  for (; l + 8 * LANES <= lanes; l += 8 * LANES) ON(strip)(row + l, 8, x + l, lanes, rows);
  for (; l + 4 * LANES <= lanes; l += 4 * LANES) ON(strip)(row + l, 4, x + l, lanes, rows);
  for (; l + 2 * LANES <= lanes; l += 2 * LANES) ON(strip)(row + l, 2, x + l, lanes, rows);
  for (; l + LANES <= lanes; l += LANES) ON(strip)(row + l, 1, x + l, lanes, rows);
  if (l < lanes) {
    const ON(value) *at = x;
    for (uint64_t r = 0; r < rows; r++, at += lanes)
      for (size_t j = l; j < lanes; j++) row[j] = ON(plus)(row[j], at[j]);
  }
  x += rows * lanes;
  for (size_t j = 0; j < rest; j++) row[j] = ON(plus)(row[j], x[j]);
}
#endif
