/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Twelve NHWC reductions with the interface of CMSIS-NN's family: sum, mean, max, min, argmax, argmin of float32 and float16.
 *
 * A caller written for heliaCORE's functions of these names compiles unchanged, on any Cortex-M and on any host, and gets the same
 * bits on all of them. docs/cmsis-nn.md lists what each promises, clause by clause (H1 ...).
 *
 * Common to all: tensors are contiguous, row-major, in the sequence n, h, w, c, and naturally aligned. The result is
 * ARM_CMSIS_NN_SUCCESS or ARM_CMSIS_NN_ARG_ERROR, and on an error no output byte has changed. Nothing is allocated, nothing is
 * static, no byte outside the tensors is touched, the floating-point control state is left as found, and no bit depends on it. (On
 * hosts other than x86, Arm and RISC-V sums and means want the default state.)
 * Dimension pointers may be equal to one another. Input and output must not overlap, but for a mask of zeros, where they may be
 * the same.
 *
 * ARM_NN_ENABLE_F32 and ARM_NN_ENABLE_F16 (1 unless set to 0) say which functions exist, here and in the sources.
 */
#ifndef BITFOLD_ARM_NN_H
#define BITFOLD_ARM_NN_H

#include <stdint.h>

#ifndef ARM_NN_ENABLE_F32
#define ARM_NN_ENABLE_F32 1
#endif
#ifndef ARM_NN_ENABLE_F16
#define ARM_NN_ENABLE_F16 1
#endif

#if defined(__ARM_FP16_FORMAT_ALTERNATIVE)
#error "float16 must be IEEE binary16 here: compile with -mfp16-format=ieee"
#endif

/* CMSIS-NN's own types where it is on the include path. */
#if defined(__has_include)
#if __has_include(<arm_nn_types.h>)
#define BITFOLD_ARM_NN_TYPES 1
#endif
#endif
#ifdef BITFOLD_ARM_NN_TYPES
#include <arm_nn_types.h>
#else
typedef struct {
  int32_t n, h, w, c;
} cmsis_nn_dims;

typedef enum {
  ARM_CMSIS_NN_SUCCESS = 0,
  ARM_CMSIS_NN_ARG_ERROR = -1,
  ARM_CMSIS_NN_NO_IMPL_ERROR = -2,
  ARM_CMSIS_NN_FAILURE = -3
} arm_cmsis_nn_status;
#endif

/*
 * float32_t and float16_t are the same types that arm_mve.h and arm_neon.h call so. Without a half type, halves are their bits:
 * which it is depends on the compiler, and in C++ on its version.
 */
#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
#include <arm_mve.h>
#else
typedef float float32_t;
#if defined(__ARM_FP16_FORMAT_IEEE)
typedef __fp16 float16_t;
#elif defined(__FLT16_MAX__)
__extension__ typedef _Float16 float16_t;
#else
typedef uint16_t float16_t;
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The sum over the axes whose mask entry in axis_dims is not zero. float16 is added in float32 and rounded once.
 *
 * The order (H61, H62): where the reduced axes are the last ones, extents of 1 left out, element i of an output's domain joins lane
 * i mod 4 and the result is ((l0 + l1) + l2) + l3; elsewhere one addition after another in row-major order. Both start at +0, so
 * an empty domain and one of nothing but -0 give +0. A NaN result is 0x7fc00000, or 0x7e00.
 *
 * An argument error only where one of the five pointers is null. An extent of 0 or less on a reduced axis makes each output +0.0,
 * on a kept one there is no output. output_dims is not looked at (H12, H13).
 */
#if ARM_NN_ENABLE_F32
arm_cmsis_nn_status arm_reduce_sum_f32(const float32_t *input_data, const cmsis_nn_dims *input_dims, const cmsis_nn_dims *axis_dims,
                                       float32_t *output_data, const cmsis_nn_dims *output_dims);
#endif
#if ARM_NN_ENABLE_F16
arm_cmsis_nn_status arm_reduce_sum_f16(const float16_t *input_data, const cmsis_nn_dims *input_dims, const cmsis_nn_dims *axis_dims,
                                       float16_t *output_data, const cmsis_nn_dims *output_dims);
#endif

/*
 * The mean over the axes whose mask entry is not zero: the sum above in float32, one division by the count, for float16 one
 * rounding. A sum that overflows gives an infinity even where the mean would fit (H71).
 *
 * An argument error: a null pointer, an extent below 1, an output extent that is not the input's, or 1 where reduced, more than
 * INT32_MAX elements.
 */
