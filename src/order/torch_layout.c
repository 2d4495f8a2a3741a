/* SPDX-License-Identifier: Apache-2.0 */
/*
 * torch(T): what PyTorch makes of a layout. Its axes become loops, sorted by their strides, those that are reduced innermost, and
 * merged where one goes on where the other ends; the two innermost decide. Halves whose reduced axes are not one loop, means of
 * halves, and sums in another format are first copied, which closes gaps. The output is a new tensor, whatever the caller's.
 */
#include "torch.h"

/* Axes in elements of the memory that is summed; out is 0 for reduced axes. */
struct layout {
  int rank;
  uint64_t extent[BITFOLD_RANK_MAX], in[BITFOLD_RANK_MAX], out[BITFOLD_RANK_MAX];
  int axis[BITFOLD_RANK_MAX]; /* the innermost first */
};

/* Loops, the innermost first; axes [begin, end) of layout.axis. */
struct loop {
  uint64_t extent, in, out;
  int begin, end;
};

static bitfold_status read_strides(struct layout *layout, const struct bf_job *job, const struct bf_walk *walk,
                                   bitfold_message *message) {
  struct bf_digits axis;
  const int64_t size = job->terms.size;
  uint64_t step = 1;
  layout->rank = walk->rank;
  for (int i = walk->rank; i-- > 0;) {
    const int64_t stride = walk->axis[i].x, is_one = walk->axis[i].extent == 1;
    if (!is_one && (stride < 0 || stride % size))
      return BF_FAIL(message, BITFOLD_STATUS_SHAPE, "torch: the stride of axis ", bf_number(&axis, i),
                     stride < 0 ? " is negative, and PyTorch's tensors have none such; copy the array"
                                : " is not a number of whole elements, as PyTorch's are; copy the array");
    layout->extent[i] = walk->axis[i].extent, layout->in[i] = stride < 0 ? 0 : (uint64_t)(stride / size), layout->out[i] = 0;
    if (walk->marked >> i & 1) continue;
    layout->out[i] = step, step *= layout->extent[i];
  }
  return BITFOLD_STATUS_OK;
}

/* Above 0: axis b lies inside a. Below 0: it does not. 0: that is left open. */
static int compare_strides(const struct layout *layout, const uint64_t *stride, int a, int b) {
  if (!stride[a] || !stride[b]) return 0;
  if (stride[a] != stride[b]) return stride[a] > stride[b] ? 1 : -1;
  return layout->extent[a] > layout->extent[b];
}
static int compare(const struct layout *layout, int with_output, int a, int b) {
  if (with_output && !layout->out[a] != !layout->out[b]) return layout->out[b] ? -1 : 1;
  const int order = with_output ? compare_strides(layout, layout->out, a, b) : 0;
  return order ? order : compare_strides(layout, layout->in, a, b);
}

/* By insertion, from the last axis on: what is open depends on it. */
static void sort(struct layout *layout, int with_output) {
  int *const axis = layout->axis;
  for (int i = 0; i < layout->rank; i++) axis[i] = layout->rank - 1 - i;
  for (int i = 1; i < layout->rank; i++)
    for (int j = i - 1, at = i, order; j >= 0 && (order = compare(layout, with_output, axis[j], axis[at])) >= 0; j--) {
      if (!order) continue;
      const int inner = axis[at];
      axis[at] = axis[j], axis[j] = inner, at = j;
    }
}

/* Sorts the axes and returns how many loops they are. */
static int make_loops(struct layout *layout, struct loop loop[BITFOLD_RANK_MAX]) {
  int count = 0;
  sort(layout, 1);
  for (int i = 0; i < layout->rank; i++) {
    const int a = layout->axis[i];
    struct loop *last = count ? &loop[count - 1] : NULL;
    const struct loop next = {layout->extent[a], layout->in[a], layout->out[a], i, i + 1};
    if (last && last->extent == 1) last->in = next.in, last->out = next.out;
    else if (!last || (next.extent != 1 && (last->extent * last->in != next.in || last->extent * last->out != next.out))) {
      loop[count++] = next;
      continue;
    }
    last->extent *= next.extent, last->end = next.end;
  }
  return count;
}

/* Whether the elements fill a piece of memory, each its own. */
static int is_dense(const struct layout *layout) {
  uint64_t step = 1;
  int left = 0, found = 1;
  for (int i = 0; i < layout->rank; i++) left += layout->extent[i] != 1;
  for (; left && found; left--) {
    found = 0;
    for (int i = 0; i < layout->rank && !found; i++)
      if (layout->extent[i] != 1 && layout->in[i] == step) found = 1, step *= layout->extent[i];
  }
  return found;
}

