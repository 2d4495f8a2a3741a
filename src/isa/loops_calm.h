/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clamping sums of codes that stay away from both edges, by fewer instructions than maps of segments take. Included by vector.h.
 *
 * Neighbours are added in pairs, and pairs in lanes. Where a pair ends, the sum so far is that of all lanes, each as it was after
 * this row of lanes or the one before. So it lies between the sums of the lanes' least and of their greatest; and within a pair it
 * lies beyond by its first code at most.
 */
struct calm {
  v_i16 sum, least, most; /* of lanes, from 0 */
  v_i16 low, high;        /* of codes, -1 and 0, as lanes of their own size */
};

/* A row of lanes is pairs of two vectors of words, or of one of bytes. */
VEC size_t calm_row(const int size) { return (size_t)size * VECTOR; }

VEC struct calm calm_on(struct calm at, const unsigned char *x, const int size) {
  const v_i16 a = loaded_i16(load_i16(x));
  if (size == 1) {
    at.low = (v_i16)min_i8((v_i8)at.low, (v_i8)a), at.high = (v_i16)max_i8((v_i8)at.high, (v_i8)a);
    at.sum = add_saturated_i16(at.sum, pairs_i8((v_i8)a));
  } else {
    const v_i16 first = alternate_i16(a, load_i16(x + VECTOR - 2)); /* of each pair of both vectors */
    at.low = min_i16(at.low, first), at.high = max_i16(at.high, first);
    at.sum = add_saturated_i16(at.sum, pairs_i16(a, load_i16(x + VECTOR)));
  }
  at.least = min_i16(at.least, at.sum), at.most = max_i16(at.most, at.sum);
  return at;
}

/* All bits of lanes of this size, none of which is below 0. */
VEC int32_t bits_of(v_i16 v, const int size) {
  uint64_t words[VECTOR / 8], all = 0;
  memcpy(words, &v, VECTOR);
  for (size_t i = 0; i < VECTOR / 8; i++) all |= words[i];
  all |= all >> 32, all |= all >> 16;
  return (int32_t)(size == 2 ? all & UINT16_MAX : (all | all >> 8) & UINT8_MAX);
}
VEC int32_t total_of(v_i16 v) {
  typedef int32_t part __attribute__((vector_size(16)));
  const v_i32 pair = ((v_i32)((v_u32)v << 16) >> 16) + ((v_i32)v >> 16);
  part each[PARTS];
  memcpy(each, &pair, VECTOR);
  for (int p = 1; p < PARTS; p++) each[0] += each[p];
  each[0] += SHUFFLE(part, each[0], each[0], 2, 3, 0, 1);
  each[0] += SHUFFLE(part, each[0], each[0], 1, 0, 3, 2);
  return each[0][0];
}

/* Whether no step from `sum` passes an edge. Codes of half the range or more might have made pairs that are not their sums. */
VEC int is_calm(const struct calm *at, int32_t sum, const int size, int16_t low, int16_t high) {
  const int32_t code = bits_of(at->high | ~at->low, size);
  const v_i16 saturated = (at->least == INT16_MIN) | (at->most == INT16_MAX);
  return code < 1 << 14 && sum + total_of(at->most) + code <= high && sum + total_of(at->least) - code - 1 >= low &&
         !any(saturated);
}

/* Two blocks of so many bytes side by side, as one would wait for itself. */
VEC void calm_blocks(struct calm at[2], const unsigned char *x, const size_t bytes, const int size, const int is_far) {
  enum { STEP = VECTOR < 64 ? 64 : 128 };
  at[0] = at[1] = (struct calm){{0}, {0}, {0}, (v_i16){0} - 1, {0}};
  for (size_t i = 0; i < bytes; i += STEP)
    for (int s = 0; s < 2; s++) {
      const unsigned char *row = x + (size_t)s * bytes + i, *end = row + STEP;
      if (is_far) bf_announce_pages(row, STEP, BF_FAR);
      for (; row < end; row += calm_row(size)) at[s] = calm_on(at[s], row, size);
    }
}

/* Short blocks at first, as an edge may be near; then long ones, until they are too long. */
VEC size_t calm_of(int32_t *sum, const unsigned char *x, size_t n, const int size, int16_t low, int16_t high) {
  size_t done = 0, some = BF_CALM, most = BF_CALM_MOST;
  while (n - done >= 2 * some) {
    struct calm at[2];
    size_t s = 0;
    const unsigned char *from = x + done * (size_t)size;
    if ((n - done) * (size_t)size < BF_FAR) calm_blocks(at, from, some * (size_t)size, size, 0);
    else calm_blocks(at, from, some * (size_t)size, size, 1);
    for (; s < 2 && is_calm(&at[s], *sum, size, low, high); s++) *sum += total_of(at[s].sum);
    done += s * some;
    if (s < 2 && some == BF_CALM) break;
    if (s < 2) most = BF_CALM;
    some = n - done < 2 * most ? (n - done) / (2 * BF_CALM) * BF_CALM : most;
    if (!some) break;
  }
  return done;
}
static size_t calm(int32_t *sum, const void *x, size_t n, int size, int16_t low, int16_t high) {
  return size == 1 ? calm_of(sum, x, n, 1, low, high) : calm_of(sum, x, n, 2, low, high);
}
