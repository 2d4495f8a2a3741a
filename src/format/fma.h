/* SPDX-License-Identifier: Apache-2.0 */
/* The fused product and sum of any processor; fma.c. */
#ifndef BITFOLD_FMA_H
#define BITFOLD_FMA_H
#include "../kernel.h"

/* x * y + z, exactly. */
struct bf_real bf_fma(double x, double y, double z);
#endif
