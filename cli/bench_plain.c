/* SPDX-License-Identifier: Apache-2.0 */
/* The plainest C loops with the library's bits: clamping sums and chains of codes, and sequential rows. */
#include "bench.h"

#include <string.h>

struct sum {
  int code, event;
};

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define NAME(word) JOIN(word, T)
#define T int8_t
#include "bench_codes.h"
#undef T
#define T int16_t
#include "bench_codes.h"
#undef T
#define T float
#include "bench_sequential.h"
#undef T

static void put(struct sum sum, size_t size, void *expected) {
  const int8_t narrow = (int8_t)sum.code;
  const int16_t wide = (int16_t)sum.code;
  memcpy(expected, size == 1 ? (const void *)&narrow : &wide, size);
}

static void sums_branches(const bench_work *w, void *expected) {
  put(w->bytes == w->n ? sum_branches_int8_t(w->x.data, w->n, 8) : sum_branches_int16_t(w->x.data, w->n, 16), w->bytes / w->n,
      expected);
}
static void sums_selects(const bench_work *w, void *expected) {
  put(w->bytes == w->n ? sum_selects_int8_t(w->x.data, w->n, 8) : sum_selects_int16_t(w->x.data, w->n, 16), w->bytes / w->n,
      expected);
}
static void dot_branches(const bench_work *w, void *expected) {
  put(w->bytes == w->n ? dot_branches_int8_t(w->x.data, w->y.data, w->n, 8) : dot_branches_int16_t(w->x.data, w->y.data, w->n, 16),
      w->bytes / w->n, expected);
}
static void dot_selects(const bench_work *w, void *expected) {
  put(w->bytes == w->n ? dot_selects_int8_t(w->x.data, w->y.data, w->n, 8) : dot_selects_int16_t(w->x.data, w->y.data, w->n, 16),
      w->bytes / w->n, expected);
}

/* Each output a dot of a row and a row of the other matrix's transpose, which lies behind it. */
static void matmul(const bench_work *w, int16_t *expected, struct sum (*dot)(const int16_t *, const int16_t *, size_t, int)) {
  const int16_t *x = w->x.data, *transposed = (const int16_t *)w->y.data + (size_t)BENCH_SIDE * BENCH_SIDE;
  for (size_t i = 0; i < BENCH_SIDE; i++)
    for (size_t j = 0; j < BENCH_SIDE; j++)
      expected[i * BENCH_SIDE + j] = (int16_t)dot(x + i * BENCH_SIDE, transposed + j * BENCH_SIDE, BENCH_SIDE, 16).code;
}
static void matmul_branches(const bench_work *w, void *expected) { matmul(w, expected, dot_branches_int16_t); }
static void matmul_selects(const bench_work *w, void *expected) { matmul(w, expected, dot_selects_int16_t); }

static void lines(const bench_work *w, void *expected) {
  const size_t rows = (size_t)w->x.shape[0], n = (size_t)w->x.shape[1];
  for (size_t i = 0; i < rows; i++) ((float *)expected)[i] = sequential_float((const float *)w->x.data + i * n, n);
}

bench_plain *bench_plain_at(const bench_work *w, size_t variant) {
  if (variant > 1) return NULL;
  if (w->row->shape == BENCH_LINES) return variant ? NULL : lines;
  if (w->row->shape == BENCH_MATMUL) return variant ? matmul_selects : matmul_branches;
  if (w->contract.operation == BITFOLD_OPERATION_DOT) return variant ? dot_selects : dot_branches;
  return variant ? sums_selects : sums_branches;
}
