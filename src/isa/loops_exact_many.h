/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exact sums of f32, many short ones at a time: rows, one after the other, and columns, which are lanes. A sum is a double, or NaN
 * where the terms' exponents lie too far apart for one. Included by loops_exact.h.
 */
VEC double row_f32(const float *x, size_t n, const int absolute) {
  struct span span;
  const double sum = f32_pass(x, n, absolute, &span);
  const struct reach reach = reach_of(span, 23, 1);
  return reach.most <= 254 && reach.most - reach.least <= room_f32(n) ? sum : f64_from_bits((uint64_t)0x7ff8 << 48);
}
VEC int plain_rows_f32(const unsigned char *row, int64_t across, size_t n, size_t rows, const int absolute, double *sum) {
  double odd = 0;
  if (!HAS_INEXACT || n * rows <= DEAR) return 0;
  watch();
  for (size_t r = 0; r < rows; r++, row += across) sum[r] = f32_plain((const float *)(const void *)row, n, absolute, 0);
  if (!were_exact(sum)) return 0;
  for (size_t r = 0; r < rows; r++) odd += sum[r] - sum[r];
  return odd == 0;
}
static void rows_f32(const void *x, int64_t across, size_t n, size_t rows, int absolute, double *sum) {
  const unsigned char *row = x;
  if (absolute ? plain_rows_f32(x, across, n, rows, 1, sum) : plain_rows_f32(x, across, n, rows, 0, sum)) return;
  for (size_t r = 0; r < rows; r++, row += across)
    sum[r] = absolute ? row_f32((const float *)(const void *)row, n, 1) : row_f32((const float *)(const void *)row, n, 0);
}

/* Columns are lanes: of vectors side by side, a few rows at a time, so that memory is read along the rows. */
struct column {
  v_f64 sum[2];
  v_u32 most, least;
};
VEC void column_f32(struct column *c, const float *x, const int absolute) {
  struct f32_state s = {{c->sum[0], c->sum[1]}, c->most, c->least};
  f32_join(&s, 0, x, absolute);
  *c = (struct column){{s.sum[0], s.sum[1]}, s.most, s.least};
}
VEC void stretch_f32(struct column *c, const unsigned char *x, int64_t step, const size_t n, const int absolute) {
  struct column sum = *c;
  for (size_t i = 0; i < n; i++, x += step) column_f32(&sum, (const float *)(const void *)x, absolute);
  *c = sum;
}

/* Doubles of one vector's columns, NaN where they may not be the sums. */
VEC void finish_f32(const struct column *c, size_t n, double *out) {
  const v_i32 high = (v_i32)(c->most >> 23), low = (v_i32)max_u32((c->least + 1) >> 23, (v_u32){0} + 1);
  const v_u32 bad = (v_u32)((v_i32)(high - low > room_f32(n)) | (v_i32)(high > 254));
  store_f64(out, c->sum[0]), store_f64(out + LANES_F64, c->sum[1]);
  if (!greatest_u32(bad)) return;
  uint32_t lane[LANES_F32];
  memcpy(lane, &bad, sizeof lane);
  for (size_t i = 0; i < LANES_F32; i++)
    if (lane[i]) out[i] = f64_from_bits((uint64_t)0x7ff8 << 48);
}

VEC void watched_f32(const unsigned char *x, int64_t step, size_t n, size_t vectors, const int absolute, double *sum) {
  enum { FEW = 8 };
  struct column c[BF_COLUMNS / LANES_F32];
  size_t i = 0;
  for (size_t v = 0; v < vectors; v++) c[v] = (struct column){{{0}, {0}}, {0}, (v_u32){0} - 1};
  for (; i + FEW <= n; i += FEW, x += FEW * step)
    for (size_t v = 0; v < vectors; v++) stretch_f32(&c[v], x + v * VECTOR, step, FEW, absolute);
  for (; i < n; i++, x += step)
    for (size_t v = 0; v < vectors; v++) stretch_f32(&c[v], x + v * VECTOR, step, 1, absolute);
  for (size_t v = 0; v < vectors; v++) finish_f32(&c[v], n, sum + v * LANES_F32);
}

