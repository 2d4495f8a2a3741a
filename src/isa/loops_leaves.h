/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves of eight lanes, eight of them at once, for f32 and f64: a part of a pairwise sum. Includes itself once for each. */
#ifndef F
#define MIX(word, ...)                                                                                                             \
  VEC ON(leaf) ON(word)(ON(leaf) a, ON(leaf) b) { return SHUFFLE(ON(place), a, b, __VA_ARGS__); }
#define SELF "loops_leaves.h"
#define F f32
#define PLACE int32_t
#if VECTOR == 16
#define SIDE 4 /* lanes of a vector, and leaves at a time */
#define ONES_LOW 0, 4, 1, 5
#define ONES_HIGH 2, 6, 3, 7
#else
#define SIDE 8
#endif
#include SELF
#undef F
#undef PLACE
#undef SIDE
#undef ONES_LOW
#undef ONES_HIGH
#define F f64
#define PLACE int64_t
#if VECTOR == 16
#define SIDE 2
#elif VECTOR == 32
#define SIDE 4
#define ONES_LOW 0, 4, 2, 6
#define ONES_HIGH 1, 5, 3, 7
#define TURNED /* lanes 1 and 2 have changed places */
#else
#define SIDE 8
#endif
#include SELF
#undef F
#undef PLACE
#undef SIDE
#undef SELF
#undef MIX
#undef ONES_LOW
#undef ONES_HIGH
#undef TURNED
#else
typedef ON(value) ON(leaf) __attribute__((vector_size(SIDE * sizeof(ON(value)))));
typedef PLACE ON(place) __attribute__((vector_size(SIDE * sizeof(ON(value)))));

/* v[l] becomes lane l of the vectors that v was. */
#if SIDE == 8
MIX(ones_low, 0, 8, 1, 9, 4, 12, 5, 13)
MIX(ones_high, 2, 10, 3, 11, 6, 14, 7, 15)
MIX(twos_low, 0, 1, 8, 9, 4, 5, 12, 13)
MIX(twos_high, 2, 3, 10, 11, 6, 7, 14, 15)
MIX(fours_low, 0, 1, 2, 3, 8, 9, 10, 11)
MIX(fours_high, 4, 5, 6, 7, 12, 13, 14, 15)
VEC void ON(turn)(ON(leaf) * v) {
  ON(leaf) a[8], b[8];
  for (size_t i = 0; i < 8; i += 2) a[i] = ON(ones_low)(v[i], v[i + 1]), a[i + 1] = ON(ones_high)(v[i], v[i + 1]);
  for (size_t i = 0; i < 8; i += 4)
    for (size_t j = 0; j < 2; j++) {
      b[i + 2 * j] = ON(twos_low)(a[i + j], a[i + 2 + j]);
      b[i + 2 * j + 1] = ON(twos_high)(a[i + j], a[i + 2 + j]);
    }
  for (size_t i = 0; i < 4; i++) v[i] = ON(fours_low)(b[i], b[i + 4]), v[i + 4] = ON(fours_high)(b[i], b[i + 4]);
}
#elif SIDE == 4
MIX(ones_low, ONES_LOW)
MIX(ones_high, ONES_HIGH)
MIX(twos_low, 0, 1, 4, 5)
MIX(twos_high, 2, 3, 6, 7)
VEC void ON(turn)(ON(leaf) * v) {
  const ON(leaf) a = ON(ones_low)(v[0], v[1]), b = ON(ones_low)(v[2], v[3]);
  const ON(leaf) c = ON(ones_high)(v[0], v[1]), d = ON(ones_high)(v[2], v[3]);
#ifdef TURNED
  v[0] = ON(twos_low)(a, b), v[2] = ON(twos_high)(a, b), v[1] = ON(twos_low)(c, d), v[3] = ON(twos_high)(c, d);
#else
  v[0] = ON(twos_low)(a, b), v[1] = ON(twos_high)(a, b), v[2] = ON(twos_low)(c, d), v[3] = ON(twos_high)(c, d);
#endif
}
#else
MIX(ones_low, 0, 2)
MIX(ones_high, 1, 3)
VEC void ON(turn)(ON(leaf) * v) {
  const ON(leaf) low = ON(ones_low)(v[0], v[1]);
  v[1] = ON(ones_high)(v[0], v[1]), v[0] = low;
}
#endif

VEC void ON(add_row)(ON(leaf) * lanes, const ON(value) * x) {
  ON(leaf) term;
  for (size_t p = 0; p < 8 / SIDE; p++) memcpy(&term, x + p * SIDE, sizeof term), lanes[p] += term;
}

/*
 * SIDE leaves, leaf s at [place[s], place[s + 1]) eights of values. They are short enough for the processor to begin some before
 * the first is done, and only one after the other is memory read in a sequence that it foresees.
 */
VEC void ON(some_leaves)(ON(value) * out, const ON(value) * x, const uint64_t *place, int in_pairs) {
  ON(leaf) sum[8 / SIDE][SIDE], *l = sum[0];
#pragma GCC unroll 8
  for (size_t s = 0; s < SIDE; s++) {
    const ON(value) *at = x + 8 * place[s], *const end = x + 8 * place[s + 1];
    ON(leaf) lanes[8 / SIDE] = {{0}};
    for (; end - at >= 32; at += 32)
      for (size_t i = 0; i < 32; i += 8) ON(add_row)(lanes, at + i);
    for (; at < end; at += 8) ON(add_row)(lanes, at);
    for (size_t p = 0; p < 8 / SIDE; p++) sum[p][s] = lanes[p];
  }
  for (size_t p = 0; p < 8 / SIDE; p++) ON(turn)(sum[p]);
  if (in_pairs) l[0] = ((l[0] + l[1]) + (l[2] + l[3])) + ((l[4] + l[5]) + (l[6] + l[7]));
  else l[0] = ((((((l[0] + l[1]) + l[2]) + l[3]) + l[4]) + l[5]) + l[6]) + l[7];
  memcpy(out, &l[0], sizeof l[0]);
}

VEC void ON(eight_leaves)(ON(value) * out, const ON(value) * x, uint64_t units, int in_pairs) {
  const uint64_t left = units / 2, right = units - left, a = left / 2, b = left + right / 2;
  const uint64_t place[9] = {0, a / 2, a, a + (left - a) / 2, left, left + right / 2 / 2, b, b + (units - b) / 2, units};
  for (size_t s = 0; s < 8; s += SIDE) ON(some_leaves)(out + s, x, place + s, in_pairs);
}

static void ON(leaves)(ON(value) * out, size_t leaves, const ON(value) * x, uint64_t units, int in_pairs) {
  uint64_t place[9] = {0};
  const size_t parts = leaves / 8;
  place[parts] = units;
  for (size_t step = parts / 2; step; step /= 2)
    for (size_t i = step; i < parts; i += 2 * step) place[i] = place[i - step] + (place[i + step] - place[i - step]) / 2;
  for (size_t i = 0; i < parts; i++, out += 8) ON(eight_leaves)(out, x + 8 * place[i], place[i + 1] - place[i], in_pairs);
}
#endif
