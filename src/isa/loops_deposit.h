/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes of one row that stay in registers, and arithmetic of arrays. Included once per accumulator by loops_sum.h. */
VEC V ON(at)(const ON(value) * x) {
  V v;
  return memcpy(&v, x, sizeof v), v;
}
VEC void ON(put)(ON(value) * x, V v) { memcpy(x, &v, sizeof v); }

static void ON(add_all)(ON(value) * out, const ON(value) * x, const ON(value) * y, size_t n) {
  size_t i = 0;
  for (; i + LANES <= n; i += LANES) ON(put)(out + i, ON(add)(ON(at)(x + i), ON(at)(y + i)));
  for (; i < n; i++) out[i] = ON(plus)(x[i], y[i]);
}

static void ON(times_all)(ON(value) * out, const ON(value) * x, const ON(value) * y, size_t n) {
  size_t i = 0;
  for (; i + LANES <= n; i += LANES) ON(put)(out + i, ON(multiply)(ON(at)(x + i), ON(at)(y + i)));
  for (; i < n; i++) out[i] = ON(times)(x[i], y[i]);
}

/* Rows of `vectors` vectors, which stay in registers; rows are `lanes` values apart. */
VEC void ON(strip)(ON(value) * row, const size_t vectors, const ON(value) * x, size_t lanes, uint64_t rows) {
  V sum[8];
  for (size_t v = 0; v < vectors; v++) sum[v] = ON(at)(row + v * LANES);
  for (; rows; rows--, x += lanes)
    for (size_t v = 0; v < vectors; v++) sum[v] = ON(add)(sum[v], ON(at)(x + v * LANES));
  for (size_t v = 0; v < vectors; v++) ON(put)(row + v * LANES, sum[v]);
}

/*
 * The last `width` lanes, 8 vectors at the most. The last vector reads on into the next row, in lanes that nobody looks at, while
 * `left` values from x on are there; what has none after it goes one by one.
 */
static void ON(strips)(ON(value) * row, size_t width, const ON(value) * x, size_t lanes, uint64_t rows, uint64_t left) {
  ON(value) wide[8 * LANES];
  const size_t vectors = (width + LANES - 1) / LANES;
  const uint64_t safe = vectors * LANES > left ? 0 : (left - vectors * LANES) / lanes + 1, whole = safe < rows ? safe : rows;
  memset(wide + (vectors - 1) * LANES, 0, LANES * sizeof *wide);
  memcpy(wide, row, width * sizeof *wide);
  switch (vectors) {
  case 1: ON(strip)(wide, 1, x, lanes, whole); break;
  case 2: ON(strip)(wide, 2, x, lanes, whole); break;
  case 3: ON(strip)(wide, 3, x, lanes, whole); break;
  case 4: ON(strip)(wide, 4, x, lanes, whole); break;
  case 5: ON(strip)(wide, 5, x, lanes, whole); break;
  case 6: ON(strip)(wide, 6, x, lanes, whole); break;
  case 7: ON(strip)(wide, 7, x, lanes, whole); break;
  default: ON(strip)(wide, 8, x, lanes, whole); break;
  }
  memcpy(row, wide, width * sizeof *wide);
  x += whole * lanes;
  for (rows -= whole; rows; rows--, x += lanes)
    for (size_t j = 0; j < width; j++) row[j] = ON(plus)(row[j], x[j]);
}

/* Rows of more than 8 vectors are taken some at a time, so that the second strip finds them in the cache. */
static void ON(deposit)(ON(value) * row, size_t lanes, const ON(value) * x, uint64_t n) {
  enum { NEAR = 2048 };
  const uint64_t most = lanes > 8 * LANES ? NEAR / lanes + 1 : UINT64_MAX;
  uint64_t rows = lanes == 1 ? n : n / lanes;
  for (uint64_t some; rows; rows -= some, x += some * lanes, n -= some * lanes) {
    size_t l = 0;
    some = rows < most ? rows : most;
    for (; l + 8 * LANES <= lanes; l += 8 * LANES) ON(strip)(row + l, 8, x + l, lanes, some);
    if (l < lanes) ON(strips)(row + l, lanes - l, x + l, lanes, some, n - l);
  }
  ON(add_all)(row, row, x, (size_t)n);
}

static void ON(pair)(ON(value) * out, const ON(value) * x, size_t n) {
  size_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    const V low = ON(at)(x + 2 * i), high = ON(at)(x + 2 * i + LANES);
    ON(put)(out + i, ON(add)(BF_JOIN(evens, TILE)(low, high), BF_JOIN(odds, TILE)(low, high)));
  }
  for (; i < n; i++) out[i] = ON(plus)(x[2 * i], x[2 * i + 1]);
}
