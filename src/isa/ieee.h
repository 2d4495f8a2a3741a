/* SPDX-License-Identifier: Apache-2.0 */
/* The compiler is held to IEEE arithmetic, whatever flags the project that compiles us sets (H9). */
#ifndef BITFOLD_IEEE_H
#define BITFOLD_IEEE_H

#if defined(__clang__)
#ifndef __arm__ /* which has no such pragma; see below */
#pragma float_control(precise, on)
#endif
#pragma clang fp reassociate(off) contract(off)
#elif defined(__GNUC__)
#pragma GCC optimize("no-fast-math", "no-unsafe-math-optimizations", "no-finite-math-only", "no-associative-math",                 \
                     "no-reciprocal-math", "signed-zeros", "fp-contract=off")
#elif defined(__FAST_MATH__)
#error "bitfold cannot undo fast-math with this compiler: compile its sources without -ffast-math and -Ofast"
#endif
/* 1 (s390x) adds floats in double and rounds at once: the same bits, because 53 >= 2 * 24 + 2. */
#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 1 && FLT_EVAL_METHOD != 16
#error "float additions here keep excess precision (x87?), so no sum would have its bits: on i386 compile with -msse2 -mfpmath=sse"
#endif

/*
 * What passes through here is a value that the compiler knows nothing of. On 32-bit Arm operands and results of all float
 * arithmetic that rounds do, because GCC makes MVE vectors of plain loops, which flush subnormals (2^-140 + 2^-140 would be 0), and
 * Clang has no pragma there that undoes all of -Ofast (0 + x would be x, and x / n a product with 1 / n). It costs no instruction.
 */
static inline float bf_opaque_f32(float x) {
#if defined(__arm__) && defined(__ARM_FP)
  __asm__ volatile("" : "+t"(x));
#elif defined(__arm__)
  __asm__ volatile("" : "+r"(x));
#endif
  return x;
}
static inline double bf_opaque_f64(double x) {
#if defined(__arm__) && defined(__ARM_FP) && (__ARM_FP & 8)
  __asm__ volatile("" : "+w"(x));
#elif defined(__arm__)
  __asm__ volatile("" : "+r"(x));
#endif
  return x;
}

#endif
