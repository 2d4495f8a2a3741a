/* SPDX-License-Identifier: Apache-2.0 */
/* mean: zeros, the division, overflow, its own output only, agreement with sum (H69 to H73, H76, H80). */
#include "suite.h"

void h69(void) { minus_zeros(MEAN); }

void h70(void) {
  EACH_FUNCTION(f) {
    if (f->act != MEAN) continue;
    const uint32_t one = f->format->one, two = whole(f->format, 2);
    line(f, ROW(one, two, two), f->format == &single ? 0x3fd55555 : 0x3eab); /* 5/3; times a rounded 1/3 it is 0x3fd55556 */
    for (int32_t n = 1; n <= LINES; n++)
      for (int32_t k = 1; k < 60; k += 2) { /* k / n; once more where k is in units of the least subnormal */
        for (int32_t i = 0; i < 3 * n; i++) put(f, (size_t)i, i % n ? 0 : whole(f->format, k));
        check(f, (cmsis_nn_dims){1, 1, 1, n}, 1), check(f, (cmsis_nn_dims){1, 1, n, 3}, 2);
        for (int32_t i = 0; i < n; i++) put(f, (size_t)i, i ? 0 : (uint32_t)k);
        check(f, (cmsis_nn_dims){1, 1, 1, n}, 1);
      }
  }
}

void h71(void) {
  EACH_FUNCTION(f) {
    if (f->act != MEAN || f->format != &single) continue;
    const uint32_t most = single.largest, less = single.sign | most, inf = single.inf;
    line(f, ROW(most, most), inf), line(f, ROW(less, less), single.sign | inf), line(f, ROW(most), most);
    line(f, ROW(most, 0, 0, 0, most), inf), line(f, ROW(less, less, less, less, less, less), single.sign | inf);
    line(f, ROW(0x7f000000, 0x7f000000), inf), line(f, ROW(0x7effffff, 0x7effffff), 0x7effffff);
  }
#if !ARM_NN_ENABLE_F32
  left_out("without float32: halves cannot overflow its accumulator");
#endif
}

void h72(void) {
  EACH_FUNCTION(f) {
    if (f->act != MEAN || f->format != &single) continue;
    const uint32_t most = single.largest, less = single.sign | most, inf = single.inf;
    column(f, ROW(most, less, 0, 0, most, 0, 0, 0), most - (3u << 23)), row(f, ROW(most, less, 0, 0, most, 0, 0, 0), inf);
    column(f, ROW(most, most, less, less), inf), column(f, ROW(most, less, most, less), 0);
    row(f, ROW(most, most, 0, 0, less, less), 0), column(f, ROW(most, most, 0, 0, less, less), inf);
    row(f, ROW(most, 0, 0, 0, most, less, 0, 0, 0, less), single.nan);
    for (int32_t n = 1; n <= LINES; n++)
      for (unsigned kind = 2; kind < 5; kind += 2) {
        fill(f, kind, (size_t)n * 3, (uint64_t)n);
        check(f, (cmsis_nn_dims){1, 1, 1, n}, 1), check(f, (cmsis_nn_dims){1, 1, n, 3}, 2);
      }
  }
#if !ARM_NN_ENABLE_F32
  left_out("without float32: halves cannot overflow its accumulator");
#endif
}

/* Lines of the largest half; a mean that is no half, and one half of a unit above a tie of a float16 sum. */
void h73(void) {
  uint32_t x[LINES];
  EACH_FUNCTION(f) {
    if (f->act != MEAN || f->format != &half) continue;
    for (size_t n = 1; n <= LINES; n++) {
      for (size_t i = 0; i < n; i++) x[i] = half.largest;
      line(f, x, n, half.largest);
      x[n - 1] = half.sign | half.largest, x[0] = half.largest;
      if (n > 1) line(f, x, n, soft_convert(&single, &half, soft_over(whole(&single, (int32_t)(n - 2) * 65504), (uint32_t)n)));
    }
    line(f, ROW(0x6800, 0x3c00), 0x6400);       /* 1024.5 is a tie, and 1024 is even */
    line(f, ROW(0x6802, 0x3c00), 0x6402);       /* 1026.5 */
    line(f, ROW(0x6800, 0x3c00, 0, 0), 0x6000); /* 512.25 */
    line(f, ROW(0x6800, 0x4200, 0, 0), 0x6002); /* 512.75; a float16 sum of 2052 would give 513 */
  }
#if !ARM_NN_ENABLE_F16
  left_out("without halves");
#endif
}

