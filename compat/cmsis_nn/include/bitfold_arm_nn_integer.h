/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The integer relatives of bitfold_arm_nn.h: max, min, argmax, argmin and mean of int8 and int16, and the sum of int16.
 *
 * They have the interface of heliaCORE's functions of these names and are as careful as the twelve: exact integer arithmetic, no
 * floating point, the same bytes everywhere. docs/cmsis-nn-integer.md lists what each promises, clause by clause (I1 ...).
 *
 * Common to all: tensors are contiguous, row-major, in the sequence n, h, w, c, and naturally aligned. The result is
 * ARM_CMSIS_NN_SUCCESS or ARM_CMSIS_NN_ARG_ERROR, and on an error no output byte has changed. Nothing is allocated or static, and
 * no byte outside the tensors is touched. Dimension pointers may be equal to one another. Input and output must not overlap, but
 * for a mask of zeros, where they may be the same.
 *
 * An argument error in all of them: a null dimension pointer, a negative extent, a tensor of more than INT32_MAX bytes (an extent
 * of 0 makes its tensor empty whatever the others are), null data of a tensor that is not empty.
 *
 * BITFOLD_ARM_NN_INTEGER (1 unless set to 0) says whether the functions exist, here and in the sources.
 */
#ifndef BITFOLD_ARM_NN_INTEGER_H
#define BITFOLD_ARM_NN_INTEGER_H

#include "bitfold_arm_nn.h"

#ifndef BITFOLD_ARM_NN_INTEGER
#define BITFOLD_ARM_NN_INTEGER 1
#endif

#if BITFOLD_ARM_NN_INTEGER
#ifdef __cplusplus
extern "C" {
#endif

/*
 * The largest or smallest element over the axes whose mask entry in axis_dims is not zero. An empty domain gives the least value of
 * the type (max) or the greatest (min).
 *
 * Also an argument error, here and in the means and the sum: the extents of output_dims do not multiply to the number of outputs.
 */
arm_cmsis_nn_status arm_reduce_max_s8(const int8_t *input_data, const cmsis_nn_dims *input_dims, const cmsis_nn_dims *axis_dims,
                                      int8_t *output_data, const cmsis_nn_dims *output_dims);
arm_cmsis_nn_status arm_reduce_min_s8(const int8_t *input_data, const cmsis_nn_dims *input_dims, const cmsis_nn_dims *axis_dims,
                                      int8_t *output_data, const cmsis_nn_dims *output_dims);
arm_cmsis_nn_status arm_reduce_max_s16(const int16_t *input_data, const cmsis_nn_dims *input_dims, const cmsis_nn_dims *axis_dims,
                                       int16_t *output_data, const cmsis_nn_dims *output_dims);
arm_cmsis_nn_status arm_reduce_min_s16(const int16_t *input_data, const cmsis_nn_dims *input_dims, const cmsis_nn_dims *axis_dims,
                                       int16_t *output_data, const cmsis_nn_dims *output_dims);

/*
 * The index along `axis` (0 to 3: n, h, w, c) of the first largest or smallest element, as int32; the output is row-major, without
 * that axis.
 *
 * Also an argument error: an axis outside 0 .. 3, a reduced extent of 0.
 */
arm_cmsis_nn_status arm_argmax_s8(const int8_t *input_data, const cmsis_nn_dims *input_dims, int32_t axis, int32_t *output_data);
arm_cmsis_nn_status arm_argmin_s8(const int8_t *input_data, const cmsis_nn_dims *input_dims, int32_t axis, int32_t *output_data);
arm_cmsis_nn_status arm_argmax_s16(const int16_t *input_data, const cmsis_nn_dims *input_dims, int32_t axis, int32_t *output_data);
arm_cmsis_nn_status arm_argmin_s16(const int16_t *input_data, const cmsis_nn_dims *input_dims, int32_t axis, int32_t *output_data);

/*
 * The mean over the axes whose mask entry is not zero, requantised. The caller folds 1 / count into out_mult and out_shift. In
 * integers without bounds, with left = out_shift and right = 0 where out_shift is positive, else left = 0 and right = -out_shift:
 *
 *   sum    = all (x + input_offset)               input_offset is minus the input's zero point
 *   high   = sum 2^left out_mult / 2^31           to the nearest, ties to +infinity
 *   y      = high / 2^right + out_offset          the quotient to the nearest, ties away from zero
 *   output = y, clamped to the range of the type
 *
 * which is what TensorFlow Lite for Microcontrollers gives, two roundings and all, wherever its int32 does not overflow. An empty
 * domain gives the code 0.
 *
 * Also an argument error: out_mult negative, out_shift outside -31 .. 30.
 */
arm_cmsis_nn_status arm_mean_s8(const int8_t *input_data, const cmsis_nn_dims *input_dims, int32_t input_offset,
                                const cmsis_nn_dims *axis_dims, int8_t *output_data, const cmsis_nn_dims *output_dims,
                                int32_t out_offset, int32_t out_mult, int32_t out_shift);
arm_cmsis_nn_status arm_mean_s16(const int16_t *input_data, const cmsis_nn_dims *input_dims, int32_t input_offset,
                                 const cmsis_nn_dims *axis_dims, int16_t *output_data, const cmsis_nn_dims *output_dims,
                                 int32_t out_offset, int32_t out_mult, int32_t out_shift);

/* The sum: arm_mean_s16 of the same arguments. Only what the caller folds into out_mult and out_shift differs. */
arm_cmsis_nn_status arm_reduce_sum_s16(const int16_t *input_data, const cmsis_nn_dims *input_dims, int32_t input_offset,
                                       const cmsis_nn_dims *axis_dims, int16_t *output_data, const cmsis_nn_dims *output_dims,
                                       int32_t out_offset, int32_t out_mult, int32_t out_shift);

#ifdef __cplusplus
}
#endif
#endif
#endif
