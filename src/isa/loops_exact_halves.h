/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exact sums of f16 and bf16: eight terms in each lane of pairs of floats, which then go to doubles. Included by
 * loops_exact_pairs.h.
 */
/* A count that the compiler does not unroll for, which would not leave it enough registers. */
VEC size_t rolled(size_t n) {
  __asm__("" : "+r"(n));
  return n;
}
#include "loops_exact_codes.h"

enum { EIGHT = 8 };
struct halves {
  v_f32 high[2], low[2];
  v_f64 sum[4];
  float start;
};
VEC float start_f32(int top) { return f32_from_bits((uint32_t)(top + 127) << 23 | (uint32_t)1 << 22); }
VEC void begin_halves(struct halves *h) {
  for (size_t v = 0; v < 2; v++) h->high[v] = fill_f32(h->start), h->low[v] = (v_f32){0};
}
VEC void flush_one(v_f64 *sum, v_f32 x) {
  float lane[LANES_F32];
  memcpy(lane, &x, sizeof x);
  sum[0] += load_wide(lane), sum[1] += load_wide(lane + LANES_F64);
}
VEC void flush_halves(struct halves *h) {
  for (size_t v = 0; v < 2; v++) flush_one(h->sum + 2 * v, h->high[v] - h->start), flush_one(h->sum + 2 * v, h->low[v]);
  begin_halves(h);
}
VEC double fold_halves(const struct halves *h) { return fold_f64((h->sum[0] + h->sum[1]) + (h->sum[2] + h->sum[3])); }

/* 2^e for eight f16 below 2^16; the second is a multiple of 2^-24, at most 8 2^-3: exact, whatever they are. */
VEC void f16_step(struct halves *h, const uint16_t *x, const int absolute) {
  for (size_t v = 0; v < 2; v++) {
    v_f32 value = load_f16(x + v * LANES_F32);
    if (absolute) value = (v_f32)((v_i32)value & INT32_MAX);
    pair_f32(&h->high[v], &h->low[v], value);
  }
}
VEC double f16_pass(const uint16_t *x, size_t n, const int absolute) {
  enum { STEP = 2 * LANES_F32, TOP = 21 };
  struct halves h = {.sum = {{0}}, .start = start_f32(TOP)};
  size_t i = 0;
  begin_halves(&h);
  while (i + EIGHT * STEP <= n) {
    for (size_t k = rolled(EIGHT); k; k--, i += STEP) f16_step(&h, x + i, absolute);
    flush_halves(&h);
  }
  for (; i + STEP <= n; i += STEP) f16_step(&h, x + i, absolute);
  flush_halves(&h);
  if (i < n) {
    uint16_t tail[STEP] = {0};
    memcpy(tail, x + i, (n - i) * sizeof *x);
    f16_step(&h, tail, absolute);
    flush_halves(&h);
  }
  return fold_halves(&h);
}
static int block_f16(struct bf_block *block, double *part) {
  if (codes_try(block, 1, part)) return 1;
  *part = block->absolute ? f16_pass(block->x, block->n, 1) : f16_pass(block->x, block->n, 0);
  return *part - *part == 0; /* an infinity makes it a NaN */
}

/* bf16 has fewer bits and more exponents: they are watched, as those of f64. */
struct bf16_span {
  v_u16 most, least;
};
VEC void bf16_step(struct halves *h, struct bf16_span *s, const uint16_t *x, const int absolute) {
  const v_u16 bits = load_u16(x), magnitude = bits & 0x7fff;
  s->most = max_u16(s->most, magnitude);
  s->least = min_u16(s->least, magnitude - 1);
  const v_u32 both = (v_u32)(absolute ? magnitude : bits);
  pair_f32(&h->high[0], &h->low[0], (v_f32)(both << 16));
  pair_f32(&h->high[1], &h->low[1], (v_f32)(both & 0xffff0000));
}
VEC struct span bf16_span_of(const struct bf16_span *s) {
  const v_u32 most = (v_u32)s->most, least = (v_u32)s->least; /* two lanes in each */
  struct span span = {greatest_u32(max_u32(most >> 16, most & 0xffff)), least_u32(min_u32(least >> 16, least & 0xffff))};
  if (span.least == UINT16_MAX) span.least = UINT32_MAX;
  return span;
}
VEC double bf16_pass(const uint16_t *x, size_t n, int top, const int absolute, struct span *span) {
  enum { STEP = LANES_I16 };
  struct halves h = {.sum = {{0}}, .start = start_f32(top)};
  struct bf16_span s = {{0}, (v_u16){0} - 1};
  size_t i = 0;
  begin_halves(&h);
  while (i + EIGHT * STEP <= n) {
    for (size_t k = rolled(EIGHT); k; k--, i += STEP) bf16_step(&h, &s, x + i, absolute);
    flush_halves(&h);
  }
  for (; i + STEP <= n; i += STEP) bf16_step(&h, &s, x + i, absolute);
  flush_halves(&h);
  if (i < n) {
    uint16_t tail[STEP] = {0};
    memcpy(tail, x + i, (n - i) * sizeof *x);
    bf16_step(&h, &s, tail, absolute);
    flush_halves(&h);
  }
  *span = bf16_span_of(&s);
  return fold_halves(&h);
}

/* Eight terms below 2^(most + 1) as in top_of; their lower parts, multiples of 2^(least - 7), sum to 8 2^(top - 24) at the most. */
static int block_bf16(struct bf_block *block, double *part) {
  struct span span;
  if (codes_try(block, 0, part)) return 1;
  for (int tries = 0; tries < 3; tries++) {
    const int top = block->top;
    *part = block->absolute ? bf16_pass(block->x, block->n, top, 1, &span) : bf16_pass(block->x, block->n, top, 0, &span);
    const struct reach r = reach_of(span, 7, 1);
    block->top = top_of(r.most - 127, EIGHT);
    if (block->top > 126) return block->top = 0;
    if (block->top <= top && 3 + top - 24 <= 24 + r.least - 127 - 7) return block->top = top, 1;
    if (block->top == top) return 0;
  }
  return 0;
}
