/* SPDX-License-Identifier: Apache-2.0 */
/* From a row of bench's table to a name, tensors and axes. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

static const uint64_t memory[2] = {UINT64_C(512) << 20, UINT64_C(16) << 20}; /* bytes; the second is for --quick */

static const struct {
  const char *name; /* behind the number of MiB where that is chosen */
  int rank;
  int64_t extent[4]; /* the first may be 0: as many as fill the memory */
  int axis;          /* the one that is reduced; -1 for all */
} shapes[] = {
    [BENCH_CACHE] = {"16 Ki", 1, {16384}, -1},
    [BENCH_MEMORY] = {"", 1, {0}, -1},
    [BENCH_LINES] = {"4096 rows of 1024", 2, {4096, 1024}, 1},
    [BENCH_COLUMNS] = {" in 1024 columns", 2, {0, 1024}, 0},
    [BENCH_SQUARE] = {"columns of a square", 2, {4096, 4096}, 0},
    [BENCH_SET] = {"64 rows of 65536", 2, {64, 65536}, 1},
    [BENCH_IMAGES] = {"8x56x56x64", 4, {8, 56, 56, 64}, -1},
    [BENCH_MATMUL] = {"matmul 256x256x256", 2, {BENCH_SIDE, BENCH_SIDE}, -1},
    [BENCH_CALL] = {"call of 16", 1, {16}, -1},
};

static void name_work(bench_work *w, unsigned mask, const bench_plan *plan) {
  static const char *const data[] = {"", ", quiet", ", random", ", rails"};
  char size[48], more[48] = "";
  const bench_row *row = w->row;
  const char *shape = shapes[row->shape].name;
  if (shapes[row->shape].extent[0]) (void)snprintf(size, sizeof size, "%s", shape);
  else (void)snprintf(size, sizeof size, "%zu MiB%s", w->bytes >> 20, shape);
  if (row->shape == BENCH_IMAGES) {
    int used = snprintf(more, sizeof more, ", axes");
    for (int axis = 0; axis < 4; axis++)
      if (mask & 1U << axis) used += snprintf(more + used, sizeof more - (size_t)used, " %d", axis);
  }
  if (row->against == BENCH_ONE_THREAD) (void)snprintf(more, sizeof more, ", %d threads", plan->threads);
  (void)snprintf(w->name, sizeof w->name, "%s, %s%s%s", row->contract, size, data[row->data], more);
}

/* The views of a matrix product: a dot over the last axis of (256, 1, 256) and (1, 256, 256), both made whole by strides of 0. */
static void view_matmul(bench_work *w) {
  const int64_t size = w->x.stride[1], side = BENCH_SIDE, shape[3] = {side, side, side};
  (void)bitfold_tensor_init(&w->x, w->contract.element, NULL, 3, shape);
  w->y = w->x;
  w->x.stride[0] = side * size, w->x.stride[1] = 0, w->x.stride[2] = size;
  w->y.stride[0] = 0, w->y.stride[1] = size, w->y.stride[2] = side * size;
  w->axes = (bitfold_axes){1, {2}};
  w->n = (uint64_t)side * (uint64_t)side * (uint64_t)side;
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
  memcpy(shape, shapes[row->shape].extent, sizeof shape);
  if (plan->quick && row->shape == BENCH_SQUARE) shape[0] = shape[1] = 1024;
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
