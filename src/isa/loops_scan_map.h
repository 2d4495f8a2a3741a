/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Segments of clamping steps as maps, in lanes of one width: LANE is i16 or i8, of which a vector has LANES, HALVES
 * the parts of eight that are turned one after the other, COUNT the segments. Included by loops_scan.h for each.
 *
 * A step costs five instructions for total, low and high. Where low and high have met in all lanes it costs two, as one of them
 * tells all and the total no longer matters; where steps come nowhere near both edges, three, for the sum of some steps and its
 * least and greatest on the way, of which the map of these steps is made. So a few steps show how the next ones are followed.
 */
#define TILE (8 * HALVES)
#define NAMED(word) BF_JOIN(word, LANE)
#define TERMS BF_JOIN(v, LANE)
#define BARE BF_JOIN(v, UNSIGNED)

struct NAMED(map) {
  TERMS total, low, high;
};
struct NAMED(edges) {
  TERMS low, high;
};

/* total, low and high of FREE steps are their sum, and its least and greatest, from 0. */
VEC struct NAMED(map)
    NAMED(through)(struct NAMED(map) at, const TERMS tile[8], struct NAMED(edges) edges, const int full, const enum way way) {
  for (int k = 0; k < 8; k++) {
    if (way == FREE) {
      at.total = NAMED(add_saturated)(at.total, tile[k]);
      at.low = NAMED(min)(at.low, at.total);
      at.high = NAMED(max)(at.high, at.total);
      continue;
    }
    at.low = NAMED(step)(at.low, tile[k], edges.low, edges.high, full);
    if (way == MET) continue;
    at.total = (TERMS)((BARE)at.total + (BARE)tile[k]);
    at.high = NAMED(step)(at.high, tile[k], edges.low, edges.high, full);
  }
  return at;
}

/* Steps [from, to) of all segments; groups of lanes take turns, as each step of one waits for the step before. */
VEC void NAMED(scan_steps)(struct NAMED(map) * map, const struct segments *row, size_t from, size_t to, const int size,
                           struct NAMED(edges) edges, const int full, const enum way way) {
  enum { GROUPS = COUNT / LANES };
  const ptrdiff_t across = (ptrdiff_t)row->length * size;
  const unsigned char *x = row->x + from * (size_t)size, *next = row->next + from * COUNT * (size_t)size;
  for (size_t i = from; i < to; i += TILE, x += TILE * size) {
    next = announce(next, COUNT * TILE * (size_t)size);
    for (int g = 0; g < GROUPS; g++)
      for (int half = 0; half < HALVES; half++) {
        TERMS tile[8];
        NAMED(turn)(tile, x + g * PARTS * across, size, BF_RUN * across, across, half);
        map[g] = NAMED(through)(map[g], tile, edges, full, way);
      }
  }
}

/* What follows from the maps: low and high have met in all lanes; or they are, in all, more than half of the range apart. */
VEC enum way NAMED(way_on)(const struct NAMED(map) * map, const int groups, struct NAMED(edges) edges) {
  const BARE half = ((BARE)edges.high - (BARE)edges.low) >> 1;
  TERMS apart = {0}, near = {0};
  for (int g = 0; g < groups; g++) {
    apart |= map[g].low ^ map[g].high;
    near |= (TERMS)((BARE)map[g].high - (BARE)map[g].low <= half);
  }
  return !any((v_i16)apart) ? MET : any((v_i16)near) ? ANY : FREE;
}

/*
 * FREE steps behind a map. Returns 0, and does nothing, where they may not be free: sums that were saturated, or cross the whole
 * range. Elsewhere only the bottom clamps low's path and the top high's, and the sum is below 2^16 (2^8) in magnitude.
 */
VEC int NAMED(join_free)(struct NAMED(map) * map, const struct NAMED(map) * free, const int groups, struct NAMED(edges) edges) {
  const BARE range = (BARE)edges.high - (BARE)edges.low;
  const TERMS least = (TERMS){0} + LEAST, most = (TERMS){0} + MOST;
  TERMS wrong = {0};
  for (int g = 0; g < groups; g++)
    wrong |= (TERMS)((BARE)free[g].high - (BARE)free[g].low >= range) | (free[g].low == least) | (free[g].high == most);
  if (any((v_i16)wrong)) return 0;
  for (int g = 0; g < groups; g++) {
    const TERMS sum = free[g].total, bottom = edges.low + (sum - free[g].low), top = edges.high + (sum - free[g].high);
    map[g].total = (TERMS)((BARE)map[g].total + (BARE)sum);
    map[g].low = NAMED(max)(NAMED(min)(NAMED(add_saturated)(map[g].low, sum), top), bottom);
    map[g].high = NAMED(max)(NAMED(min)(NAMED(add_saturated)(map[g].high, sum), top), bottom);
  }
  return 1;
}

/* Begins in the way that the segments before ended in; returns the way that these end in. */
VEC enum way NAMED(scan_segments)(struct NAMED(map) * map, enum way way, const struct segments *row, const int size,
                                  struct NAMED(edges) edges, const int full) {
  enum { GROUPS = COUNT / LANES, SOME = 64 };
  if (way == MET) way = ANY;
  for (int g = 0; g < GROUPS; g++) map[g] = (struct NAMED(map)){{0}, edges.low, edges.high};
  for (size_t i = 0, end; i < row->length; i = end) {
    struct NAMED(map) free[GROUPS];
    int joined = 0;
    end = way == MET ? row->length : i + (way == FREE ? SOME : TILE);
    if (end > row->length) end = row->length;
    if (way == FREE) {
      for (int g = 0; g < GROUPS; g++) free[g].total = free[g].low = free[g].high = (TERMS){0};
      NAMED(scan_steps)(free, row, i, end, size, edges, full, FREE);
      joined = NAMED(join_free)(map, free, GROUPS, edges);
    }
    if (way == MET) NAMED(scan_steps)(map, row, i, end, size, edges, full, MET);
    else if (!joined) NAMED(scan_steps)(map, row, i, end, size, edges, full, ANY);
    if (way != MET) way = NAMED(way_on)(map, GROUPS, edges);
  }
  return way;
}
#undef NAMED
#undef TERMS
#undef BARE
#undef LANE
#undef UNSIGNED
#undef LANES
#undef LEAST
#undef MOST
#undef TILE
#undef HALVES
#undef COUNT
