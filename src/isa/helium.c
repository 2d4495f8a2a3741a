/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arm Helium (MVE float, Cortex-M55 and its successors): vectors of four floats or eight halves.
 *
 * Its float lanes flush subnormals, so spread_f32 adds vectors only where none can occur. If every x and every row[j] is zero or at
 * least 2^-103 in magnitude, all are multiples of 2^-126 and so is each rounded sum of them: zero or normal. (At 2^-104 this is
 * false: 0x0b800001 + 0x8b800000 is 2^-127, and 0 here.) Selections are on integers and look at no floating-point state.
 */
#include "../kernel.h"

#if BF_HAS_HELIUM
#if !BF_ASSEMBLES_HELIUM
#error "GNU as 2.40 encodes vcvtb wrongly: compile src/isa/helium*.c with Clang, or give BITFOLD_VCVTB_IS_RIGHT where as is right"
#endif
#include <arm_mve.h>

enum { ROWS = 256 }; /* rows that are added again by the scalar unit if a subnormal may occur among them */

static inline size_t lesser(size_t a, size_t b) { return a < b ? a : b; }

/*
 * The guard on magnitudes: -2x as an integer drops the sign, keeps 0 at 0 and makes small magnitudes large; its maximum is at most
 * SAFE where every magnitude is 0, or 2^-103 or more. The compiler must not know the factor, or it makes two instructions of one.
 */
#define SAFE (0u - 2u * 0x0c000000u)
static inline uint32_t minus_two(void) {
  uint32_t factor = -2u;
  __asm__("" : "+r"(factor));
  return factor;
}
static inline uint32x4_t guarded(uint32x4_t most, float32x4_t x, uint32_t factor) {
  return vmaxq_u32(most, vmulq_n_u32(vreinterpretq_u32_f32(x), factor));
}

/* An addition that no compiler knows for one: Clang's -Ofast says of vaddq_f32 that it may be regrouped, pragma or not. */
static inline float32x4_t plus(float32x4_t a, float32x4_t b) {
  float32x4_t sum;
  __asm__("vadd.f32 %q0, %q1, %q2" : "=w"(sum) : "w"(a), "w"(b));
  return sum;
}

/*
 * Four rows of four lanes a turn, and below sixteen columns, in assembly: Clang makes no low-overhead loop around assembly, and
 * moves sixteen columns about between the eight registers. q6 is what is loaded.
 */
#define ADD_4(sum, at)                                                                                                             \
  " vldrw.32 q6, [%[x], #" at "]\n vadd.f32 %q[" sum "], %q[" sum "], q6\n vmul.i32 q6, q6, %[factor]\n"                           \
  " vmax.u32 %q[most], %q[most], q6\n"
static BF_NOINLINE int add_lanes(float *row, const float *x, size_t n) {
  const uint32_t factor = minus_two();
  float32x4_t sum = vld1q_f32(row);
  uint32x4_t most = guarded(vdupq_n_u32(0), sum, factor);
  if (n >= 4)
    __asm__ volatile("dls lr, %[n]\n1:\n" ADD_4("sum", "0") ADD_4("sum", "16") ADD_4("sum", "32")
                         ADD_4("sum", "48") " adds %[x], %[x], #64\n le lr, 1b"
                     : [sum] "+&w"(sum), [most] "+&w"(most), [x] "+&r"(x)
                     : [n] "r"(n / 4), [factor] "r"(factor)
                     : "q6", "lr", "cc", "memory");
  for (size_t rest = n % 4; rest; rest--, x += 4) {
    float32x4_t a = vld1q_f32(x);
    most = guarded(most, a, factor);
    sum = plus(sum, a);
  }
  if (vmaxvq_u32(0, most) > SAFE) return 0;
  vst1q_f32(row, sum);
  return 1;
}

static BF_NOINLINE int add_16(float *row, const float *x, size_t step, size_t n) {
  const uint32_t factor = minus_two();
  float32x4_t s = vld1q_f32(row), t = vld1q_f32(row + 4), u = vld1q_f32(row + 8), v = vld1q_f32(row + 12);
  uint32x4_t most = guarded(guarded(guarded(guarded(vdupq_n_u32(0), s, factor), t, factor), u, factor), v, factor);
  __asm__ volatile("dls lr, %[n]\n1:\n" ADD_4("s", "0") ADD_4("t", "16") ADD_4("u", "32")
                       ADD_4("v", "48") " add %[x], %[x], %[step]\n le lr, 1b"
                   : [s] "+&w"(s), [t] "+&w"(t), [u] "+&w"(u), [v] "+&w"(v), [most] "+&w"(most), [x] "+&r"(x)
                   : [n] "r"(n), [step] "r"(step * sizeof *x), [factor] "r"(factor)
                   : "q6", "lr", "memory");
  if (vmaxvq_u32(0, most) > SAFE) return 0;
  vst1q_f32(row, s), vst1q_f32(row + 4, t), vst1q_f32(row + 8, u), vst1q_f32(row + 12, v);
  return 1;
}

