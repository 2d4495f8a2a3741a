/* SPDX-License-Identifier: Apache-2.0 */
/* x86-64 with AVX-512 F, BW, DQ and VL: vectors of 64 bytes. */
#include "../kernel.h"

#if BF_HAS_X86
#include <immintrin.h>
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma,f16c"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,fma,f16c")
#endif

#define MACHINE avx512
#define NAME "avx512"
#define VECTOR 64

static int runs_here(void) {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}

#include "vector.h"

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
