/* SPDX-License-Identifier: Apache-2.0 */
/* NumPy's broadcasting, and its matmul as a dot: both operands become strided views of one shape, of which nothing is copied. */
#include "cli.h"

#include <string.h>

/* The axes of t moved to the end of `rank` axes. Those before them have extent 1. */
static void lead(bitfold_tensor *t, int rank) {
  int more = rank - t->rank;
  for (int i = rank - 1; i >= 0; i--) {
    t->shape[i] = i >= more ? t->shape[i - more] : 1;
    t->stride[i] = i >= more ? t->stride[i - more] : 0;
  }
  t->rank = rank;
}

int views_broadcast(bitfold_tensor *x, bitfold_tensor *y) {
  int rank = x->rank > y->rank ? x->rank : y->rank;
  lead(x, rank);
  lead(y, rank);
  for (int i = 0; i < rank; i++) {
    bitfold_tensor *one = x->shape[i] == 1 ? x : y;
    const bitfold_tensor *other = one == x ? y : x;
    if (one->shape[i] == other->shape[i]) continue;
    if (one->shape[i] != 1) return 0;
    one->shape[i] = other->shape[i];
    one->stride[i] = 0;
  }
  return 1;
}

/* An axis of extent 1 comes to stand before axis `at`. */
static void insert(bitfold_tensor *t, int at) {
  size_t behind = (size_t)(t->rank - at);
  memmove(t->shape + at + 1, t->shape + at, behind * sizeof *t->shape);
  memmove(t->stride + at + 1, t->stride + at, behind * sizeof *t->stride);
  t->shape[at] = 1;
  t->stride[at] = 0;
  t->rank++;
}

/* (..., k, n) becomes (..., n, k). */
static void transpose(bitfold_tensor *t) {
  int n = t->rank - 1;
  int64_t extent = t->shape[n];
  int64_t stride = t->stride[n];
  t->shape[n] = t->shape[n - 1];
  t->stride[n] = t->stride[n - 1];
  t->shape[n - 1] = extent;
  t->stride[n - 1] = stride;
}

static int refuse(const input *x, const input *y, const char *why) {
  char a[SHAPE_TEXT_MAX];
  char b[SHAPE_TEXT_MAX];
  (void)shape_text(x->header.rank, x->header.shape, a);
  (void)shape_text(y->header.rank, y->header.shape, b);
  return complain(x->name, "shape %s, and %s has %s; %s", a, y->name, b, why);
}

int views_matmul(const input *x, const input *y, bitfold_tensor *a, bitfold_tensor *b) {
  char why[160];
  int ranks[2] = {x->tensor.rank, y->tensor.rank};
  *a = x->tensor;
  *b = y->tensor;
  if (!ranks[0] || !ranks[1]) return refuse(x, y, "matmul takes arrays of one axis and more");
  if (ranks[1] > 1) transpose(b);
  if (a->shape[a->rank - 1] != b->shape[b->rank - 1]) {
    (void)snprintf(why, sizeof why, "matmul takes (..., m, k) and (..., k, n), and k is %lld and %lld",
                   (long long)a->shape[a->rank - 1], (long long)b->shape[b->rank - 1]);
    return refuse(x, y, why);
  }
  if ((ranks[1] > 1 && ranks[0] == BITFOLD_RANK_MAX) || (ranks[0] > 1 && ranks[1] == BITFOLD_RANK_MAX)) {
    (void)snprintf(why, sizeof why, "matmul of two arrays takes up to %d axes of each", BITFOLD_RANK_MAX - 1);
    return refuse(x, y, why);
  }
  /* (..., m, 1, k) and (..., 1, n, k), where an operand of one axis is without its m or n. */
  if (ranks[1] > 1) insert(a, a->rank - 1);
  if (ranks[0] > 1) insert(b, b->rank - (ranks[1] > 1 ? 2 : 1));
  if (views_broadcast(a, b)) return STATUS_DONE;
  return refuse(x, y, "matmul wants the axes before the last two equal, or 1");
}
