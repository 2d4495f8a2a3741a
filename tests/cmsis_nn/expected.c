/* SPDX-License-Identifier: Apache-2.0 */
/* The outputs that a call must give, element after element in the order of memory: the slow implementation that tests compare with.
 */
#include "suite.h"

void tally_begin(tally *t, const function *f, int lanes) { *t = (tally){.f = f, .lanes = lanes, .best = UINT32_MAX}; }

/* Grows with the value; both zeros are 0. */
static int64_t height(const format *f, uint32_t bits) {
  int64_t magnitude = bits & ~f->sign;
  return bits & f->sign ? -magnitude : magnitude;
}

static int beats(const function *f, uint32_t bits, uint32_t best) {
  int64_t a = height(f->format, bits), b = height(f->format, best);
  return f->act == MAX || f->act == ARGMAX ? a > b : a < b;
}

void tally_add(tally *t, uint32_t bits) {
  const format *f = t->f->format;
  if (is_sum(t->f)) {
    uint32_t *to = &t->sum[t->lanes ? t->seen & 3 : 0];
    *to = soft_plus(*to, soft_convert(f, &single, bits));
  } else if ((bits & ~f->sign) > f->inf) {
    t->has_nan = 1;
  } else if (t->best == UINT32_MAX || beats(t->f, bits, t->best)) {
    t->best = bits, t->at = t->seen;
  }
  t->seen++;
}

uint32_t tally_end(const tally *t) {
  const format *f = t->f->format;
  if (is_arg(t->f)) return t->at;
  if (is_extreme(t->f)) {
    if (t->has_nan) return f->nan;
    return t->best != UINT32_MAX ? t->best : t->f->act == MAX ? f->sign | f->inf : f->inf;
  }
  uint32_t total = t->sum[0];
  for (int i = 1; i < 4 && t->lanes; i++) total = soft_plus(total, t->sum[i]);
  return soft_convert(&single, f, t->f->act == MEAN ? soft_over(total, t->seen) : total);
}

/* The reduced axes are the last ones, those of extent 1 left out. */
int is_suffix(const cmsis_nn_dims *in, const cmsis_nn_dims *mask) {
  int reduced = 0;
  for (int i = 0; i < 4; i++) {
    if (extent(in, i) == 1) continue;
    if (extent(mask, i)) reduced = 1;
    else if (reduced) return 0;
  }
  return 1;
}

/* Where the elements of some axes lie, row-major, from the first one on: the axes whose mask entry is not 0, or the others. */
static size_t walk(const cmsis_nn_dims *in, const cmsis_nn_dims *mask, int reduced, uint16_t *at) {
  size_t n = 1, stride = 1;
  at[0] = 0;
  for (int i = 3; i >= 0; i--) { /* the axes so far are repeated once for each index of this one */
    size_t e = (size_t)extent(in, i), before = n;
    for (size_t k = 1; k < e && (extent(mask, i) != 0) == reduced; k++)
      for (size_t j = 0; j < before; j++) at[n++] = (uint16_t)(at[j] + k * stride);
    stride *= e;
  }
  return n;
}

size_t expected(const call *c, uint32_t *want) {
  static uint16_t kept[CAPACITY], reduced[CAPACITY];
  const cmsis_nn_dims axis = {c->axis == 0, c->axis == 1, c->axis == 2, c->axis == 3}, *mask = is_arg(c->f) ? &axis : c->mask;
  const int copies = is_extreme(c->f) && !mask->n && !mask->h && !mask->w && !mask->c, lanes = is_suffix(c->in, mask);
  size_t outputs = (size_t)elements(c->in, mask), n = 0;
  tally t;
  if (!outputs) return 0;
  if (elements(c->in, NULL)) walk(c->in, mask, 0, kept), n = walk(c->in, mask, 1, reduced);
  for (size_t o = 0; o < outputs; o++) {
    tally_begin(&t, c->f, lanes);
    for (size_t i = 0; i < n; i++) tally_add(&t, get(c->f->format, c->x, (size_t)kept[o] + reduced[i]));
    want[o] = copies ? get(c->f->format, c->x, kept[o]) : tally_end(&t);
  }
  return outputs;
}
