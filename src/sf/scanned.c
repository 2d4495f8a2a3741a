/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clamping chains by the acts of a machine of vectors: many segments of a row, many rows, or many columns at once. What is proved
 * about maps of segments stands in segments.c.
 */
#include "in_place.h"

/*
 * What all segments hold together lies in the nearest cache. From memory, where the terms of rows beyond FAR bytes are, a segment
 * is a cache line, so that lines are met in the sequence in which they lie there.
 */
enum { FAR = 1 << 18, AHEAD = 2 };

/* How many terms later something is tried again that has failed; and how many terms are to be added until then. */
enum { SOON = 1 << 12, LATE = 1 << 17 };
struct due {
  size_t calm, last, pause;
};

/* A scan of one width: so many segments, of a multiple of `unit` terms each; totals are known modulo mask + 1. */
struct scan {
  size_t segments, unit;
  uint32_t mask;
};

static struct scan scan_of(const struct bf_codes *codes, int size) {
  const int is_narrow = size == 1 && codes->high == INT8_MAX && codes->low >= INT8_MIN;
  return is_narrow ? (struct scan){BF_SEGMENTS_I8, 16, UINT8_MAX} : (struct scan){BF_SEGMENTS, 8, UINT16_MAX};
}

/* The accumulator goes through all runs. Returns whether a step has clamped, if none of them maps all to one. */
static int pass(struct bf_codes *codes, const struct bf_maps *maps, const struct scan *scan) {
  int32_t sum = (int32_t)codes->sum, clamped = 0;
  for (size_t s = 0; s < scan->segments / BF_RUN; s++) {
    const int32_t next = sum + maps->add[s], below = next < maps->top[s] ? next : maps->top[s];
    sum = below > maps->bottom[s] ? below : maps->bottom[s];
    clamped |= next ^ sum;
  }
  codes->sum = sum;
  return clamped != 0;
}

/* starts[s] becomes what an accumulator is before segment s. */
static void set_starts(int16_t *starts, int32_t sum, const struct bf_codes *codes, const struct bf_maps *maps,
                       const struct scan *scan) {
  for (size_t s = 0; s < scan->segments; s++) {
    const size_t at = s % BF_RUN * (scan->segments / BF_RUN) + s / BF_RUN;
    const int32_t low = maps->low[at], high = maps->high[at], least = high - (int32_t)codes->high;
    const int32_t next = sum + least + (int32_t)((maps->total[at] - (uint32_t)least) & scan->mask);
    const int32_t below = next < high ? next : high;
    starts[s] = (int16_t)sum;
    sum = below > low ? below : low;
  }
}

/* Whether a step clamps in segments that start from known accumulators: most that do, do soon. */
static int clamps(const struct bf_isa *isa, const struct bf_codes *codes, const int16_t *starts, size_t segments,
                  const unsigned char *x, int size, size_t length) {
  const size_t bytes = length * (size_t)size;
  const int16_t low = (int16_t)codes->low, high = (int16_t)codes->high;
  unsigned clamped = 0;
  for (size_t s = 0; s < segments && !clamped; s += BF_SEGMENTS) {
    struct bf_chain_lanes chains = {{0}, {0}};
    const unsigned char *at = x + s * bytes;
    memcpy(chains.sum, starts + s, sizeof(int16_t) * BF_SEGMENTS);
    for (size_t i = 0, some; i < length && !clamped; i += some, at += some * (size_t)size) {
      some = i < 32 ? 8 : 32;
      if (some > length - i) some = length - i;
      isa->lines_i16(&chains, at, (ptrdiff_t)bytes, some, size, low, high);
      for (size_t j = 0; j < BF_SEGMENTS; j++) clamped |= chains.clamped[j];
    }
  }
  return clamped != 0;
}

/* Segments that lie one behind the other at x, and what will be read after them. */
struct segments {
  const unsigned char *x, *next;
  size_t length;
  int size;
};
static int maps_of(const struct bf_isa *isa, struct bf_maps *maps, const struct bf_codes *codes, const struct scan *scan,
                   struct segments at) {
  const int16_t low = (int16_t)codes->low, high = (int16_t)codes->high;
  if (scan->mask == UINT8_MAX) return isa->scan_i8(maps, at.x, at.length, low, at.next);
  return isa->scan_i16(maps, at.x, at.length, at.size, low, high, at.next);
}

/* The segments' steps, from the accumulator on. */
static void follow(const struct bf_isa *isa, struct bf_maps *maps, struct bf_codes *codes, const struct scan *scan,
                   struct segments at) {
  const int met = maps_of(isa, maps, codes, scan, at);
  const int32_t sum = (int32_t)codes->sum;
  int16_t starts[BF_SEGMENTS_I8];
  int clamped = 0;
  if (met == BF_ALL_MET) codes->sum = maps->low[scan->segments - 1];
  else clamped = pass(codes, maps, scan);
  if (met && !codes->clamped) {
    set_starts(starts, sum, codes, maps, scan);
    clamped = clamps(isa, codes, starts, scan->segments, at.x, at.size, at.length);
  }
  if (!codes->clamped) codes->clamped = clamped;
}

