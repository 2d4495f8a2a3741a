/* SPDX-License-Identifier: Apache-2.0 */
/* The twelve functions as a table, and how one of them is called. */
#include "suite.h"

const format single = {{32, 23}, 4, 0x80000000u, 0x7f800000u, 0x7fc00000u, 0x3f800000u, 0x7f7fffffu};
const format half = {{16, 10}, 2, 0x8000u, 0x7c00u, 0x7e00u, 0x3c00u, 0x7bffu};

const cmsis_nn_dims shapes[SHAPES] = {{2, 3, 5, 7}, {1, 8, 17, 1}, {1, 1, 8, 17}, {3, 1, 1, 9}, {2, 1, 3, 1}, {1, 1, 1, 1}};

/* call_arm_...: the same with untyped data. */
#define REDUCE(name)                                                                                                               \
  static arm_cmsis_nn_status call_##name(const void *x, const cmsis_nn_dims *in, const cmsis_nn_dims *mask, void *y,               \
                                         const cmsis_nn_dims *out) {                                                               \
    return name(x, in, mask, y, out);                                                                                              \
  }
#define FIND(name)                                                                                                                 \
  static arm_cmsis_nn_status call_##name(const void *x, const cmsis_nn_dims *in, int32_t axis, void *y) {                          \
    return name(x, in, axis, y);                                                                                                   \
  }
#define MASKED(act, name, format)                                                                                                  \
  { #name, act, &format, call_##name, NULL }
#define ONE_AXIS(act, name, format)                                                                                                \
  { #name, act, &format, NULL, call_##name }

#if ARM_NN_ENABLE_F32
REDUCE(arm_reduce_sum_f32)
REDUCE(arm_nn_mean_f32)
REDUCE(arm_reduce_max_f32)
REDUCE(arm_reduce_min_f32)
FIND(arm_argmax_f32)
FIND(arm_argmin_f32)
#endif
#if ARM_NN_ENABLE_F16
REDUCE(arm_reduce_sum_f16)
REDUCE(arm_nn_mean_f16)
REDUCE(arm_reduce_max_f16)
REDUCE(arm_reduce_min_f16)
FIND(arm_argmax_f16)
FIND(arm_argmin_f16)
#endif

/* In the sequence of `act`. */
const function functions[] = {
#if ARM_NN_ENABLE_F32
    MASKED(SUM, arm_reduce_sum_f32, single), MASKED(MEAN, arm_nn_mean_f32, single),    MASKED(MAX, arm_reduce_max_f32, single),
    MASKED(MIN, arm_reduce_min_f32, single), ONE_AXIS(ARGMAX, arm_argmax_f32, single), ONE_AXIS(ARGMIN, arm_argmin_f32, single),
#endif
#if ARM_NN_ENABLE_F16
    MASKED(SUM, arm_reduce_sum_f16, half),   MASKED(MEAN, arm_nn_mean_f16, half),      MASKED(MAX, arm_reduce_max_f16, half),
    MASKED(MIN, arm_reduce_min_f16, half),   ONE_AXIS(ARGMAX, arm_argmax_f16, half),   ONE_AXIS(ARGMIN, arm_argmin_f16, half),
#endif
    {NULL, SUM, NULL, NULL, NULL},
};

int is_sum(const function *f) { return f->act == SUM || f->act == MEAN; }
int is_extreme(const function *f) { return f->act == MAX || f->act == MIN; }
int is_arg(const function *f) { return f->find != NULL; }
int takes(const function *f, unsigned mask) { return !f->find || mask == 1 || mask == 2 || mask == 4 || mask == 8; }

int32_t extent(const cmsis_nn_dims *dims, int i) { return i == 0 ? dims->n : i == 1 ? dims->h : i == 2 ? dims->w : dims->c; }

void plan(call *c, const function *f, cmsis_nn_dims in, unsigned mask) {
  int n = mask >> 3 & 1, h = mask >> 2 & 1, w = mask >> 1 & 1, last = mask & 1;
  *c = (call){.f = f, .x = x_at(0), .y = y_at(0), .axis = n ? 0 : h ? 1 : w ? 2 : 3};
  c->room[0] = in;
  c->room[1] = (cmsis_nn_dims){n, h, w, last};
  c->room[2] = (cmsis_nn_dims){n ? 1 : in.n, h ? 1 : in.h, w ? 1 : in.w, last ? 1 : in.c};
  c->in = &c->room[0], c->mask = &c->room[1], c->out = &c->room[2];
}

arm_cmsis_nn_status perform(const call *c) {
  return c->f->find ? c->f->find(c->x, c->in, c->axis, c->y) : c->f->reduce(c->x, c->in, c->mask, c->y, c->out);
}

uint32_t nan_of(const format *f, unsigned kind) {
  uint32_t quiet = f->nan ^ f->inf, sign = kind & 1 ? f->sign : 0;
  const uint32_t payloads[NANS / 2] = {quiet, quiet | 1, 2 * quiet - 1, 1, quiet - 1, quiet >> 1};
  return sign | f->inf | payloads[kind / 2];
}

uint32_t whole(const format *f, int32_t value) {
  uint32_t left = value < 0 ? 0u - (uint32_t)value : (uint32_t)value, exponent = single.shape.mantissa + 127;
  if (!left) return 0;
  while (left < 0x800000u) left <<= 1, exponent--;
  return soft_convert(&single, f, (value < 0 ? single.sign : 0) | exponent << 23 | (left & 0x7fffffu));
}
