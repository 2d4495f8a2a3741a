/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A chain of clamping steps over contiguous 16-bit terms, in the bits of one step after the other but several times as fast.
 *
 * Any sequence of steps maps an accumulator x to clamp(x + total, low, high), where low and high are the images of the edges bottom
 * and top. So segments of the row become maps side by side, in lanes, and then the accumulator goes through the maps in sequence.
 * As long as low < high, only the bottom has clamped low's path and only the top high's, since paths that meet stay together. Then
 * the total lies within high - top .. low - bottom, less than 2^16 apart, so that its low 16 bits are enough; and a step clamps,
 * from x, exactly if the last clamp changes x + total. Where low == high a step clamps from every x but at most one, which the map
 * does not tell: with edges -1 and 1 both +1 +1 -1 -1 and +1 +1 +1 -1 -1 -1 have the total 0 and take every x to -1, and from -1
 * no step of the former clamps. Where x + total is low, the segments are therefore followed once more, from accumulators that are
 * known by then.
 */
#include "in_place.h"
#include "step.h"

enum { LANES = BF_LINES, GROUPS = 4, LONGEST = 128, FEW = 32, LEAST = LANES * LANES };
typedef int16_t lanes __attribute__((vector_size(2 * LANES)));
typedef int8_t bytes __attribute__((vector_size(2 * LANES)));
typedef int64_t pair __attribute__((vector_size(2 * LANES)));

struct maps {
  uint16_t total[LANES]; /* modulo 2^16 */
  int16_t low[LANES], high[LANES];
};

static inline lanes zip_first(lanes a, lanes b) {
#ifdef __clang__
  return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
#else
  return __builtin_shuffle(a, b, (lanes){0, 8, 1, 9, 2, 10, 3, 11});
#endif
}
static inline lanes zip_last(lanes a, lanes b) {
#ifdef __clang__
  return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
#else
  return __builtin_shuffle(a, b, (lanes){4, 12, 5, 13, 6, 14, 7, 15});
#endif
}