int bf_do_decide(const struct bf_isa *isa, struct bf_codes *codes, const void *terms, int size, size_t n) {
  const struct scan scan = scan_of(codes, size);
  const struct segments at = {terms, terms, n / scan.segments, size};
  struct bf_codes bottom = *codes, top = *codes;
  struct bf_maps maps;
  if (!isa->scan_i16 || n % (scan.segments * scan.unit)) return 0;
  maps.way = 0, bottom.sum = codes->low, top.sum = codes->high;
  if (maps_of(isa, &maps, codes, &scan, at) == BF_ALL_MET) bottom.sum = top.sum = maps.low[scan.segments - 1];
  else pass(&bottom, &maps, &scan), pass(&top, &maps, &scan);
  if (bottom.sum == top.sum) codes->sum = top.sum;
  return bottom.sum == top.sum;
}

/*
 * Once a step has clamped, the sum is all that is still asked of n terms; and that is decided by the last ones, if they take all
 * accumulators to one. A few of them are tried, and then more.
 */
static int is_decided(const struct bf_isa *isa, struct bf_codes *codes, const struct scan *scan, const unsigned char *x, int size,
                      size_t n) {
  const size_t least = scan->segments * scan->unit, most = scan->segments * BF_LINES_MOST / (size_t)size;
  const unsigned char *end = x + (n - n % least) * (size_t)size;
  for (size_t count = least; 4 * count <= n; count = most) {
    if (bf_do_decide(isa, codes, end - count * (size_t)size, size, count)) return 1;
    if (count == most) break;
  }
  return 0;
}

/* Terms that stay away from the edges; returns how many. Where there are none, it is tried again later, and later. */
static size_t add_calmly(const struct bf_isa *isa, struct bf_codes *codes, const unsigned char *x, int size, size_t n, size_t done,
                         struct due *due) {
  int32_t sum = (int32_t)codes->sum;
  if (done < due->calm) return 0;
  const size_t count = isa->calm(&sum, x, n, size, (int16_t)codes->low, (int16_t)codes->high);
  codes->sum = sum;
  due->pause = count ? 0 : due->pause < LATE ? 2 * due->pause + SOON : LATE;
  due->calm = done + count + due->pause;
  return count;
}

size_t bf_add_scanned(const struct bf_isa *isa, struct bf_codes *codes, const void *terms, int size, size_t n) {
  const struct scan scan = scan_of(codes, size);
  const size_t longest = (n > FAR / (size_t)size ? BF_LINE : BF_LINES_MOST) / (size_t)size;
  struct bf_maps maps;
  struct due due = {0, 0, 0};
  size_t done = 0,
         most = n < 8 * scan.unit * scan.segments ? longest : scan.unit; /* in a long row, a few terms show what it is like */
  maps.way = 0;
  for (size_t count; n - done >= scan.segments * scan.unit; done += count) {
    const unsigned char *x = (const unsigned char *)terms + done * (size_t)size;
    const size_t left = n - done;
    count = add_calmly(isa, codes, x, size, left, done, &due);
    if (count) continue;
    if (codes->clamped && done >= due.last) {
      if (is_decided(isa, codes, &scan, x, size, left)) return n - left % (scan.segments * scan.unit);
      due.last = 2 * done + SOON;
    }
    size_t length = left / scan.segments & ~(scan.unit - 1);
    if (length > most) length = most;
    count = length * scan.segments;
    const unsigned char *next = left > AHEAD * count ? x + AHEAD * count * (size_t)size : x; /* else what is near already */
    follow(isa, &maps, codes, &scan, (struct segments){x, next, length, size});
    most = longest;
  }
  return done;
}

static void to_lanes(struct bf_chain_lanes *chains, const struct bf_codes *codes, const size_t width) {
  for (size_t j = 0; j < width; j++) chains->sum[j] = (int16_t)codes[j].sum, chains->clamped[j] = 0;
}
static void from_lanes(struct bf_codes *codes, const struct bf_chain_lanes *chains, const size_t width) {
  for (size_t j = 0; j < width; j++) codes[j].sum = chains->sum[j], codes[j].clamped |= chains->clamped[j] != 0;
}

void bf_follow_lines(const struct bf_isa *isa, struct bf_codes *codes, const void *x, int size, ptrdiff_t across, size_t n) {
  struct bf_chain_lanes chains;
  to_lanes(&chains, codes, BF_SEGMENTS);
  isa->lines_i16(&chains, x, across, n, size, (int16_t)codes->low, (int16_t)codes->high);
  from_lanes(codes, &chains, BF_SEGMENTS);
}

void bf_follow_columns(const struct bf_isa *isa, struct bf_codes *codes, const void *x, int size, ptrdiff_t step, size_t n) {
  struct bf_chain_lanes chains;
  to_lanes(&chains, codes, BF_CHAINS);
  isa->columns_i16(&chains, x, step, n, size, (int16_t)codes->low, (int16_t)codes->high);
  from_lanes(codes, &chains, BF_CHAINS);
}

int bf_follow_dots(const struct bf_factors *factors, struct bf_codes *codes, const struct bf_dots *dots) {
  struct bf_chain_lanes chains;
  to_lanes(&chains, codes, BF_CHAINS);
  if (!factors->isa->dots_i16(factors, &chains, dots)) return 0;
  from_lanes(codes, &chains, BF_CHAINS);
  return 1;
}
