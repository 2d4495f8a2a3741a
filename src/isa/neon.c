/* SPDX-License-Identifier: Apache-2.0 */
/* 64-bit Arm: vectors of 16 bytes. */
#include "../kernel.h"

#if BF_HAS_NEON
#include <arm_neon.h>

#define MACHINE neon
#define NAME "neon"
#define VECTOR 16

static int runs_here(void) { return 1; }

#include "vector.h"

#endif
