/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clamping sums and dots of SuperFloat codes (the rule sf) against the plainest C loops: nanoseconds a term, and how many times as
 * fast as the better of two plain loops the library is, within one run.
 *
 * usage: bench_codes [LONGEST]; prints tables. A row whose code or event differs from the plain loop's says so and fails the run.
 */
#include <bitfold/bitfold.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TURNS = 15, COLUMNS_MOST = 1024 };

struct sum {
  int code, event;
};
static struct sum wide[COLUMNS_MOST];

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define NAME(word) JOIN(word, T)
#define T int8_t
#include "../cli/bench_codes.h"
#include "plain_axes.h"
#undef T
#define T int16_t
#include "../cli/bench_codes.h"
#include "plain_axes.h"
#undef T

static int16_t *x, *y, code[COLUMNS_MOST]; /* codes of any width */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One case: the data, and what each of the three makes of it. */
struct bench {
  int bits, dot, axis;
  size_t n, rows, columns, repeats;
  const void *x, *y;
  void *code;
  struct sum sum;
};
static bitfold_format format_of(int bits) { return (bitfold_format)(BITFOLD_FORMAT_SF2 + bits - 2); }

static void sum_ours(struct bench *b) {
  int16_t sum = 0;
  uint64_t event = 0;
  bitfold_sum_codes(bitfold_rule_at(0), format_of(b->bits), b->x, b->dot ? b->y : NULL, b->n, &sum, &event);
  b->sum = (struct sum){sum, (int)event};
}
static void sum_branches(struct bench *b) {
  if (b->bits <= 8) b->sum = b->dot ? dot_branches_int8_t(b->x, b->y, b->n, b->bits) : sum_branches_int8_t(b->x, b->n, b->bits);
  else b->sum = b->dot ? dot_branches_int16_t(b->x, b->y, b->n, b->bits) : sum_branches_int16_t(b->x, b->n, b->bits);
}
static void sum_selects(struct bench *b) {
  if (b->bits <= 8) b->sum = b->dot ? dot_selects_int8_t(b->x, b->y, b->n, b->bits) : sum_selects_int8_t(b->x, b->n, b->bits);
  else b->sum = b->dot ? dot_selects_int16_t(b->x, b->y, b->n, b->bits) : sum_selects_int16_t(b->x, b->n, b->bits);
}

static void axis_ours(struct bench *b) {
  const int64_t shape[2] = {(int64_t)b->rows, (int64_t)b->columns};
  const bitfold_axes axes = {1, {b->axis}};
  bitfold_contract contract;
  bitfold_tensor input, output;
  bitfold_report report;
  char text[32];
  snprintf(text, sizeof text, "sum:sf%d:sf", b->bits);
  bitfold_contract_parse(text, &contract, NULL);
  bitfold_tensor_init(&input, format_of(b->bits), b->x, 2, shape);
  bitfold_tensor_reduced(&input, &axes, 0, format_of(b->bits), &output, NULL);
  output.data = b->code;
  b->sum = (struct sum){0, bitfold_reduce(&contract, &input, NULL, &axes, &output, NULL, &report) ? -1 : (int)report.clamped};
}
static void axis_down(struct bench *b) {
  b->sum.event = 0;
  if (b->axis && b->bits <= 8) rows_along_int8_t(b->x, b->rows, b->columns, b->bits, b->code, &b->sum.event);
  else if (b->axis) rows_along_int16_t(b->x, b->rows, b->columns, b->bits, b->code, &b->sum.event);
  else if (b->bits <= 8) columns_down_int8_t(b->x, b->rows, b->columns, b->bits, b->code, &b->sum.event);
  else columns_down_int16_t(b->x, b->rows, b->columns, b->bits, b->code, &b->sum.event);
}
static void axis_along(struct bench *b) {
  b->sum.event = 0;
  if (b->axis) axis_down(b);
  else if (b->bits <= 8) columns_along_int8_t(b->x, b->rows, b->columns, b->bits, b->code, &b->sum.event);
  else columns_along_int16_t(b->x, b->rows, b->columns, b->bits, b->code, &b->sum.event);
}

typedef void run_fn(struct bench *b);
static double seconds(struct bench *b, run_fn *run) {
  const double start = now();
  for (size_t i = 0; i < b->repeats; i++) run(b);
  return (now() - start) / (double)b->repeats;
}

