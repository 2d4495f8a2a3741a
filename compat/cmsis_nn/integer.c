/* SPDX-License-Identifier: Apache-2.0 */
/* The integer relatives: max, min, argmax, argmin, mean and sum of int8 and int16, in exact integer arithmetic. */
#ifndef S
#include <bitfold_arm_nn_integer.h>
#if BITFOLD_ARM_NN_INTEGER
#include <bitfold/bitfold.h>
#include <stddef.h>

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define ON(word) JOIN(word, S)

enum { KEPT_0, REDUCED_0, KEPT_1, REDUCED_1, KEPT_2 }; /* the extents of a bitfold_dense */
enum { RANK = 4, COLUMNS = 8, RUN = 32768 };           /* RUN: the sum of as many int16 fits into an int32 */

typedef struct {
  int32_t extent[RANK];
} shape;

static shape shape_of(const cmsis_nn_dims *d) { return (shape){{d->n, d->h, d->w, d->c}}; }

/* Or -1 for a negative extent or too many bytes. */
static int64_t bytes(shape s, int64_t size) {
  int empty = 0;
  for (int i = 0; i < RANK; i++) {
    if (s.extent[i] < 0) return -1;
    if (!s.extent[i]) empty = 1;
  }
  if (empty) return 0;
  for (int i = 0; i < RANK; i++) { /* size is at most INT32_MAX here, so no product leaves an int64 */
    size *= s.extent[i];
    if (size > INT32_MAX) return -1;
  }
  return size;
}

/* Whether shapes and pointers are good, and then the loops. `declared` may be null. */
static int plan(bitfold_dense *dense, shape in, shape mask, const cmsis_nn_dims *declared, const void *x, size_t x_size,
                const void *y, size_t y_size) {
  shape out = in;
  for (int i = 0; i < RANK; i++)
    if (mask.extent[i]) out.extent[i] = 1;
  const int64_t inputs = bytes(in, (int64_t)x_size), outputs = bytes(out, (int64_t)y_size);
  if (inputs < 0 || outputs < 0 || (declared && bytes(shape_of(declared), (int64_t)y_size) != outputs)) return 0;
  if ((inputs && !x) || (outputs && !y)) return 0;
  return bitfold_dense_init(dense, in.extent, mask.extent) == BITFOLD_STATUS_OK;
}

static int plan_masked(bitfold_dense *dense, const cmsis_nn_dims *in, const cmsis_nn_dims *axes, const cmsis_nn_dims *out,
                       const void *x, const void *y, size_t size) {
  return in && axes && out && plan(dense, shape_of(in), shape_of(axes), out, x, size, y, size);
}

static int plan_index(bitfold_dense *dense, const cmsis_nn_dims *in, int32_t axis, const void *x, const int32_t *y, size_t size) {
  if (!in || axis < 0 || axis >= RANK) return 0;
  const shape s = shape_of(in);
  shape mask = {{0}};
  mask.extent[axis] = 1;
  return s.extent[axis] > 0 && plan(dense, s, mask, NULL, x, size, y, sizeof *y);
}

static size_t outputs(const bitfold_dense *d) { return d->extent[KEPT_0] * d->extent[KEPT_1] * d->extent[KEPT_2]; }
static size_t terms(const bitfold_dense *d) { return d->extent[REDUCED_0] * d->extent[REDUCED_1]; }

/* How a sum becomes an output. */
typedef struct {
  int32_t input_offset, out_offset, multiplier, shift;
} scale;

static int scale_is_good(scale s) { return s.multiplier >= 0 && s.shift >= -31 && s.shift <= 30; }

/*
 * sum 2^left multiplier / 2^31 to the nearest, ties to +infinity, then / 2^right to the nearest, ties away from zero; |sum| is at
 * most 2^62 + 2^47. Magnitudes: a tie that goes up is one at which a negative sum's magnitude goes down, so half is one less there.
 * With a left shift, what has reached 2^32 need not be exact: it is clamped whatever the offset.
 */
