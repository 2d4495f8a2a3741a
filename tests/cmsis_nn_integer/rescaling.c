/* SPDX-License-Identifier: Apache-2.0 */
/* I21 to I27: the arithmetic of means and sums, by literal cases at its edges and against the naive reference. */
#include "relatives.h"

#define EACH_MEAN(f) EACH_RELATIVE(f) if (f->act == MEAN)

/* One element through a scale. */
typedef struct pair {
  int32_t x;
  scale scale;
  int32_t want;
} pair;

static void each(const pair *pairs, size_t n) {
  EACH_MEAN(f)
  for (size_t i = 0; i < n; i++) row(f, &pairs[i].x, 1, pairs[i].scale, pairs[i].want);
}
#define EACH_PAIR(pairs) each(pairs, sizeof(pairs) / sizeof *(pairs))

void I21(void) {
  static const int32_t zeros[4];
  const scale up = {INT32_MAX, 0, 1 << 30, -30}, down = {INT32_MIN, 0, 1 << 30, -30};
  EACH_MEAN(f) row(f, zeros, 4, up, 4), row(f, zeros, 4, down, -4); /* +-2^33 / 2^31: in int32 the sums would be -4 and 0 */
#ifdef SMALL
  skip("65,539 elements need 131 KB");
#else
  enum { MANY = 65539 };
  static int16_t x[MANY]; /* the sum is 2147516413, in int32 it would be -2147450883 */
  for (int side = 0; side < 2; side++) EACH_MEAN(f) {
      call c;
      if (f->size != 2) continue;
      plan(&c, f, (cmsis_nn_dims){1, 1, 1, 1}, 15);
      for (size_t i = 0; i < MANY; i++) x[i] = 32767;
      c.room[0] = side ? (cmsis_nn_dims){MANY, 1, 1, 1} : (cmsis_nn_dims){1, 1, 1, MANY};
      c.x = x;
      c.scale = (scale){0, 0, 1 << 30, -16};
      EXPECT(ARM_CMSIS_NN_SUCCESS, f->make(&c), side);
      EXPECT(16384, *(int16_t *)c.y, side);
      c.scale = (scale){0, 0, 2147385348, -16}; /* 1 / 65539 */
      EXPECT(ARM_CMSIS_NN_SUCCESS, f->make(&c), side);
      EXPECT(32767, *(int16_t *)c.y, side);
      for (size_t i = 0; i < MANY; i++) x[i] = INT16_MIN;
      EXPECT(ARM_CMSIS_NN_SUCCESS, f->make(&c), side);
      EXPECT(INT16_MIN, *(int16_t *)c.y, side);
    }
#endif
}

void I22(void) {
  static const scale half = {0, 0, 1 << 30, 0}, quarter = {0, 0, 1 << 30, -1};
  const pair ties[] = {{1, half, 1},     {-1, half, 0},     {3, half, 2},     {-3, half, -1},    /* up */
                       {6, quarter, 2},  {-6, quarter, -2}, {2, quarter, 1},  {-2, quarter, -1}, /* away */
                       {1, quarter, 1},  {5, quarter, 2}, /* one rounding would give 0 and 1 */
                       {-1, quarter, 0}, {-3, quarter, -1}, {-5, quarter, -1}};
  EACH_PAIR(ties);
}

void I23(void) {
  EACH_MEAN(f)
  EACH_SHAPE(s) EACH_SCALE(k) for (unsigned mask = 0; mask < MASKS; mask++) for (uint32_t seed = 0; seed < 4; seed++) {
    call c;
    plan(&c, f, *s, mask);
    fill(f, room(0, count(s) * f->size), count(s), 0, seed + 100);
    c.scale = *k;
    check(&c, "mean");
  }
}

void I24(void) {
  static const pair edges[] = {
      {1, {0, 0, 1, 30}, 1},
      {-1, {0, 0, 1, 30}, 0},
      {1, {0, 5 - (1 << 29), 1 << 30, 30}, 5},
      {3, {0, 0, INT32_MAX, 1}, 6},
      {2, {0, INT32_MIN, INT32_MAX, 30}, -1},
      {3, {-1, INT32_MIN, INT32_MAX, 30}, -1},
      {-2, {0, INT32_MAX, INT32_MAX, 30}, 0}, /* -2^31 + 1 + 2^31 - 1 */
      {127, {INT32_MAX, 127, 0, 30}, 127},
      {0, {INT32_MIN, 0, 1, 0}, -1},
      {0, {INT32_MIN, 0, 2, -1}, -1},
      {0, {INT32_MAX, -20, 1, -31}, -20},
  };
  EACH_PAIR(edges);
  EACH_MEAN(f) {
    const scale up = {INT32_MAX, INT32_MIN, INT32_MAX, 30}, down = {INT32_MIN, INT32_MAX, INT32_MAX, 30};
    const int32_t one = 1, ones[] = {1, 1, 1, 1, 1, 1, 1, 1}; /* eight reach 2^95 before the division */
    row(f, &one, 1, up, greatest(f));
    row(f, &one, 1, down, least(f));
    row(f, ones, 8, up, greatest(f));
    row(f, ones, 8, down, least(f));
    row(f, &one, 1, (scale){0, greatest(f), 1 << 30, 1}, greatest(f));
    row(f, &one, 1, (scale){-2, least(f), 1 << 30, 1}, least(f));
    row(f, &one, 1, (scale){0, greatest(f) - 1, 1 << 30, 1}, greatest(f));
  }
}

void I26(void) {
  const relative *sum = relatives + RELATIVES - 1, *mean = sum - 1;
  EACH_SHAPE(s) EACH_SCALE(k) for (unsigned mask = 0; mask < MASKS; mask++) {
    static int16_t kept[CAPACITY];
    call c;
    plan(&c, sum, *s, mask);
    fill(sum, room(0, count(s) * sum->size), count(s), 0, 31);
    c.scale = *k;
    EXPECT(ARM_CMSIS_NN_SUCCESS, sum->make(&c), mask);
    for (size_t o = 0; o < count(c.out); o++) kept[o] = (int16_t)load(c.y, sizeof(int16_t), o);
    EXPECT(ARM_CMSIS_NN_SUCCESS, mean->make(&c), mask);
    for (size_t o = 0; o < count(c.out); o++) EXPECT(kept[o], load(c.y, sizeof(int16_t), o), o);
  }
}

void I27(void) {
  EACH_MEAN(f) EACH_SHAPE(s) EACH_SCALE(k) {
    call c;
    plan(&c, f, *s, 0);
    fill(f, room(0, count(s) * f->size), count(s), 0, 8);
    c.scale = *k;
    check(&c, "requantised");
    c.scale = scales[0];
    check(&c, "unchanged");
    for (size_t i = 0; i < count(s); i++) EXPECT(load(c.x, f->size, i), load(c.y, f->size, i), i);
  }
}
