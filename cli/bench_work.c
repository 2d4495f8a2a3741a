/* SPDX-License-Identifier: Apache-2.0 */
/* From a row of bench's table to a name, tensors and axes. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

static const uint64_t memory[2] = {UINT64_C(512) << 20, UINT64_C(4) << 20}; /* bytes; the second of each is for --quick */

static const struct {
  const char *name; /* in front of the extents, or of a round number for those of one axis */
  int rank;
  int64_t extent[2][4]; /* the first may be 0: as many as fill the memory */
  int axis;             /* the one that is reduced; -1 for all */
} shapes[] = {
    [BENCH_CACHE] = {"", 1, {{16384}, {16384}}, -1},
    [BENCH_MEMORY] = {"", 1, {{0}, {0}}, -1},
    [BENCH_LINES] = {"rows of ", 2, {{4096, 1024}, {256, 1024}}, 1},
    [BENCH_COLUMNS] = {"columns of ", 2, {{0, 1024}, {0, 1024}}, 0},
    [BENCH_SQUARE] = {"columns of ", 2, {{4096, 4096}, {512, 512}}, 0},
    [BENCH_SET] = {"rows of ", 2, {{64, 65536}, {64, 4096}}, 1},
    [BENCH_IMAGES] = {"", 4, {{8, 56, 56, 64}, {8, 14, 14, 64}}, -1},
    [BENCH_MATMUL] = {"matmul ", 3, {{BENCH_SIDE, BENCH_SIDE, BENCH_SIDE}, {BENCH_SIDE, BENCH_SIDE, BENCH_SIDE}}, 2},
    [BENCH_CALL] = {"call of ", 1, {{16}, {16}}, -1},
};

static const char *name_size(const bench_work *w, char text[48]) {
  const int64_t n = w->x.shape[0];
  int used = snprintf(text, 48, "%s", shapes[w->row->shape].name);
  if (w->row->shape == BENCH_MEMORY) (void)snprintf(text, 48, "%zu MiB", w->bytes >> 20);
  else if (w->row->shape == BENCH_CACHE) (void)snprintf(text, 48, "%lld Ki", (long long)n >> 10);
  else
    for (int i = 0; i < w->x.rank; i++)
      used += snprintf(text + used, 48 - (size_t)used, "%s%lld", i ? "x" : "", (long long)w->x.shape[i]);
  return text;
}

static void name_work(bench_work *w, unsigned mask, const bench_plan *plan) {
  static const char *const data[] = {"", ", quiet", ", random", ", rails", ", drift"};
  char size[48], more[48] = "";
  if (w->row->shape == BENCH_IMAGES) {
    int used = snprintf(more, sizeof more, ", axes");
    for (int axis = 0; axis < w->x.rank; axis++)
      if (mask & 1U << axis) used += snprintf(more + used, sizeof more - (size_t)used, " %d", axis);
  }
  if (w->row->against == BENCH_ONE_THREAD) (void)snprintf(more, sizeof more, ", %d threads", plan->threads);
  (void)snprintf(w->name, sizeof w->name, "%s, %s%s%s", w->row->contract, name_size(w, size), data[w->row->data], more);
}

/* The views of a matrix product: both operands made whole by a stride of 0, and the dot over the last axis. */
static void view_matmul(bench_work *w) {
  const int64_t size = w->x.stride[2], side = w->x.shape[0];
  w->x.stride[0] = side * size, w->x.stride[1] = 0;
  w->y.stride[0] = 0, w->y.stride[1] = size, w->y.stride[2] = side * size;
  w->bytes = (size_t)(side * side * size);
}

static void set_axes(bench_work *w, unsigned mask, int axis) {
  w->axes.count = 0;
  for (int i = 0; i < w->x.rank; i++)
    if (axis < 0 ? !mask || mask & 1U << i : i == axis) w->axes.axis[w->axes.count++] = i;
}

void bench_work_init(bench_work *w, const bench_row *row, unsigned mask, const bench_plan *plan) {
  int64_t shape[4];
  *w = (bench_work){.row = row, .engine = {.isa = plan->isa, .threads = 1}, .n = 1};
  (void)bitfold_contract_parse(row->contract, &w->contract, NULL);
  const uint64_t size = bitfold_format_size(w->contract.element);
  memcpy(shape, shapes[row->shape].extent[plan->quick], sizeof shape);
  if (!shape[0]) shape[0] = (int64_t)(memory[plan->quick] / size) / (shape[1] ? shape[1] : 1);
  (void)bitfold_tensor_init(&w->x, w->contract.element, NULL, shapes[row->shape].rank, shape);
  for (int i = 0; i < w->x.rank; i++) w->n *= (uint64_t)shape[i];
  w->bytes = w->n * size;
  w->y = w->x;
  set_axes(w, mask, shapes[row->shape].axis);
  if (row->shape == BENCH_MATMUL) view_matmul(w);
  (void)bitfold_tensor_reduced(&w->x, &w->axes, 0, w->contract.output, &w->output, NULL);
  w->result_bytes = bitfold_format_size(w->contract.output);
  for (int i = 0; i < w->output.rank; i++) w->result_bytes *= (size_t)w->output.shape[i];
  name_work(w, mask, plan);
}
