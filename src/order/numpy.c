/* SPDX-License-Identifier: Apache-2.0 */
/*
 * numpy: the bits of np.sum, np.mean (NumPy 2.3 and later) and np.dot of halves; numpy-1: of the versions before.
 *
 * NumPy's iterator nests the axes by the size of their steps in memory. Where the innermost one is kept, each output takes its
 * terms one by one. Where it is reduced, a kernel sums each run, pairwise(128,lanes(8,fold=pairs,tail=after)), and the results are
 * added to +0, one by one. Halves are widened to float in the kernel, and their sum is a half again after each run, or term.
 *
 * How long a run is, NumPy's buffer decides, which holds 8192 elements. Before 2.3, a run goes through all the innermost reduced
 * axes, cut at 8192. Since then, one axis that needs no cast is one run. Axes that do not follow one another in memory are gathered
 * in the buffer, from the innermost on until they fill it, the last one as far as whole rows of the others fit; unless the
 * innermost is longer than half the buffer. What needs a cast (or has the other byte order, or is not aligned) always goes through
 * the buffer.
 */
#ifndef F
#include "../kernel.h"

enum { BUFFER = 8192 };

/* One of the iterator's nested loops: axes that follow one another in memory. */
struct loop {
  uint64_t extent;
  int64_t step;
  int reduced;
};

static int64_t step_of(const struct bf_axis *axis) { return axis->extent == 1 ? 0 : axis->x; }

/*
 * The axes, the innermost first. An insertion sort, from the last axis on, in which an axis goes below those of longer steps; steps
 * of 0 are passed over, as they are neither longer nor shorter.
 */
static void nest(const struct bf_walk *walk, int *axes) {
  for (int i = 0; i < walk->rank; i++) {
    const int axis = walk->rank - 1 - i;
    const uint64_t step = bf_magnitude(step_of(&walk->axis[axis]));
    int place = i;
    for (int k = i - 1; k >= 0; k--) {
      const uint64_t other = bf_magnitude(step_of(&walk->axis[axes[k]]));
      if (step && other && other <= step) break;
      if (step && other) place = k;
    }
    memmove(axes + place + 1, axes + place, (size_t)(i - place) * sizeof *axes);
    axes[place] = axis;
  }
}

/* Their loops, without those of one step; returns how many of them, from the innermost on, are reduced. */
static int merge(const struct bf_walk *walk, const int *axes, struct loop *loops) {
  int count = 0, first = 0;
  for (int i = 0; i < walk->rank; i++) {
    const struct bf_axis *axis = &walk->axis[axes[i]];
    const int reduced = walk->marked >> axes[i] & 1;
    struct loop *last = count ? &loops[count - 1] : NULL;
    if (axis->extent == 1) continue;
    if (last && last->reduced == reduced && (uint64_t)axis->x == (uint64_t)last->step * last->extent) last->extent *= axis->extent;
    else loops[count++] = (struct loop){axis->extent, axis->x, reduced};
  }
  while (first < count && loops[first].reduced) first++;
  return first;
}

/* Whether NumPy has to convert the elements, or to copy them to where they are aligned. */
static int is_cast(const struct bf_job *job, const struct bf_walk *walk) {
  uint64_t odd = (uint64_t)(uintptr_t)job->terms.x;
  for (int i = 0; i < walk->rank; i++)
    if (walk->axis[i].extent > 1) odd |= (uint64_t)walk->axis[i].x;
  return job->contract->accumulator != job->contract->element || job->terms.x_swapped || odd & (uint64_t)(job->terms.size - 1);
}

/* A sum of runs: `period` terms are cut into runs of `run`, the last one shorter, and so the next period. */
struct runs {
  uint64_t period, run;
};

static struct runs runs_before(const struct loop *loops, int count) {
  struct runs runs = {1, BUFFER};
  for (int i = 0; i < count; i++) runs.period *= loops[i].extent;
  return runs;
}

static struct runs runs_since(const struct loop *loops, int count, int cast) {
  uint64_t size = loops->extent, rows = 1;
  if (!cast && (count == 1 || size > BUFFER / 2)) return (struct runs){size, size};
  for (int i = 1; i < count && size < BUFFER; i++) rows = size, size *= loops[i].extent;
  return (struct runs){size, BUFFER / rows * rows};
}

