/* SPDX-License-Identifier: Apache-2.0 */
/* sum keeps subnormals, also where a vector unit would flush them (H66). */
#include "suite.h"

/* Known sums, in every control state. */
static void witnesses(const function *f) {
  uint32_t x[64];
  if (f->format == &half) {
    for (size_t i = 0; i < 64; i++) x[i] = 1;
    line(f, x, 64, 0x0040);
    line(f, ROW(0x0600, 0x8400), 0x0200); /* 1.5 * 2^-14 - 2^-14 */
    return;
  }
  for (size_t i = 0; i < 64; i++) x[i] = 0x200; /* 2^-140 */
  line(f, x, 64, 0x8000);
  line(f, ROW(0x00c00000, 0x80800000), 0x00400000);         /* 1.5 * 2^-126 - 2^-126 */
  row(f, ROW(0x00c00000, 0, 0, 0, 0x80800000), 0x00400000); /* the same within a lane */
  line(f, ROW(0x0c000001, 0x8c000000), 0x00800000);         /* 2^-103 and a unit more: 2^-126 apart */
  row(f, ROW(0x0c000001, 0, 0, 0, 0x8c000000), 0x00800000);
  line(f, ROW(0x0b800001, 0x8b800000), 0x00400000); /* 2^-104: 2^-127, a subnormal */
  row(f, ROW(0x0b800001, 0, 0, 0, 0x8b800000), 0x00400000);
  row(f, ROW(0x00400000, 0, 0, 0, 0x0c000001), 0x0c000002); /* 2^-127 decides a tie */
  column(f, ROW(0x7f000000, 0xff000000, 0, 0, 0, 0, 0, 0, 1), 1), row(f, ROW(0x7f000000, 0, 0, 0, 0xff000000, 0, 0, 0, 1), 1);
}

/* One subnormal at each place of a row and of a column, among elements of one value. */
static void one_among(const function *f, uint32_t others) {
  for (int32_t n = 1; n <= LINES; n++)
    for (int32_t at = 0; at < n; at += n < 36 ? 1 : 3) {
      for (int32_t i = 0; i < 3 * n; i++) put(f, (size_t)i, i == at || i == 2 * n + at ? 0x1234 % f->format->nan : others);
      check(f, (cmsis_nn_dims){1, 1, 1, n}, 1);
      if (n % 5 == 0) check(f, (cmsis_nn_dims){1, 1, n, 3}, 2), check(f, (cmsis_nn_dims){1, 1, 3, n}, 2);
    }
}

/* 2^-127 or 2^-149 first, then zeros or large elements that cancel, through several blocks; and the other way round. */
static void first_or_last(const function *f, uint32_t tiny, uint32_t large) {
  for (int32_t n = 2; n <= CAPACITY / 3; n += n < 140 ? 1 : n / 3) {
    for (int order = 0; order < 2; order++) {
      for (int32_t i = 0; i < n; i++)
        put(f, (size_t)i, i == (order ? n - 1 : 0) ? tiny : large ? (i / 4 % 2 ? single.sign : 0) | large : 0);
      check(f, (cmsis_nn_dims){1, 1, 1, n}, 1);
    }
    if (n % 16 > 2) continue;
    for (int32_t i = 0; i < n * 3; i++) put(f, (size_t)i, i < 3 ? tiny : large ? (i / 3 % 2 ? single.sign : 0) | large : 0);
    check(f, (cmsis_nn_dims){1, 1, n, 3}, 2);
  }
}

/* Each four elements of one sort: zeros, subnormals, the least normals, about 2^-103, ordinary; those before are often taken back.
 */
static void sorts(const function *f, uint64_t seed, int32_t n) {
  static const unsigned char fields[][2] = {{0, 1}, {0, 1}, {1, 2}, {21, 5}, {100, 3}};
  uint64_t state = seed;
  unsigned sort = 0, back = 0;
  for (int32_t i = 0; i < n; i++) {
    if (i % 4 == 0) sort = (unsigned)(hostile_next(&state) >> 40) % 5, back = (unsigned)(hostile_next(&state) >> 40) % 3;
    uint32_t word = (uint32_t)(hostile_next(&state) >> 20), field = fields[sort][0] + word % fields[sort][1];
    uint32_t mantissa = word >> 8 & 0x7fffff, bits = sort ? (word & single.sign) | field << 23 | mantissa : word & single.sign;
    if (back == 0 && i >= 4) bits = get(f->format, x_at(0), (size_t)i - 4) ^ single.sign ^ (word & 1 && bits & 0x7f800000);
    put(f, (size_t)i, bits);
  }
  check(f, (cmsis_nn_dims){1, 1, 1, n}, 1);
  if (n % 8 == 0) check(f, (cmsis_nn_dims){1, 1, n / 4, 4}, 2), check(f, (cmsis_nn_dims){1, n / 8, 4, 2}, 10);
  if (n >= 48 && n % 48 < 3) check(f, (cmsis_nn_dims){1, 1, n / 48, 48}, 2), check(f, (cmsis_nn_dims){1, 1, n / 20, 20}, 2);
}

void h66(void) {
  EACH_FUNCTION(f) {
    if (f->act != SUM) continue;
    for (unsigned state = 0; state < states(); state++) under(state), witnesses(f);
    under(0);
    one_among(f, 0);
    if (f->format == &half) continue;
    static const uint32_t others[] = {0x00800000, 0x80c00001, 0x0b800001, 0x0c000000, 0x8c000001, 0x3f800000};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) one_among(f, others[i]);
    static const uint32_t tiny[] = {1, 0x00400000, 0x007fffff, 0x80000001};
    for (size_t i = 0; i < 4; i++)
      first_or_last(f, tiny[i], 0), first_or_last(f, tiny[i], 0x0c000001), first_or_last(f, tiny[i], 0x4b000000);
    for (int32_t i = 0; i < 1200; i++) sorts(f, (uint64_t)i, i % 3 ? 8 + i % 200 : 1 + i % LINES);
    for (int32_t i = 0; i < 60 && CAPACITY > 2000; i++) sorts(f, (uint64_t)i, 2048 - i * 16); /* after whole blocks too */
  }
#ifdef SMALL
  left_out("subnormals in blocks after element 85: SMALL");
#endif
}
