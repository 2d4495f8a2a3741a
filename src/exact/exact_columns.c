/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exact sums of many f32 outputs at a time, read where they lie: short rows, and columns, whose outputs are neighbours. The machine
 * sums blocks to one double for each output; what does not go that way is left to slim.c.
 */
#include "../kernel.h"
#include "../sf/in_place.h"

enum { WHOLE = 8 }; /* doubles of the widest vector */

int bf_exact_many(const struct bf_terms *terms) {
  return terms->element == BITFOLD_FORMAT_F32 && !bf_has_product(terms->operation) && !terms->x_swapped && terms->isa->columns_f32;
}

/* Outputs as sum + error, and NaN where that is not known; errors only of what was joined. */
struct sums {
  int has_errors;
  double sum[BF_COLUMNS], error[BF_COLUMNS];
};

static struct bf_terms only(const struct bf_terms *terms, size_t j) {
  struct bf_terms one = *terms;
  one.width = 1, one.x += (int64_t)j * one.x_across;
  return one;
}

static void store_each(struct bf_job *job, const struct sums *s) {
  struct bf_wide wide;
  for (size_t j = 0; j < job->terms.width && !bf_stopped(&job->terms); j++) {
    struct bf_slim slim = {s->sum[j], s->has_errors ? s->error[j] : 0, 0, &wide};
    if (!(s->sum[j] <= DBL_MAX)) {
      struct bf_terms one = only(&job->terms, j);
      one.progress = NULL;
      slim.sum = slim.error = 0;
      bf_slim_add(&slim, &one, 0, job->n);
    }
    bf_slim_store(job, j, &slim);
  }
}

/* All at once, where they are floats side by side and none is out of the ordinary. */
static void store(struct bf_job *job, const struct sums *s) {
  const size_t width = job->terms.width;
  int odd = job->contract->output != BITFOLD_FORMAT_F32 || job->output_swapped || job->output_across != sizeof(float) ||
            (bf_is_mean(job->contract->operation) && job->n != 1) || bf_stopped(&job->terms);
  for (size_t j = 0; j < width && s->has_errors; j++) odd |= s->error[j] != 0;
  if (odd || !job->terms.isa->narrow_f32(job->output, s->sum, width)) store_each(job, s);
}

/* Output j's block of n terms from `first`, which has no double for a sum. */
static void join_one(struct sums *s, const struct bf_terms *terms, size_t j, uint64_t first, size_t n) {
  struct bf_wide wide;
  struct bf_slim slim = {s->sum[j], s->error[j], 0, &wide};
  struct bf_terms one = only(terms, j);
  one.progress = NULL;
  bf_slim_add(&slim, &one, first, n);
  s->sum[j] = slim.is_wide ? f64_from_bits((uint64_t)0x7ff8 << 48) : slim.sum, s->error[j] = slim.error;
}

/* The block of n terms from `first`, whose sums are part[]. */
static void join(struct sums *s, const struct bf_terms *terms, double *part, uint64_t first, size_t n) {
  const size_t width = terms->width;
  for (size_t j = width; j % WHOLE; j++) part[j] = 0;
  if (terms->isa->join_f64(s->sum, s->error, part, width)) return;
  for (size_t j = 0; j < width; j++) {
    if (part[j] - part[j] == 0) continue;
    part[j] = 0;
    if (s->sum[j] - s->sum[j] == 0) join_one(s, terms, j, first, n);
  }
  (void)terms->isa->join_f64(s->sum, s->error, part, width);
}

/* A machine's act for n terms of every output. */
static void block(const struct bf_terms *terms, const struct bf_cursor *c, int in_rows, size_t n, double *sum) {
  const int absolute = terms->operation == BITFOLD_OPERATION_SUMABS;
  if (in_rows) terms->isa->rows_f32(c->x, terms->x_across, n, terms->width, absolute, sum);
  else terms->isa->columns_f32(c->x, c->x_step, n, terms->width, absolute, sum);
}

static void sum_many(struct bf_job *job, int in_rows, size_t most) {
  const struct bf_terms *terms = &job->terms;
  struct sums s;
  struct bf_cursor c;
  double part[BF_COLUMNS];
  size_t n;
  bf_cursor_start(&c, terms, 0);
  s.has_errors = c.left < job->n || job->n > most || !job->n;
  if (s.has_errors) memset(s.sum, 0, sizeof s.sum), memset(s.error, 0, sizeof s.error);
  for (uint64_t first = 0; first < job->n && !bf_stopped(terms); first += n) {
    const uint64_t left = c.left < job->n - first ? c.left : job->n - first;
    n = left < most ? (size_t)left : most;
    block(terms, &c, in_rows, n, s.has_errors ? part : s.sum);
    if (s.has_errors) join(&s, terms, part, first, n);
    bf_cursor_go_on(&c, terms, n);
    if (terms->progress) bf_count_terms(terms, first, n);
  }
  store(job, &s);
}
void bf_sum_columns_exactly(struct bf_job *job) { sum_many(job, 0, BF_DEPTH); }
void bf_sum_short_rows_exactly(struct bf_job *job) { sum_many(job, 1, BF_BLOCK); }