/* The same in doubles as they are: 0 where an addition rounded, or a sum is not finite. */
VEC void add_rows_f32(double *sum, const unsigned char *x, int64_t step, const size_t n, size_t parts, const int absolute,
                      const int is_first) {
  for (size_t p = 0; p < parts; p++, x += sizeof(v_part), sum += LANES_F64) {
    v_f64 s = is_first ? (v_f64){0} : load_f64(sum);
    for (size_t i = 0; i < n; i++) s = also_plus_f64(s, wide_f32((const float *)(const void *)(x + (int64_t)i * step), absolute));
    store_f64(sum, s);
  }
}
VEC int plain_strips_f32(const unsigned char *x, int64_t step, size_t n, size_t parts, const int absolute, double *sum) {
  enum { FEW = 8 };
  size_t i = 0;
  if (!HAS_INEXACT || n * parts * LANES_F64 <= DEAR) return 0;
  watch();
  if (n < FEW) add_rows_f32(sum, x, step, 1, parts, absolute, 1), i = 1;
  else add_rows_f32(sum, x, step, FEW, parts, absolute, 1), i = FEW;
  for (; i + FEW <= n; i += FEW) add_rows_f32(sum, x + (int64_t)i * step, step, FEW, parts, absolute, 0);
  for (; i < n; i++) add_rows_f32(sum, x + (int64_t)i * step, step, 1, parts, absolute, 0);
  if (!were_exact(sum)) return 0;
  v_f64 odd = {0};
  for (size_t p = 0; p < parts; p++) odd += load_f64(sum + p * LANES_F64) - load_f64(sum + p * LANES_F64);
  return fold_f64(odd) == 0;
}
VEC void strips_f32(const unsigned char *x, int64_t step, size_t n, size_t vectors, const int absolute, double *sum) {
  if (!plain_strips_f32(x, step, n, 2 * vectors, absolute, sum)) watched_f32(x, step, n, vectors, absolute, sum);
}

/* Fewer columns than lanes. */
VEC void few_f32(const unsigned char *x, int64_t step, size_t n, size_t width, const int absolute, double *sum) {
  struct column c = {{{0}, {0}}, {0}, (v_u32){0} - 1};
  float row[LANES_F32] = {0};
  double out[LANES_F32];
  for (size_t i = 0; i < n; i++, x += step) memcpy(row, x, width * sizeof *row), column_f32(&c, row, absolute);
  finish_f32(&c, n, out);
  memcpy(sum, out, width * sizeof *sum);
}

/* The last vector begins so early that it is a whole one: some columns are summed twice. */
VEC void all_columns_f32(const unsigned char *x, int64_t step, size_t n, size_t width, const int absolute, double *sum) {
  const size_t whole = width / LANES_F32 * LANES_F32, last = width - LANES_F32;
  if (!whole) {
    few_f32(x, step, n, width, absolute, sum);
    return;
  }
  strips_f32(x, step, n, whole / LANES_F32, absolute, sum);
  if (whole < width) strips_f32(x + last * sizeof(float), step, n, 1, absolute, sum + last);
}
static void columns_f32(const void *x, int64_t step, size_t n, size_t width, int absolute, double *sum) {
  if (absolute) all_columns_f32(x, step, n, width, 1, sum);
  else all_columns_f32(x, step, n, width, 0, sum);
}

static int narrow_f32(void *output, const double *x, size_t n) {
  unsigned char *y = output;
  v_part odd = {0};
  size_t i = 0;
  for (; i + LANES_F64 <= n; i += LANES_F64) {
    const v_part few = narrow_f64(load_f64(x + i) + 0);
    odd += few - few;
    memcpy(y + i * sizeof(float), &few, sizeof few);
  }
  int is_odd = 0;
  for (size_t l = 0; l < LANES_F64; l++) is_odd |= odd[l] != 0;
  for (; i < n; i++) {
    const float one = (float)f64_plus(x[i], 0);
    is_odd |= !(f32_absolute(one) <= FLT_MAX);
    memcpy(y + i * sizeof one, &one, sizeof one);
  }
  return !is_odd;
}

VEC v_f64 error_f64(v_f64 a, v_f64 b, v_f64 sum) {
  const v_f64 other = sum - a;
  return (a - (sum - other)) + (b - other);
}
/* Whole vectors. */
static int join_f64(double *sum, double *error, const double *part, size_t n) {
  v_f64 odd = {0};
  for (size_t i = 0; i < n; i += LANES_F64) odd += load_f64(part + i) - load_f64(part + i);
  if (fold_f64(odd) != 0) return 0;
  for (size_t i = 0; i < n; i += LANES_F64) {
    const v_f64 a = load_f64(sum + i), b = load_f64(part + i), next = a + b, rest = error_f64(a, b, next);
    const v_f64 e = load_f64(error + i), errors = e + rest, lost = error_f64(e, rest, errors);
    store_f64(sum + i, (v_f64)((v_i64)next | (v_i64)(lost != 0)));
    store_f64(error + i, errors);
  }
  return 1;
}
