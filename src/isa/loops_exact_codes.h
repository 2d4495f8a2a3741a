/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exact sums of f16 and bf16 as integers: scaled by a power of two so that the greatest fits 27 bits, and the processor says
 * whether the others became integers without rounding. Included by loops_exact_halves.h, whose pairs take the rest.
 */
enum { FLUSH = 8, ROOM = 27 }; /* 2^3 terms below 2^27, and a sign */

struct codes {
  v_i32 sum[2];
  v_f64 total[4];
  v_f32 scale;
  v_u16 most;
};
VEC void codes_add(struct codes *c, size_t v, v_f32 x) { c->sum[v] += round_i32(x * c->scale); }
VEC void codes_flush(struct codes *c) {
  for (size_t v = 0; v < 2; v++) {
    int32_t lane[LANES_F32];
    memcpy(lane, &c->sum[v], sizeof lane);
    c->total[2 * v] += load_wide_i32(lane), c->total[2 * v + 1] += load_wide_i32(lane + LANES_F64);
    c->sum[v] = (v_i32){0};
  }
}
VEC void codes_step(struct codes *c, const uint16_t *x, const int is_f16, const uint16_t mask) {
  const v_u16 bits = load_u16(x) & mask;
  c->most = max_u16(c->most, bits & 0x7fff);
  if (is_f16) {
    uint16_t copy[LANES_I16];
    const void *at = mask == UINT16_MAX ? x : memcpy(copy, &bits, sizeof copy);
    codes_add(c, 0, load_f16(at)), codes_add(c, 1, load_f16((const uint16_t *)at + LANES_F32));
  } else codes_add(c, 0, (v_f32)((v_u32)bits << 16)), codes_add(c, 1, (v_f32)((v_u32)bits & 0xffff0000));
}

/* The sum times scale, and the greatest magnitude; a block is BF_BLOCK_HALVES at most, so that the total is below 2^53. */
VEC double codes_pass(const struct bf_block *block, float scale, const int is_f16, const int absolute, uint32_t *most) {
  enum { STEP = LANES_I16 };
  const uint16_t *x = block->x, mask = absolute ? INT16_MAX : UINT16_MAX;
  const size_t n = block->n;
  struct codes c = {.scale = fill_f32(scale)};
  size_t i = 0;
  while (i + FLUSH * STEP <= n) {
    bf_announce_pages(x + i, FLUSH * STEP * sizeof *x, block->left);
    for (size_t k = rolled(FLUSH); k; k--, i += STEP) codes_step(&c, x + i, is_f16, mask);
    codes_flush(&c);
  }
  for (; i + STEP <= n; i += STEP) codes_step(&c, x + i, is_f16, mask);
  codes_flush(&c);
  if (i < n) {
    uint16_t tail[STEP] = {0};
    memcpy(tail, x + i, (n - i) * sizeof *x);
    codes_step(&c, tail, is_f16, mask);
    codes_flush(&c);
  }
  *most = greatest_u32(max_u32((v_u32)c.most >> 16, (v_u32)c.most & 0xffff));
  return fold_f64((c.total[0] + c.total[1]) + (c.total[2] + c.total[3]));
}

/* The shift for a greatest magnitude: all of f16 are integers with 24. */
VEC int codes_shift(uint32_t most, const int is_f16) {
  const int field = (int)(most >> (is_f16 ? 10 : 7)), shift = ROOM - 1 - ((field ? field : 1) - (is_f16 ? 15 : 127));
  return is_f16 && shift > 24 ? 24 : shift;
}

/* With 2^shift as the scale, which is that of the block before; 0 where it is not the right one, and then *shift is. */
VEC int codes_sum(struct bf_block *block, const int is_f16, int *shift, double *part) {
  uint32_t most;
  watch();
  const float scale = f32_from_bits((uint32_t)(*shift + 127) << 23);
  *part = block->absolute ? codes_pass(block, scale, is_f16, 1, &most) : codes_pass(block, scale, is_f16, 0, &most);
  const int is_exact = were_exact(part), right = codes_shift(most, is_f16);
  if (most >= (is_f16 ? 0x7c00 : 0x7f80)) return 0;
  *part *= f64_from_bits((uint64_t)(1023 - *shift) << 52);
  if (is_exact && *shift <= right) return 1;
  *shift = right;
  return 0;
}

/* A first guess from some of the terms, with a bit to spare. */
VEC int codes_guess(const uint16_t *x, size_t n, const int is_f16) {
  enum { SOME = 64 };
  uint32_t most = 0;
  for (size_t i = 0; i < n && i < SOME; i++) most = (x[i] & 0x7fffu) > most ? x[i] & 0x7fffu : most;
  const int shift = codes_shift(most, is_f16);
  return is_f16 ? shift : shift - 1;
}

/* Twice, if the scale was not right; not where the scaled numbers would leave the normal ones. */
VEC int codes_try(struct bf_block *block, const int is_f16, double *part) {
  for (int tries = 0; HAS_INEXACT && tries < 2; tries++) {
    if (!block->shift) block->shift = codes_guess(block->x, block->n, is_f16);
    if (block->shift > 100 || block->shift < -100) break;
    const int shift = block->shift;
    if (codes_sum(block, is_f16, &block->shift, part)) return 1;
    if (block->shift == shift) break;
  }
  if (block->shift > 100 || block->shift < -100) block->shift = 0;
  return 0;
}
