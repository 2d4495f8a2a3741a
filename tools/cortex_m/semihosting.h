/* SPDX-License-Identifier: Apache-2.0 */
/* Arm semihosting, by which a program without an operating system prints and ends: the calls that are used here. */
#ifndef SEMIHOSTING_H
#define SEMIHOSTING_H

#include <stdint.h>

/* Arm's "Semihosting for AArch32 and AArch64", chapter 6. */
enum { SYS_OPEN = 0x01, SYS_WRITE0 = 0x04, SYS_WRITE = 0x05, SYS_GET_CMDLINE = 0x15, SYS_EXIT_EXTENDED = 0x20 };

static inline int semihosting(int call, const void *block) {
  register int r0 __asm__("r0") = call;
  register const void *r1 __asm__("r1") = block;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

/* Ends the emulator with this exit status. */
__attribute__((noreturn)) static inline void semihosting_exit(int status) {
  const uint32_t block[2] = {0x20026 /* ADP_Stopped_ApplicationExit */, (uint32_t)status};
  for (;;) semihosting(SYS_EXIT_EXTENDED, block);
}

#endif
