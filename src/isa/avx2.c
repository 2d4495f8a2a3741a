/* SPDX-License-Identifier: Apache-2.0 */
/* x86-64 with AVX2, FMA and conversions of halves: vectors of 32 bytes. */
#include "../kernel.h"

#if BF_HAS_X86
#include <immintrin.h>
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma,f16c")
#endif

#define MACHINE avx2
#define NAME "avx2"
#define VECTOR 32

static int runs_here(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); /* and F16C: every processor with AVX2 has it */
}

#include "vector.h"

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
