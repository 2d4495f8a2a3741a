/* SPDX-License-Identifier: Apache-2.0 */
/* The twelve functions as a list, and the kinds of data that they are measured on. */
#ifndef SUBJECTS_H
#define SUBJECTS_H

#include <stdint.h>
#include <bitfold_arm_nn.h>

/* Any of the twelve behind one type, since Arm passes all pointers alike: the first takes a mask, the second an axis. */
typedef void any_fn(void);
typedef arm_cmsis_nn_status masked_fn(const void *x, const cmsis_nn_dims *dims, const cmsis_nn_dims *mask, void *y,
                                      const cmsis_nn_dims *output);
typedef arm_cmsis_nn_status axis_fn(const void *x, const cmsis_nn_dims *dims, int32_t axis, void *y);

enum act { SPREAD, EXTREMES, FIRSTS };
struct function {
  const char *name;
  any_fn *call;
  enum act act; /* which kernel does its work */
  int is_half, is_min;
};
enum { TWELVE = 12 };
extern const struct function twelve[TWELVE];

enum kind { RANDOM, POSITIVE, NEGATIVE, ASCENDING, SUBNORMAL_LAST, ZERO_WINS, KINDS };
extern const char *const kind_names[KINDS];

/*
 * n elements of float, or of half, of one kind. ZERO_WINS: the last `width` elements are +0 (-0 for min), the others lose to it.
 * SUBNORMAL_LAST: random but for the last element.
 */
void fill(const struct function *function, enum kind kind, unsigned n, unsigned width, void *to);

#endif
