/* SPDX-License-Identifier: Apache-2.0 */
/* The eleven integer functions under one signature, the shapes and scales that they are tried on, and data to try. */
#include "relatives.h"

#define MASKED(name, element)                                                                                                      \
  static arm_cmsis_nn_status make_##name(const call *c) {                                                                          \
    return arm_##name((const element *)c->x, c->in, c->mask, (element *)c->y, c->out);                                             \
  }
#define INDEX(name, element)                                                                                                       \
  static arm_cmsis_nn_status make_##name(const call *c) {                                                                          \
    return arm_##name((const element *)c->x, c->in, c->axis, (int32_t *)c->y);                                                     \
  }
#define SCALED(name, element)                                                                                                      \
  static arm_cmsis_nn_status make_##name(const call *c) {                                                                          \
    return arm_##name((const element *)c->x, c->in, c->scale.input_offset, c->mask, (element *)c->y, c->out, c->scale.out_offset,  \
                      c->scale.multiplier, c->scale.shift);                                                                        \
  }
MASKED(reduce_max_s8, int8_t)
MASKED(reduce_max_s16, int16_t)
MASKED(reduce_min_s8, int8_t)
MASKED(reduce_min_s16, int16_t)
INDEX(argmax_s8, int8_t)
INDEX(argmax_s16, int16_t)
INDEX(argmin_s8, int8_t)
INDEX(argmin_s16, int16_t)
SCALED(mean_s8, int8_t)
SCALED(mean_s16, int16_t)
SCALED(reduce_sum_s16, int16_t)

const relative relatives[RELATIVES] = {{"arm_reduce_max_s8", MAX, 1, make_reduce_max_s8},
                                       {"arm_reduce_max_s16", MAX, 2, make_reduce_max_s16},
                                       {"arm_reduce_min_s8", MIN, 1, make_reduce_min_s8},
                                       {"arm_reduce_min_s16", MIN, 2, make_reduce_min_s16},
                                       {"arm_argmax_s8", ARGMAX, 1, make_argmax_s8},
                                       {"arm_argmax_s16", ARGMAX, 2, make_argmax_s16},
                                       {"arm_argmin_s8", ARGMIN, 1, make_argmin_s8},
                                       {"arm_argmin_s16", ARGMIN, 2, make_argmin_s16},
                                       {"arm_mean_s8", MEAN, 1, make_mean_s8},
                                       {"arm_mean_s16", MEAN, 2, make_mean_s16},
                                       {"arm_reduce_sum_s16", MEAN, 2, make_reduce_sum_s16}};

const cmsis_nn_dims shapes[SHAPES] = {{2, 3, 5, 7}, {1, 8, 17, 1}, {1, 1, 8, 17}, {3, 1, 1, 9}, {2, 1, 3, 1}, {1, 1, 1, 1}};

/* The first changes nothing; 5 and 6 make ties in the second and the first rounding. */
const scale scales[SCALES] = {{0, 0, 1 << 30, 1},
                              {128, -128, 1518500250, -3},
                              {-5, 7, 1073741825, -7},
                              {0, 0, INT32_MAX, 0},
                              {-32768, 100, 1431655765, -2},
                              {3, -1, 1 << 30, -1},
                              {0, 0, 1 << 30, 0},
                              {1, -3, 5, 3}};

int32_t extent(const cmsis_nn_dims *dims, int axis) {
  return axis == 0 ? dims->n : axis == 1 ? dims->h : axis == 2 ? dims->w : dims->c;
}

int takes(const relative *f, unsigned mask) { return !is_arg(f) || (mask && !(mask & (mask - 1))); }

size_t count(const cmsis_nn_dims *dims) { return (size_t)dims->n * (size_t)dims->h * (size_t)dims->w * (size_t)dims->c; }

int32_t load(const void *from, size_t size, size_t i) {
  return size == 1 ? ((const int8_t *)from)[i] : size == 2 ? ((const int16_t *)from)[i] : ((const int32_t *)from)[i];
}

void store(void *to, size_t size, size_t i, int32_t value) {
  if (size == 1) ((int8_t *)to)[i] = (int8_t)value;
  else ((int16_t *)to)[i] = (int16_t)value;
}

uint32_t draw(uint32_t *state) { return *state = *state * 1664525u + 1013904223u; }

/* Any value; few values, and so many ties; the least and the greatest. */
void fill(const relative *f, void *x, size_t n, unsigned kind, uint32_t seed) {
  uint32_t state = seed;
  const int32_t values = greatest(f) - least(f) + 1;
  for (size_t i = 0; i < n; i++) {
    const uint32_t drawn = draw(&state);
    if (kind == 0) store(x, f->size, i, least(f) + (int32_t)(drawn >> 16) % values);
    else if (kind == 1) store(x, f->size, i, (int32_t)(drawn >> 30) - 2);
    else store(x, f->size, i, drawn >> 31 ? greatest(f) : least(f));
  }
}
