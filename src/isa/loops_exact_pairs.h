/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exact sums in pairs of accumulators: f64, products of f32 and of f64 in pairs of doubles, f16 and bf16 in pairs of floats.
 * Included by loops_exact.h.
 *
 * The first of a pair begins at 1.5 2^e, so large that it stays between 2^e and 2^(e+1): it takes of every term the multiple of its
 * own last bit, 2^(e-52), and the second takes what is left, exactly, at most half of that. (Rump, Ogita and Oishi's extraction,
 * with the sum itself as the constant.)
 */
VEC void pair_f64(v_f64 *high, v_f64 *low, v_f64 x) {
  const v_f64 next = *high + x;
  *low += x - (next - *high);
  *high = next;
}
VEC void pair_f32(v_f32 *high, v_f32 *low, v_f32 x) {
  const v_f32 next = *high + x;
  *low += x - (next - *high);
  *high = next;
}

/*
 * e for n terms below 2^(most + 1): their sum, roundings included, is below 2^(e-1). The second's are multiples of the last bit of
 * the least, 2^(least - fraction), and sum to at most n 2^(e-53).
 */
VEC int top_of(int most, size_t n) { return most + 3 + log_of(n); }
VEC int is_low_exact(int top, int least, int fraction, size_t n) { return log_of(n) + top - 53 <= 53 + least - fraction; }
VEC double start_f64(int top) { return f64_from_bits((uint64_t)(top + 1023) << 52 | (uint64_t)1 << 51); }

enum { PAIRS = 4 };
struct pairs {
  v_f64 high[PAIRS], low[PAIRS];
  double start, second; /* of products of f64: their errors have pairs of their own */
};
VEC void start_pairs(struct pairs *p, int top, size_t used, const int of_errors) {
  p->start = start_f64(top), p->second = of_errors ? start_f64(top - 52) : p->start;
  for (size_t i = 0; i < used; i++) {
    p->high[i] = fill_f64(of_errors && (i & 1) ? p->second : p->start);
    p->low[i] = (v_f64){0};
  }
}
/* Pairs first, first + step, ... joined: lanes less their start are multiples of one bit, and so are their sums. */
VEC void fold_pairs(const struct pairs *p, size_t first, size_t used, size_t step, double start, double *part) {
  v_f64 high = {0}, low = {0};
  for (size_t i = first; i < used; i += step) high += p->high[i] - start, low += p->low[i];
  part[0] = fold_f64(high), part[1] = fold_f64(low);
}

/* ---- f64 ---- */

struct f64_span {
  v_u32 most, least;
};
VEC void f64_watch(struct f64_span *s, v_f64 x) {
  const v_u64 magnitude = (v_u64)x & INT64_MAX;
  s->most = max_u32(s->most, (v_u32)magnitude);
  s->least = min_u32(s->least, (v_u32)(magnitude - 1)); /* upper words: of some numbers less by 1, of none more */
}
VEC struct reach f64_reach(const struct f64_span *s) {
  const v_u32 most = (v_u32)((v_u64)s->most >> 32), least = (v_u32)((v_u64)s->least | UINT32_MAX);
  return reach_of((struct span){greatest_u32(most), least_u32(least)}, 20, 0);
}
static const struct f64_span *f64_nothing(struct f64_span *s) { return *s = (struct f64_span){{0}, (v_u32){0} - 1}, s; }

VEC int f64_most(const double *x, size_t n) {
  struct f64_span s;
  f64_nothing(&s);
  size_t i = 0;
  for (; i + LANES_F64 <= n; i += LANES_F64) s.most = max_u32(s.most, (v_u32)((v_u64)load_f64(x + i) & INT64_MAX));
  double tail[LANES_F64] = {0};
  memcpy(tail, x + i, (n - i) * sizeof *x);
  s.most = max_u32(s.most, (v_u32)((v_u64)load_f64(tail) & INT64_MAX));
  return f64_reach(&s).most;
}

VEC void f64_step(struct pairs *p, struct f64_span *s, const double *x, const int absolute) {
  for (size_t v = 0; v < PAIRS / 2; v++) {
    v_f64 value = load_f64(x + v * LANES_F64);
    f64_watch(s, value);
    if (absolute) value = (v_f64)((v_i64)value & INT64_MAX);
    pair_f64(&p->high[v], &p->low[v], value);
  }
}
VEC struct reach f64_pass(const double *x, size_t n, int top, const int absolute, double *part) {
  enum { STEP = PAIRS / 2 * LANES_F64 };
  struct pairs p;
  struct f64_span s;
  f64_nothing(&s);
  start_pairs(&p, top, PAIRS / 2, 0);
  size_t i = 0;
  for (; i + STEP <= n; i += STEP) f64_step(&p, &s, x + i, absolute);
  if (i < n) {
    double tail[STEP] = {0};
    memcpy(tail, x + i, (n - i) * sizeof *x);
    f64_step(&p, &s, tail, absolute);
  }
  fold_pairs(&p, 0, PAIRS / 2, 1, p.start, part);
  return f64_reach(&s);
}

#include "loops_exact_f64.h"

