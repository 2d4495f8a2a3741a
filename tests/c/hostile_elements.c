/* SPDX-License-Identifier: Apache-2.0 */
/* The generators of hostile_elements.h: no floating-point operation. */
#include "hostile_elements.h"
#include "hostile.h"

static uint64_t below(uint64_t *state, uint64_t limit) { return (hostile_next(state) >> 32) % limit; }

/* Bits of one element that mean something. */
static unsigned width_of(bitfold_format format) {
  if (format >= BITFOLD_FORMAT_SF2) return (unsigned)(format - BITFOLD_FORMAT_SF2) + 2;
  return (unsigned)bitfold_format_size(format) * 8;
}

/* Nothing but one step to an edge, or one unit beyond it, and back by one: an event that stands alone, or just none. */
static int64_t alone(int64_t top, size_t i, size_t turn) {
  const int64_t sign = turn & 1 ? -1 : 1, beyond = top > 1 && turn & 2;
  return i == turn ? sign * (top - 1) : i == turn + 1 ? sign * (1 + beyond) : i == turn + 2 ? -sign : 0;
}

/* Whole numbers of `bits` bits that are harmless alone and not together: kinds that drive a sum to an edge, along it and off it. */
static int64_t whole(unsigned bits, unsigned kind, size_t i, size_t turn, uint64_t *state) {
  const int64_t top = (int64_t)(UINT64_MAX >> (65 - bits)), bottom = -top - 1;
  const int64_t any = (int64_t)(hostile_next(state) << 7) >> (64 - bits);
  const int64_t most = any < -top ? -top : any, size = most < 0 ? -most : most;
  switch (kind) {
  case 0: return most;
  case 1: return most / (top / 4 + 1);
  case 2: return any;
  case 3: return (i & 1) ? -top : top;
  case 4: return i == 0 ? -top : (i - 1) & 2 ? -top : top;
  case 5: return bottom;
  case 6: return top;
  case 7: return below(state, 5) ? 0 : most;
  case 8: return i < turn ? size : -size; /* to the top edge, and from there down */
  case 9: return i < turn ? -size : size;
  case 10: return below(state, 3) ? most / 64 : bottom;
  case 11: return below(state, 2) ? top : top - 1; /* ties of selections */
  case 12: return most / (top / 64 + 1);           /* near the middle: products vanish */
  default: return alone(top, i, turn);
  }
}

/* One value repeated, but for a few others: the same key again and again, and one NaN or infinity somewhere. */
static void constant(shape f, unsigned kind, size_t n, uint64_t *state, uint64_t *to) {
  uint64_t value[2], odd = below(state, n);
  hostile_row(f, kind, 2, state, value);
  for (size_t i = 0; i < n; i++) to[i] = value[0];
  if (below(state, 2)) to[odd] = value[1];
}

/* What rises to the largest finite number and is taken back: sums that overflow on the way, and only in some orders. */
static void there_and_back(shape f, size_t n, uint64_t *state, uint64_t *to) {
  const uint64_t sign = UINT64_C(1) << (f.bits - 1);
  hostile_row(f, 4, n, state, to);
  for (size_t i = 0; i < n; i++) to[i] = i < n / 2 ? to[i] & ~sign : to[n - 1 - i] | sign;
}

static void floats(shape f, unsigned kind, size_t n, uint64_t *state, uint64_t *to) {
  const uint64_t sign = UINT64_C(1) << (f.bits - 1), infinity = sign - (UINT64_C(1) << f.mantissa), last = below(state, n);
  if (kind < HOSTILE_KINDS) {
    hostile_row(f, kind, n, state, to);
  } else if (kind < 17) {
    constant(f, kind - 7, n, state, to);
  } else if (kind == 17) {
    there_and_back(f, n, state, to);
  } else { /* one quiet or signalling NaN, an infinity of one sign, or a subnormal, in a row without */
    hostile_row(f, kind & 1 ? 0 : 5, n, state, to);
    const uint64_t payload = below(state, 2) ? hostile_next(state) >> 3 : UINT64_C(1) << below(state, f.mantissa);
    const uint64_t fraction = payload & ((UINT64_C(1) << f.mantissa) - 1);
    const uint64_t alone = kind < 20 ? infinity | (fraction ? fraction : 1) : kind < 22 ? infinity : fraction;
    to[last] = alone | (below(state, 2) ? sign : 0);
  }
}

void hostile_elements(bitfold_format format, unsigned kind, size_t n, uint64_t *state, uint64_t *patterns) {
  static const shape shapes[] = {{16, 10}, {16, 7}, {32, 23}, {64, 52}};
  if (!n) return;
  kind %= ELEMENT_KINDS;
  if (format <= BITFOLD_FORMAT_F64) {
    floats(shapes[format - BITFOLD_FORMAT_F16], kind, n, state, patterns);
    return;
  }
  const size_t size = bitfold_format_size(format), turn = (size_t)below(state, n);
  for (size_t i = 0; i < n; i++)
    patterns[i] = (uint64_t)whole(width_of(format), kind, i, turn, state) & UINT64_MAX >> (64 - 8 * size);
}

void element_store(uint64_t pattern, size_t size, int swapped, void *to) {
  unsigned char bytes[8], *at = to;
  if (size == 1) bytes[0] = (unsigned char)pattern;
  else hostile_store(&pattern, 1, size, bytes);
  for (size_t i = 0; i < size; i++) at[i] = bytes[swapped ? size - 1 - i : i];
}

uint64_t element_load(const void *from, size_t size, int swapped) {
  unsigned char bytes[8];
  const unsigned char *at = from;
  for (size_t i = 0; i < size; i++) bytes[i] = at[swapped ? size - 1 - i : i];
  return size == 1 ? bytes[0] : hostile_load(bytes, size);
}
