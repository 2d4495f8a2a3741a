/* SPDX-License-Identifier: Apache-2.0 */
/* All outputs of a walk, in groups of neighbours; on several threads each takes a share of the groups, and writes nobody else's. */
#include "kernel.h"

enum {
  SHARES = 16,
  FEWEST = 2,
  SHARES_MAX = 64,
  LEAST = 1 << 15
}; /* for each thread, as some are slower; elements worth waking one for */

struct groups {
  const struct bf_walk *walk;
  size_t width;
  bf_act_fn *act;
  uint64_t in_row, count; /* groups along the inner axis, and in all */
};

/* Where the inner axis begins, for one position of the outer axes, which are counted up like an odometer. */
struct place {
  uint64_t at[BITFOLD_RANK_MAX];
  int64_t x, y, output;
};
static void go_to(struct place *place, const struct bf_walk *walk, uint64_t row) {
  *place = (struct place){{0}, 0, 0, 0};
  for (int i = walk->outers - 1; i >= 0; i--) {
    place->at[i] = row % walk->outer[i].extent;
    row /= walk->outer[i].extent;
    const int64_t at = (int64_t)place->at[i];
    place->x += at * walk->outer[i].x, place->y += at * walk->outer[i].y, place->output += at * walk->outer[i].output;
  }
}
static void go_on(struct place *place, const struct bf_walk *walk) {
  for (int i = walk->outers - 1; i >= 0; i--) {
    const struct bf_axis *axis = &walk->outer[i];
    place->x += axis->x, place->y += axis->y, place->output += axis->output;
    if (++place->at[i] < axis->extent) return;
    const int64_t extent = (int64_t)axis->extent;
    place->at[i] = 0;
    place->x -= extent * axis->x, place->y -= extent * axis->y, place->output -= extent * axis->output;
  }
}

/* Groups [first, end); the job's terms and output are those of the whole. */
static void some_groups(struct bf_job *job, const struct groups *groups, uint64_t first, uint64_t end) {
  const struct bf_terms start = job->terms;
  const struct bf_axis *inner = &groups->walk->inner;
  unsigned char *output = job->output;
  struct place place;
  go_to(&place, groups->walk, first / groups->in_row);
  uint64_t j = first % groups->in_row * groups->width;
  for (uint64_t group = first; group < end; group++, j += groups->width) {
    if (j >= inner->extent) j = 0, go_on(&place, groups->walk);
    job->terms.width = inner->extent - j < groups->width ? (size_t)(inner->extent - j) : groups->width;
    if (start.x) job->terms.x = start.x + place.x + (int64_t)j * inner->x; /* null where there are no terms */
    if (start.y) job->terms.y = start.y + place.y + (int64_t)j * inner->y;
    else job->column = (uint64_t)place.y + j * (uint64_t)inner->y;
    job->output = output + place.output + (int64_t)j * inner->output;
    groups->act(job);
    if (bf_stopped(&job->terms) || job->bad_codes) return;
  }
  job->terms = start;
  job->output = output;
}

/* What the shares of one call have in common; each writes a report of its own. */
struct shared {
  const struct bf_job *job;
  const struct groups *groups;
  uint64_t shares;
  struct share {
    struct bf_report report;
    int bad_codes, stopped;
  } share[SHARES_MAX];
};

/* The caller's own thread asks its progress function; shares are handed out in sequence, so those before are done or nearly. */
static int run_share(void *context, size_t i, int is_caller) {
  struct shared *shared = context;
  struct share *share = &shared->share[i];
  const struct bf_progress *ask = is_caller ? shared->job->terms.progress : NULL;
  const uint64_t count = shared->groups->count, first = count * i / shared->shares, end = count * (i + 1) / shared->shares;
  struct bf_job mine = *shared->job;
  struct bf_progress progress = {0};
  if (ask) progress = *ask, progress.done += (ask->total - ask->done) / shared->shares * i;
  mine.terms.progress = ask ? &progress : NULL;
  memset(&mine.report, 0, sizeof mine.report);
  const uint64_t control = bf_control_enter();
  some_groups(&mine, shared->groups, first, end);
  bf_control_leave(control);
  share->report = mine.report, share->bad_codes = mine.bad_codes, share->stopped = progress.stopped;
  return mine.bad_codes || progress.stopped;
}

static void on_threads(struct bf_job *job, const struct groups *groups, uint64_t shares) {
  struct shared shared = {.job = job, .groups = groups, .shares = shares};
  job->report.threads = bf_parallel(job->threads, (size_t)shares, run_share, &shared);
  for (uint64_t i = 0; i < shares; i++) {
    const struct share *share = &shared.share[i];
    job->report.clamped += share->report.clamped, job->report.nan += share->report.nan;
    job->report.overflowed += share->report.overflowed;
    job->bad_codes |= share->bad_codes;
    if (share->stopped) job->terms.progress->stopped = 1;
  }
  if (job->terms.progress) job->terms.progress->done += groups->walk->outputs * groups->walk->terms;
}

static uint64_t rows_of(const struct bf_walk *walk) {
  uint64_t rows = 1;
  for (int i = 0; i < walk->outers; i++) rows *= walk->outer[i].extent;
  return rows;
}

uint64_t bf_shares(const struct bf_job *job, const struct bf_walk *walk, uint64_t *width) {
  const uint64_t rows = rows_of(walk), extent = walk->inner.extent, terms = walk->terms ? walk->terms : 1;
  uint64_t shares = job->threads > 1 ? (uint64_t)SHARES * (uint64_t)job->threads : 1;
  if (walk->outputs < 2 * LEAST / (terms < LEAST ? terms : LEAST)) shares = 1;
  if (shares > SHARES_MAX) shares = SHARES_MAX;
  const uint64_t fewest = shares > 1 ? FEWEST * (uint64_t)job->threads : 1;
  while (*width > BF_WIDTH_MAX && rows * ((extent + *width - 1) / *width) < fewest) *width /= 2; /* too few groups for all */
  const uint64_t groups = rows * ((extent + *width - 1) / *width);
  return shares < groups ? shares : groups;
}

void bf_each_group(struct bf_job *job, const struct bf_walk *walk, size_t width, bf_act_fn *act) {
  uint64_t narrow = width;
  if (walk->outputs == 1 && walk->inner.output == 0 && !walk->outers) { /* nothing to be found or shared */
    job->terms.width = 1;
    act(job);
    return;
  }
  const uint64_t shares = bf_shares(job, walk, &narrow);
  struct groups groups = {walk, (size_t)narrow, act, (walk->inner.extent + narrow - 1) / narrow, 0};
  groups.count = rows_of(walk) * groups.in_row;
  if (shares > 1) on_threads(job, &groups, shares);
  else some_groups(job, &groups, 0, groups.count);
}