/* Tries the top of the terms before, and once that of these n. */
static int some_f64(struct bf_block *block, const double *x, size_t n, double *part) {
  for (int is_fresh = 0; !is_fresh;) {
    is_fresh = !block->top;
    if (is_fresh) block->top = top_of(f64_most(x, n) - 1023, n);
    if (block->top > 1023) return block->top = 0;
    const struct reach r = block->absolute ? f64_pass(x, n, block->top, 1, part) : f64_pass(x, n, block->top, 0, part);
    if (r.most <= 2046 && top_of(r.most - 1023, n) <= block->top && is_low_exact(block->top, r.least - 1023, 52, n)) return 2;
    block->top = 0;
  }
  return 0;
}
static int block_f64(struct bf_block *block, double *part) {
  int parts = cut_f64(block, part);
  if (parts) return parts;
  for (size_t i = 0, n; i < block->n; i += n, parts += 2) {
    n = block->n - i < BF_BLOCK ? block->n - i : BF_BLOCK;
    if (!some_f64(block, (const double *)block->x + i, n, part + parts)) return 0;
  }
  return parts;
}

/* ---- Products of f32: doubles of 48 bits ---- */

struct f32_spans {
  struct f64_span x, y;
};
VEC void f32_watch(struct f64_span *s, const float *x) {
  const v_u32 magnitude = load_u32(x) & 0x7fffffff;
  s->most = max_u32(s->most, magnitude);
  s->least = min_u32(s->least, magnitude - 1);
}
VEC void dot_f32_step(struct pairs *p, struct f32_spans *s, const float *x, const float *y) {
  f32_watch(&s->x, x), f32_watch(&s->y, y);
  for (size_t h = 0; h < 2; h++) pair_f64(&p->high[h], &p->low[h], load_wide(x + h * LANES_F64) * load_wide(y + h * LANES_F64));
}
VEC void dot_f32_pass(const float *x, const float *y, size_t n, int top, struct reach *reach, double *part) {
  struct pairs p;
  struct f32_spans s;
  f64_nothing(&s.x), f64_nothing(&s.y);
  start_pairs(&p, top, 2, 0);
  size_t i = 0;
  for (; i + LANES_F32 <= n; i += LANES_F32) dot_f32_step(&p, &s, x + i, y + i);
  if (i < n) {
    float some[LANES_F32] = {0}, other[LANES_F32] = {0};
    memcpy(some, x + i, (n - i) * sizeof *x), memcpy(other, y + i, (n - i) * sizeof *y);
    dot_f32_step(&p, &s, some, other);
  }
  fold_pairs(&p, 0, 2, 1, p.start, part);
  reach[0] = reach_of((struct span){greatest_u32(s.x.most), least_u32(s.x.least)}, 23, 1),
  reach[1] = reach_of((struct span){greatest_u32(s.y.most), least_u32(s.y.least)}, 23, 1);
}

static int block_dot_f32(struct bf_block *block, double *part) {
  const size_t n = block->n;
  struct reach r[2];
  for (int tries = 0; tries < 3; tries++) {
    dot_f32_pass(block->x, block->y, n, block->top, r, part);
    if (r[0].most > 254 || r[1].most > 254) return 0;
    const int top = top_of(r[0].most + r[1].most + 1 - 254, n), least = r[0].least + r[1].least - 254;
    if (top <= block->top && is_low_exact(block->top, least, 46, n)) return 2;
    if (block->top == top) return 0;
    block->top = top; /* a block in vain, which finds out */
  }
  return 0;
}

/* ---- Products of f64, and their errors, which are doubles themselves ---- */

#ifdef HAS_PRODUCT_ERROR
struct f64_spans {
  struct f64_span x, y;
};
VEC void dot_f64_step(struct pairs *p, struct f64_spans *s, const double *x, const double *y) {
  const v_f64 a = load_f64(x), b = load_f64(y), product = a * b;
  f64_watch(&s->x, a), f64_watch(&s->y, b);
  pair_f64(&p->high[0], &p->low[0], product);
  pair_f64(&p->high[1], &p->low[1], product_error(a, b, product));
}
VEC void dot_f64_pass(const double *x, const double *y, size_t n, int top, struct reach *reach, double *part) {
  struct pairs p;
  struct f64_spans s;
  f64_nothing(&s.x), f64_nothing(&s.y);
  start_pairs(&p, top, 2, 1);
  size_t i = 0;
  for (; i + LANES_F64 <= n; i += LANES_F64) dot_f64_step(&p, &s, x + i, y + i);
  if (i < n) {
    double some[LANES_F64] = {0}, other[LANES_F64] = {0};
    memcpy(some, x + i, (n - i) * sizeof *x), memcpy(other, y + i, (n - i) * sizeof *y);
    dot_f64_step(&p, &s, some, other);
  }
  fold_pairs(&p, 0, 1, 1, p.start, part);
  fold_pairs(&p, 1, 2, 1, p.second, part + 2);
  reach[0] = f64_reach(&s.x), reach[1] = f64_reach(&s.y);
}

/* An error is a multiple of 2^(least - 104), which must be a double's, and no more than half a product's last bit. */
static int block_dot_f64(struct bf_block *block, double *part) {
  enum { LEAST = -970, MOST = 1000 };
  const size_t n = block->n;
  struct reach r[2];
  for (int tries = 0; tries < 3; tries++) {
    dot_f64_pass(block->x, block->y, n, block->top, r, part);
    const int top = top_of(r[0].most + r[1].most + 1 - 2046, n), least = r[0].least + r[1].least - 2046;
    if (r[0].most > 2046 || r[1].most > 2046 || top > MOST || least < LEAST) return block->top = 0;
    if (r[0].least < 2 || r[1].least < 2) return 0; /* 2^-1074 times 2^1000 has 104 bits below `least`, not 52 */
    if (top <= block->top && is_low_exact(block->top, least, 52, n)) return 4;
    if (block->top == top) return 0;
    block->top = top;
  }
  return 0;
}
#define BLOCK_DOT_F64 block_dot_f64
#else
#define BLOCK_DOT_F64 NULL
#endif

#include "loops_exact_halves.h"