#if ARM_NN_ENABLE_F32
arm_cmsis_nn_status arm_nn_mean_f32(const float32_t *input_data, const cmsis_nn_dims *input_dims, const cmsis_nn_dims *axis_dims,
                                    float32_t *output_data, const cmsis_nn_dims *output_dims);
#endif
#if ARM_NN_ENABLE_F16
arm_cmsis_nn_status arm_nn_mean_f16(const float16_t *input_data, const cmsis_nn_dims *input_dims, const cmsis_nn_dims *axis_dims,
                                    float16_t *output_data, const cmsis_nn_dims *output_dims);
#endif

/*
 * The largest or smallest element over the axes whose mask entry is 1. Any NaN gives 0x7fc00000, or 0x7e00; of equal values, +0 and
 * -0 among them, the first in row-major order is kept; a mask of zeros copies bits, NaN payloads too. An empty domain gives -Inf
 * (max) or +Inf (min). The cumulative exception flags are left as found.
 *
 * An argument error: a null dimension pointer, a mask entry that is neither 0 nor 1, a negative extent, an output extent that is
 * not the input's, or 1 where reduced, a tensor of more than INT32_MAX bytes, null data of a tensor that is not empty.
 */
#if ARM_NN_ENABLE_F32
arm_cmsis_nn_status arm_reduce_max_f32(const float32_t *input_data, const cmsis_nn_dims *input_dims, const cmsis_nn_dims *axis_dims,
                                       float32_t *output_data, const cmsis_nn_dims *output_dims);
arm_cmsis_nn_status arm_reduce_min_f32(const float32_t *input_data, const cmsis_nn_dims *input_dims, const cmsis_nn_dims *axis_dims,
                                       float32_t *output_data, const cmsis_nn_dims *output_dims);
#endif
#if ARM_NN_ENABLE_F16
arm_cmsis_nn_status arm_reduce_max_f16(const float16_t *input_data, const cmsis_nn_dims *input_dims, const cmsis_nn_dims *axis_dims,
                                       float16_t *output_data, const cmsis_nn_dims *output_dims);
arm_cmsis_nn_status arm_reduce_min_f16(const float16_t *input_data, const cmsis_nn_dims *input_dims, const cmsis_nn_dims *axis_dims,
                                       float16_t *output_data, const cmsis_nn_dims *output_dims);
#endif

/*
 * The index along `axis` (0 to 3: n, h, w, c) of the first largest or smallest element, as int32; the output is row-major, without
 * that axis. A NaN never wins, and a line of nothing but NaN gives 0. +0 and -0 are equal. The cumulative exception flags are left
 * as found.
 *
 * An argument error: null input_dims, an axis outside 0 .. 3, a negative extent, a reduced extent of 0, a tensor of more than
 * INT32_MAX bytes (the output's four bytes each counted), null data of a tensor that is not empty.
 */
#if ARM_NN_ENABLE_F32
arm_cmsis_nn_status arm_argmax_f32(const float32_t *input_data, const cmsis_nn_dims *input_dims, int32_t axis,
                                   int32_t *output_data);
arm_cmsis_nn_status arm_argmin_f32(const float32_t *input_data, const cmsis_nn_dims *input_dims, int32_t axis,
                                   int32_t *output_data);
#endif
#if ARM_NN_ENABLE_F16
arm_cmsis_nn_status arm_argmax_f16(const float16_t *input_data, const cmsis_nn_dims *input_dims, int32_t axis,
                                   int32_t *output_data);
arm_cmsis_nn_status arm_argmin_f16(const float16_t *input_data, const cmsis_nn_dims *input_dims, int32_t axis,
                                   int32_t *output_data);
#endif

/*
 * Dimensions for tensors of other ranks. A shape of rank 0 to 4, and a list of axes to reduce (negative ones count from the end; a
 * null list means all), become what the functions above take: *input_dims with leading extents of 1, *axis_dims with 1 where an
 * axis is reduced, and *output_dims with those axes kept as 1. Each of the three may be null where it is not wanted.
 *
 * ARM_CMSIS_NN_ARG_ERROR: a rank outside 0 .. 4, a negative extent, an axis out of range or named twice, a negative count, or a
 * null shape of a rank that is not 0; then nothing is written. *why (may be null) becomes one line that says what was wrong and
 * what would be right, or "" on success.
 */
arm_cmsis_nn_status bitfold_arm_nn_dims(int rank, const int32_t *shape, int axis_count, const int32_t *axes,
                                        cmsis_nn_dims *input_dims, cmsis_nn_dims *axis_dims, cmsis_nn_dims *output_dims,
                                        const char **why);

#ifdef __cplusplus
}
#endif
#endif
