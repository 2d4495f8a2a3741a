/* SPDX-License-Identifier: Apache-2.0 */
/* Where the codes of a sum lie, and whether sfN can hold them. */
#include "in_place.h"

enum { SOME = BF_WIDTH_MAX };

struct bf_place bf_place_of(const struct bf_terms *terms, enum bf_operand which, uint64_t first) {
  const int is_y = which == BF_Y && terms->y;
  const struct bf_axis *axis = terms->reduced;
  struct bf_place place = {is_y ? terms->y : terms->x, terms->size, is_y ? terms->y_across : terms->x_across};
  if (terms->reduceds) place.step = is_y ? axis->y : axis->x;
  place.data += (int64_t)first * place.step;
  const uintptr_t odd = (uintptr_t)place.data | (uintptr_t)place.step | (uintptr_t)place.across;
  if (terms->reduceds > 1 || (is_y ? terms->y_swapped : terms->x_swapped) || (odd & (uintptr_t)(terms->size - 1)))
    place.data = NULL;
  return place;
}

void bf_count_terms(const struct bf_terms *terms, uint64_t first, uint64_t n) {
  int32_t tile[BF_TILE];
  if (!terms->progress) return;
  terms->progress->done += (n - 1) * terms->width;
  bf_operand_i32(terms, BF_X, first, 1, tile); /* the last term, gathered because that asks the caller */
}

/* All bits of code + unit, for 16 neighbours in each of n rows: below 2 unit exactly if all are in range. */
static unsigned bits_of_bytes(const unsigned char *x, unsigned unit, int64_t step, uint64_t n) {
  uint8_t seen[SOME] = {0};
  unsigned bits = 0;
  for (; n; n--, x += step)
    for (size_t j = 0; j < SOME; j++) seen[j] |= (uint8_t)(x[j] + unit);
  for (size_t j = 0; j < SOME; j++) bits |= seen[j];
  return bits;
}
static unsigned bits_of_words(const bf_code *x, unsigned unit, int64_t step, uint64_t n) {
  uint16_t seen[SOME] = {0};
  unsigned bits = 0;
  for (; n; n--, x += step)
    for (size_t j = 0; j < SOME; j++) seen[j] |= (uint16_t)((uint16_t)x[j] + unit);
  for (size_t j = 0; j < SOME; j++) bits |= seen[j];
  return bits;
}

/* n rows of `width` neighbours. */
static int are_rows_in_range(struct bf_place place, int size, unsigned unit, size_t width, uint64_t n) {
  unsigned bits = 0;
  for (; width >= SOME; width -= SOME, place.data += (size_t)size * SOME)
    bits |= size == 1 ? bits_of_bytes(place.data, unit, place.step, n)
                      : bits_of_words((const void *)place.data, unit, place.step / 2, n);
  for (; width; width--, place.data += size)
    for (uint64_t i = 0; i < n; i++) {
      const unsigned char *x = place.data + (int64_t)i * place.step;
      bits |= size == 1 ? (uint8_t)(*x + unit) : (uint16_t)((uint16_t) * (const bf_code *)(const void *)x + unit);
    }
  return bits < 2 * unit;
}

static int are_neighbours_in_range(const struct bf_isa *isa, const unsigned char *x, int size, unsigned unit, uint64_t n) {
  if (isa->reach) return isa->reach(x, (size_t)n, size, unit) < 2 * unit;
  const struct bf_place rows = {x, (int64_t)size * SOME, size}, rest = {x + n / SOME * SOME * (uint64_t)size, size, size};
  return are_rows_in_range(rows, size, unit, SOME, n / SOME) && are_rows_in_range(rest, size, unit, 1, n % SOME);
}

int bf_is_row_in_range(const struct bf_isa *isa, bitfold_format format, const void *codes, size_t n) {
  const int fraction = bf_format(format)->fraction;
  return are_neighbours_in_range(isa, codes, fraction < 8 ? 1 : 2, 1u << fraction, n);
}

/* Terms that are neighbours of one another, or of other outputs', or the same for all outputs. */
static int is_dense(struct bf_place place, int size) {
  return place.data && (place.step == size || place.across == size || !place.across);
}
static int are_dense_in_range(const struct bf_isa *isa, struct bf_place place, int size, unsigned unit, size_t width, uint64_t n) {
  int inside = 1;
  if (place.step != size && place.across && width > SOME && isa->reach) {
    for (; n && inside; n--, place.data += place.step) inside = are_neighbours_in_range(isa, place.data, size, unit, width);
    return inside;
  }
  if (place.step != size) return are_rows_in_range(place, size, unit, place.across ? width : 1, n);
  for (size_t j = 0; j < (place.across ? width : 1) && inside; j++, place.data += place.across)
    inside = are_neighbours_in_range(isa, place.data, size, unit, n);
  return inside;
}

/* By way of tiles. */
static int are_gathered_in_range(const struct bf_terms *terms, uint64_t start, uint64_t end) {
  struct bf_terms some = *terms;
  int32_t tile[BF_TILE];
  int inside = 1;
  for (size_t j = 0; j < terms->width; j += some.width) {
    some.width = terms->width - j < SOME ? terms->width - j : SOME;
    some.x = terms->x + (int64_t)j * terms->x_across;
    if (terms->y) some.y = terms->y + (int64_t)j * terms->y_across;
    for (uint64_t first = start, n; first < end && inside && !bf_stopped(terms); first += n) {
      n = end - first < bf_fit(some.width) ? end - first : bf_fit(some.width);
      for (enum bf_operand which = BF_X; which <= (terms->y ? BF_Y : BF_X); which++) {
        bf_operand_i32(&some, which, first, (size_t)n, tile);
        inside &= bf_codes_in_range(terms->element, tile, (size_t)n * some.width);
      }
    }
  }
  return inside;
}

int bf_codes_are_in_range(const struct bf_terms *terms, uint64_t first, uint64_t n) {
  const unsigned unit = 1u << bf_format(terms->element)->fraction;
  const int size = terms->size;
  int inside = 1;
  for (uint64_t count; n && inside && !bf_stopped(terms); first += count, n -= count) {
    const struct bf_place x = bf_place_of(terms, BF_X, first), y = bf_place_of(terms, BF_Y, first);
    if (!BF_IN_PLACE || !is_dense(x, size) || !is_dense(y, size)) return are_gathered_in_range(terms, first, first + n);
    count = n < BF_DUE ? n : BF_DUE;
    inside = are_dense_in_range(terms->isa, x, size, unit, terms->width, count);
    if (terms->y) inside &= are_dense_in_range(terms->isa, y, size, unit, terms->width, count);
    bf_count_terms(terms, first, count);
  }
  return inside;
}
