/* SPDX-License-Identifier: Apache-2.0 */
/* The twelve arm_* functions: their argument rules, which differ by family (H12 to H28), and a call of the core for the rest. */
#ifndef F
#include <bitfold/bitfold.h>
#include <bitfold_arm_nn.h>
#include <string.h>

#if ARM_NN_ENABLE_F32 || ARM_NN_ENABLE_F16
enum { AXES = 4 };

/* Not inlined: firmware is short of space, and checks are a small part of a call. */
#define APART static __attribute__((noinline))

static void extents_of(const cmsis_nn_dims *dims, int32_t extent[AXES]) {
  extent[0] = dims->n, extent[1] = dims->h, extent[2] = dims->w, extent[3] = dims->c;
}

/* The product of extents that are not negative, 0 where one of them is 0, or -1 where it is beyond `most`. */
APART int32_t count_of(const int32_t extent[AXES], int32_t most) {
  uint64_t count = 1;
  for (int i = 0; i < AXES; i++)
    if (!extent[i]) return 0;
  for (int i = 0; i < AXES; i++) {
    count *= (uint32_t)extent[i];
    if (count > (uint32_t)most) return -1;
  }
  return (int32_t)count;
}

/* A bit for each axis whose mask entry is not 0; -1 where `binary` and an entry is neither 0 nor 1. */
APART int mask_of(const cmsis_nn_dims *axes, int binary) {
  int32_t entry[AXES];
  int mask = 0;
  extents_of(axes, entry);
  for (int i = 0; i < AXES; i++) {
    if (binary && (entry[i] & ~1)) return -1;
    mask |= (entry[i] != 0) << i;
  }
  return mask;
}

/* Whether no extent is below `least` and each output extent is the input's, or 1 where the axis is reduced. */
APART int shapes_fit(const int32_t in[AXES], const int32_t out[AXES], int mask, int32_t least) {
  for (int i = 0; i < AXES; i++)
    if (in[i] < least || out[i] != (mask >> i & 1 ? 1 : in[i])) return 0;
  return 1;
}

/* The call itself, of a plan that has been checked. */
APART arm_cmsis_nn_status call(const int32_t extent[AXES], int mask, const void *x, void *y, bitfold_dense_function reduce) {
  bitfold_dense dense;
  if (bitfold_dense_init(&dense, AXES, extent, (unsigned)mask) || reduce(&dense, x, y)) return ARM_CMSIS_NN_ARG_ERROR;
  return ARM_CMSIS_NN_SUCCESS;
}

/* H12, H13: an extent below 0 is none. */
APART arm_cmsis_nn_status sum(const void *x, const cmsis_nn_dims *in, const cmsis_nn_dims *axes, void *y, const cmsis_nn_dims *out,
                              bitfold_dense_function reduce) {
  int32_t extent[AXES];
  if (!x || !in || !axes || !y || !out) return ARM_CMSIS_NN_ARG_ERROR;
  extents_of(in, extent);
  for (int i = 0; i < AXES; i++)
    if (extent[i] < 0) extent[i] = 0;
  return call(extent, mask_of(axes, 0), x, y, reduce);
}

/* H14 to H16. */
APART arm_cmsis_nn_status mean(const void *x, const cmsis_nn_dims *in, const cmsis_nn_dims *axes, void *y, const cmsis_nn_dims *out,
                               bitfold_dense_function reduce) {
  int32_t extent[AXES], output[AXES];
  if (!x || !in || !axes || !y || !out) return ARM_CMSIS_NN_ARG_ERROR;
  extents_of(in, extent), extents_of(out, output);
  const int mask = mask_of(axes, 0);
  if (!shapes_fit(extent, output, mask, 1) || count_of(extent, INT32_MAX) < 0) return ARM_CMSIS_NN_ARG_ERROR;
  return call(extent, mask, x, y, reduce);
}

/* H20 to H25: no tensor has more than INT32_MAX bytes, and data may be null only where there is none. */
APART int32_t count_for(const int32_t extent[AXES], size_t size, const void *data) {
  const int32_t count = count_of(extent, INT32_MAX / (int32_t)size);
  return count && !data ? -1 : count;
}

