/* SPDX-License-Identifier: Apache-2.0 */
/* The arrays of bench: allocated once, as large as memory allows, and filled for each row by repeating a block of random elements.
 */
#include "bench.h"
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20, SIDE_ROOM = 4 << 20, BLOCK = 1 << 20, RAIL = 1000 };

/* Bytes that the system says are free; SIZE_MAX if it does not say. */
static size_t free_bytes(void) {
  char line[128] = "";
  size_t kib = SIZE_MAX >> 10;
  FILE *file = fopen("/proc/meminfo", "r");
  while (file && fgets(line, sizeof line, file)) {
    if (memcmp(line, "MemAvailable:", 13) == 0) kib = (size_t)strtoull(line + 13, NULL, 10);
  }
  if (file) (void)fclose(file);
  return kib << 10;
}

static void *room(size_t bytes) {
  bytes = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
  void *at = aligned_alloc(HUGE_PAGE, bytes);
#ifdef MADV_HUGEPAGE
  if (at) (void)madvise(at, bytes, MADV_HUGEPAGE);
#endif
  return at;
}

int bench_arrays_open(bench_arrays *a, size_t bytes) {
  const size_t most = free_bytes() / 4 * 3;
  *a = (bench_arrays){.y = room(SIDE_ROOM), .result = room(SIDE_ROOM), .expected = room(SIDE_ROOM)};
  for (; bytes > SIDE_ROOM && (bytes > most || !(a->x = room(bytes))); bytes /= 2) continue;
  if (!a->x) a->x = room(bytes);
  a->bytes = bytes;
  return a->x && a->y && a->result && a->expected ? STATUS_DONE : complain(NULL, "out of memory");
}

void bench_arrays_close(bench_arrays *a) {
  free(a->x);
  free(a->y);
  free(a->result);
  free(a->expected);
}

/* From any code k of -most .. most, the one at place i of an array of this kind. */
static int16_t bent(bench_data data, int most, int k, size_t i, int last) {
  switch (data) {
  case BENCH_QUIET: return (int16_t)(i & 1 ? -last : k / 4);
  case BENCH_RAILS: return (int16_t)((k < -most / 2 ? k : abs(k)) * (i / RAIL & 1 ? -1 : 1));
  case BENCH_DRIFT: return (int16_t)(k / 32);
  default: return (int16_t)k;
  }
}

static void bend(bitfold_format format, bench_data data, void *codes, size_t n) {
  int8_t *narrow = codes;
  int16_t *wide = codes, last = 0;
  for (size_t i = 0; i < n; i++) {
    if (format == BITFOLD_FORMAT_SF8) narrow[i] = (int8_t)(last = bent(data, INT8_MAX, narrow[i], i, last));
    else wide[i] = last = bent(data, INT16_MAX, wide[i], i, last);
  }
}

/* generate's kinds: 0 is normal, 2 any exponent, which for codes means any code. */
static void fill(bitfold_format format, bench_data data, uint64_t seed, unsigned char *to, size_t bytes) {
  const size_t size = bitfold_format_size(format), n = bytes / size < BLOCK ? bytes / size : BLOCK;
  generate(format_is_sf(format) ? 2 : 0, format, seed, to, n);
  if (format_is_sf(format)) bend(format, data, to, n);
  for (size_t done = n * size, more; done < bytes; done += more) {
    more = done < bytes - done ? done : bytes - done;
    memcpy(to + done, to, more);
  }
}

static void transpose(int16_t *matrix) {
  int16_t *to = matrix + (size_t)BENCH_SIDE * BENCH_SIDE;
  for (size_t i = 0; i < BENCH_SIDE; i++)
    for (size_t j = 0; j < BENCH_SIDE; j++) to[j * BENCH_SIDE + i] = matrix[i * BENCH_SIDE + j];
}

void bench_arrays_fill(bench_arrays *a, bench_work *w) {
  const bitfold_format format = w->contract.element;
  if (a->format != format || a->data != w->row->data || a->filled < w->bytes) {
    fill(format, w->row->data, 1, a->x, w->bytes);
    a->format = format, a->data = w->row->data, a->filled = w->bytes;
  }
  if (w->contract.operation == BITFOLD_OPERATION_DOT) fill(format, w->row->data, 2, a->y, w->bytes);
  if (w->row->shape == BENCH_MATMUL) transpose(a->y);
  w->x.data = a->x;
  w->y.data = a->y;
  w->output.data = a->result;
}
