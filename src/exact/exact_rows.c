/* SPDX-License-Identifier: Apache-2.0 */
/* Exact sums of floats whose terms are read where they lie, one output after the other. */
#include "../kernel.h"

void bf_sum_rows_exactly(struct bf_job *job) {
  struct bf_terms one = job->terms;
  struct bf_wide wide;
  one.width = 1;
  for (size_t j = 0; j < job->terms.width && !bf_stopped(&one); j++) {
    struct bf_slim slim = {0, 0, 0, &wide};
    bf_slim_add(&slim, &one, 0, job->n);
    bf_slim_store(job, j, &slim);
    one.x += one.x_across;
    if (one.y) one.y += one.y_across;
  }
}