/* One NaN or Inf in one row, or in one channel: all other outputs are as without it. */
static void poisoned(const function *f, cmsis_nn_dims in, unsigned mask, uint32_t poison) {
  call c;
  plan(&c, f, in, mask);
  size_t n = (size_t)elements(&in, NULL), outputs = (size_t)elements(c.in, c.mask);
  fill(f, 0, n, 7);
  for (size_t at = 0; at < n; at += 7) {
    check_call(&c);
    for (size_t i = 0; i < outputs; i++) earlier[i] = get(f->format, c.y, i);
    uint32_t healthy = get(f->format, c.x, at);
    put(f, at, poison);
    check_call(&c);
    put(f, at, healthy);
    unsigned changed = 0;
    for (size_t i = 0; i < outputs; i++) {
      uint32_t got = get(f->format, c.y, i);
      if (got == earlier[i]) continue;
      changed++;
      if (got != (poison == f->format->inf ? poison : f->format->nan)) wrong(&c, "poisoned output", i, f->format->nan, got);
    }
    must(changed == 1, "a NaN or Inf touched outputs beside its own");
  }
}

void h76(void) {
  EACH_FUNCTION(f) {
    if (!is_sum(f)) continue;
    const uint32_t poisons[] = {f->format->inf, nan_of(f->format, 0), nan_of(f->format, 7)};
    for (size_t i = 0; i < 3; i++)
      for (int32_t n = 2; n <= 35; n += 4) {
        poisoned(f, (cmsis_nn_dims){1, 1, 5, n}, 2, poisons[i]);
        poisoned(f, (cmsis_nn_dims){1, 5, 1, n}, 1, poisons[i]);
        if (n < 20) poisoned(f, (cmsis_nn_dims){2, 3, 2, n}, 6, poisons[i]);
      }
  }
}

static const function *sum_of(const format *wanted) {
  EACH_FUNCTION(f) if (f->act == SUM && f->format == wanted) return f;
  return NULL;
}

/* The sum is the library's own. That of halves is taken in float32 of the same values, where its rounding does not hide it. */
static void against_sum(const function *mean, const function *sum, cmsis_nn_dims in, unsigned mask, unsigned kind) {
  call c;
  size_t n = (size_t)elements(&in, NULL);
  fill(mean, kind, n, kind + n);
  plan(&c, mean, in, mask);
  check_call(&c);
  size_t outputs = (size_t)elements(c.in, c.mask);
  for (size_t i = 0; i < outputs; i++) earlier[i] = get(mean->format, c.y, i);
  for (size_t i = n; i-- > 0;) put(sum, i, soft_convert(mean->format, sum->format, get(mean->format, c.x, i)));
  c.f = sum;
  check_call(&c);
  for (size_t i = 0; i < outputs; i++) {
    uint32_t total = soft_convert(sum->format, &single, get(sum->format, c.y, i));
    uint32_t want = soft_convert(&single, mean->format, soft_over(total, (uint32_t)(n / outputs)));
    if (want != earlier[i]) wrong(&c, "sum / count against mean", i, want, earlier[i]);
  }
}

void h80(void) {
  const function *sum = sum_of(&single);
  if (!sum) {
    left_out("without float32: a sum of halves is rounded, and so no witness");
    return;
  }
  EACH_FUNCTION(f) {
    if (f->act != MEAN) continue;
    for (unsigned kind = 0; kind < HOSTILE_KINDS; kind++) {
      for (int i = 0; i < SHAPES; i++)
        for (unsigned mask = 0; mask < MASKS; mask++) against_sum(f, sum, shapes[i], mask, kind);
      for (int32_t n = 1; n <= LINES; n++) against_sum(f, sum, (cmsis_nn_dims){1, 1, 1, n}, 1, kind);
    }
  }
}
