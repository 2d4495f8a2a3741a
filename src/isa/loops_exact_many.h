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
static void rows_f32(const void *x, int64_t across, size_t n, size_t rows, int absolute, double *sum) {
  const unsigned char *row = x;
  for (size_t r = 0; r < rows; r++, row += across)
    sum[r] = absolute ? row_f32((const float *)(const void *)row, n, 1) : row_f32((const float *)(const void *)row, n, 0);
}

/* `vectors` vectors of columns through n rows, of which only `width` columns are there if that is not all. */
VEC void strip_f32(const unsigned char *x, int64_t step, size_t n, const size_t vectors, size_t width, const int absolute,
                   double *out) {
  struct f32_state s[2];
  float some[2 * LANES_F32] = {0};
  v_u32 bad = {0};
  for (size_t v = 0; v < vectors; v++) s[v] = (struct f32_state){{{0}}, {0}, (v_u32){0} - 1};
  for (size_t i = 0; i < n; i++, x += step) {
    const float *row = (const float *)(const void *)x;
    if (width) row = memcpy(some, x, width * sizeof *some);
    for (size_t v = 0; v < vectors; v++) f32_join(&s[v], 0, row + v * LANES_F32, absolute);
  }
  for (size_t v = 0; v < vectors; v++) {
    const v_i32 high = (v_i32)(s[v].most >> 23), low = (v_i32)max_u32((s[v].least + 1) >> 23, (v_u32){0} + 1);
    s[v].most = (v_u32)((v_i32)(high - low > room_f32(n)) | (v_i32)(high > 254));
    bad |= s[v].most;
    store_f64(out + v * LANES_F32, s[v].sum[0]), store_f64(out + v * LANES_F32 + LANES_F64, s[v].sum[1]);
  }
  if (!greatest_u32(bad)) return;
  for (size_t v = 0; v < vectors; v++) {
    uint32_t lane[LANES_F32];
    memcpy(lane, &s[v].most, sizeof lane);
    for (size_t i = 0; i < LANES_F32; i++)
      if (lane[i]) out[v * LANES_F32 + i] = f64_from_bits((uint64_t)0x7ff8 << 48);
  }
}

/* The last strip begins so early that it is a whole one: some columns are summed twice. */
VEC void strips_f32(const unsigned char *x, int64_t step, size_t n, size_t width, const int absolute, double *sum) {
  enum { TWO = 2 * LANES_F32 };
  size_t j = 0;
  for (; j + TWO <= width; j += TWO) strip_f32(x + j * sizeof(float), step, n, 2, 0, absolute, sum + j);
  for (; j + LANES_F32 <= width; j += LANES_F32) strip_f32(x + j * sizeof(float), step, n, 1, 0, absolute, sum + j);
  if (j == width) return;
  if (j) {
    j = width - LANES_F32;
    strip_f32(x + j * sizeof(float), step, n, 1, 0, absolute, sum + j);
    return;
  }
  double few[LANES_F32];
  strip_f32(x, step, n, 1, width, absolute, few);
  memcpy(sum, few, width * sizeof *sum);
}
static void columns_f32(const void *x, int64_t step, size_t n, size_t width, int absolute, double *sum) {
  if (absolute) strips_f32(x, step, n, width, 1, sum);
  else strips_f32(x, step, n, width, 0, sum);
}
