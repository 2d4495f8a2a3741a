/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which machines this build has, and the acts that src/dense.c calls by name.
 *
 * -DBITFOLD_MACHINE=scalar (m4f, helium) builds that one machine and what it borrows, with direct calls, so that a linker keeps no
 * more than what is used: firmware does so. Without it every machine that the compiler's flags allow is built and one is chosen at
 * run time.
 */
#ifndef BITFOLD_MACHINES_H
#define BITFOLD_MACHINES_H

#define BF_MACHINE_scalar 1
#define BF_MACHINE_m4f 2
#define BF_MACHINE_helium 3
#ifdef BITFOLD_MACHINE
#define BF_MACHINE BF_JOIN(BF_MACHINE, BITFOLD_MACHINE)
#if BF_MACHINE < 1
#error "BITFOLD_MACHINE must be scalar, m4f or helium, or left out"
#endif
#else
#define BF_MACHINE 0
#endif

/* GNU as 2.40 encodes vcvtb between vectors of halves and floats wrongly; BITFOLD_VCVTB_IS_RIGHT says that a probe found it right.
 */
#if defined(__clang__) || defined(BITFOLD_VCVTB_IS_RIGHT)
#define BF_ASSEMBLES_HELIUM 1
#else
#define BF_ASSEMBLES_HELIUM 0
#endif
#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2) && !defined(__ARM_BIG_ENDIAN) &&                                         \
    ((BF_MACHINE == 0 && BF_ASSEMBLES_HELIUM) || BF_MACHINE == BF_MACHINE_helium)
#define BF_HAS_HELIUM 1
#elif BF_MACHINE == BF_MACHINE_helium
#error                                                                                                                             \
    "the machine helium needs a processor with MVE float: compile with -mcpu=cortex-m55 -mfloat-abi=hard, or name another machine"
#else
#define BF_HAS_HELIUM 0
#endif

/* Single precision, which has conversions of halves on these processors; the DSP instructions on halves; little-endian, as the
 * halves of a word are taken. */
#if defined(__ARM_FP) && (__ARM_FP & 4) && __ARM_ARCH_PROFILE == 'M' && defined(__ARM_FEATURE_SIMD32) &&                           \
    !defined(__ARM_BIG_ENDIAN) && ((BF_MACHINE == 0 && !BF_HAS_HELIUM) || BF_MACHINE == BF_MACHINE_m4f)
#define BF_HAS_M4F 1
#elif BF_MACHINE == BF_MACHINE_m4f
#error                                                                                                                             \
    "the machine m4f needs floating point and DSP: compile with -mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard, or name another"
#else
#define BF_HAS_M4F 0
#endif

/* Vectors of the compiler (isa/vector.h): on x86-64 three widths of them, one of which is chosen at run time. */
#if BF_MACHINE == 0 && defined(__x86_64__) && defined(__SSE2__) && defined(__GNUC__)
#define BF_HAS_X86 1
#else
#define BF_HAS_X86 0
#endif
#if BF_MACHINE == 0 && defined(__aarch64__) && defined(__ARM_NEON) && !defined(__AARCH64EB__) && defined(__GNUC__)
#define BF_HAS_NEON 1
#else
#define BF_HAS_NEON 0
#endif

/* At -Os kernels leave out what only makes them faster. */
#define BF_NOINLINE __attribute__((noinline))
#ifdef __OPTIMIZE_SIZE__
enum { BF_SMALL = 1 };
#define BF_INLINE static BF_NOINLINE
#define BF_APART
#else
enum { BF_SMALL = 0 };
#define BF_INLINE static inline
#define BF_APART BF_NOINLINE
#endif

/* Elements as bits, whatever type their owner gave them. */
typedef uint16_t __attribute__((__may_alias__)) bf_f16_word;
typedef uint32_t __attribute__((__may_alias__)) bf_f32_word;

/*
 * Acts on dense data: element (i, j) is x[i * step + j], i < n, j < width, all of them at least 1.
 *
 * spread: row[j] += element (0, j), then (1, j) and so on; width is at most BF_SPREAD. For halves row[j] is a sum of halves: on
 * Helium a smaller number than those would be flushed.
 * extremes: best[j] becomes the first greatest of itself and the elements (0, j), (1, j), ...; any NaN among them makes it the
 * format's one, which is the only NaN that it may have been.
 * firsts: index[j] becomes the i of the first greatest of the elements (0, j), (1, j), ...; a NaN never wins; 0 where all are.
 *
 * Greatest is after `sign` has been XORed into the bits: 0, or the sign bit, which makes it least. +0 and -0 are equal. extremes
 * and firsts do not depend on the floating-point control and leave it, flags included. With BF_FRESH beside the sign, best is
 * written without being read.
 */
enum { BF_SPREAD = 16, BF_FRESH = 1 };
typedef void bf_spread_fn(float *row, size_t width, const void *x, size_t step, size_t n);
typedef void bf_extremes_fn(void *best, size_t width, const void *x, size_t step, size_t n, uint32_t sign);
typedef void bf_firsts_fn(int32_t *index, size_t width, const void *x, size_t step, size_t n, uint32_t sign);
#define BF_DENSE_ACTS(isa)                                                                                                         \
  bf_spread_fn bf_spread_f16_##isa, bf_spread_f32_##isa;                                                                           \
  bf_extremes_fn bf_extremes_f16_##isa, bf_extremes_f32_##isa;                                                                     \
  bf_firsts_fn bf_firsts_f16_##isa, bf_firsts_f32_##isa;
BF_DENSE_ACTS(scalar)
BF_DENSE_ACTS(m4f)
BF_DENSE_ACTS(helium)

#endif
