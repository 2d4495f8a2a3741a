/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether additions rounded, as the processor itself has seen it: the sticky inexact flag of MXCSR, between bf_control_enter and
 * _leave, which restores it. Included by the x86 machines.
 *
 * Statements that touch memory, and what is handed over, are not moved across the assembly. An emulator may keep no flags (valgrind
 * keeps none), so the last question is one whose answer is known.
 */
#define HAS_INEXACT 1
enum { MXCSR_CLEAR = 0x1f80, MXCSR_ROUNDED = 0x29 }; /* no flags; inexact, overflow, invalid */

VEC uint32_t flags_of(const void *results) {
  uint32_t control;
  __asm__ volatile("stmxcsr %0" : "=m"(control) : "r"(results) : "memory");
  return control;
}
/* Begins to watch; all else in the register is as bf_control_enter set it. */
VEC void watch(void) {
  const uint32_t control = MXCSR_CLEAR;
  __asm__ volatile("ldmxcsr %0" : : "m"(control) : "memory");
}
/* Whether nothing rounded since that led to what lies at results, and it would have been seen. */
VEC int were_exact(const void *results) {
  double one = 1;
  if (flags_of(results) & MXCSR_ROUNDED) return 0;
  __asm__ volatile("" : "+x"(one));
  one += 0x1p-60;
  return (flags_of(&one) & MXCSR_ROUNDED) != 0;
}