/* Up to four columns. */
static BF_NOINLINE int add_some(float *row, size_t width, const float *x, size_t step, size_t n) {
  const uint32_t factor = minus_two();
  const mve_pred16_t these = vctp32q((uint32_t)width);
  float32x4_t sum = vld1q_z_f32(row, these);
  uint32x4_t most = guarded(vdupq_n_u32(0), sum, factor);
  for (; n; n--, x += step) {
    float32x4_t a = vld1q_z_f32(x, these);
    most = guarded(most, a, factor);
    sum = plus(sum, a);
  }
  if (vmaxvq_u32(0, most) > SAFE) return 0;
  vst1q_p_f32(row, sum, these);
  return 1;
}

static int add(float *row, size_t width, const float *x, size_t step, size_t n) {
  if (width == 4 && step == 4 && !BF_SMALL) return add_lanes(row, x, n);
  if (width == BF_SPREAD && !BF_SMALL) return add_16(row, x, step, n);
  return add_some(row, width, x, step, n);
}

/* One column is the scalar unit's: a chain of additions. */
void bf_spread_f32_helium(float *row, size_t width, const void *data, size_t step, size_t n) {
  const float *x = data;
  if (width > 4 && (width < BF_SPREAD || BF_SMALL)) {
    for (size_t j = 0; j < width; j += 4) bf_spread_f32_helium(row + j, lesser(width - j, 4), x + j, step, n);
    return;
  }
  for (size_t rows;; x += rows * step) {
    rows = n < ROWS ? n : ROWS;
    if (width == 1 || !add(row, width, x, step, rows)) bf_spread_f32_scalar(row, width, x, step, rows);
    if (!(n -= rows)) return;
  }
}

/* Halves 0, 2, 4, 6 of a vector, and 1, 3, 5, 7, as floats. */
static inline float32x4_t even(uint16x8_t x) { return vcvtbq_f32_f16(vreinterpretq_f16_u16(x)); }
static inline float32x4_t odd(uint16x8_t x) { return vcvttq_f32_f16(vreinterpretq_f16_u16(x)); }

/* Four halves as floats: loaded into the even halves. */
static inline float32x4_t four(const bf_f16_word *x) { return even(vreinterpretq_u16_u32(vldrhq_u32(x))); }

/* Eight rows a turn. */
#define ADD_HALVES(at) " vldrh.u32 q6, [%[x], #" at "]\n vcvtb.f32.f16 q6, q6\n vadd.f32 %q[sum], %q[sum], q6\n"
static void halves_lanes(float *row, const bf_f16_word *x, size_t n) {
  float32x4_t sum = vld1q_f32(row);
  if (n >= 8)
    __asm__ volatile("dls lr, %[n]\n1:\n" ADD_HALVES("0") ADD_HALVES("8") ADD_HALVES("16") ADD_HALVES("24") ADD_HALVES("32")
                         ADD_HALVES("40") ADD_HALVES("48") ADD_HALVES("56") " adds %[x], %[x], #64\n le lr, 1b"
                     : [sum] "+&w"(sum), [x] "+&r"(x)
                     : [n] "r"(n / 8)
                     : "q6", "lr", "cc", "memory");
  for (size_t rest = n % 8; rest; rest--, x += 4) sum = plus(sum, four(x));
  vst1q_f32(row, sum);
}

static void halves_16(float *row, const bf_f16_word *x, size_t step, size_t n) {
  float32x4x2_t s = vld2q_f32(row), t = vld2q_f32(row + 8);
  for (; n; n--, x += step) {
    uint16x8_t a = vld1q_u16(x), b = vld1q_u16(x + 8);
    s.val[0] = plus(s.val[0], even(a)), s.val[1] = plus(s.val[1], odd(a));
    t.val[0] = plus(t.val[0], even(b)), t.val[1] = plus(t.val[1], odd(b));
  }
  vst2q_f32(row, s), vst2q_f32(row + 8, t);
}

static void halves_some(float *row, size_t width, const bf_f16_word *x, size_t step, size_t n) {
  const mve_pred16_t these = vctp32q((uint32_t)width);
  float32x4_t sum = vld1q_z_f32(row, these);
  for (; n; n--, x += step) sum = plus(sum, even(vreinterpretq_u16_u32(vldrhq_z_u32(x, these))));
  vst1q_p_f32(row, sum, these);
}

/* Halves are multiples of 2^-24, so no sum of them is subnormal. */
void bf_spread_f16_helium(float *row, size_t width, const void *data, size_t step, size_t n) {
  const bf_f16_word *x = data;
  if (width == 4 && step == 4 && !BF_SMALL) halves_lanes(row, x, n);
  else if (width == BF_SPREAD && !BF_SMALL) halves_16(row, x, step, n);
  else
    for (size_t j = 0; j < width; j += 4) halves_some(row + j, lesser(width - j, 4), x + j, step, n);
}

#define MACHINE helium
#include "deposit.h"

static int runs_here(void) { return 1; }

const struct bf_isa bf_isa_helium = {
    .name = "helium",
    .runs_here = runs_here,
    .deposit_f32 = deposit_f32_helium,
    .spread_f16 = bf_spread_f16_helium,
    .spread_f32 = bf_spread_f32_helium,
    .extremes_f16 = bf_extremes_f16_helium,
    .extremes_f32 = bf_extremes_f32_helium,
    .firsts_f16 = bf_firsts_f16_helium,
    .firsts_f32 = bf_firsts_f32_helium,
};
#endif
