/* SPDX-License-Identifier: Apache-2.0 */
/* The feature map of examples/data as arrays in read-only memory. */
#ifndef FEATURES_H
#define FEATURES_H

#include <bitfold_arm_nn.h>

/* Lines of text (upright, turned round), rows, columns, channels. */
enum { LINES = 2, ROWS = 12, COLUMNS = 96, CHANNELS = 8 };

extern const float32_t features_f32[LINES * ROWS * COLUMNS * CHANNELS];
extern const float16_t features_f16[LINES * ROWS * COLUMNS * CHANNELS];

#endif
