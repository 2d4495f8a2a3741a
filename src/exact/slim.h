/* SPDX-License-Identifier: Apache-2.0 */
/* An exact sum that is two doubles as long as two suffice; slim.c. Part of kernel.h. */

/* The sum is exactly sum + error + *wide, the last only where is_wide: it is set up when it is needed first. */
struct bf_slim {
  double sum, error;
  int is_wide;
  struct bf_wide *wide;
};
/* Where the next term of output 0 lies, and how many follow it at one step. */
struct bf_cursor {
  uint64_t at[BITFOLD_RANK_MAX];
  const unsigned char *x, *y;
  int64_t x_step, y_step;
  uint64_t left;
};
void bf_cursor_start(struct bf_cursor *cursor, const struct bf_terms *terms, uint64_t index);
void bf_cursor_go_on(struct bf_cursor *cursor, const struct bf_terms *terms, uint64_t n);

/* Whether bf_sum_columns_exactly and bf_sum_short_rows_exactly, of rows with contiguous runs, take terms like these.
 */
int bf_exact_many(const struct bf_terms *terms);
bf_act_fn bf_sum_rows_exactly, bf_sum_columns_exactly, bf_sum_short_rows_exactly;

/* Whether the machine sums terms like these in blocks; adds terms [first, first + n) of its only output. */
int bf_slim_can(const struct bf_terms *terms);
void bf_slim_add(struct bf_slim *slim, const struct bf_terms *terms, uint64_t first, uint64_t n);
void bf_slim_push(struct bf_slim *slim, const struct bf_terms *terms, double term);
void bf_slim_spill(struct bf_slim *slim, const struct bf_terms *terms); /* all of it to *wide */
/* Stores the sum, or the mean, of output j. */
void bf_slim_store(struct bf_job *job, size_t j, struct bf_slim *slim);

/* The sum, or mean, of a contiguous row in its own format, if the machine takes it as one block, 1; or 0 and nothing is done. */
int bf_slim_row(bitfold_operation operation, bitfold_format element, const void *x, const void *y, size_t n, void *output);

/* a + b = sum + error exactly, unless the sum is infinite: then the error is NaN. (Knuth.) */
static inline double bf_two_sum(double a, double b, double *error) {
  const double sum = f64_plus(a, b), other = f64_plus(sum, -a);
  *error = f64_plus(f64_plus(a, -f64_plus(sum, -other)), f64_plus(b, -other));
  return sum;
}
/* A double from which any narrower float is rounded as from the sum itself: of the two neighbours the one whose last bit is 1. */
static inline double bf_to_odd(double sum, double error) {
  const uint64_t bits = f64_to_bits(sum);
  if (error == 0 || (bits & 1)) return sum;
  return f64_from_bits((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}
