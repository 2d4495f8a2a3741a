/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Acts of clamping sums on vectors of 16-bit and 8-bit lanes. A lane is a segment of a row, or an output; eight (sixteen) terms of
 * each lane are turned in registers so that term k of all lanes is one vector. Included by vector.h.
 */

/* x + term, clamped: additions saturate at the type's own edges, and only what is narrower needs more. */
VEC v_i16 step_i16(v_i16 x, v_i16 term, v_i16 low, v_i16 high, const int full) {
  x = add_saturated_i16(x, term);
  if (!full) x = min_i16(x, high);
  return max_i16(x, low);
}
VEC v_i8 step_i8(v_i8 x, v_i8 term, v_i8 low, v_i8 high, const int full) { /* full: high is the type's own edge */
  (void)high, (void)full;
  return max_i8(add_saturated_i8(x, term), low);
}

/* tile[k] becomes term k of each lane; lane l of part p begins at x + l * row + p * part. */
VEC void turn_i16(v_i16 tile[8], const unsigned char *x, const int size, ptrdiff_t row, ptrdiff_t part, const int half) {
  (void)half;
  v_i16 a[8];
  for (int s = 0; s < 8; s++) a[s] = size == 2 ? load_parts(x + s * row, part) : load_bytes(x + s * row, part);
  for (int s = 0; s < 4; s++) tile[2 * s] = zip_low_i16(a[s], a[s + 4]), tile[2 * s + 1] = zip_high_i16(a[s], a[s + 4]);
  for (int s = 0; s < 4; s++) a[2 * s] = zip_low_i16(tile[s], tile[s + 4]), a[2 * s + 1] = zip_high_i16(tile[s], tile[s + 4]);
  for (int s = 0; s < 4; s++) tile[2 * s] = zip_low_i16(a[s], a[s + 4]), tile[2 * s + 1] = zip_high_i16(a[s], a[s + 4]);
}
/* Eight of sixteen terms: all sixteen would need more registers than there are, and loading twice is cheaper than putting aside. */
VEC void turn_i8(v_i8 tile[8], const unsigned char *x, const int size, ptrdiff_t row, ptrdiff_t part, const int half) {
  v_i8 a[8];
  (void)size;
  __asm__("" : "+r"(x)); /* which a compiler that knows x would not do */
  for (int s = 0; s < 8; s++) {
    const v_i8 even = (v_i8)load_parts(x + s * row, part), odd = (v_i8)load_parts(x + (s + 8) * row, part);
    a[s] = half ? zip_high_i8(even, odd) : zip_low_i8(even, odd);
  }
  for (int s = 0; s < 4; s++) tile[2 * s] = zip_low_i8(a[s], a[s + 4]), tile[2 * s + 1] = zip_high_i8(a[s], a[s + 4]);
  for (int s = 0; s < 4; s++) a[2 * s] = zip_low_i8(tile[s], tile[s + 4]), a[2 * s + 1] = zip_high_i8(tile[s], tile[s + 4]);
  for (int s = 0; s < 4; s++) tile[2 * s] = zip_low_i8(a[s], a[s + 4]), tile[2 * s + 1] = zip_high_i8(a[s], a[s + 4]);
}

VEC const unsigned char *announce(const unsigned char *x, const size_t bytes) {
  for (size_t i = 0; i < bytes; i += 64) __builtin_prefetch(x + i);
  return x + bytes;
}

/* Segments of a row: `length` terms each, one behind the other. */
struct segments {
  const unsigned char *x, *next;
  size_t length;
};
enum way { ANY, MET, FREE };

#define LANE i16
#define UNSIGNED u16
#define LANES LANES_I16
#define LEAST INT16_MIN
#define MOST INT16_MAX
#define HALVES 1
#define COUNT BF_SEGMENTS
#include "loops_scan_map.h"

#define LANE i8
#define UNSIGNED u8
#define LANES LANES_I8
#define LEAST INT8_MIN
#define MOST INT8_MAX
#define HALVES 2
#define COUNT BF_SEGMENTS_I8
#include "loops_scan_map.h"

/*
 * Runs of BF_RUN segments: map s of each `count` segments is for run s. A total is between high - top and low - bottom where that
 * tells it, and no matter elsewhere. Returns whether a run's low and high have met.
 */