/* The three take turns, so that all meet the same machine; the best of each counts. */
static int compare(struct bench *b, const char *what, const char *kind, run_fn *const run[3]) {
  const size_t outputs = !b->rows ? 0 : b->axis ? b->rows : b->columns, bytes = outputs * (b->bits <= 8 ? 1 : 2);
  double best[3] = {1e9, 1e9, 1e9}, t;
  struct sum sums[3];
  unsigned char codes[3][2 * COLUMNS_MOST];
  for (int turn = 0; turn < TURNS; turn++)
    for (int i = 0; i < 3; i++)
      if ((t = seconds(b, run[i])) < best[i]) best[i] = t;
  for (int i = 0; i < 3; i++) {
    b->sum = (struct sum){0, 0};
    run[i](b);
    sums[i] = b->sum;
    memcpy(codes[i], b->code, bytes);
    best[i] *= 1e9 / (double)b->n;
  }
  int same = 1;
  for (int i = 1; i < 3; i++)
    same &= sums[0].code == sums[i].code && sums[0].event == sums[i].event && !memcmp(codes[0], codes[i], bytes);
  printf("sf%-3d %-12s %-12s %9zu  %7.3f  %7.3f  %7.3f  %5.1f%s\n", b->bits, what, kind, b->n, best[0], best[1], best[2],
         (best[1] < best[2] ? best[1] : best[2]) / best[0], same ? "" : "  OTHER BITS");
  return same;
}

static uint64_t state = 1;
static int any(int most) { /* -most .. most */
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int)((state >> 33) % (2 * (uint64_t)most + 1)) - most;
}

static const char *const kinds[] = {"quiet", "any", "top edge", "alternating", "edge to edge"};
static int code_of(int kind, int most, size_t i) {
  const int k = any(most);
  switch (kind) {
  case 0: return k / (most / 2 + 1);
  case 1: return k;
  case 2: return k < -most / 2 ? k : abs(k);
  case 3: return i & 1 ? -most : most;
  default: return i == 0 || ((i - 1) & 2) ? -most : most;
  }
}
static void fill(void *to, size_t n, int bits, int kind) {
  for (size_t i = 0; i < n; i++) {
    const int k = code_of(kind, (1 << (bits - 1)) - 1, i);
    if (bits <= 8) ((int8_t *)to)[i] = (int8_t)k;
    else ((int16_t *)to)[i] = (int16_t)k;
  }
}

static int one_axis(void) {
  static const size_t shapes[][2] = {{64, 64}, {1024, 64}, {1000, 1000}};
  static run_fn *const run[3] = {axis_ours, axis_down, axis_along};
  int same = 1;
  printf("\n%-31s %9s  library   by sums  by rows   times\n", "one axis of a matrix", "elements");
  for (int bits = 8; bits <= 16; bits += 4)
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
      for (int axis = 0; axis < 2; axis++) {
        const size_t rows = shapes[i][0], columns = shapes[i][1], n = rows * columns;
        struct bench b = {bits, 0, axis, n, rows, columns, 400000 / n + 1, x, NULL, code, {0, 0}};
        char what[16], kind[16];
        snprintf(what, sizeof what, "axis %d", axis);
        snprintf(kind, sizeof kind, "%zu x %zu", rows, columns);
        fill(x, n, bits, 1);
        same &= compare(&b, what, kind, run);
      }
  return same;
}

int main(int argc, char **argv) {
  const size_t longest = argc > 1 ? strtoul(argv[1], NULL, 10) : 10000000;
  const size_t lengths[] = {16, 64, 256, 2000, 16384, longest};
  static run_fn *const run[3] = {sum_ours, sum_branches, sum_selects};
  if (longest < 1000000 || longest > 1u << 30) return fprintf(stderr, "bench_codes: LONGEST is 1000000 to 2^30\n"), 2;
  x = malloc(longest * sizeof *x);
  y = malloc(longest * sizeof *y);
  if (!x || !y) return fprintf(stderr, "bench_codes: no memory\n"), 2;
  int same = 1;
  printf("%-31s %9s  library  branches selects  times\n", "nanoseconds a term", "terms");
  for (int dot = 0; dot < 2; dot++)
    for (int bits = 8; bits <= 16; bits += 4)
      for (int kind = 0; kind < 5; kind++) {
        fill(x, longest, bits, kind);
        fill(y, longest, bits, kind < 2 ? kind : 1);
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
          struct bench b = {bits, dot, 0, lengths[i], 0, 0, 100000 / lengths[i] + 1, x, y, code, {0, 0}};
          same &= compare(&b, dot ? "dot" : "sum", kinds[kind], run);
        }
      }
  same &= one_axis();
  return !same; /* the arrays last until here */
}
