/* SPDX-License-Identifier: Apache-2.0 */
/* Pools a feature map with the twelve functions and prints what came out; a chip prints what a host prints. */
#include <bitfold_arm_nn.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "features.h"

/* In the sequence n, h, w, c. A mask has 1 where an axis is reduced, and the output keeps such an axis as 1. */
static const cmsis_nn_dims map = {LINES, ROWS, COLUMNS, CHANNELS};
static const cmsis_nn_dims h_w = {0, 1, 1, 0}, without_h_w = {LINES, 1, 1, CHANNELS};
static const cmsis_nn_dims h = {0, 1, 0, 0}, without_h = {LINES, 1, COLUMNS, CHANNELS};
static const cmsis_nn_dims n = {1, 0, 0, 0}, without_n = {1, ROWS, COLUMNS, CHANNELS};
static const cmsis_nn_dims all = {1, 1, 1, 1}, one = {1, 1, 1, 1};
enum { AXIS_W = 2, AXIS_C = 3 };

/* The largest result is the one without n. */
static union {
  float32_t f32[ROWS * COLUMNS * CHANNELS];
  float16_t f16[ROWS * COLUMNS * CHANNELS];
  int32_t index[LINES * ROWS * COLUMNS];
} y;

/* FNV-1a, which starts from this number or goes on from the digest of the bytes before. */
static const uint32_t fnv = 2166136261u;
static uint32_t digest(uint32_t start, const void *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) start = (start ^ ((const uint8_t *)bytes)[i]) * 16777619u;
  return start;
}

/* The value of a finite half, from its bits: not every compiler has a half type. */
static double half(const float16_t *x) {
  uint16_t bits;
  memcpy(&bits, x, sizeof bits);
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double size = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
  return bits >> 15 ? -size : size;
}

enum kind { F32, F16, INDEX };
static uint32_t total;
static int failed;

/* Prints the digest of y and values from its middle, and adds its bytes to the total. */
static void show(const char *name, const char *over, arm_cmsis_nn_status status, enum kind kind, int32_t count) {
  if (status != ARM_CMSIS_NN_SUCCESS) {
    printf("%s: status %d\n", name, status);
    failed = 1;
    return;
  }
  const size_t size = (size_t)count * (kind == F16 ? 2 : 4);
  total = digest(total, &y, size);
  printf("%-18s %-7s %7" PRId32 "  %08" PRIx32 " ", name, over, count, digest(fnv, &y, size));
  for (int32_t i = count / 2; i < count / 2 + 4 && i < count; i++) {
    if (kind == INDEX) printf(" %" PRId32, y.index[i]);
    else printf(" %.6g", kind == F32 ? (double)y.f32[i] : half(&y.f16[i]));
  }
  puts("");
}

static int32_t elements(const cmsis_nn_dims *dims) { return dims->n * dims->h * dims->w * dims->c; }

static void pool_f32(const float32_t *x) {
  show("arm_reduce_sum_f32", "n h w c", arm_reduce_sum_f32(x, &map, &all, y.f32, &one), F32, elements(&one));
  show("arm_nn_mean_f32", "h w", arm_nn_mean_f32(x, &map, &h_w, y.f32, &without_h_w), F32, elements(&without_h_w));
  show("arm_reduce_max_f32", "h", arm_reduce_max_f32(x, &map, &h, y.f32, &without_h), F32, elements(&without_h));
  show("arm_reduce_min_f32", "n", arm_reduce_min_f32(x, &map, &n, y.f32, &without_n), F32, elements(&without_n));
  show("arm_argmax_f32", "c", arm_argmax_f32(x, &map, AXIS_C, y.index), INDEX, LINES * ROWS * COLUMNS);
  show("arm_argmin_f32", "w", arm_argmin_f32(x, &map, AXIS_W, y.index), INDEX, LINES * ROWS * CHANNELS);
}

static void pool_f16(const float16_t *x) {
  show("arm_reduce_sum_f16", "n h w c", arm_reduce_sum_f16(x, &map, &all, y.f16, &one), F16, elements(&one));
  show("arm_nn_mean_f16", "h w", arm_nn_mean_f16(x, &map, &h_w, y.f16, &without_h_w), F16, elements(&without_h_w));
  show("arm_reduce_max_f16", "h", arm_reduce_max_f16(x, &map, &h, y.f16, &without_h), F16, elements(&without_h));
  show("arm_reduce_min_f16", "n", arm_reduce_min_f16(x, &map, &n, y.f16, &without_n), F16, elements(&without_n));
  show("arm_argmax_f16", "c", arm_argmax_f16(x, &map, AXIS_C, y.index), INDEX, LINES * ROWS * COLUMNS);
  show("arm_argmin_f16", "w", arm_argmin_f16(x, &map, AXIS_W, y.index), INDEX, LINES * ROWS * CHANNELS);
}

int main(void) {
  printf("%-18s %-7s %7s  %-8s  %s\n", "{2, 12, 96, 8}", "over", "results", "digest", "middle values");
  total = fnv;
  pool_f32(features_f32);
  pool_f16(features_f16);
  printf("%-18s %-7s %7s  %08" PRIx32 "\n", "all of them", "", "", total);
  return failed;
}
