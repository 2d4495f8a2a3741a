/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of given elements with a given result, laid out as rows and as columns of several widths. */
#include "suite.h"

static void one(const function *f, cmsis_nn_dims in, unsigned mask, size_t outputs, uint32_t want) {
  call c;
  plan(&c, f, in, mask);
  check_call(&c);
  for (size_t i = 0; i < outputs; i++) { /* the given result, and not only what the reference makes of it */
    uint32_t got = get(is_arg(f) ? &single : f->format, c.y, i);
    if (got != want) wrong(&c, "output", i, want, got);
  }
}

void row(const function *f, const uint32_t *x, size_t n, uint32_t want) {
  for (size_t i = 0; i < n; i++) put(f, i, x[i]);
  one(f, (cmsis_nn_dims){1, 1, 1, (int32_t)n}, 1, 1, want);
}

void column(const function *f, const uint32_t *x, size_t n, uint32_t want) {
  static const unsigned char widths[] = {2, 5, 17, 33};
  for (size_t k = 0; k < sizeof widths && n * widths[k] <= CAPACITY; k++) {
    int32_t width = widths[k], e = (int32_t)n;
    for (size_t i = 0; i < n * widths[k]; i++) put(f, i, x[i / widths[k]]);
    if (k % 2) one(f, (cmsis_nn_dims){e, 1, width, 1}, 8, widths[k], want);
    else one(f, (cmsis_nn_dims){1, 1, e, width}, 2, widths[k], want);
  }
}

void line(const function *f, const uint32_t *x, size_t n, uint32_t want) {
  row(f, x, n, want);
  column(f, x, n, want);
}

/* The elements of nan_everywhere are different integers. */
static int32_t ordinary(size_t i) { return (int32_t)(i * 37 % 89) - 44; }

/* Where the largest or smallest of n ordinary elements is when the one at `out` does not take part. */
static uint32_t winner(int largest, size_t n, size_t out) {
  size_t best = out ? 0 : n > 1;
  for (size_t i = 0; i < n; i++)
    if (i != out && (largest ? ordinary(i) > ordinary(best) : ordinary(i) < ordinary(best))) best = i;
  return (uint32_t)best;
}

void nan_everywhere(const function *f, size_t n) {
  uint32_t x[LINES];
  unsigned step = n < 12 || n % 16 < 2 ? 1 : 6; /* all kinds, or two of them */
  for (size_t i = 0; i < n; i++) x[i] = whole(f->format, ordinary(i));
  for (size_t at = 0; at < n; at++) {
    uint32_t kept = x[at], want = is_arg(f) ? winner(f->act == ARGMAX, n, at) : f->format->nan;
    for (unsigned kind = (unsigned)at % step; kind < NANS; kind += step) {
      x[at] = nan_of(f->format, kind);
      row(f, x, n, want);
      if (n < 5 || (n % 16 == 1 && kind == at % NANS)) column(f, x, n, want);
    }
    x[at] = kept;
  }
}
