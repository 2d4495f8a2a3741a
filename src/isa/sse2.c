/* SPDX-License-Identifier: Apache-2.0 */
/* Every x86-64: vectors of 16 bytes. */
#include "../kernel.h"

#if BF_HAS_X86
#include <emmintrin.h>

#define MACHINE sse2
#define NAME "sse2"
#define VECTOR 16

static int runs_here(void) { return 1; }

#include "vector.h"

#endif
