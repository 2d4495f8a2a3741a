/* SPDX-License-Identifier: Apache-2.0 */
/* Starts a program on any Cortex-M that QEMU emulates: vectors, memory, floating point, then main; a fault ends it with status 99.
 */
#include <stddef.h>
#include <stdint.h>
#include "semihosting.h"

enum { FAULT_STATUS = 99, ARGUMENTS_MAX = 4, COMMAND_MAX = 64 };

extern uint32_t data_source[], data_start[], data_end[], bss_start[], bss_end[], stack_top[]; /* link.ld */
int main(int argc, char **argv);
void *memcpy(void *restrict to, const void *restrict from, size_t size);
void reset(void);

/* CPACR opens the floating-point and vector unit, CCR.UNALIGN_TRP makes misaligned words and halfwords fault (always so on
 * ARMv6-M). */
#define CPACR (*(volatile uint32_t *)0xe000ed88u)
#define CCR (*(volatile uint32_t *)0xe000ed14u)
enum { UNALIGN_TRP = 1 << 3 };

__attribute__((noreturn, used)) static void report_fault(const uint32_t *frame) {
  static const char digits[] = "0123456789abcdef";
  char text[] = "fault at 00000000\n";
  for (unsigned i = 0; i < 8; i++) text[9 + i] = digits[frame[6] >> (28 - 4 * i) & 15];
  semihosting(SYS_WRITE0, text);
  semihosting_exit(FAULT_STATUS);
}

__attribute__((naked)) static void fault(void) { __asm__ volatile("mov r0, sp\n\tldr r1, =report_fault\n\tbx r1"); }

union vector {
  uint32_t *stack;
  void (*handler)(void);
};
__attribute__((section(".vectors"), used)) static const union vector vectors[16] = {
    {stack_top},        {.handler = reset}, {.handler = fault}, {.handler = fault}, {.handler = fault}, {.handler = fault},
    {.handler = fault}, {.handler = fault}, {.handler = fault}, {.handler = fault}, {.handler = fault}, {.handler = fault},
    {.handler = fault}, {.handler = fault}, {.handler = fault}, {.handler = fault}};

/* The words of the command line, which QEMU takes from its option -semihosting-config arg=... */
static int split(char *command, char **argv) {
  int argc = 0;
  for (char *at = command; *at && argc < ARGUMENTS_MAX; argc++) {
    argv[argc] = at;
    while (*at && *at != ' ') at++;
    while (*at == ' ') *at++ = 0;
  }
  argv[argc] = 0;
  return argc;
}

__attribute__((noreturn, noinline)) static void start(void) {
  static char command[COMMAND_MAX], *argv[ARGUMENTS_MAX + 1];
  struct {
    char *text;
    uint32_t size;
  } line = {command, sizeof command};
  for (uint32_t *to = data_start, *from = data_source; to < data_end;) *to++ = *from++;
  for (uint32_t *to = bss_start; to < bss_end;) *to++ = 0;
  if (semihosting(SYS_GET_CMDLINE, &line) != 0) {
    semihosting(SYS_WRITE0, "the command line is too long\n");
    semihosting_exit(FAULT_STATUS);
  }
  semihosting_exit(main(split(command, argv), argv));
}

#if defined(TRAP_UNALIGNED)
/* In place of newlib's, which reads misaligned words. */
void *memcpy(void *restrict to, const void *restrict from, size_t size) {
  for (size_t i = 0; i < size; i++) ((volatile unsigned char *)to)[i] = ((const unsigned char *)from)[i];
  return to;
}
#endif

/* Nothing here may use a floating-point register: the unit is closed until CPACR is written. */
void reset(void) {
#if defined(__ARM_FP)
  CPACR |= 0xfu << 20;
  __asm__ volatile("dsb\n\tisb" ::: "memory");
#endif
#if defined(TRAP_UNALIGNED)
  CCR |= UNALIGN_TRP;
#endif
  start();
}
