/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One long row on several threads, where pieces of it can be joined with the bits of the whole: exact sums, whose digits add up,
 * and selections, of which the first greatest of the pieces' first greatest is the row's.
 */
#include "kernel.h"

enum { PIECES_MAX = 8 };

struct pieces {
  const struct bf_job *job;
  struct bf_terms terms; /* of one output */
  uint64_t count;
  int stopped[PIECES_MAX];
  union {
    struct bf_wide wide[PIECES_MAX];
    struct bf_best best[PIECES_MAX];
  };
};

uint64_t bf_pieces(const struct bf_job *job) {
  return 2 * (uint64_t)job->threads < PIECES_MAX ? 2 * (uint64_t)job->threads : PIECES_MAX;
}

static int add_piece(void *context, size_t i, int is_caller) {
  struct pieces *pieces = context;
  const struct bf_progress *ask = is_caller ? pieces->terms.progress : NULL;
  const uint64_t n = pieces->job->n, first = n / pieces->count * i, end = i + 1 == pieces->count ? n : n / pieces->count * (i + 1);
  struct bf_terms terms = pieces->terms;
  struct bf_progress progress = {0};
  if (ask) progress = *ask, progress.done += first;
  terms.progress = ask ? &progress : NULL;
  const uint64_t control = bf_control_enter();
  if (bf_is_selection(pieces->job->contract->operation))
    bf_select(&terms, pieces->job->contract, first, end - first, &pieces->best[i]);
  else bf_exact_add(&pieces->wide[i], &terms, first, end - first);
  bf_control_leave(control);
  return pieces->stopped[i] = progress.stopped;
}

static void each_piece(struct pieces *pieces, struct bf_job *job, size_t j) {
  pieces->job = job;
  pieces->terms = job->terms;
  pieces->terms.width = 1;
  pieces->terms.x += (int64_t)j * job->terms.x_across;
  if (job->terms.y) pieces->terms.y += (int64_t)j * job->terms.y_across;
  pieces->count = bf_pieces(job);
  for (uint64_t i = 0; i < pieces->count; i++) {
    pieces->stopped[i] = 0;
    if (bf_is_selection(job->contract->operation)) pieces->best[i] = (struct bf_best){INT64_MIN, 0};
    else bf_exact_init(&pieces->wide[i], job->contract->element, job->contract->operation);
  }
  job->report.threads = bf_parallel(job->threads, (size_t)pieces->count, add_piece, pieces);
  if (!job->terms.progress) return;
  job->terms.progress->done += job->n;
  for (uint64_t i = 0; i < pieces->count; i++) job->terms.progress->stopped |= pieces->stopped[i];
}

void bf_cut_sum(struct bf_job *job) {
  struct pieces pieces;
  for (size_t j = 0; j < job->terms.width && !bf_stopped(&job->terms); j++) {
    each_piece(&pieces, job, j);
    for (uint64_t i = 1; i < pieces.count; i++) bf_wide_merge(&pieces.wide[0], &pieces.wide[i]);
    bf_store_exact(job, j, &pieces.wide[0]);
  }
}

void bf_cut_selection(struct bf_job *job) {
  struct pieces pieces;
  for (size_t j = 0; j < job->terms.width && !bf_stopped(&job->terms); j++) {
    each_piece(&pieces, job, j);
    struct bf_best best = pieces.best[0];
    for (uint64_t i = 1; i < pieces.count; i++)
      if (pieces.best[i].key > best.key) best = pieces.best[i];
    bf_store_best(job, j, best);
  }
}
