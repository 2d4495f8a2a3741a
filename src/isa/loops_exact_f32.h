/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exact sums of f32. First in doubles as they are, where the processor says whether an addition rounded. If one did, a block whose
 * exponents lie close enough together is summed in doubles as it is; any other is taken in slices of close exponents, from the
 * greatest down. Included by loops_exact.h.
 */

/* |x| 2^149 is below 2^(field + 24), u is 2^field: how many fields above the least one n terms may have. */
VEC int room_f32(size_t n) { return 29 - log_of(n); }

struct f32_state {
  v_f64 sum[4];
  v_u32 most, least;
};
enum { DEAR = 256 }; /* terms that are watched themselves in less time than the processor's flags are */
VEC v_f64 wide_f32(const float *x, const int absolute) {
  const v_f64 wide = load_wide(x);
  return absolute ? (v_f64)((v_i64)wide & INT64_MAX) : wide;
}
/* One vector, to the sums 2 v and 2 v + 1. */
VEC void f32_join(struct f32_state *s, size_t v, const float *x, const int absolute) {
  const v_u32 magnitude = load_u32(x) & 0x7fffffff;
  s->most = max_u32(s->most, magnitude);
  s->least = min_u32(s->least, magnitude - 1);
  for (size_t h = 0; h < 2; h++) s->sum[2 * v + h] += wide_f32(x + h * LANES_F64, absolute);
}
VEC void f32_step(struct f32_state *s, const float *x, const int absolute) {
  f32_join(s, 0, x, absolute), f32_join(s, 1, x + LANES_F32, absolute);
}

VEC double f32_pass(const float *x, size_t n, const int absolute, struct span *span) {
  enum { STEP = 2 * LANES_F32 };
  struct f32_state s = {{{0}}, {0}, (v_u32){0} - 1};
  size_t i = 0;
  for (; i + STEP <= n; i += STEP) f32_step(&s, x + i, absolute);
  if (i + LANES_F32 <= n) f32_join(&s, 0, x + i, absolute), i += LANES_F32;
  if (i < n) {
    float tail[LANES_F32] = {0};
    memcpy(tail, x + i, (n - i) * sizeof *x);
    f32_join(&s, 1, tail, absolute);
  }
  *span = (struct span){greatest_u32(s.most), least_u32(s.least)};
  return fold_f64((s.sum[0] + s.sum[1]) + (s.sum[2] + s.sum[3]));
}

/* The sum in doubles, whether it rounds or not. */
VEC void plain_step(v_f64 *sum, const size_t sums, const float *x, const int absolute) {
  for (size_t v = 0; v < sums; v++) sum[v] = also_plus_f64(sum[v], wide_f32(x + v * LANES_F64, absolute));
}
VEC double f32_plain(const float *x, size_t n, const int absolute, uint64_t left) {
  enum { SUMS = 8, HALF = SUMS / 2, STEP = SUMS * LANES_F64 };
  v_f64 sum[SUMS];
  size_t i = STEP;
  if (n >= STEP) {
    for (size_t v = 0; v < SUMS; v++) sum[v] = wide_f32(x + v * LANES_F64, absolute); /* no zeros, which compilers store */
    for (; i + STEP <= n; i += STEP) {
      bf_announce_pages(x + i, STEP * sizeof *x, left);
      plain_step(sum, SUMS, x + i, absolute);
    }
    for (size_t v = 0; v < HALF; v++) sum[v] += sum[v + HALF];
  } else sum[0] = sum[1] = sum[2] = sum[3] = (v_f64){0}, i = 0;
  if (i + STEP / 2 <= n) plain_step(sum, HALF, x + i, absolute), i += STEP / 2;
  if (i < n) {
    float tail[STEP / 2] = {0};
    memcpy(tail, x + i, (n - i) * sizeof *x);
    plain_step(sum, HALF, tail, absolute);
  }
  return fold_f64((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

/* The sum of those with magnitudes in [from, below); *rest becomes the greatest magnitude below. */
static double f32_slice(const float *x, size_t n, int absolute, int32_t from, int32_t below, uint32_t *rest) {
  v_f64 sum = {0};
  v_u32 most = {0};
  for (size_t i = 0; i < n; i += LANES_F32) {
    float some[LANES_F32] = {0};
    if (n - i < LANES_F32) memcpy(some, x + i, (n - i) * sizeof *x);
    const v_i32 bits = (v_i32)load_u32(n - i < LANES_F32 ? some : x + i), magnitude = bits & INT32_MAX;
    const v_i32 is_in = (v_i32)(magnitude >= from) & (v_i32)(magnitude < below);
    const v_i32 in = (absolute ? magnitude : bits) & is_in;
    most = max_u32(most, (v_u32)(magnitude & (v_i32)(magnitude < from)));
    memcpy(some, &in, sizeof in);
    sum += load_wide(some);
    sum += load_wide(some + LANES_F64);
  }
  *rest = greatest_u32(most);
  return fold_f64(sum);
}

static int f32_slices(const float *x, size_t n, int absolute, uint32_t most, double *part) {
  int parts = 0;
  for (uint32_t rest = most; rest; most = rest) {
    const int from = (int)(most >> 23) - room_f32(n);
    part[parts++] = f32_slice(x, n, absolute, from > 1 ? from << 23 : 1, (int32_t)(most + 1), &rest);
  }
  return parts;
}

static int some_f32(const float *x, size_t n, int absolute, double *part) {
  struct span span;
  *part = absolute ? f32_pass(x, n, 1, &span) : f32_pass(x, n, 0, &span);
  const struct reach reach = reach_of(span, 23, 1);
  if (reach.most > 254) return 0;
  if (reach.most - reach.least <= room_f32(n)) return 1;
  if (reach.most - reach.least > 2 * room_f32(n)) return 0; /* more slices than two or three are slower than digits */
  return f32_slices(x, n, absolute, span.most, part);
}

static int block_f32(struct bf_block *block, double *part) {
  const float *x = block->x;
  int parts = 0;
  if (HAS_INEXACT && block->n > DEAR) {
    watch();
    *part = block->absolute ? f32_plain(x, block->n, 1, block->left) : f32_plain(x, block->n, 0, block->left);
    if (were_exact(part) && f64_absolute(*part) <= DBL_MAX) return 1;
  }
  for (size_t i = 0, n; i < block->n; i += n) {
    n = block->n - i < BF_BLOCK ? block->n - i : BF_BLOCK;
    const int some = some_f32(x + i, n, block->absolute, part + parts);
    if (!some) return 0;
    parts += some;
  }
  return parts;
}
