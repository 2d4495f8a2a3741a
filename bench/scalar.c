/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scalar machine against the plainest C loop of the same order: nanoseconds an element, and their ratio within one run.
 *
 * usage: bench_scalar [LOG2_N]; prints a table. A row whose bits differ from the plain loop's says so and fails the run.
 */
#include <bitfold/bitfold.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void *scratch;
static float *f32;
static double *f64;

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define NAME(word) JOIN(word, T)
#define T float
#include "../cli/bench_sequential.h"
#include "plain.h"
#undef T
#define T double
#include "../cli/bench_sequential.h"
#include "plain.h"
#undef T

struct row {
  const char *order;
  float (*f32)(const float *, size_t); /* null: there is no plain loop with these bits; sequential is shown beside it */
  double (*f64)(const double *, size_t);
};
static const struct row rows[] = {
    {"sequential", sequential_float, sequential_double},
    {"lanes(4)", lanes4_float, lanes4_double},
    {"lanes(16)", lanes16_float, lanes16_double},
    {"lanes(64)", lanes64_float, lanes64_double},
    {"canonical(1)", canonical1_float, canonical1_double},
    {"canonical(16)", canonical16_float, canonical16_double},
    {"canonical(128)", canonical128_float, canonical128_double},
    {"pairwise(128,lanes(8))", NULL, NULL},
    {"exact", NULL, NULL},
};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One case: data, a contract, and the sums of the library and of the plain loop. */
struct bench {
  const void *x;
  size_t n, repeats;
  int wide; /* f64 */
  bitfold_contract contract;
  const struct row *row;
  double ours, plain;
};

static void sum_ours(struct bench *b) {
  float y = 0;
  if (b->wide) bitfold_sum_f64(b->x, b->n, &b->contract, &b->ours);
  else bitfold_sum_f32(b->x, b->n, &b->contract, &y), b->ours = (double)y;
}
static void sum_plain(struct bench *b) {
  if (b->wide) b->plain = (b->row->f64 ? b->row->f64 : sequential_double)(b->x, b->n);
  else b->plain = (double)(b->row->f32 ? b->row->f32 : sequential_float)(b->x, b->n);
}

static double seconds(struct bench *b, void (*sum)(struct bench *)) {
  double start = now();
  for (size_t i = 0; i < b->repeats; i++) sum(b);
  return (now() - start) / (double)b->repeats;
}

/* The two take turns, so that both meet the same machine; the best of each counts. */
static int run(struct bench *b) {
  double ours = 1e9, plain = 1e9, t;
  for (int turn = 0; turn < 15; turn++) {
    if ((t = seconds(b, sum_ours)) < ours) ours = t;
    if ((t = seconds(b, sum_plain)) < plain) plain = t;
  }
  int same = !b->row->f64 || !memcmp(&b->ours, &b->plain, sizeof b->ours);
  printf("%-24s %s  %6.3f ns  %6.3f ns  %5.2f%s\n", b->row->order, b->wide ? "f64" : "f32", 1e9 * ours / (double)b->n,
         1e9 * plain / (double)b->n, ours / plain, same ? b->row->f64 ? "" : "  (sequential)" : "  OTHER BITS");
  return same;
}

int main(int argc, char **argv) {
  const long log2_n = argc > 1 ? strtol(argv[1], NULL, 10) : 14;
  if (log2_n < 9 || log2_n > 28) return fprintf(stderr, "bench_scalar: LOG2_N is 9 to 28\n"), 2;
  const size_t n = (size_t)1 << log2_n;
  uint64_t state = 1;
  f32 = malloc(n * sizeof *f32);
  f64 = malloc(n * sizeof *f64);
  scratch = malloc(n * sizeof(double));
  if (!f32 || !f64 || !scratch) return fprintf(stderr, "bench_scalar: no memory\n"), 2;
  for (size_t i = 0; i < n; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    f64[i] = (double)(state >> 11) * 0x1p-53 - 0.5;
    f32[i] = (float)f64[i];
  }

  int same = 1;
  printf("%zu elements %14s  library    plain loop  ratio\n", n, "");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (int wide = 0; wide < 2; wide++) {
      struct bench b = {wide ? (void *)f64 : (void *)f32, n, ((size_t)1 << 22) / n + 1, wide, {0}, &rows[i], 0, 0};
      char text[80];
      snprintf(text, sizeof text, "sum:%s:%s", wide ? "f64" : "f32", rows[i].order);
      if (bitfold_contract_parse(text, &b.contract, NULL)) return fprintf(stderr, "bench_scalar: %s\n", text), 2;
      same &= run(&b);
    }
  return !same; /* the arrays last until here */
}
