/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exact sums of f64 whose exponents lie close together: each term is cut into its upper and its lower bits, which have sums of
 * their own, and the processor says whether one of these rounded. Included by loops_exact_pairs.h, whose pairs take the rest.
 */
enum { CUTS = 4, CUT_BITS = 26, CUT_BLOCK = 1024 }; /* of 53 bits; terms of a sum: more of them need more of a double's bits */

struct cuts {
  v_f64 high[CUTS], low[CUTS];
};
VEC void cut_step(struct cuts *c, const double *x, const size_t vectors, const int absolute) {
  for (size_t v = 0; v < vectors; v++) {
    v_i64 bits = (v_i64)load_f64(x + v * LANES_F64);
    if (absolute) bits &= INT64_MAX;
    const v_f64 value = (v_f64)bits, high = (v_f64)(bits & -((int64_t)1 << CUT_BITS));
    c->high[v] += high;
    c->low[v] = also_plus_f64(c->low[v], value - high);
  }
}
VEC void cut_pass(const double *x, size_t n, const int absolute, uint64_t left, double *part) {
  enum { STEP = CUTS * LANES_F64 };
  struct cuts c;
  size_t i = 0;
  for (size_t v = 0; v < CUTS; v++) c.high[v] = c.low[v] = (v_f64){0};
  for (; i + STEP <= n; i += STEP) {
    bf_announce_pages(x + i, STEP * sizeof *x, left);
    cut_step(&c, x + i, CUTS, absolute);
  }
  if (i < n) {
    double tail[STEP] = {0};
    memcpy(tail, x + i, (n - i) * sizeof *x);
    cut_step(&c, tail, CUTS, absolute);
  }
  part[0] = fold_f64((c.high[0] + c.high[1]) + (c.high[2] + c.high[3]));
  part[1] = fold_f64((c.low[0] + c.low[1]) + (c.low[2] + c.low[3]));
}

/* Where it was in vain, the next blocks, which may well be like this one, go without; block->shift counts them. */
static int cut_f64(struct bf_block *block, double *part) {
  enum { WITHOUT = 4 };
  const double *x = block->x;
  double odd = 0;
  int parts = 0;
  if (!HAS_INEXACT || block->n <= DEAR) return 0;
  if (block->shift) return block->shift--, 0;
  watch();
  for (size_t i = 0, n; i < block->n; i += n, parts += 2) {
    n = block->n - i < CUT_BLOCK ? block->n - i : CUT_BLOCK;
    if (block->absolute) cut_pass(x + i, n, 1, block->left, part + parts);
    else cut_pass(x + i, n, 0, block->left, part + parts);
  }
  const int exact = were_exact(part);
  for (int i = 0; i < parts; i++) odd += part[i] - part[i]; /* NaN does not round */
  if (exact && odd == 0) return parts;
  return block->shift = WITHOUT, 0;
}
