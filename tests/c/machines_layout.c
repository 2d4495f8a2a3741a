/* SPDX-License-Identifier: Apache-2.0 */
/* Random shapes, lengths about the sizes of vectors, tiles and blocks, and layouts of tensors in memory. */
#include <stdlib.h>
#include <string.h>

#include "machines.h"

enum { USUAL = 6000, LARGE = 140000, TILE = 256, BEFORE = 64 };

static size_t length(uint64_t *state) {
  const uint64_t pick = random_below(state, 10), power = UINT64_C(1) << (1 + random_below(state, 12));
  if (pick < 3) return (size_t)random_below(state, 21);
  if (pick < 6) return (size_t)(power - 1 + random_below(state, 3));
  if (pick < 9) return (size_t)(TILE * (1 + random_below(state, 16)) - 1 + random_below(state, 3));
  return (size_t)random_below(state, 3000);
}

static size_t neighbours(uint64_t *state) {
  static const size_t few[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 65};
  return one_in(state, 3) ? (size_t)random_below(state, 70) : few[random_below(state, sizeof few / sizeof *few)];
}

/* Now and then so many elements that threads share them, in many rows or in one. */
static void sizes(uint64_t *state, size_t *outputs, size_t *terms) {
  *terms = length(state), *outputs = neighbours(state);
  if (one_in(state, 300)) *outputs = 1 + (size_t)random_below(state, 2), *terms = 60000 + (size_t)random_below(state, 140000);
  else if (one_in(state, 100)) *terms = 48 + *terms % 700, *outputs = LARGE / *terms;
  else
    while (*outputs * *terms > USUAL && *outputs > 1) *outputs /= 2;
}

/* Deals a count to the axes of a mask: small factors at random, what is left to one of them. Returns their product. */
static size_t deal(uint64_t *state, struct problem *p, unsigned mask, size_t count) {
  size_t product = 1;
  int axes[BITFOLD_RANK_MAX], n = 0;
  for (int i = 0; i < p->rank; i++)
    if (mask >> i & 1) axes[n++] = i;
  if (!n) return 1;
  const int main = (int)random_below(state, (uint64_t)n);
  for (int i = 0; i < n; i++) {
    if (i == main) continue;
    const size_t factor = 1 + (size_t)random_below(state, 5);
    p->shape[axes[i]] = count >= factor ? (int64_t)factor : 1;
    count /= (size_t)p->shape[axes[i]];
  }
  p->shape[axes[main]] = (int64_t)count;
  for (int i = 0; i < n; i++) product *= (size_t)p->shape[axes[i]];
  return product;
}

void random_problem(uint64_t *state, struct problem *p) {
  size_t outputs, terms;
  *p = (struct problem){.rank = one_in(state, 60) ? 0 : 1 + (int)random_below(state, 4)};
  const unsigned all = (1u << p->rank) - 1;
  p->reduced = (unsigned)random_below(state, all + 1) & all;
  if (one_in(state, 3)) p->reduced = one_in(state, 2) ? all & ~1u : all & 1; /* rows and columns */
  sizes(state, &outputs, &terms);
  p->terms = deal(state, p, p->reduced, terms);
  p->outputs = deal(state, p, all & ~p->reduced, outputs);
}

/* A random sequence of the axes, the fastest one first. */
static void shuffle(uint64_t *state, int rank, int *axes) {
  const int row_major = one_in(state, 2);
  for (int i = 0; i < rank; i++) axes[i] = rank - 1 - i;
  for (int i = rank - 1; i > 0 && !row_major; i--) {
    const int j = (int)random_below(state, (uint64_t)i + 1), axis = axes[i];
    axes[i] = axes[j], axes[j] = axis;
  }
}

void random_array(uint64_t *state, bitfold_format format, int rank, const int64_t *shape, int may_repeat, struct array *array) {
  const int64_t size = (int64_t)bitfold_format_size(format);
  const int plain = one_in(state, 3), odd = one_in(state, 4);
  int axes[BITFOLD_RANK_MAX];
  int64_t pitch = size, low = 0, high = 0;
  bitfold_tensor *view = &array->view;
  *view = (bitfold_tensor){.format = format, .swapped = !plain && one_in(state, 6), .rank = rank};
  shuffle(state, rank, axes);
  if (!plain && one_in(state, 3)) pitch = size * (1 + (int64_t)random_below(state, 3)) + odd;
  for (int i = 0; i < rank; i++) {
    const int axis = axes[i], repeats = may_repeat && one_in(state, 25);
    view->shape[axis] = shape[axis];
    view->stride[axis] = repeats ? 0 : !plain && one_in(state, 4) ? -pitch : pitch;
    if (shape[axis] > 1 && view->stride[axis] < 0) low += (shape[axis] - 1) * view->stride[axis];
    if (shape[axis] > 1 && view->stride[axis] > 0) high += (shape[axis] - 1) * view->stride[axis];
    if (!repeats && shape[axis] > 0) pitch *= shape[axis];
    if (!plain && one_in(state, 3)) pitch += odd + size * (int64_t)random_below(state, 4);
  }
  const int64_t before = (int64_t)random_below(state, plain ? 2 : BEFORE) * (odd ? 1 : size); /* then it ends with its memory */
  array->bytes = (size_t)(before - low + high + size);
  array->memory = malloc(array->bytes ? array->bytes : 1);
  if (!array->memory) abort();
  memset(array->memory, UNTOUCHED, array->bytes);
  view->data = array->memory + before - low;
}

size_t positions(const bitfold_tensor *view, unsigned mask, int64_t *bytes) {
  size_t n = 1;
  bytes[0] = 0;
  for (int axis = 0; axis < view->rank;
       axis++) { /* each place so far becomes `extent` places; from the back, as they lie in bytes */
    if (!(mask >> axis & 1)) continue;
    const size_t extent = (size_t)view->shape[axis];
    for (size_t i = n; i-- > 0;)
      for (size_t k = extent; k-- > 0;) bytes[i * extent + k] = bytes[i] + (int64_t)k * view->stride[axis];
    n *= extent;
  }
  return n;
}