/* The first eight bytes twice each, which are 16-bit lanes whose upper half is the byte in any byte order. */
static inline lanes twice(bytes a) {
#ifdef __clang__
  return (lanes)__builtin_shufflevector(a, a, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
#else
  return (lanes)__builtin_shuffle(a, (bytes){0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7});
#endif
}

static inline lanes load(const unsigned char *x, const int size) {
  lanes words;
  int64_t narrow;
  if (size == 2) return memcpy(&words, x, sizeof words), words;
  return memcpy(&narrow, x, LANES), twice((bytes)(pair){narrow, 0}) >> 8;
}

/* Eight terms of each of eight segments, `across` bytes apart: tile[k][s] becomes term k of segment s. */
BF_EACH void turn(int16_t tile[LANES][LANES], const unsigned char *x, const int size, ptrdiff_t across) {
  lanes a[LANES], b[LANES];
  for (int s = 0; s < LANES; s++) a[s] = load(x + s * across, size);
  for (size_t s = 0; s < 4; s++) b[2 * s] = zip_first(a[s], a[s + 4]), b[2 * s + 1] = zip_last(a[s], a[s + 4]);
  for (size_t s = 0; s < 4; s++) a[2 * s] = zip_first(b[s], b[s + 4]), a[2 * s + 1] = zip_last(b[s], b[s + 4]);
  for (size_t s = 0; s < 4; s++) b[2 * s] = zip_first(a[s], a[s + 4]), b[2 * s + 1] = zip_last(a[s], a[s + 4]);
  memcpy(tile, b, sizeof b);
}

struct map {
  uint16_t total;
  int16_t low, high;
};
BF_EACH struct map follow(struct map map, int16_t term, int16_t low, int16_t high, const int wide) {
  map.total = (uint16_t)(map.total + (uint16_t)term);
  map.low = bf_step(map.low, term, low, high, wide);
  map.high = bf_step(map.high, term, low, high, wide);
  return map;
}

/* Eight steps of each segment; written out, so that compilers make vectors of the loop over segments. */
BF_EACH void eight(struct maps *restrict maps, int16_t tile[LANES][LANES], int16_t low, int16_t high, const int wide) {
  for (size_t s = 0; s < LANES; s++) {
    struct map map = {maps->total[s], maps->low[s], maps->high[s]};
    map = follow(map, tile[0][s], low, high, wide);
    map = follow(map, tile[1][s], low, high, wide);
    map = follow(map, tile[2][s], low, high, wide);
    map = follow(map, tile[3][s], low, high, wide);
    map = follow(map, tile[4][s], low, high, wide);
    map = follow(map, tile[5][s], low, high, wide);
    map = follow(map, tile[6][s], low, high, wide);
    map = follow(map, tile[7][s], low, high, wide);
    maps->total[s] = map.total, maps->low[s] = map.low, maps->high[s] = map.high;
  }
}

static inline void walk(struct bf_codes *codes, const void *x, const int size, size_t n) {
  const int32_t low = (int32_t)codes->low, high = (int32_t)codes->high;
  int32_t sum = (int32_t)codes->sum, clamped = 0;
  for (size_t i = 0; i < n; i++) {
    sum += bf_term(x, i, size);
    clamped |= (sum < low) | (sum > high);
    sum = sum < low ? low : sum > high ? high : sum;
  }
  codes->sum = sum;
  codes->clamped |= clamped;
}

/*
 * The accumulator goes through the maps of eight segments; starts[s] becomes what it was before segment s. Returns whether there is
 * one of which it is open whether a step has clamped.
 */
static inline int pass(struct bf_codes *codes, const struct maps *maps, int16_t *starts) {
  const int32_t top = (int32_t)codes->high;
  int32_t sum = (int32_t)codes->sum;
  int clamped = 0, open = 0;
  for (size_t s = 0; s < LANES; s++) {
    const int32_t low = maps->low[s], high = maps->high[s], least = high - top;
    const int32_t next = sum + least + (uint16_t)(maps->total[s] - (uint32_t)least);
    const int32_t below = next < high ? next : high, kept = below > low ? below : low;
    open |= (low == high) & (next == low);
    clamped |= next != kept;
    starts[s] = (int16_t)sum;
    sum = kept;
  }
  codes->sum = sum;
  codes->clamped |= clamped;
  return open;
}

struct row {
  const unsigned char *x;
  size_t length, groups; /* terms of a segment, a multiple of LANES; LANES segments make a group */
  size_t ahead;          /* bytes from x to what will be read next, or 0 */
  int16_t low, high;
};
BF_EACH void turn_some(int16_t tile[LANES][LANES], const struct row *row, const int size, size_t first, size_t group) {
  const size_t segment = row->length * (size_t)size;
  turn(tile, row->x + group * LANES * segment + first * (size_t)size, size, (ptrdiff_t)segment);
}

/* Whether a step clamps, in segments that start from known accumulators. */
BF_EACH int clamps(const struct row *row, int16_t starts[GROUPS][LANES], const int size, const int wide) {
  struct bf_chains chains = {{0}, {0}};
  int16_t tile[LANES][LANES];
  int clamped = 0;
  for (size_t g = 0; g < row->groups; g++) {
    memcpy(chains.sum, starts[g], sizeof starts[g]);
    for (size_t i = 0; i < row->length; i += LANES) {
      turn_some(tile, row, size, i, g);
      bf_eight_rows(&chains, LANES, (const unsigned char *)tile, 2, sizeof tile[0], row->low, row->high, wide);
    }
  }
  for (size_t s = 0; s < LANES; s++) clamped |= chains.clamped[s] != 0;
  return clamped;
}

BF_EACH void segments(struct bf_codes *codes, const struct row *row, const int size, const int wide) {
  struct maps maps[GROUPS];
  int16_t tile[LANES][LANES], starts[GROUPS][LANES];
  int open = 0;
  for (size_t g = 0; g < row->groups; g++)
    for (size_t s = 0; s < LANES; s++) maps[g].total[s] = 0, maps[g].low[s] = row->low, maps[g].high[s] = row->high;
  const unsigned char *next = row->x + row->ahead;
  for (size_t i = 0; i < row->length; i += LANES)
    for (size_t g = 0; g < row->groups; g++, next += LEAST * (size_t)size) { /* groups do not wait for one another */
      bf_announce(next, LEAST * (size_t)size);
      turn_some(tile, row, size, i, g);
      eight(&maps[g], tile, row->low, row->high, wide);
    }
  for (size_t g = 0; g < row->groups; g++) open |= pass(codes, &maps[g], starts[g]);
  if (open && !codes->clamped) codes->clamped = clamps(row, starts, size, wide);
}

static BF_NOINLINE void segments_bytes(struct bf_codes *codes, const struct row *row) { segments(codes, row, 1, 0); }
static BF_NOINLINE void segments_words(struct bf_codes *codes, const struct row *row) { segments(codes, row, 2, 0); }
static BF_NOINLINE void segments_wide(struct bf_codes *codes, const struct row *row) { segments(codes, row, 2, 1); }

static void add_plainly(struct bf_codes *codes, const unsigned char *x, int size, size_t n) {
  void (*const some)(struct bf_codes *, const struct row *) = size == 1           ? segments_bytes
                                                              : bf_is_wide(codes) ? segments_wide
                                                                                  : segments_words;
  struct row row = {x, 0, 0, 0, (int16_t)codes->low, (int16_t)codes->high};
  for (size_t count; n >= LEAST; n -= count, row.x += count * (size_t)size) {
    row.groups = n < 1024 ? 1 : n < 4096 ? 2 : GROUPS;
    row.length = n / (LANES * row.groups) & ~(size_t)(LANES - 1);
    if (row.length > LONGEST) row.length = LONGEST;
    count = row.length * LANES * row.groups;
    row.ahead = n < 2 * count ? 0 : count * (size_t)size;
    some(codes, &row);
  }
  if (n < FEW) {
    if (size == 1) walk(codes, row.x, 1, n);
    else walk(codes, row.x, 2, n);
    return;
  }
  int16_t tile[LEAST] = {0}; /* adding 0 is a step that changes nothing */
  memcpy(tile, row.x, n * (size_t)size);
  row = (struct row){(const unsigned char *)tile, LANES, 1, 0, row.low, row.high};
  some(codes, &row);
}

void bf_add_segments(const struct bf_isa *isa, struct bf_codes *codes, const void *terms, int size, size_t n) {
  if (!BF_IN_PLACE) return;
  const unsigned char *x = terms;
  const size_t done = isa->scan_i16 ? bf_add_scanned(isa, codes, x, size, n) : 0;
  if (done < n) add_plainly(codes, x + done * (size_t)size, size, n - done);
}

/* Rows are lanes: their accumulators are known, so there is nothing to be composed. */
BF_EACH void lines(struct bf_chains *restrict chains, const unsigned char *x, const int size, ptrdiff_t across, size_t n,
                   int16_t low, int16_t high, const int wide) {
  int16_t tile[LANES][LANES];
  for (; n >= LANES; n -= LANES, x += (size_t)size * LANES) {
    turn(tile, x, size, across);
    bf_eight_rows(chains, LANES, (const unsigned char *)tile, 2, sizeof tile[0], low, high, wide);
  }
  for (size_t i = 0; i < n; i++) {
    for (int s = 0; s < LANES; s++) tile[0][s] = bf_term(x + s * across, i, size);
    bf_one_row(chains, LANES, (const unsigned char *)tile, 2, low, high, wide);
  }
}

void bf_add_lines(const struct bf_isa *isa, struct bf_codes *codes, size_t width, const void *terms, int size, ptrdiff_t across,
                  size_t n) {
  if (!BF_IN_PLACE) return;
  const unsigned char *x = terms;
  const int16_t low = (int16_t)codes->low, high = (int16_t)codes->high;
  const size_t even = isa->lines_i16 && width == BF_SEGMENTS ? n & ~(size_t)7 : 0;
  if (even) bf_follow_lines(isa, codes, x, size, across, even);
  x += even * (size_t)size;
  for (size_t j = 0; even < n && j < width; j += LANES) {
    struct bf_chains chains = {{0}, {0}};
    const unsigned char *at = x + (ptrdiff_t)j * across;
    for (size_t s = 0; s < LANES; s++) chains.sum[s] = (int16_t)codes[j + s].sum;
    if (size == 1) lines(&chains, at, 1, across, n - even, low, high, 0);
    else if (bf_is_wide(codes)) lines(&chains, at, 2, across, n - even, low, high, 1);
    else lines(&chains, at, 2, across, n - even, low, high, 0);
    for (size_t s = 0; s < LANES; s++) codes[j + s].sum = chains.sum[s], codes[j + s].clamped |= chains.clamped[s] != 0;
  }
}