/* H19 to H26, H30, H32: a mask of zeros copies bits. */
APART arm_cmsis_nn_status extremes(const void *x, const cmsis_nn_dims *in, const cmsis_nn_dims *axes, void *y,
                                   const cmsis_nn_dims *out, size_t size, bitfold_dense_function reduce) {
  int32_t extent[AXES], output[AXES];
  if (!in || !axes || !out) return ARM_CMSIS_NN_ARG_ERROR;
  extents_of(in, extent), extents_of(out, output);
  const int mask = mask_of(axes, 1);
  if (mask < 0 || !shapes_fit(extent, output, mask, 0)) return ARM_CMSIS_NN_ARG_ERROR;
  const int32_t outputs = count_for(output, size, y);
  if (outputs < 0 || count_for(extent, size, x) < 0) return ARM_CMSIS_NN_ARG_ERROR;
  if (mask) return call(extent, mask, x, y, reduce);
  if (outputs) memmove(y, x, (size_t)outputs * size);
  return ARM_CMSIS_NN_SUCCESS;
}

/* H20 to H23, H27, H28. */
APART arm_cmsis_nn_status arg(const void *x, const cmsis_nn_dims *in, int32_t axis, int32_t *y, size_t size,
                              bitfold_dense_function reduce) {
  int32_t extent[AXES];
  if (!in || axis < 0 || axis >= AXES) return ARM_CMSIS_NN_ARG_ERROR;
  extents_of(in, extent);
  const int32_t reduced = extent[axis];
  if (!shapes_fit(extent, extent, 0, 0) || !reduced || count_for(extent, size, x) < 0) return ARM_CMSIS_NN_ARG_ERROR;
  extent[axis] = 1;
  if (count_for(extent, sizeof *y, y) < 0) return ARM_CMSIS_NN_ARG_ERROR;
  extent[axis] = reduced;
  return call(extent, 1 << axis, x, y, reduce);
}

/* In the second half of this file, which is read once per format, NAME(arm_argmax) is arm_argmax_f32. */
#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define NAME(word) JOIN(word, F)
#endif

#if ARM_NN_ENABLE_F32
#define F f32
#define VALUE float32_t
#include "reductions.c"
#undef F
#undef VALUE
#endif
#if ARM_NN_ENABLE_F16
#define F f16
#define VALUE float16_t
#include "reductions.c"
#endif
#else
arm_cmsis_nn_status NAME(arm_reduce_sum)(const VALUE *input_data, const cmsis_nn_dims *input_dims, const cmsis_nn_dims *axis_dims,
                                         VALUE *output_data, const cmsis_nn_dims *output_dims) {
  return sum(input_data, input_dims, axis_dims, output_data, output_dims, NAME(bitfold_dense_sum));
}

arm_cmsis_nn_status NAME(arm_nn_mean)(const VALUE *input_data, const cmsis_nn_dims *input_dims, const cmsis_nn_dims *axis_dims,
                                      VALUE *output_data, const cmsis_nn_dims *output_dims) {
  return mean(input_data, input_dims, axis_dims, output_data, output_dims, NAME(bitfold_dense_mean));
}

arm_cmsis_nn_status NAME(arm_reduce_max)(const VALUE *input_data, const cmsis_nn_dims *input_dims, const cmsis_nn_dims *axis_dims,
                                         VALUE *output_data, const cmsis_nn_dims *output_dims) {
  return extremes(input_data, input_dims, axis_dims, output_data, output_dims, sizeof(VALUE), NAME(bitfold_dense_max));
}

arm_cmsis_nn_status NAME(arm_reduce_min)(const VALUE *input_data, const cmsis_nn_dims *input_dims, const cmsis_nn_dims *axis_dims,
                                         VALUE *output_data, const cmsis_nn_dims *output_dims) {
  return extremes(input_data, input_dims, axis_dims, output_data, output_dims, sizeof(VALUE), NAME(bitfold_dense_min));
}

arm_cmsis_nn_status NAME(arm_argmax)(const VALUE *input_data, const cmsis_nn_dims *input_dims, int32_t axis, int32_t *output_data) {
  return arg(input_data, input_dims, axis, output_data, sizeof(VALUE), NAME(bitfold_dense_argmax));
}

arm_cmsis_nn_status NAME(arm_argmin)(const VALUE *input_data, const cmsis_nn_dims *input_dims, int32_t axis, int32_t *output_data) {
  return arg(input_data, input_dims, axis, output_data, sizeof(VALUE), NAME(bitfold_dense_argmin));
}
#endif
