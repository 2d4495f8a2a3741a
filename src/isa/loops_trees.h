/* SPDX-License-Identifier: Apache-2.0 */
/* Rows joined in pairs, pairs in pairs and so on, for canonical orders. Included once per accumulator by loops_sum.h. */

/* Of 8 rows one: ((0+1)+(2+3)) + ((4+5)+(6+7)). */
VEC V ON(eight)(const ON(value) * x, size_t stride) {
  const V a = ON(add)(ON(at)(x), ON(at)(x + stride)), b = ON(add)(ON(at)(x + 2 * stride), ON(at)(x + 3 * stride));
  const V c = ON(add)(ON(at)(x + 4 * stride), ON(at)(x + 5 * stride)), d = ON(add)(ON(at)(x + 6 * stride), ON(at)(x + 7 * stride));
  return ON(add)(ON(add)(a, b), ON(add)(c, d));
}

/* Compilers leave reads on their side of this: in the sequence that the processor foresees. */
VEC void ON(in_sequence)(void) { __asm__ volatile("" : : : "memory"); }

/* `vectors` neighbours of 8 rows, or 32, joined to the trees in so many slots, and left in the next one. */
VEC void ON(rows_up)(ON(value) * slot, size_t size, const size_t vectors, const ON(value) * x, const size_t eights, int slots) {
  V sum[2], part[2];
  for (size_t v = 0; v < vectors; v++) sum[v] = ON(eight)(x + v * LANES, size);
  if (eights == 4) {
    ON(in_sequence)();
    for (size_t v = 0; v < vectors; v++) sum[v] = ON(add)(sum[v], ON(eight)(x + 8 * size + v * LANES, size));
    ON(in_sequence)();
    for (size_t v = 0; v < vectors; v++) part[v] = ON(eight)(x + 16 * size + v * LANES, size);
    ON(in_sequence)();
    for (size_t v = 0; v < vectors; v++) part[v] = ON(add)(part[v], ON(eight)(x + 24 * size + v * LANES, size));
    for (size_t v = 0; v < vectors; v++) sum[v] = ON(add)(sum[v], part[v]);
  }
  for (; slots; slots--, slot += size)
    for (size_t v = 0; v < vectors; v++) sum[v] = ON(add)(ON(at)(slot + v * LANES), sum[v]);
  for (size_t v = 0; v < vectors; v++) ON(put)(slot + v * LANES, sum[v]);
}

static void ON(one_up)(ON(value) * slot, size_t size, const ON(value) * x, int slots) {
  ON(value) part[4];
  for (size_t p = 0; p < 4; p++) part[p] = ON(plus)(x[2 * p * size], x[(2 * p + 1) * size]);
  ON(value) sum = ON(plus)(ON(plus)(part[0], part[1]), ON(plus)(part[2], part[3]));
  for (; slots; slots--, slot += size) sum = ON(plus)(*slot, sum);
  *slot = sum;
}

/* Rows of one or two vectors. */
VEC void ON(narrow_trees)(ON(value) * slot, const size_t vectors, const ON(value) * x, uint64_t groups, uint64_t count) {
  const size_t size = vectors * LANES;
  for (size_t eights; groups; groups -= eights, count += eights, x += 8 * eights * size) {
    eights = groups < 4 || count % 4 ? 1 : 4;
    bf_announce_pages(x, 8 * eights * size * sizeof *x, 8 * groups * size * sizeof *x);
    if (eights == 4) ON(rows_up)(slot + 2 * size, size, vectors, x, 4, __builtin_ctzll(~(count / 4)));
    else ON(rows_up)(slot, size, vectors, x, 1, __builtin_ctzll(~count));
  }
}

VEC void ON(wide_trees)(ON(value) * slot, size_t size, const ON(value) * x, uint64_t groups, uint64_t count) {
  for (; groups; groups--, count++, x += 8 * size) {
    const int slots = __builtin_ctzll(~count);
    size_t i = 0;
    bf_announce_pages(x, 8 * size * sizeof *x, 8 * groups * size * sizeof *x);
    for (; i + 2 * LANES <= size; i += 2 * LANES) ON(rows_up)(slot + i, size, 2, x + i, 1, slots);
    for (; i + LANES <= size; i += LANES) ON(rows_up)(slot + i, size, 1, x + i, 1, slots);
    for (; i < size; i++) ON(one_up)(slot + i, size, x + i, slots);
  }
}

static void ON(trees)(ON(value) * slot, size_t size, const ON(value) * x, uint64_t groups, uint64_t count) {
  if (size == LANES) ON(narrow_trees)(slot, 1, x, groups, count);
  else if (size == 2 * LANES) ON(narrow_trees)(slot, 2, x, groups, count);
  else ON(wide_trees)(slot, size, x, groups, count);
}
