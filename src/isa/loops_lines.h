/* SPDX-License-Identifier: Apache-2.0 */
/* Many outputs side by side: rows, transposed in registers, and columns. Included once per accumulator by loops_sum.h. */

/*
 * `sets` times LANES rows, term i of each into its own lane i mod `lanes`; n is a multiple of 4. A cache line of each row is read
 * to its end before the next set's, because rows may all lie in the same few places of the cache.
 */
VEC void ON(tile)(V *sum, const size_t lanes, const size_t sets, const unsigned char *x, int64_t across, size_t n) {
  enum { NEAR = 64 / sizeof(ON(value)) };
  for (size_t i = 0, some; i < n; i += some, x += some * sizeof(ON(value))) {
    some = n - i < NEAR ? n - i : NEAR;
    for (size_t s = 0; s < sets; s++)
      for (size_t near = 0; near < some; near += 4) {
        V term[4];
        BF_JOIN(transpose, TILE)(term, x + (int64_t)(s * LANES) * across + near * sizeof(ON(value)), across);
        for (size_t t = 0; t < 4; t++) sum[s * lanes + t % lanes] = ON(add)(sum[s * lanes + t % lanes], term[t]);
      }
  }
}

/* Rows [0, sets * LANES) from x on; row[0] is the first one's lane 0. Only the last `kept` rows are stored. */
VEC void ON(rows)(ON(value) * row, size_t width, const size_t lanes, const size_t sets, const unsigned char *x, int64_t across,
                  size_t n, size_t kept) {
  const size_t whole = n & ~(size_t)3, skip = sets * LANES - kept;
  V sum[4];
  ON(value) after[4 * LANES];
  for (size_t s = 0; s < sets; s++)
    for (size_t l = 0; l < lanes; l++) sum[s * lanes + l] = ON(at)(row + l * width + s * LANES);
  ON(tile)(sum, lanes, sets, x, across, whole);
  for (size_t s = 0; s < sets; s++)
    for (size_t l = 0; l < lanes; l++) ON(put)(after + (l * sets + s) * LANES, sum[s * lanes + l]);
  for (size_t i = whole; i < n; i++)
    for (size_t j = skip; j < sets * LANES; j++) {
      ON(value) term, *to = after + i % lanes * sets * LANES + j;
      memcpy(&term, x + (int64_t)j * across + i * sizeof term, sizeof term);
      *to = ON(plus)(*to, term);
    }
  for (size_t l = 0; l < lanes; l++) memcpy(row + l * width + skip, after + l * sets * LANES + skip, kept * sizeof *row);
}

/* The odd rows at the end come first: a vector of rows of which only those are stored. */
VEC void ON(all_rows)(ON(value) * row, size_t width, const size_t lanes, const size_t sets, const unsigned char *x, int64_t across,
                      size_t n) {
  const size_t odd = width % LANES, even = width - odd;
  size_t j = 0;
  if (odd && even) ON(rows)(row + width - LANES, width, lanes, 1, x + (int64_t)(width - LANES) * across, across, n, odd);
  for (; j + sets * LANES <= even; j += sets * LANES)
    ON(rows)(row + j, width, lanes, sets, x + (int64_t)j * across, across, n, sets * LANES);
  for (; j < even; j += LANES) ON(rows)(row + j, width, lanes, 1, x + (int64_t)j * across, across, n, LANES);
  for (; j < width && !even; j++) {
    ON(value) term, sum[4];
    for (size_t l = 0; l < lanes; l++) sum[l] = row[l * width + j];
    for (size_t i = 0; i < n; i++) {
      memcpy(&term, x + (int64_t)j * across + i * sizeof term, sizeof term);
      sum[i % lanes] = ON(plus)(sum[i % lanes], term);
    }
    for (size_t l = 0; l < lanes; l++) row[l * width + j] = sum[l];
  }
}

static void ON(lines)(ON(value) * row, size_t width, size_t lanes, const unsigned char *x, int64_t across, size_t n) {
  switch (lanes) {
  case 1: ON(all_rows)(row, width, 1, 4, x, across, n); break;
  case 2: ON(all_rows)(row, width, 2, 2, x, across, n); break;
  default: ON(all_rows)(row, width, 4, 1, x, across, n); break;
  }
}

VEC V ON(from)(const unsigned char *x) {
  V v;
  return memcpy(&v, x, sizeof v), v;
}

/* `deep` rows into `vectors` vectors of columns, and into one column. */
VEC void ON(strip_down)(ON(value) * row, const size_t vectors, const unsigned char *x, int64_t step, const size_t deep) {
  V sum[4];
  for (size_t v = 0; v < vectors; v++) sum[v] = ON(at)(row + v * LANES);
  for (size_t r = 0; r < deep; r++, x += step)
    for (size_t v = 0; v < vectors; v++) sum[v] = ON(add)(sum[v], ON(from)(x + v * VECTOR));
  for (size_t v = 0; v < vectors; v++) ON(put)(row + v * LANES, sum[v]);
}
VEC void ON(down)(ON(value) * row, size_t width, const unsigned char *x, int64_t step, const size_t deep) {
  size_t j = 0;
  for (; j + 4 * LANES <= width; j += 4 * LANES, x += 4 * VECTOR) ON(strip_down)(row + j, 4, x, step, deep);
  for (; j + LANES <= width; j += LANES, x += VECTOR) ON(strip_down)(row + j, 1, x, step, deep);
  for (; j < width; j++, x += sizeof(ON(value)))
    for (size_t r = 0; r < deep; r++) {
      ON(value) term;
      memcpy(&term, x + (int64_t)r * step, sizeof term);
      row[j] = ON(plus)(row[j], term);
    }
}

static void ON(columns)(ON(value) * row, size_t width, const unsigned char *x, int64_t step, uint64_t n) {
  for (; n >= 8; n -= 8, x += 8 * step) ON(down)(row, width, x, step, 8);
  for (; n >= 2; n -= 2, x += 2 * step) ON(down)(row, width, x, step, 2);
  if (n) ON(down)(row, width, x, step, 1);
}
