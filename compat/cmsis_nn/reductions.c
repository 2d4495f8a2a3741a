/* SPDX-License-Identifier: Apache-2.0 */
/* The twelve arm_* functions: their argument rules, which differ by family (H12 to H28), and a call of the core for the rest. */
#ifndef F
#include <bitfold/bitfold.h>
#include <bitfold_arm_nn.h>
#include <string.h>

#if ARM_NN_ENABLE_F32 || ARM_NN_ENABLE_F16
enum { AXES = 4 };
_Static_assert(sizeof(cmsis_nn_dims) == AXES * sizeof(int32_t), "cmsis_nn_dims is four int32_t: n, h, w, c");
static const int32_t *array(const cmsis_nn_dims *dims) { return (const int32_t *)(const void *)dims; }

/* At -Os checks are shared by the functions, elsewhere they are part of each. */
#ifdef __OPTIMIZE_SIZE__
enum { SMALL = 1 };
#define SHARED static __attribute__((noinline))
#else
enum { SMALL = 0 };
#define SHARED static inline __attribute__((always_inline))
#endif

/* The product of extents that are not negative, 0 where one of them is 0, or -1 where it is beyond `most`. */
SHARED int32_t count_of(const int32_t extent[AXES], int32_t most) {
  if ((uint32_t)(extent[0] | extent[1] | extent[2] | extent[3]) < 128 && !SMALL) /* 127^4 is below every limit here */
    return extent[0] * extent[1] * extent[2] * extent[3];
  if (!extent[0] || !extent[1] || !extent[2] || !extent[3]) return 0;
  uint64_t count = (uint64_t)(uint32_t)extent[0] * (uint32_t)extent[1];
  if (count > (uint32_t)most) return -1;
  count = (uint64_t)(uint32_t)count * (uint32_t)extent[2];
  if (count > (uint32_t)most) return -1;
  count = (uint64_t)(uint32_t)count * (uint32_t)extent[3];
  return count > (uint32_t)most ? -1 : (int32_t)count;
}

/* Whether no extent is below `least` and each output extent is the input's, or 1 where the axis is reduced. */
SHARED int shapes_fit(const int32_t in[AXES], const int32_t mask[AXES], const int32_t out[AXES], int32_t least) {
  for (int i = 0; i < AXES; i++)
    if (in[i] < least || out[i] != (mask[i] ? 1 : in[i])) return 0;
  return 1;
}

/* The call itself, of what has been checked. */
static inline __attribute__((always_inline)) arm_cmsis_nn_status call(const int32_t in[AXES], const int32_t mask[AXES],
                                                                      const void *x, void *y, bitfold_dense_function reduce) {
  bitfold_dense dense;
  if (bitfold_dense_init(&dense, in, mask) || reduce(&dense, x, y)) return ARM_CMSIS_NN_ARG_ERROR;
  return ARM_CMSIS_NN_SUCCESS;
}

/* H12, H13: an extent below 0 is none. */
static inline arm_cmsis_nn_status sum(const void *x, const cmsis_nn_dims *in, const cmsis_nn_dims *axes, void *y,
                                      const cmsis_nn_dims *out, bitfold_dense_function reduce) {
  if (!x || !in || !axes || !y || !out) return ARM_CMSIS_NN_ARG_ERROR;
  return call(array(in), array(axes), x, y, reduce);
}

/* H14 to H16. */
SHARED arm_cmsis_nn_status mean(const void *x, const cmsis_nn_dims *in, const cmsis_nn_dims *axes, void *y,
                                const cmsis_nn_dims *out, bitfold_dense_function reduce) {
  if (!x || !in || !axes || !y || !out) return ARM_CMSIS_NN_ARG_ERROR;
  if (!shapes_fit(array(in), array(axes), array(out), 1) || count_of(array(in), INT32_MAX) < 0) return ARM_CMSIS_NN_ARG_ERROR;
  return call(array(in), array(axes), x, y, reduce);
}

/*
 * H19 to H26, H30, H32: a mask of zeros copies bits. An output is no larger than an input that has elements, so its size needs a
 * look only where there are none; then nothing is read, and the core, which wants a pointer, gets the output's.
 */
static inline __attribute__((always_inline)) arm_cmsis_nn_status extremes(const void *x, const cmsis_nn_dims *in,
                                                                          const cmsis_nn_dims *axes, void *y,
                                                                          const cmsis_nn_dims *out, size_t size,
                                                                          bitfold_dense_function reduce) {
  const int32_t most = INT32_MAX / (int32_t)size;
  if (!in || !axes || !out) return ARM_CMSIS_NN_ARG_ERROR;
  const int32_t mask = axes->n | axes->h | axes->w | axes->c;
  if ((mask & ~1) || !shapes_fit(array(in), array(axes), array(out), 0)) return ARM_CMSIS_NN_ARG_ERROR;
  const int32_t elements = count_of(array(in), most);
  if (elements < 0 || (elements && (!x || !y))) return ARM_CMSIS_NN_ARG_ERROR;
  if (!elements) {
    const int32_t outputs = count_of(array(out), most);
    if (outputs <= 0) return outputs ? ARM_CMSIS_NN_ARG_ERROR : ARM_CMSIS_NN_SUCCESS;
    if (!y) return ARM_CMSIS_NN_ARG_ERROR;
    x = y;
  } else if (!mask) {
    memmove(y, x, (size_t)elements * size);
    return ARM_CMSIS_NN_SUCCESS;
  }
  return call(array(in), array(axes), x, y, reduce);
}

static const int32_t only[2 * AXES - 1] = {[AXES - 1] = 1}; /* the mask of axis i begins i before the middle */

/* H20 to H23, H27, H28. The output of halves may have twice the bytes of the input; where there is no element there is no output.
 */
SHARED arm_cmsis_nn_status arg(const void *x, const cmsis_nn_dims *in, int32_t axis, int32_t *y, size_t size,
                               bitfold_dense_function reduce) {
  if (!in || axis < 0 || axis >= AXES || (in->n | in->h | in->w | in->c) < 0) return ARM_CMSIS_NN_ARG_ERROR;
  const int32_t reduced = array(in)[axis], elements = count_of(array(in), INT32_MAX / (int32_t)size);
  if (!reduced || elements < 0) return ARM_CMSIS_NN_ARG_ERROR;
  if (!elements) return ARM_CMSIS_NN_SUCCESS;
  if (!x || !y || elements / reduced > INT32_MAX / (int32_t)sizeof *y) return ARM_CMSIS_NN_ARG_ERROR;
  return call(array(in), only + AXES - 1 - axis, x, y, reduce);
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
