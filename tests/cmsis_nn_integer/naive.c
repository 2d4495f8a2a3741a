/* SPDX-License-Identifier: Apache-2.0 */
/* What a call must give, element by element in the simplest way, and the look at everything that a call may and may not change. */
#include <string.h>
#include "relatives.h"

void plan(call *c, const relative *f, cmsis_nn_dims in, unsigned mask) {
  const cmsis_nn_dims axes = {mask >> 3 & 1, mask >> 2 & 1, mask >> 1 & 1, mask & 1};
  const cmsis_nn_dims out = {axes.n ? 1 : in.n, axes.h ? 1 : in.h, axes.w ? 1 : in.w, axes.c ? 1 : in.c};
  *c = (call){.f = f, .scale = scales[0], .room = {in, axes, out}};
  c->in = &c->room[0], c->mask = &c->room[1], c->out = &c->room[2];
  while (c->axis < 3 && !extent(&axes, c->axis)) c->axis++;
  c->x = room(0, count(&in) * f->size);
  c->y = room(1, count(&out) * output_size(f));
}

/* The quotient to the nearest, by C's division; a tie goes up, or away from zero. */
static int64_t divide(int64_t a, int64_t b, int away) {
  int64_t q = a / b, twice = 2 * (a % b);
  if (twice < 0) twice += 2 * b, q--;
  return twice > b || (twice == b && (!away || a > 0)) ? q + 1 : q;
}

static int32_t rescaled(int64_t sum, const scale *s, const relative *f) {
  int64_t value = sum;
  for (int i = 0; i < s->shift; i++) value *= 2;
  value = divide(value * s->multiplier, INT64_C(1) << 31, 0);
  if (s->shift < 0) value = divide(value, INT64_C(1) << -s->shift, 1);
  value += s->out_offset;
  return value < least(f) ? least(f) : value > greatest(f) ? greatest(f) : (int32_t)value;
}

size_t expected(const call *c, int32_t *want) {
  static int64_t sum[CAPACITY];
  static int32_t best[CAPACITY], terms[CAPACITY];
  const size_t outputs = count(&c->room[2]), inputs = count(&c->room[0]);
  const act a = c->f->act;
  for (size_t o = 0; o < outputs; o++) sum[o] = 0, terms[o] = 0, want[o] = 0;
  for (size_t i = 0; i < inputs; i++) {
    size_t at[4], o = 0, rest = i;
    for (int axis = 3; axis >= 0; rest /= (size_t)extent(c->in, axis), axis--) at[axis] = rest % (size_t)extent(c->in, axis);
    for (int axis = 0; axis < 4; axis++) o = o * (size_t)extent(&c->room[2], axis) + (extent(&c->room[1], axis) ? 0 : at[axis]);
    const int32_t x = load(c->x, c->f->size, i);
    if (!terms[o] || (a == MAX || a == ARGMAX ? x > best[o] : x < best[o]))
      best[o] = x, want[o] = is_arg(c->f) ? (int32_t)at[c->axis] : x;
    sum[o] += (int64_t)x + c->scale.input_offset;
    terms[o]++;
  }
  for (size_t o = 0; o < outputs; o++)
    if (a == MEAN) want[o] = terms[o] ? rescaled(sum[o], &c->scale, c->f) : 0;
    else if (!terms[o]) want[o] = a == MAX ? least(c->f) : greatest(c->f);
  return outputs;
}

/* After a call: nothing but the outputs may have changed. */
static void look(const call *c, const call *was, const char *x, size_t bytes) {
  const char *around = c->x == c->y ? touched(1, bytes) : touched(0, bytes);
  if (around) fail(around, c->f, 0, 1, 0);
  if (c->x != c->y && bytes && memcmp(c->x, x, bytes) != 0) fail("the input was written", c->f, 0, 1, 0);
  if (memcmp(c->room, was->room, sizeof c->room) != 0) fail("a dimension was written", c->f, 0, 1, 0);
  around = touched(1, count(&c->room[2]) * output_size(c->f));
  if (around) fail(around, c->f, 0, 1, 0);
}

void check(const call *c, const char *label) {
  static char x[CAPACITY * 2];
  static int32_t want[CAPACITY];
  const size_t bytes = count(&c->room[0]) * c->f->size, outputs = expected(c, want);
  const call was = *c;
  if (bytes) memcpy(x, c->x, bytes);
  const arm_cmsis_nn_status status = c->f->make(c);
  if (status != ARM_CMSIS_NN_SUCCESS) fail(label, c->f, ARM_CMSIS_NN_SUCCESS, status, -1);
  for (size_t o = 0; o < outputs; o++) {
    const int32_t got = load(c->y, output_size(c->f), o);
    if (got != want[o]) fail(label, c->f, want[o], got, (long)o);
  }
  look(c, &was, x, bytes);
}

void refuse(const call *c, const char *label) {
  const call was = *c;
  room(1, 0);
  const arm_cmsis_nn_status status = c->f->make(c);
  if (status != ARM_CMSIS_NN_ARG_ERROR) fail(label, c->f, ARM_CMSIS_NN_ARG_ERROR, status, -1);
  if (touched(1, 0)) fail("an output byte has changed on an error", c->f, 0, 1, 0);
  if (memcmp(c->room, was.room, sizeof c->room) != 0) fail("a dimension was written", c->f, 0, 1, 0);
}

void row(const relative *f, const int32_t *x, size_t n, scale s, int32_t want) {
  call c;
  plan(&c, f, (cmsis_nn_dims){1, 1, 1, (int32_t)n}, 1);
  void *to = room(0, n * f->size);
  for (size_t i = 0; i < n; i++) store(to, f->size, i, x[i]);
  c.scale = s;
  const arm_cmsis_nn_status status = f->make(&c);
  if (status != ARM_CMSIS_NN_SUCCESS) fail("status", f, ARM_CMSIS_NN_SUCCESS, status, -1);
  else if (load(c.y, output_size(f), 0) != want) fail("row", f, want, load(c.y, output_size(f), 0), (long)n);
}
