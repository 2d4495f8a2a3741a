/* SPDX-License-Identifier: Apache-2.0 */
/* Times the library and what stands against it in turns, so that both meet the same machine; the best turn of each counts. */
#include "bench.h"

#include <float.h>
#include <string.h>
#include <time.h>

enum { SIDES_MAX = 12 };

typedef struct side {
  void (*run)(bench_work *w, const struct side *side);
  bench_loop *loop;
  bench_plain *plain;
  void *room; /* for results */
  int threads;
  double best; /* seconds */
} side;

typedef struct sides {
  side side[SIDES_MAX]; /* the library first */
  size_t count;
  double turn;   /* seconds, at least, of one turn */
  double budget; /* and of all turns of a row */
  int heats;     /* after so many turns only the fastest of the others goes on */
} sides;

static double now(void) {
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void run_reduce(bench_work *w, const side *s) {
  w->engine.threads = s->threads;
  w->output.data = s->room;
  w->status = bitfold_reduce(&w->contract, &w->x, w->contract.operation == BITFOLD_OPERATION_DOT ? &w->y : NULL, &w->axes,
                             &w->output, &w->engine, NULL);
}

/* The functions for rows. */
static void run_call(bench_work *w, const side *s) {
  const bitfold_contract *c = &w->contract;
  const size_t n = w->n;
  if (c->rule) w->status = bitfold_sum_codes(c->rule, c->element, w->x.data, NULL, n, s->room, NULL);
  else if (c->operation == BITFOLD_OPERATION_MAX) w->status = bitfold_max_f32(w->x.data, n, c, s->room);
  else if (c->operation == BITFOLD_OPERATION_ARGMAX) w->status = bitfold_argmax_f32(w->x.data, n, c, s->room);
  else if (c->operation == BITFOLD_OPERATION_DOT) w->status = bitfold_dot_f32(w->x.data, w->y.data, n, c, s->room);
  else if (c->element == BITFOLD_FORMAT_F64) w->status = bitfold_sum_f64(w->x.data, n, c, s->room);
  else w->status = bitfold_sum_f32(w->x.data, n, c, s->room);
}

static void run_loop(bench_work *w, const side *s) { s->loop(w->x.data, w->y.data, w->bytes); }
static void run_plain(bench_work *w, const side *s) { s->plain(w, s->room); }

static void add_loops(sides *all, bench_kind kind) {
  bench_loop *loop;
  for (size_t i = 0; all->count < SIDES_MAX && (loop = bench_loop_at(kind, i)); i++)
    all->side[all->count++] = (side){.run = run_loop, .loop = loop};
}

static bench_kind kind_of(const bitfold_contract *c) {
  const int wide = c->element == BITFOLD_FORMAT_F64;
  if (c->operation == BITFOLD_OPERATION_DOT) return wide ? BENCH_DOT_F64 : BENCH_DOT_F32;
  return wide ? BENCH_SUM_F64 : BENCH_SUM_F32;
}

static void add_others(sides *all, const bench_work *w, const bench_arrays *a) {
  bench_plain *plain;
  switch (w->row->against) {
  case BENCH_READ: add_loops(all, BENCH_READ_WORDS); break;
  case BENCH_VECTOR: add_loops(all, kind_of(&w->contract)); break;
  case BENCH_ONE_THREAD: all->side[all->count++] = (side){.run = run_reduce, .room = a->expected, .threads = 1}; break;
  case BENCH_LIMIT: break;
  default:
    for (size_t i = 0; (plain = bench_plain_at(w, i)); i++)
      all->side[all->count++] = (side){.run = run_plain, .plain = plain, .room = a->expected};
  }
}

/* Seconds of one run: the mean of as many as fill a turn. */
static double turn(bench_work *w, const side *s, size_t repeats) {
  const double start = now();
  for (size_t i = 0; i < repeats; i++) s->run(w, s);
  return (now() - start) / (double)repeats;
}

static void drop_losers(sides *all) {
  size_t best = 1;
  for (size_t i = 2; i < all->count; i++)
    if (all->side[i].best < all->side[best].best) best = i;
  if (all->count > 2) all->side[1] = all->side[best], all->count = 2;
}

static void take_turns(bench_work *w, sides *all) {
  const double start = now();
  for (size_t i = 0; i < all->count; i++) all->side[i].best = DBL_MAX;
  for (int turns = 0; turns < all->heats || now() - start < all->budget; turns++) {
    for (size_t i = 0; i < all->count; i++) {
      side *s = &all->side[i];
      const double one = s->best < DBL_MAX ? s->best : turn(w, s, 1);
      const double seconds = turn(w, s, one < all->turn ? (size_t)(all->turn / (one + 1e-9)) + 1 : 1);
      if (seconds < s->best) s->best = seconds;
    }
    if (turns == all->heats - 1) drop_losers(all);
  }
}

static int differ(const bench_work *w, const bench_arrays *a) {
  if (w->row->against != BENCH_SEQUENTIAL && w->row->against != BENCH_ONE_THREAD) return 0;
  return memcmp(a->result, a->expected, w->result_bytes) != 0;
}

/* What one thread takes to read the bytes. */
static double read_seconds(bench_work *w, const sides *like) {
  sides reads = {.turn = like->turn, .budget = like->budget, .heats = like->heats};
  double best = DBL_MAX;
  add_loops(&reads, BENCH_READ_WORDS);
  take_turns(w, &reads);
  for (size_t i = 0; i < reads.count; i++)
    if (reads.side[i].best < best) best = reads.side[i].best;
  return best;
}

bench_times bench_measure(bench_work *w, bench_arrays *a, const bench_plan *plan) {
  const int call = w->row->shape == BENCH_CALL, threads = w->row->against == BENCH_ONE_THREAD;
  const double each = 1e9 / (call ? 1 : (double)w->n);
  sides all = {.count = 1, .turn = 2e-4, .budget = w->bytes >> 24 ? 0.8 : 0.25, .heats = 4};
  bench_times times = {.against_ns = BENCH_CALL_NS};
  if (plan->quick) all.turn = 2e-5, all.budget = 0.01, all.heats = 1;
  bench_arrays_fill(a, w);
  all.side[0] = (side){.run = call ? run_call : run_reduce, .room = a->result, .threads = threads ? plan->threads : 1};
  if (threads) times.read_ns = read_seconds(w, &all) * each;
  add_others(&all, w, a);
  take_turns(w, &all);
  times.ns = all.side[0].best * each;
  if (all.count > 1) times.against_ns = all.side[1].best * each;
  times.differs = differ(w, a);
  return times;
}
