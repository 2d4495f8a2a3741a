/* SPDX-License-Identifier: Apache-2.0 */
/* One line of progress for work over a second, on a terminal only; erased at the end. */
#include "cli.h"

#include <time.h>
#include <unistd.h>

static struct timespec start;
static struct timespec shown; /* when the line was last drawn */
static int drawn;
static uint64_t bytes;

static double seconds_since(const struct timespec *then) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - then->tv_sec) + 1e-9 * (double)(now.tv_nsec - then->tv_nsec);
}

void progress_start(uint64_t unit) {
  (void)clock_gettime(CLOCK_MONOTONIC, &start);
  drawn = 0;
  bytes = unit;
}

void progress_show(uint64_t done, uint64_t total) {
  double spent = seconds_since(&start);
  if (done == 0 || total == 0 || spent < 1 || (drawn && seconds_since(&shown) < 0.1) || !isatty(STDERR_FILENO)) return;
  double part = (double)done / (double)total;
  (void)fprintf(stderr, "\r%3.0f %%", 100 * part);
  if (bytes) (void)fprintf(stderr, "  %.2f GB/s", (double)done * (double)bytes / spent * 1e-9);
  (void)fprintf(stderr, "  %.0f s left\033[K", spent * (1 - part) / part);
  (void)fflush(stderr);
  (void)clock_gettime(CLOCK_MONOTONIC, &shown);
  drawn = 1;
}

void progress_stop(void) {
  if (drawn) (void)fputs("\r\033[K", stderr);
  drawn = 0;
}
