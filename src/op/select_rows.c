/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selections whose terms are neighbours in memory, or are made so by a copy: a machine's act on each run of every output.
 */
#include "picking.h"

enum { AT_ONCE = 1 << 20, COPY = 512 }; /* elements between two calls of the caller's progress function, and in a copy */

const unsigned char *bf_run_of(const struct bf_terms *terms, uint64_t index, int64_t *step, uint64_t *left) {
  const unsigned char *x = terms->x;
  *step = terms->size, *left = 1;
  for (int i = terms->reduceds - 1; i >= 0; i--) {
    const struct bf_axis *axis = &terms->reduced[i];
    const uint64_t at = i ? index % axis->extent : index;
    if (i == terms->reduceds - 1) *step = axis->x, *left = axis->extent - at;
    index = i ? index / axis->extent : 0;
    x += (int64_t)at * axis->x;
  }
  return x;
}

void bf_count_picked(const struct bf_terms *terms, uint64_t first, uint64_t n) {
  uint64_t last;
  struct bf_terms one = *terms;
  if (!terms->progress) return;
  one.width = 1;
  terms->progress->done += n * terms->width - 1;
  bf_operand_bits(&one, first + n - 1, 1, &last); /* one term is gathered, because that asks the caller */
}

uint64_t bf_picked_at_once(const struct bf_terms *terms, uint64_t n) {
  const uint64_t most = terms->width > 1 ? AT_ONCE / terms->width : AT_ONCE;
  return n < most ? n : most;
}

static int is_dense(const struct bf_terms *terms) {
  const struct bf_axis *last = &terms->reduced[terms->reduceds - 1];
  return !terms->x_swapped && (!terms->reduceds || (last->x == terms->size && (last->extent >= 8 || terms->reduceds == 1)));
}

static void copy_element(unsigned char *to, const unsigned char *x, const size_t size, int swapped) {
  if (!swapped) memcpy(to, x, size);
  else
    for (size_t i = 0; i < size; i++) to[i] = x[size - 1 - i];
}
/* n elements of output 0 side by side. */
static void copy(unsigned char *to, const struct bf_terms *terms, uint64_t first, size_t n) {
  int64_t step;
  for (uint64_t left; n; first += left, n -= (size_t)left) {
    const unsigned char *x = bf_run_of(terms, first, &step, &left);
    const int swapped = terms->x_swapped;
    if (left > n) left = n;
    for (uint64_t i = 0; i < left; i++, x += step, to += terms->size) switch (terms->size) {
      case 1: *to = *x; break;
      case 2: copy_element(to, x, 2, swapped); break;
      case 4: copy_element(to, x, 4, swapped); break;
      default: copy_element(to, x, 8, swapped); break;
      }
  }
}

static void pick_copies(struct bf_best *best, const struct bf_terms *terms, const struct bf_keys *keys, bf_pick_fn *pick,
                        uint64_t first, uint64_t n) {
  uint64_t copies[COPY];
  struct bf_terms one = *terms;
  one.width = 1;
  for (size_t j = 0; j < terms->width && !bf_stopped(terms); j++, one.x += terms->x_across)
    for (uint64_t at = first, some; at < first + n && !bf_stopped(terms); at += some) {
      some = first + n - at < COPY ? first + n - at : COPY;
      copy((unsigned char *)copies, &one, at, (size_t)some);
      pick(&best[j], 1, (const unsigned char *)copies, 0, at, (size_t)some, keys);
      bf_count_picked(&one, at, some);
    }
}

void bf_pick(struct bf_best *best, const struct bf_terms *terms, const struct bf_keys *keys, uint64_t first, uint64_t n) {
  bf_pick_fn *const pick = (*terms->isa->pick_rows)[bf_key_kind(terms->element, terms->size)];
  if (!is_dense(terms)) {
    pick_copies(best, terms, keys, pick, first, n);
    return;
  }
  int64_t step;
  for (uint64_t some; n && !bf_stopped(terms); first += some, n -= some) {
    const unsigned char *x = bf_run_of(terms, first, &step, &some);
    some = bf_picked_at_once(terms, some < n ? some : n);
    pick(best, terms->width, x, terms->x_across, first, (size_t)some, keys);
    bf_count_picked(terms, first, some);
  }
}

int bf_selects_rows(const struct bf_job *job, const struct bf_walk *walk) {
  const uint64_t step = bf_magnitude(walk->reduced[walk->reduceds - 1].x), across = bf_magnitude(walk->inner.x);
  return job->terms.isa->pick_rows && (is_dense(&job->terms) || across >= step || walk->inner.extent == 1);
}

void bf_select_rows(struct bf_job *job) {
  struct bf_keys keys = bf_keys_of(job->contract);
  struct bf_best best[BF_PICK_ROWS];
  const size_t width = job->terms.width;
  const uint64_t nan = bf_one_nan(&keys);
  keys.value = !bf_is_arg(job->contract->operation);
  const uint64_t start = keys.value && keys.whole ? bf_bits_of(&keys, INT64_MIN) : 0; /* which no element has to beat */
  for (size_t j = 0; j < width; j++) best[j] = (struct bf_best){INT64_MIN, start};
  bf_pick(best, &job->terms, &keys, 0, job->n);
  if (bf_stopped(&job->terms)) return;
  const int plain = !job->output_swapped && job->output_size == (keys.value ? job->terms.size : 8);
  for (size_t j = 0; j < width; j++) {
    unsigned char *to = job->output + (int64_t)j * job->output_across;
    if (keys.value && keys.binary && (best[j].key == BF_NAN_WINS || best[j].key == BF_NAN_LOSES))
      best[j].index = nan, job->report.nan++;
    const uint32_t low = (uint32_t)best[j].index;
    if (plain && job->output_size == 8) memcpy(to, &best[j].index, 8);
    else if (plain && job->output_size == 4) memcpy(to, &low, 4);
    else bf_job_store(job, j, best[j].index);
  }
}
