/* SPDX-License-Identifier: Apache-2.0 */
/* The states of floating-point control of each processor that has one: rounding, flush-to-zero, default NaN, other half format. */
#include "suite.h"

/*
 * `control` are the bits that a state sets, `cumulative` the exception flags, `number` makes the bits of state i < COUNT; state 0
 * is the default. read() and write() are the register; write() leaves all other bits of it alone.
 */
#if defined(__SSE__)
#include <xmmintrin.h>
enum { COUNT = 16, control = 0xe040, cumulative = 0x3f };
static uint64_t number(unsigned i) { return (i & 3) << 13 | (i >> 2 & 1) << 15 | (i >> 3 & 1) << 6; }
static uint64_t read(void) { return _mm_getcsr(); }
static void write(uint64_t word) { _mm_setcsr((unsigned)word); }

#elif defined(__aarch64__) || (defined(__ARM_FP) && (__ARM_FP & 4))
/* AHP 26, DN 25, FZ 24, RMode 23:22; FZ16 19 is kept at 0 by a processor without half arithmetic. */
enum { COUNT = 64, control = 0x7c80000, cumulative = 0x9f };
static uint64_t number(unsigned i) {
  return (i & 3) << 22 | (i >> 2 & 1) << 24 | (i >> 3 & 1) << 25 | (i >> 4 & 1) << 26 | (i >> 5 & 1) << 19;
}
#if defined(__aarch64__) /* the flags live in a register of their own */
static uint64_t read(void) {
  uint64_t word, status;
  __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(word), "=r"(status)::"memory");
  return word | (status & cumulative);
}
static void write(uint64_t word) {
  uint64_t status;
  __asm__ volatile("mrs %0, fpsr" : "=r"(status)::"memory");
  status = (status & ~(uint64_t)cumulative) | (word & cumulative);
  __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1" ::"r"(word & ~(uint64_t)cumulative), "r"(status) : "memory");
}
#else
static uint64_t read(void) {
  uint32_t word;
  __asm__ volatile("vmrs %0, fpscr" : "=r"(word)::"memory");
  return word;
}
static void write(uint64_t word) { __asm__ volatile("vmsr fpscr, %0" ::"r"((uint32_t)word) : "memory"); }
#endif

#else
enum { COUNT = 1, control = 0, cumulative = 0 };
static uint64_t number(unsigned i) { return i; }
static uint64_t read(void) { return 0; }
static void write(uint64_t word) { (void)word; }
#endif

static unsigned current;
static uint64_t entered;

unsigned states(void) { return COUNT; }
void under(unsigned state) { current = state % COUNT; }
unsigned under_which(void) { return current; }

static void go(unsigned state, uint64_t flags) {
  const uint64_t mine = (uint64_t)control | cumulative;
  write((read() & ~mine) | number(state) | flags);
}

void state_enter(unsigned flags) {
  go(current, flags & 4 ? cumulative : 0);
  entered = read();
}

const char *state_leave(int strict) {
  uint64_t changed = read() ^ entered;
  go(0, 0);
  if (changed & control) return "the control state was changed";
  return strict && changed & cumulative ? "cumulative flags were changed" : NULL;
}