enum { LANES_RUNS = VECTOR < 64 ? VECTOR / 4 : 8 };
typedef int32_t v_runs __attribute__((vector_size(4 * LANES_RUNS)));
typedef int16_t v_narrow __attribute__((vector_size(2 * LANES_RUNS)));
VEC v_runs load_runs(const void *x) {
  v_narrow v;
  return memcpy(&v, x, sizeof v), __builtin_convertvector(v, v_runs);
}
VEC v_runs clamp_runs(v_runs x, v_runs low, v_runs high) {
  const v_runs above = x > high, below = x < low;
  return (high & above) | (low & below) | (x & ~(above | below));
}
VEC int join_runs(struct bf_maps *maps, const size_t count, int32_t most, const int32_t mask) {
  v_runs met = {0};
  for (size_t s = 0; s < count; s += LANES_RUNS) {
    v_runs add = {0}, bottom = add + INT16_MIN, top = add + INT16_MAX;
    for (size_t i = s; i < BF_RUN * count; i += count) {
      const v_runs low = load_runs(maps->low + i), high = load_runs(maps->high + i), least = high - most;
      const v_runs total = least + ((load_runs(maps->total + i) - least) & mask);
      add += total, bottom = clamp_runs(bottom + total, low, high), top = clamp_runs(top + total, low, high);
    }
    met |= bottom == top;
    memcpy(maps->add + s, &add, sizeof add), memcpy(maps->bottom + s, &bottom, sizeof bottom);
    memcpy(maps->top + s, &top, sizeof top);
  }
  uint64_t words[sizeof met / 8], all = 0;
  memcpy(words, &met, sizeof met);
  for (size_t i = 0; i < sizeof met / 8; i++) all |= words[i];
  return all != 0;
}

VEC void scan_words(struct bf_maps *maps, const struct segments *row, const int size, int16_t least, int16_t most, const int full) {
  enum { GROUPS = BF_SEGMENTS / LANES_I16 };
  const struct edges_i16 edges = {(v_i16){0} + least, (v_i16){0} + most};
  struct map_i16 map[GROUPS];
  maps->way = (int)scan_segments_i16(map, (enum way)maps->way, row, size, edges, full);
  for (int g = 0; g < GROUPS; g++) {
    memcpy(maps->total + g * LANES_I16, &map[g].total, VECTOR);
    memcpy(maps->low + g * LANES_I16, &map[g].low, VECTOR);
    memcpy(maps->high + g * LANES_I16, &map[g].high, VECTOR);
  }
}
static int scan_i16(struct bf_maps *maps, const void *x, size_t length, int size, int16_t low, int16_t high, const void *next) {
  const struct segments row = {x, next, length};
  const struct segments line = {x, next, BF_LINE / 2}, lines = {x, next, BF_LINES_MOST / 2}; /* steps that compilers know */
  if (size == 1) scan_words(maps, &row, 1, low, high, 0);
  else if (high != INT16_MAX) scan_words(maps, &row, 2, low, high, 0);
  else if (length == line.length) scan_words(maps, &line, 2, low, high, 1);
  else if (length == lines.length) scan_words(maps, &lines, 2, low, high, 1);
  else scan_words(maps, &row, 2, low, high, 1);
  return maps->way == MET ? BF_ALL_MET : join_runs(maps, BF_SEGMENTS / BF_RUN, high, UINT16_MAX);
}

VEC void scan_bytes(struct bf_maps *maps, const struct segments *row, int16_t least) {
  enum { GROUPS = BF_SEGMENTS_I8 / LANES_I8 };
  const struct edges_i8 edges = {(v_i8){0} + (int8_t)least, (v_i8){0} + INT8_MAX};
  struct map_i8 map[GROUPS];
  int8_t lane[3][BF_SEGMENTS_I8];
  maps->way = (int)scan_segments_i8(map, (enum way)maps->way, row, 1, edges, 1);
  for (int g = 0; g < GROUPS; g++) {
    memcpy(lane[0] + g * LANES_I8, &map[g].total, VECTOR);
    memcpy(lane[1] + g * LANES_I8, &map[g].low, VECTOR);
    memcpy(lane[2] + g * LANES_I8, &map[g].high, VECTOR);
  }
  for (int s = 0; s < BF_SEGMENTS_I8; s++)
    maps->total[s] = (uint8_t)lane[0][s], maps->low[s] = lane[1][s], maps->high[s] = lane[2][s];
}
static int scan_i8(struct bf_maps *maps, const void *x, size_t length, int16_t low, const void *next) {
  const struct segments row = {x, next, length}, line = {x, next, BF_LINE}, lines = {x, next, BF_LINES_MOST};
  if (length == line.length) scan_bytes(maps, &line, low);
  else if (length == lines.length) scan_bytes(maps, &lines, low);
  else scan_bytes(maps, &row, low);
  return maps->way == MET ? BF_ALL_MET : join_runs(maps, BF_SEGMENTS_I8 / BF_RUN, INT8_MAX, UINT8_MAX);
}

/* Chains from known accumulators: a step has clamped where the plain sum is another. */
struct chains_i16 {
  v_i16 sum, clamped;
};
VEC struct chains_i16 follow_i16(struct chains_i16 at, v_i16 term, v_i16 low, v_i16 high, const int full) {
  const v_i16 next = step_i16(at.sum, term, low, high, full);
  at.clamped |= (v_i16)((v_u16)at.sum + (v_u16)term) ^ next;
  at.sum = next;
  return at;
}
VEC struct chains_i16 chains_at(const struct bf_chain_lanes *chains, size_t j) {
  struct chains_i16 at;
  memcpy(&at.sum, chains->sum + j, VECTOR);
  memcpy(&at.clamped, chains->clamped + j, VECTOR);
  return at;
}
VEC void chains_to(struct bf_chain_lanes *chains, size_t j, struct chains_i16 at) {
  memcpy(chains->sum + j, &at.sum, VECTOR);
  memcpy(chains->clamped + j, &at.clamped, VECTOR);
}