static int64_t rescale(int64_t sum, scale s) {
  const int left = s.shift > 0 ? s.shift : 0, right = s.shift > 0 ? 0 : -s.shift, places = 31 - left;
  const uint64_t magnitude = sum < 0 ? 0 - (uint64_t)sum : (uint64_t)sum, multiplier = (uint64_t)s.multiplier;
  const uint64_t half = (UINT64_C(1) << (places - 1)) - (sum < 0);
  const uint64_t low = (magnitude & UINT32_MAX) * multiplier + half, high = (magnitude >> 32) * multiplier + (low >> 32);
  uint64_t q = left && high >> 30 ? UINT64_C(1) << 33 : high << (32 - places) | (low & UINT32_MAX) >> places;
  if (right) q = (q + (UINT64_C(1) << (right - 1))) >> right;
  return sum < 0 ? -(int64_t)q : (int64_t)q;
}

#define SELF "integer.c"
#define S s8
#define T int8_t
#define LEAST INT8_MIN
#define GREATEST INT8_MAX
#include SELF
#undef S
#undef T
#undef LEAST
#undef GREATEST
#define S s16
#define T int16_t
#define LEAST INT16_MIN
#define GREATEST INT16_MAX
#include SELF

arm_cmsis_nn_status arm_reduce_sum_s16(const int16_t *input_data, const cmsis_nn_dims *input_dims, int32_t input_offset,
                                       const cmsis_nn_dims *axis_dims, int16_t *output_data, const cmsis_nn_dims *output_dims,
                                       int32_t out_offset, int32_t out_mult, int32_t out_shift) {
  return arm_mean_s16(input_data, input_dims, input_offset, axis_dims, output_data, output_dims, out_offset, out_mult, out_shift);
}
#endif
#else

/* y[j] becomes the greatest of itself and column j of n rows. Flip is 0, or -1, which turns the order of the integers around. */
static void ON(raise)(T *y, size_t width, const T *x, size_t n, int flip) {
  if (width == 1) {
    T best = (T)(*y ^ flip);
    for (size_t i = 0; i < n; i++) {
      const T value = (T)(x[i] ^ flip);
      best = value > best ? value : best;
    }
    *y = (T)(best ^ flip);
  } else
    for (; n--; x += width)
      for (size_t j = 0; j < width; j++) {
        const T value = (T)(x[j] ^ flip), best = (T)(y[j] ^ flip);
        y[j] = (T)((value > best ? value : best) ^ flip);
      }
}

static void ON(extremes)(const bitfold_dense *d, const T *x, int flip, T *y) {
  const size_t inner = d->extent[KEPT_2], kept = d->extent[KEPT_1] * inner, n = d->extent[REDUCED_1];
  if (!outputs(d)) return;
  if (!terms(d)) {
    for (size_t j = outputs(d); j--;) y[j] = (T)(LEAST ^ flip);
    return;
  }
  for (size_t outer = 0; outer < d->extent[KEPT_0]; outer++, y += kept)
    for (size_t block = 0; block < d->extent[REDUCED_0]; block++)
      for (size_t row = 0; row < kept; row += inner, x += n * inner) {
        for (size_t j = 0; !block && j < inner; j++) y[row + j] = x[j]; /* with n 1 that is all: safe where y is x */
        ON(raise)(y + row, inner, x + (block ? 0 : inner), n - !block, flip);
      }
}

/* The i of the first greatest x[i * step], i < n. */
static int32_t ON(first)(const T *x, size_t step, size_t n, int flip) {
  T best = (T)(*x ^ flip);
  size_t index = 0;
  for (size_t i = 1; i < n; i++) {
    const T value = (T)(x[i * step] ^ flip);
    if (value > best) best = value, index = i;
  }
  return (int32_t)index;
}

static void ON(firsts)(const bitfold_dense *d, const T *x, int flip, int32_t *y) {
  const size_t inner = d->extent[KEPT_2], n = d->extent[REDUCED_1];
  if (!outputs(d)) return;
  for (size_t row = d->extent[KEPT_0] * d->extent[KEPT_1]; row--; x += n * inner)
    for (size_t j = 0; j < inner; j++) *y++ = ON(first)(x + j, inner, n, flip);
}

/* sum[j] += column j of n rows that are `step` elements apart. */
static void ON(accumulate)(int64_t *sum, size_t width, const T *x, size_t step, size_t n) {
  while (n) {
    const size_t run = n < RUN ? n : RUN;
    int32_t part[COLUMNS] = {0};
    if (step == 1)
      for (size_t i = 0; i < run; i++) *part += x[i];
    else
      for (size_t i = 0; i < run; i++)
        for (size_t j = 0; j < width; j++) part[j] += x[i * step + j];
    for (size_t j = 0; j < width; j++) sum[j] += part[j];
    x += run * step;
    n -= run;
  }
}

