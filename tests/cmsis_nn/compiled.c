/* SPDX-License-Identifier: Apache-2.0 */
/* What a compiler's fast-math would break, and calls in the middle of others (H9, H5). */
#if defined(__unix__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include <string.h>

#include "suite.h"

/* One witness each for: reassociation, no NaN, no Inf, no -0, a reciprocal, a wider accumulator, flushed subnormals. */
void h9(void) {
  EACH_FUNCTION(f) {
    const format *k = f->format;
    const uint32_t sign = k->sign, one = k->one, inf = k->inf, nan = nan_of(k, 1);
    switch (f->act) {
    case SUM:
      line(f, ROW(sign, sign, sign, sign, sign), 0), line(f, ROW(inf, sign | inf), k->nan), line(f, ROW(one, nan), k->nan);
      line(f, ROW(1, 1, 1), 3);
      if (k == &single)
        column(f, ROW(0x4b800000, one, one, 0xcb800000), 0), row(f, ROW(0x4b800000, one, one, one, 0xcb800000), 0x40400000);
      break;
    case MEAN: line(f, ROW(whole(k, 5), 0, 0), k == &single ? 0x3fd55555 : 0x3eab), line(f, ROW(inf, one), inf); break;
    case MAX: line(f, ROW(sign, 0), sign), line(f, ROW(0, sign), 0), line(f, ROW(one, nan, inf), k->nan); break;
    case MIN: line(f, ROW(0, sign), 0), line(f, ROW(sign, 0), sign), line(f, ROW(one, nan, sign | inf), k->nan); break;
    case ARGMAX: line(f, ROW(nan, sign | inf, one), 2), line(f, ROW(sign, 0, 1), 2); break;
    default: line(f, ROW(nan, inf, one), 2), line(f, ROW(0, sign, sign | 1), 2); break;
    }
  }
}

static unsigned char given[4 * 64], first[12][64], again[64]; /* one row for all, its results, and what the later calls give */

/* Function number i on the row, to wherever; the row is of floats for the first and of halves for the others. */
static void call_to(unsigned i, void *y) {
  call c;
  plan(&c, &functions[i], (cmsis_nn_dims){1, 1, 8, 8}, i % 2 ? 2 : 1);
  c.x = given, c.y = y;
  perform(&c);
}

static int same_again(void) {
  for (unsigned i = 0; functions[i].name; i++) {
    call_to(i, again);
    if (memcmp(again, first[i], 16) != 0) return 0;
  }
  return 1;
}

#if defined(__unix__)
#include <signal.h>
#include <sys/time.h>

static volatile sig_atomic_t interrupts, differences;

static void interrupt(int number) {
  (void)number;
  interrupts = interrupts + 1;
  if (!same_again()) differences = differences + 1;
}

/* One call over and over until the timer has come many times: its outputs stay those of the first time. */
static int steady(const function *f, unsigned mask) {
  const cmsis_nn_dims in = {1, 1, 60, 60};
  call c;
  plan(&c, f, in, mask);
  fill(f, 2, 3600, mask);
  perform(&c);
  memcpy(earlier, c.y, 60 * output_size(f));
  const sig_atomic_t before = interrupts;
  for (unsigned turn = 0; turn < 1000000 && interrupts < before + 12; turn++) {
    perform(&c);
    if (memcmp(earlier, c.y, 60 * output_size(f)) != 0) return 0;
  }
  return 1;
}

/* A timer interrupts calls, and the handler calls all twelve. */
static void interrupted(void) {
  struct sigaction ours = {.sa_handler = interrupt, .sa_flags = SA_RESTART}, old;
  const struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
  int kept = 1;
  sigaction(SIGALRM, &ours, &old), setitimer(ITIMER_REAL, &often, NULL);
  EACH_FUNCTION(f) kept &= steady(f, 1) & steady(f, 2);
  setitimer(ITIMER_REAL, &never, NULL), sigaction(SIGALRM, &old, NULL);
  must(interrupts > 0, "no interrupt came");
  must(kept, "a call that was interrupted by others gave other bits");
  must(!differences, "a call in the middle of another gave other bits");
}
#else
static void interrupted(void) { left_out("calls in the middle of others: no timer here"); }
#endif

/* Calls do not depend on those before them. */
void h5(void) {
  for (size_t i = 0; i < sizeof given; i++)
    given[i] = (unsigned char)(i % 2 ? 0x30 + i % 23 : i * 29); /* ordinary as either format */
  for (unsigned i = 0; functions[i].name; i++) call_to(i, first[i]);
  for (unsigned i = 0; functions[i].name; i++) {
    EACH_FUNCTION(f) fill(f, i % HOSTILE_KINDS, 210, i), check(f, shapes[0], takes(f, 9) ? 9 : 4);
    must(same_again(), "a call after others gave other bits");
  }
  interrupted();
}