/* Where a copy has the elements: as they were, or packed in the same sequence. */
static void pack(struct layout *layout) {
  uint64_t step = 1;
  if (is_dense(layout)) return;
  sort(layout, 0);
  for (int i = 0; i < layout->rank; i++) {
    layout->in[layout->axis[i]] = step;
    step *= layout->extent[layout->axis[i]];
  }
}

static int reduced_loops(const struct loop *loop, int count) {
  int reduced = 0;
  for (int i = 0; i < count; i++) reduced += !loop[i].out && loop[i].extent > 1;
  return reduced;
}

/* The loop that is dealt out to threads. */
static int split_loop(const struct loop *loop, int count, uint64_t threads) {
  int best = count - 1;
  for (int i = best; i >= 0 && loop[i].out; i--) {
    if (loop[i].extent >= threads) return i;
    if (loop[i].extent > loop[best].extent) best = i;
  }
  return best;
}

/* Terms in PyTorch's sequence; neighbouring outputs along the second loop, where it is one of outputs, and counted in y. */
static void arrange(struct bf_walk *walk, const struct layout *layout, const struct loop *loop, int count) {
  int sequence[BITFOLD_RANK_MAX], reduced = 0;
  uint64_t column = 1;
  walk->outers = 0, walk->inner = (struct bf_axis){1, 0, 0, 0};
  for (int i = layout->rank; i-- > 0;)
    if (walk->marked >> layout->axis[i] & 1) sequence[reduced++] = layout->axis[i];
  for (int i = 0; i < layout->rank; i++) {
    struct bf_axis axis = walk->axis[layout->axis[i]];
    if (walk->marked >> layout->axis[i] & 1 || axis.extent == 1) continue;
    axis.y = count > 1 && i < loop[1].end ? (int64_t)column : 0;
    column *= axis.extent;
    if (walk->inner.extent == 1) walk->inner = axis;
    else walk->outer[walk->outers++] = axis;
  }
  bf_walk_resort(walk, sequence, reduced);
}

static struct bf_torch describe(const struct loop *loop, int count, uint64_t outputs, uint64_t threads) {
  const struct loop second = count > 1 ? loop[1] : (struct loop){1, 0, 0, 0, 0};
  struct bf_torch torch = {.row = loop[0].extent,
                           .columns = second.extent,
                           .places = outputs == 1 ? threads : 1,
                           .down = loop[0].in == 1,
                           .across = second.in == 1,
                           .rising = loop[0].in<second.in, .parts = count> 1 && !second.out};
  if (threads > 1 && outputs > 1 && split_loop(loop, count, threads) == 1) {
    const uint64_t pieces = second.extent < threads ? second.extent : threads;
    torch.share = (second.extent + pieces - 1) / pieces;
  }
  return torch;
}

bitfold_status bf_resolve_torch(struct bf_job *job, bitfold_level *levels, struct bf_walk *walk, bitfold_message *message) {
  const bitfold_contract *c = job->contract;
  const int is_half = c->element <= BITFOLD_FORMAT_BF16;
  struct layout layout = {0};
  struct loop loop[BITFOLD_RANK_MAX] = {{0}};
  job->column = 0;
  if (walk->terms < 2 || !walk->outputs) { /* 0 + x, or nothing */
    levels[0] = (bitfold_level){.order = BITFOLD_ORDER_SEQUENTIAL};
    return BITFOLD_STATUS_OK;
  }
  const bitfold_status status = read_strides(&layout, job, walk, message);
  if (status) return status;
  int count = make_loops(&layout, loop);
  const int is_copied = c->output != c->element || (is_half && (bf_is_mean(c->operation) || reduced_loops(loop, count) > 1));
  if (is_copied) pack(&layout), count = make_loops(&layout, loop);
  const uint64_t threads = walk->outputs * walk->terms < BF_TORCH_GRAIN ? 1 : levels[0].size;
  struct bf_torch torch = describe(loop, count, walk->outputs, threads);
  torch.halves = is_half && !is_copied, torch.lanes = c->accumulator == BITFOLD_FORMAT_F64 ? 4 : 8;
  if (!torch.parts && torch.down && torch.row >= bf_torch_vector(&torch, c->accumulator)) torch.way = BF_TORCH_ALONG;
  if (torch.places > 1) torch.way = (enum bf_torch_way)0;
  bf_torch_to(&torch, levels);
  arrange(walk, &layout, loop, count);
  return BITFOLD_STATUS_OK;
}
