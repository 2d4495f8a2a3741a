/* SPDX-License-Identifier: Apache-2.0 */
/* max and min: NaN, copies, zeros of both signs, the order of memory, parts (H31 to H36, H81). */
#include "suite.h"

void h31(void) {
  EACH_FUNCTION(f) {
    if (!is_extreme(f)) continue;
    for (size_t n = 1; n <= LINES; n++) nan_everywhere(f, n);
    for (unsigned kind = 0; kind < NANS; kind++) { /* two of any kinds, and beside infinities */
      const uint32_t nan = nan_of(f->format, kind), inf = f->format->inf, sign = f->format->sign;
      line(f, ROW(nan, nan_of(f->format, (kind * 5 + 3) % NANS)), f->format->nan);
      line(f, ROW(inf, nan, sign | inf), f->format->nan);
      line(f, ROW(sign | inf, sign | inf, nan, inf, inf), f->format->nan);
    }
  }
}

/* The same bits out as in: each NaN, infinities, both zeros, subnormals; also where an extent of 1 is not reduced. */
void h32(void) {
  EACH_FUNCTION(f) {
    if (!is_extreme(f)) continue;
    for (size_t i = 0; i < 64; i++)
      put(f, i, i % 3 ? nan_of(f->format, (unsigned)i % NANS) : (i % 2 ? f->format->sign : 0) | (uint32_t)i / 6);
    for (int32_t n = 1; n <= 64; n++) {
      call c;
      plan(&c, f, (cmsis_nn_dims){1, 1, 1, n}, 0);
      check_call(&c);
      for (size_t i = 0; i < (size_t)n; i++) {
        uint32_t want = get(f->format, c.x, i), got = get(f->format, c.y, i);
        if (got != want) wrong(&c, "output", i, want, got);
      }
    }
    for (unsigned kind = 0; kind < HOSTILE_KINDS; kind++) fill(f, kind, 210, kind), check(f, shapes[0], 0);
  }
}

void h33(void) {
  EACH_FUNCTION(f) {
    if (!is_extreme(f)) continue;
    const uint32_t sign = f->format->sign;
    for (unsigned kind = 0; kind < NANS; kind++) row(f, ROW(nan_of(f->format, kind)), f->format->nan);
    row(f, ROW(sign), sign), row(f, ROW(0), 0), row(f, ROW(1), 1), row(f, ROW(sign | f->format->inf), sign | f->format->inf);
    for (unsigned kind = 0; kind < NANS; kind++) put(f, kind, nan_of(f->format, kind));
    call c;
    plan(&c, f, (cmsis_nn_dims){NANS, 1, 1, 1}, 7);
    check_call(&c);
    for (size_t i = 0; i < NANS; i++)
      if (get(f->format, c.y, i) != f->format->nan) wrong(&c, "output", i, f->format->nan, get(f->format, c.y, i));
  }
}

/* Zeros of one sign from `at` on, of the other before `at`, with losers before `from`. */
static void zeros(const function *f, size_t n, size_t from, size_t at, uint32_t sign) {
  uint32_t x[LINES], loser = f->act == MAX ? f->format->sign | 1 : 1;
  for (size_t i = 0; i < n; i++) x[i] = i < from ? loser : i < at ? sign : f->format->sign ^ sign;
  row(f, x, n, from < at ? sign : f->format->sign ^ sign);
  if (n % 16 == 1 || n < 6) column(f, x, n, from < at ? sign : f->format->sign ^ sign);
}

void h34(void) {
  EACH_FUNCTION(f) {
    if (!is_extreme(f)) continue;
    const uint32_t minus = f->format->sign;
    line(f, ROW(0, minus), 0), line(f, ROW(minus, 0), minus);
    for (size_t n = 1; n <= LINES; n++)
      for (size_t at = 1; at <= n; at += n < 20 ? 1 : 5)
        for (uint32_t k = 0; k < 2; k++) zeros(f, n, 0, at, k * minus), zeros(f, n, at / 2, at, k * minus);
    for (int32_t n = 1; n <= LINES; n++) /* zeros and the least subnormals, at random */
      fill(f, 6, (size_t)3 * LINES, (uint64_t)n), check(f, (cmsis_nn_dims){1, 1, 1, n}, 1),
          check(f, (cmsis_nn_dims){1, 1, 3, n}, 2);
  }
}

/* n and c reduced: all of n = 0 comes before n = 1, whatever c. The zero that decides is the first in memory. */
void h35(void) {
  EACH_FUNCTION(f) {
    if (!is_extreme(f)) continue;
    const uint32_t minus = f->format->sign, loser = f->act == MAX ? minus | f->format->one : f->format->one;
    const int32_t n = 3, h = 2, w = 2, c = 5, outputs = h * w;
    for (int32_t first = 0; first < n * c; first++) { /* before this element of its domain only losers, from there zeros */
      for (int32_t i = 0; i < n * outputs * c; i++) {
        int32_t at = i / (outputs * c) * c + i % c;
        put(f, (size_t)i, at < first ? loser : at == first ? minus : 0);
      }
      call k;
      plan(&k, f, (cmsis_nn_dims){n, h, w, c}, 9);
      check_call(&k);
      for (size_t i = 0; i < (size_t)outputs; i++)
        if (get(f->format, k.y, i) != minus) wrong(&k, "output", i, minus, get(f->format, k.y, i));
    }
    for (unsigned mask = 0; mask < MASKS; mask++) fill(f, 6, 210, mask), check(f, shapes[0], mask);
  }
}

void h81(void) {
  EACH_FUNCTION(f) {
    if (is_sum(f)) continue;
    int bits = is_extreme(f);
    for (int32_t n = 2; n <= LINES; n++) {
      fill(f, 7, (size_t)n, (uint64_t)n); /* no NaN, no zero */
      call c;
      plan(&c, f, (cmsis_nn_dims){1, 1, 1, n}, 1);
      check_call(&c);
      uint32_t whole_line = get(bits ? f->format : &single, c.y, 0), parts[2];
      for (int32_t cut = 1; bits && cut < n; cut++) {
        for (int side = 0; side < 2; side++) { /* the right part lies where no vector begins */
          c.room[0].c = side ? n - cut : cut;
          c.x = x_at(side ? (size_t)cut * f->format->size : 0);
          perform(&c);
          parts[side] = get(f->format, c.y, 0);
        }
        tally t;
        tally_begin(&t, f, 0), tally_add(&t, parts[0]), tally_add(&t, parts[1]);
        if (tally_end(&t) != whole_line) wrong(&c, "max of the parts", (size_t)cut, whole_line, tally_end(&t));
      }
      if (bits) continue;
      const function *other = f - 2; /* max before argmax, min before argmin */
      must(other->act == (f->act == ARGMAX ? MAX : MIN), "the table of functions");
      plan(&c, other, (cmsis_nn_dims){1, 1, 1, n}, 1);
      check_call(&c);
      uint32_t best = get(f->format, c.y, 0), found = get(f->format, c.x, whole_line);
      if (best != found) wrong(&c, "max unlike what argmax found", whole_line, found, best);
    }
  }
}
