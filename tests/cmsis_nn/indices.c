/* SPDX-License-Identifier: Apache-2.0 */
/* argmax and argmin: NaN, ties, infinities (H44 to H48). */
#include "suite.h"

void h44(void) {
  EACH_FUNCTION(f) {
    if (!is_arg(f)) continue;
    const uint32_t inf = f->format->inf, sign = f->format->sign, one = f->format->one;
    for (unsigned kind = 0; kind < NANS; kind++) {
      const uint32_t nan = nan_of(f->format, kind);
      line(f, ROW(nan, one), 1), line(f, ROW(one, nan), 0), line(f, ROW(nan, nan, one, nan), 2);
      line(f, ROW(nan, sign | inf), 1), line(f, ROW(nan, inf), 1), line(f, ROW(nan, sign), 1), line(f, ROW(nan, 1), 1);
    }
    for (size_t n = 1; n <= LINES; n++) nan_everywhere(f, n);
  }
}

/* Lines of NaN, and lines with one element among them, which wins whatever it is. */
void h45(void) {
  EACH_FUNCTION(f) {
    if (!is_arg(f)) continue;
    const uint32_t others[] = {
        f->format->sign | f->format->inf, f->format->inf, f->format->sign, 0, 1, f->format->sign | 1, f->format->largest};
    uint32_t x[LINES];
    for (size_t n = 1; n <= LINES; n++) {
      for (unsigned kind = 0; kind < NANS; kind++) {
        for (size_t i = 0; i < n; i++) x[i] = nan_of(f->format, kind);
        row(f, x, n, 0);
        for (size_t i = 0; i < n; i++) x[i] = nan_of(f->format, (kind + (unsigned)i) % NANS);
        row(f, x, n, 0);
        if (n < 8) column(f, x, n, 0);
      }
      for (size_t at = 0; at < n; at++) {
        uint32_t kept = x[at];
        x[at] = others[at % 7];
        row(f, x, n, (uint32_t)at);
        if (n < 6 || at % 16 == 1) column(f, x, n, (uint32_t)at);
        x[at] = kept;
      }
    }
  }
}

/* The winning value twice, at `first` and at `second`, and zeros of either sign as equals. */
static void twice(const function *f, size_t n, size_t first, size_t second) {
  uint32_t x[LINES], sign = f->format->sign;
  uint32_t won = f->act == ARGMAX ? f->format->one : sign | f->format->one;
  for (size_t i = 0; i < n; i++) x[i] = i % 3 ? 0 : sign;
  row(f, x, n, 0);
  x[first] = x[second] = won;
  row(f, x, n, (uint32_t)first);
  for (size_t i = 0; i < n; i++) x[i] = i == first ? sign : i >= second ? 0 : won ^ sign;
  row(f, x, n, (uint32_t)first);
  x[first] = 0, x[second] = sign;
  row(f, x, n, (uint32_t)first);
  if (n < 6) column(f, x, n, (uint32_t)first);
}

void h46(void) {
  EACH_FUNCTION(f) {
    if (!is_arg(f)) continue;
    const uint32_t sign = f->format->sign;
    line(f, ROW(0, sign), 0), line(f, ROW(sign, 0), 0), line(f, ROW(sign, sign, 0, 0), 0);
    for (size_t n = 2; n <= LINES; n++)
      for (size_t first = 0; first + 1 < n; first += n < 20 ? 1 : 7)
        for (size_t second = first + 1; second < n; second += n < 20 ? 1 : 5) twice(f, n, first, second);
#ifndef SMALL
    for (size_t n = 4; n <= CAPACITY; n *= 2) { /* many turns of every block, equal all along */
      for (size_t i = 0; i < n; i++) put(f, i, f->format->one);
      check(f, (cmsis_nn_dims){1, 1, 1, (int32_t)n}, 1), check(f, (cmsis_nn_dims){1, 1, (int32_t)n / 4, 4}, 2);
      put(f, n - 1, f->act == ARGMAX ? f->format->inf : 0), check(f, (cmsis_nn_dims){1, 1, 1, (int32_t)n}, 1);
    }
#endif
  }
#ifdef SMALL
  left_out("ties in lines of more than 67 elements: SMALL");
#endif
}

/* One line with a NaN for all four. */
void h47(void) {
  EACH_FUNCTION(f) {
    if (is_sum(f)) continue;
    const uint32_t one = f->format->one, two = whole(f->format, 2), minus = f->format->sign | one;
    for (unsigned kind = 0; kind < NANS; kind++) {
      const uint32_t nan = nan_of(f->format, kind);
      line(f, ROW(one, nan, two, minus), is_extreme(f) ? f->format->nan : f->act == ARGMAX ? 2 : 3);
    }
  }
}

/* The infinity that loses against everything is data all the same: it beats NaN, and its own first place counts. */
void h48(void) {
  EACH_FUNCTION(f) {
    if (!is_arg(f)) continue;
    const uint32_t sign = f->format->sign, inf = f->format->inf, least = f->act == ARGMAX ? sign | inf : inf;
    uint32_t x[LINES];
    for (size_t n = 1; n <= LINES; n++)
      for (size_t at = 0; at < n; at++) {
        for (size_t i = 0; i < n; i++) x[i] = i < at ? nan_of(f->format, (unsigned)(n + i / 16) % NANS) : least;
        row(f, x, n, (uint32_t)at);
        x[n - 1] = (f->act == ARGMAX ? sign : 0) | f->format->largest; /* the least that beats it */
        row(f, x, n, (uint32_t)n - 1);
      }
    line(f, ROW(least, least), 0), line(f, ROW(nan_of(f->format, 1), least, least), 1);
  }
}