/* The value of `width` neighbouring outputs, the first term of which is x. All are read before the first is written. */
static void ON(group)(const bitfold_dense *d, const T *x, size_t width, scale s, T *y) {
  const size_t block = d->extent[REDUCED_1] * d->extent[KEPT_2];
  int64_t sum[COLUMNS] = {0};
  for (size_t i = 0; i < d->extent[REDUCED_0]; i++)
    ON(accumulate)(sum, width, x + i * d->extent[KEPT_1] * block, d->extent[KEPT_2], d->extent[REDUCED_1]);
  for (size_t j = 0; j < width; j++) {
    const int64_t value = rescale(sum[j] + (int64_t)terms(d) * s.input_offset, s) + s.out_offset;
    y[j] = (T)(value < LEAST ? LEAST : value > GREATEST ? GREATEST : value);
  }
}

static void ON(means)(const bitfold_dense *d, const T *x, scale s, T *y) {
  const size_t inner = d->extent[KEPT_2], block = d->extent[REDUCED_1] * inner;
  if (!outputs(d)) return;
  if (!terms(d)) {
    for (size_t j = outputs(d); j--;) y[j] = 0;
    return;
  }
  for (size_t outer = 0; outer < d->extent[KEPT_0]; outer++, x += (d->extent[REDUCED_0] - 1) * d->extent[KEPT_1] * block)
    for (size_t middle = 0; middle < d->extent[KEPT_1]; middle++, x += block, y += inner)
      for (size_t j = 0; j < inner; j += COLUMNS) ON(group)(d, x + j, inner - j < COLUMNS ? inner - j : COLUMNS, s, y + j);
}

arm_cmsis_nn_status ON(arm_reduce_max)(const T *input_data, const cmsis_nn_dims *input_dims, const cmsis_nn_dims *axis_dims,
                                       T *output_data, const cmsis_nn_dims *output_dims) {
  bitfold_dense d;
  if (!plan_masked(&d, input_dims, axis_dims, output_dims, input_data, output_data, sizeof(T))) return ARM_CMSIS_NN_ARG_ERROR;
  ON(extremes)(&d, input_data, 0, output_data);
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status ON(arm_reduce_min)(const T *input_data, const cmsis_nn_dims *input_dims, const cmsis_nn_dims *axis_dims,
                                       T *output_data, const cmsis_nn_dims *output_dims) {
  bitfold_dense d;
  if (!plan_masked(&d, input_dims, axis_dims, output_dims, input_data, output_data, sizeof(T))) return ARM_CMSIS_NN_ARG_ERROR;
  ON(extremes)(&d, input_data, -1, output_data);
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status ON(arm_argmax)(const T *input_data, const cmsis_nn_dims *input_dims, int32_t axis, int32_t *output_data) {
  bitfold_dense d;
  if (!plan_index(&d, input_dims, axis, input_data, output_data, sizeof(T))) return ARM_CMSIS_NN_ARG_ERROR;
  ON(firsts)(&d, input_data, 0, output_data);
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status ON(arm_argmin)(const T *input_data, const cmsis_nn_dims *input_dims, int32_t axis, int32_t *output_data) {
  bitfold_dense d;
  if (!plan_index(&d, input_dims, axis, input_data, output_data, sizeof(T))) return ARM_CMSIS_NN_ARG_ERROR;
  ON(firsts)(&d, input_data, -1, output_data);
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status ON(arm_mean)(const T *input_data, const cmsis_nn_dims *input_dims, int32_t input_offset,
                                 const cmsis_nn_dims *axis_dims, T *output_data, const cmsis_nn_dims *output_dims,
                                 int32_t out_offset, int32_t out_mult, int32_t out_shift) {
  const scale s = {input_offset, out_offset, out_mult, out_shift};
  bitfold_dense d;
  if (!scale_is_good(s) || !plan_masked(&d, input_dims, axis_dims, output_dims, input_data, output_data, sizeof(T)))
    return ARM_CMSIS_NN_ARG_ERROR;
  ON(means)(&d, input_data, s, output_data);
  return ARM_CMSIS_NN_SUCCESS;
}
#endif