static void set_levels(struct bf_job *job, bitfold_level *levels, struct runs runs) {
  const int halves = job->contract->accumulator == BITFOLD_FORMAT_F16;
  unsigned depth = 0;
  if (halves || (runs.run < runs.period && runs.period < job->n)) {
    levels[depth++] = (bitfold_level){.order = BITFOLD_ORDER_NUMPY, .size = runs.period};
    levels[depth++] = (bitfold_level){.order = BITFOLD_ORDER_BLOCKS, .size = runs.run};
  } else if (runs.run < job->n || runs.period < job->n) {
    levels[depth++] = (bitfold_level){.order = BITFOLD_ORDER_BLOCKS, .size = runs.run < runs.period ? runs.run : runs.period};
  }
  levels[depth++] = (bitfold_level){.order = BITFOLD_ORDER_PAIRWISE, .size = 128};
  levels[depth++] = (bitfold_level){BITFOLD_ORDER_LANES, BITFOLD_FOLD_PAIRS, BITFOLD_TAIL_AFTER, 8};
  job->depth = depth;
}

static void resolve(struct bf_job *job, bitfold_level *levels, struct bf_walk *walk, int before) {
  int axes[BITFOLD_RANK_MAX] = {0}, sequence[BITFOLD_RANK_MAX], reduced = 0;
  struct loop loops[BITFOLD_RANK_MAX];
  levels[0] = (bitfold_level){.order = BITFOLD_ORDER_SEQUENTIAL};
  if (job->contract->operation == BITFOLD_OPERATION_DOT || !walk->terms || !walk->outputs) return;
  nest(walk, axes);
  for (int i = walk->rank - 1; i >= 0; i--)
    if (walk->marked >> axes[i] & 1) sequence[reduced++] = axes[i];
  bf_walk_resort(walk, sequence, reduced);
  const int inner = merge(walk, axes, loops);
  if (!inner) return;
  set_levels(job, levels, before ? runs_before(loops, inner) : runs_since(loops, inner, is_cast(job, walk)));
}

/*
 * A quotient is an f64's, rounded to the accumulator. Only where the count is exact there is it the accumulator's own. A mean of
 * halves that are added in f32 is rounded to them at once if it is a scalar, and by way of f32 in an array.
 */
static void set_mean(struct bf_job *job, const struct bf_walk *walk) {
  const bitfold_contract *c = job->contract;
  const int scalar = !walk->output_rank && c->accumulator == BITFOLD_FORMAT_F32 && c->output == BITFOLD_FORMAT_F16;
  if (bf_is_mean(c->operation)) job->mean = scalar ? BF_MEAN_F64_AT_ONCE : BF_MEAN_F64;
}

bitfold_status bf_resolve_numpy(struct bf_job *job, bitfold_level *levels, struct bf_walk *walk, bitfold_message *message) {
  (void)message;
  resolve(job, levels, walk, 0);
  set_mean(job, walk);
  return BITFOLD_STATUS_OK;
}

bitfold_status bf_resolve_numpy_1(struct bf_job *job, bitfold_level *levels, struct bf_walk *walk, bitfold_message *message) {
  (void)message;
  resolve(job, levels, walk, 1);
  set_mean(job, walk);
  return BITFOLD_STATUS_OK;
}

#define f16_kernel f32 /* what the kernel adds in */
#define bf16_kernel f32
#define f32_kernel f32
#define f64_kernel f64
#define SELF "../order/numpy.c"
#include "../format/each_accumulator.h"
const struct bf_order bf_order_numpy = {f16_numpy, bf16_numpy, f32_numpy, f64_numpy};
const struct bf_order bf_order_numpy_1 = {f16_numpy, bf16_numpy, f32_numpy, f64_numpy};
#else
/* What no other order says: level[0] has the period, level[1] the length of a run, the rest is the kernel. */
static void ON(numpy)(const struct bf_terms *terms, const bitfold_level *level, uint64_t first, uint64_t n, ON(value) * out) {
  BF_JOIN(ON(kernel), value) run[BF_WIDTH_MAX];
  memset(out, 0, terms->width * sizeof *out);
  for (uint64_t at = 0, count; at < n && !bf_stopped(terms); at += count) {
    count = level[0].size - at % level[0].size;
    if (count > n - at) count = n - at;
    if (count > level[1].size) count = level[1].size;
    bf_order_pairwise.ON(kernel)(terms, level + 2, first + at, count, run);
    for (size_t j = 0; j < terms->width; j++) out[j] = ON(plus)(out[j], run[j]);
  }
}
#endif