VEC void lines_of(struct bf_chain_lanes *chains, const unsigned char *x, ptrdiff_t across, size_t n, const int size, int16_t least,
                  int16_t most, const int full) {
  const v_i16 low = (v_i16){0} + least, high = (v_i16){0} + most;
  for (size_t j = 0; j < BF_SEGMENTS; j += LANES_I16) {
    const unsigned char *at = x + (ptrdiff_t)j * across;
    struct chains_i16 some = chains_at(chains, j);
    for (size_t i = 0; i < n; i += 8, at += 8 * size) {
      v_i16 tile[8];
      turn_i16(tile, at, size, across, 8 * across, 0);
      for (int k = 0; k < 8; k++) some = follow_i16(some, tile[k], low, high, full);
    }
    chains_to(chains, j, some);
  }
}
static void lines_i16(struct bf_chain_lanes *chains, const void *x, ptrdiff_t across, size_t n, int size, int16_t low,
                      int16_t high) {
  if (size == 1) lines_of(chains, x, across, n, 1, low, high, 0);
  else if (high == INT16_MAX) lines_of(chains, x, across, n, 2, low, high, 1);
  else lines_of(chains, x, across, n, 2, low, high, 0);
}

/* A few vectors of neighbouring outputs down all rows. */
VEC void strip_of(struct bf_chain_lanes *chains, size_t j, const int vectors, const unsigned char *x, ptrdiff_t step, size_t n,
                  const int size, int16_t least, int16_t most, const int full) {
  const v_i16 low = (v_i16){0} + least, high = (v_i16){0} + most;
  struct chains_i16 at[4];
  for (int v = 0; v < vectors; v++) at[v] = chains_at(chains, j + (size_t)v * LANES_I16);
  for (x += j * (size_t)size; n; n--, x += step)
    for (int v = 0; v < vectors; v++) {
      const unsigned char *terms = x + v * LANES_I16 * size;
      at[v] = follow_i16(at[v], size == 2 ? load_i16(terms) : load_half(terms), low, high, full);
    }
  for (int v = 0; v < vectors; v++) chains_to(chains, j + (size_t)v * LANES_I16, at[v]);
}
VEC void columns_of(struct bf_chain_lanes *chains, const unsigned char *x, ptrdiff_t step, size_t n, const int size, int16_t low,
                    int16_t high, const int full) {
  enum { FEW = BF_CHAINS / LANES_I16 < 4 ? BF_CHAINS / LANES_I16 : 4 };
  for (size_t j = 0; j < BF_CHAINS; j += FEW * LANES_I16) strip_of(chains, j, FEW, x, step, n, size, low, high, full);
}
static void columns_i16(struct bf_chain_lanes *chains, const void *x, ptrdiff_t step, size_t n, int size, int16_t low,
                        int16_t high) {
  if (size == 1) columns_of(chains, x, step, n, 1, low, high, 0);
  else if (high == INT16_MAX) columns_of(chains, x, step, n, 2, low, high, 1);
  else columns_of(chains, x, step, n, 2, low, high, 0);
}

/* Four vectors at a time, as one would wait for itself. */
static unsigned reach(const void *codes, size_t n, int size, unsigned unit) {
  enum { ROWS = 4 };
  const unsigned char *x = codes;
  const size_t bytes = n * (size_t)size;
  const v_i8 narrow = (v_i8)((v_u8){0} + (uint8_t)unit);
  const v_i8 shift = size == 1 ? narrow : (v_i8)((v_u16){0} + (uint16_t)unit);
  v_i8 seen[ROWS] = {{0}}, v = {0};
  size_t i = 0;
  unsigned all = 0;
  for (; size == 1 && i + ROWS * VECTOR <= bytes; i += ROWS * VECTOR)
    for (int r = 0; r < ROWS; r++) memcpy(&v, x + i + r * VECTOR, VECTOR), seen[r] |= (v_i8)((v_u8)v + (v_u8)shift);
  for (; size == 2 && i + ROWS * VECTOR <= bytes; i += ROWS * VECTOR)
    for (int r = 0; r < ROWS; r++) memcpy(&v, x + i + r * VECTOR, VECTOR), seen[r] |= (v_i8)((v_u16)v + (v_u16)shift);
  v = seen[0] | seen[1] | seen[2] | seen[3];
  for (int l = 0; size == 1 && l < LANES_I8; l++) all |= (uint8_t)v[l];
  for (int l = 0; size == 2 && l < LANES_I16; l++) all |= (uint16_t)((v_u16)v)[l];
  for (; size == 1 && i < bytes; i++) all |= (uint8_t)(x[i] + unit);
  for (; size == 2 && i < bytes; i += 2) all |= (uint16_t)((unsigned)*(const bf_code *)(const void *)(x + i) + unit);
  return all;
}
