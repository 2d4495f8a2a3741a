/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The floating-point control register of each processor that has one: rounding, flush-to-zero, exceptions. Functions of their own,
 * never inlined, and memory is what additions get their operands from, so that no compiler moves one across them.
 *
 * On a target that is none of these the caller must run with its default state: round to nearest, subnormals kept.
 */
#include "../kernel.h"

uint16_t bf_half(float x) {
#if defined(__arm__) && defined(__ARM_FP) && ((__ARM_FP & 2) || __ARM_ARCH_PROFILE == 'M')
  __asm__ volatile("vcvtb.f16.f32 %0, %0" : "+t"(x));
  return (uint16_t)f32_to_bits(x);
#else
  return f16_to_bits(x);
#endif
}

#if defined(__SSE__)
#include <xmmintrin.h>
enum { MASKED = 0x1f80, FLAGS = 0x3f }; /* round to nearest, no FTZ, no DAZ, no trap */
BF_NOINLINE uint64_t bf_control_enter(void) {
  uint64_t saved = _mm_getcsr();
  if ((saved & ~(uint64_t)FLAGS) != MASKED) _mm_setcsr(MASKED); /* which takes longer than to look, and as long again afterwards */
  return saved;
}
BF_NOINLINE void bf_control_leave(uint64_t saved) {
  if (_mm_getcsr() != saved) _mm_setcsr((unsigned)saved);
}

#elif defined(__aarch64__)
/* Flags live in FPSR, beside the control word. */
static uint64_t flags(void) {
  uint64_t word;
  __asm__ volatile("mrs %0, fpsr" : "=r"(word)::"memory");
  return word;
}
BF_NOINLINE uint64_t bf_control_enter(void) {
  uint64_t control, status = flags();
  __asm__ volatile("mrs %0, fpcr" : "=r"(control)::"memory");
  __asm__ volatile("msr fpcr, %0" ::"r"((uint64_t)0) : "memory");
  return control << 32 | (status & 0xffffffff);
}
BF_NOINLINE void bf_control_leave(uint64_t saved) {
  __asm__ volatile("msr fpcr, %0" ::"r"(saved >> 32) : "memory");
  __asm__ volatile("msr fpsr, %0" ::"r"(saved & 0xffffffff) : "memory");
}

#elif defined(__ARM_FP)
BF_NOINLINE uint64_t bf_control_enter(void) {
  uint32_t saved;
  __asm__ volatile("vmrs %0, fpscr" : "=r"(saved)::"memory");
  __asm__ volatile("vmsr fpscr, %0" ::"r"(saved & ~0x07c89f00u) : "memory"); /* AHP DN FZ RMode FZ16 traps; not LTPSIZE */
  return saved;
}
BF_NOINLINE void bf_control_leave(uint64_t saved) { __asm__ volatile("vmsr fpscr, %0" ::"r"((uint32_t)saved) : "memory"); }

#elif defined(__riscv_flen)
BF_NOINLINE uint64_t bf_control_enter(void) {
  unsigned long saved;
  __asm__ volatile("frcsr %0" : "=r"(saved)::"memory");
  __asm__ volatile("fscsr zero" ::: "memory");
  return saved;
}
BF_NOINLINE void bf_control_leave(uint64_t saved) { __asm__ volatile("fscsr %0" ::"r"((unsigned long)saved) : "memory"); }

#else
BF_NOINLINE uint64_t bf_control_enter(void) { return 0; }
BF_NOINLINE void bf_control_leave(uint64_t saved) { (void)saved; }
#endif
