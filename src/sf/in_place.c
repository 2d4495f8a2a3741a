/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Codes that are added where they lie in memory, without tiles of 32-bit integers, for rules that need no more than 16 bits: rows
 * by segments.c, neighbouring outputs by columns.c.
 */
#include "in_place.h"
#include "step.h"

enum { TERMS = 1024, SOME = BF_WIDTH_MAX, EVEN = BF_SEGMENTS };

/* A product's fraction bits beyond the data's are not 0 where it is exact. */
static int is_short(const struct bf_codes *codes, int size, int product) {
  const bitfold_rule *rule = codes->rule;
  const int extra = product ? rule->product_extra : rule->sum_extra;
  if (!BF_IN_PLACE || (size == 1 && bf_is_wide(codes))) return 0;
  return rule->overflow == BITFOLD_OVERFLOW_CLAMP && rule->product != BITFOLD_PRODUCT_FLOAT32 && !extra &&
         codes->high <= INT16_MAX && codes->high - codes->low >= (int64_t)1 << (codes->bits - 1);
}

static struct bf_place after(struct bf_place place, size_t n) { /* n terms */
  place.data += (int64_t)n * place.step;
  return place;
}

/* Terms that did not fit, by way of 32 bits: term i of output j is x[i * stride + j]. */
static BF_NOINLINE void add_exactly(struct bf_codes *codes, size_t width, const bf_code *x, const bf_code *y, size_t stride,
                                    size_t n) {
  int32_t a[BF_TILE], b[BF_TILE];
  for (size_t count; n; n -= count, x += count * stride, y += count * stride) {
    count = n < BF_TILE / stride ? n : BF_TILE / stride;
    for (size_t i = 0; i < count * stride; i++) a[i] = x[i], b[i] = y[i];
    for (size_t j = 0; j < width; j++) bf_codes_add(&codes[j], a + j, b + j, count, stride);
  }
}

/*
 * Products of n neighbours, at most TERMS, and what makes the last vector whole. Returns 0, with nothing but the terms added one by
 * one, where they do not fit.
 */
static int multiply_few(struct bf_codes *codes, const struct bf_factors *factors, bf_code *product, const unsigned char *x,
                        const unsigned char *y, size_t n) {
  bf_code a[TERMS], b[TERMS];
  const size_t size = (size_t)factors->size, even = (n + EVEN - 1) / EVEN * EVEN;
  const void *left = x, *right = y;
  if ((factors->zero && !factors->isa->products_i16) || n < even) {
    memset((unsigned char *)a + (even - EVEN) * size, 0, EVEN * size);
    memset((unsigned char *)b + (even - EVEN) * size, 0, EVEN * size);
    left = memcpy(a, x, n * size), right = memcpy(b, y, n * size);
    bf_clear(factors, a, even / SOME);
    bf_clear(factors, b, even / SOME);
  }
  if (factors->isa->products_i16 ? factors->isa->products_i16(factors, product, left, right, even)
                                 : bf_multiply(factors, product, left, right, even / SOME))
    return 1;
  add_exactly(codes, 1, left, right, 1, n);
  return 0;
}

/* Returns how many of n products there are; those were added where they do not fit, and `fit` says so. */
static size_t multiply_row(struct bf_codes *codes, const struct bf_factors *factors, bf_code *product, size_t room,
                           const unsigned char *x, const unsigned char *y, size_t n, int *fit) {
  size_t count = n < room ? n : room;
  if (factors->isa->products_i16 && count >= EVEN) count -= count % EVEN;
  else if (count > TERMS) count = TERMS;
  if (factors->isa->products_i16 && count >= EVEN) {
    *fit = factors->isa->products_i16(factors, product, x, y, count);
    if (!*fit) add_exactly(codes, 1, (const void *)x, (const void *)y, 1, count);
  } else *fit = multiply_few(codes, factors, product, x, y, count);
  return count;
}

enum { ROOM = 4096, SHORT = 512, SEVERAL = 4 };

/* See is_decided in scanned.c: the last of n products; there is room for ROOM. */
static int are_decided(struct bf_codes *codes, const struct bf_factors *factors, bf_code *product, const unsigned char *x,
                       const unsigned char *y, size_t n) {
  const size_t size = (size_t)factors->size;
  for (size_t count = SHORT; SEVERAL * count <= n && factors->isa->products_i16; count = ROOM) {
    const size_t first = (n - count) * size;
    if (!factors->isa->products_i16(factors, product, x + first, y + first, count)) return 0;
    if (bf_do_decide(factors->isa, codes, product, 2, count)) return 1;
    if (count == ROOM) break;
  }
  return 0;
}

static void add_products(struct bf_codes *codes, const struct bf_factors *factors, const unsigned char *x, const unsigned char *y,
                         size_t n) {
  enum { FAR = 1 << 16 };
  const size_t size = (size_t)factors->size;
  bf_code product[ROOM];
  const int is_far = n > FAR;                                          /* from memory, most likely */
  size_t done = 0, due = 0, room = n < SEVERAL * SHORT ? ROOM : SHORT; /* of many, a few show what they are like */
  for (size_t count; n; n -= count, done += count, x += count * size, y += count * size, room = ROOM) {
    int fit;
    if (codes->clamped && done >= due) {
      if (are_decided(codes, factors, product, x, y, n)) return;
      due = 2 * done + ROOM;
    }
    count = multiply_row(codes, factors, product, room, x, y, n, &fit);
    const size_t next = !is_far ? 0 : n - count < count ? n - count : count;
    bf_announce(x + count * size, next * size);
    bf_announce(y + count * size, next * size);
    if (fit) bf_add_segments(factors->isa, codes, product, 2, count);
  }
}

/* The same for 8 or BF_SEGMENTS outputs side by side; one whose products do not fit has zeros among them. */
static void add_lines_of_products(struct bf_codes *codes, size_t lines, const struct bf_factors *factors, struct bf_place x,
                                  struct bf_place y, size_t n) {
  enum { LINE = TERMS / BF_LINES };
  bf_code product[BF_SEGMENTS][LINE];
  for (size_t count; n; n -= count, x = after(x, count), y = after(y, count)) {
    count = n < LINE ? n : LINE;
    for (size_t j = 0; j < lines; j++)
      if (!multiply_few(&codes[j], factors, product[j], x.data + (int64_t)j * x.across, y.data + (int64_t)j * y.across, count))
        memset(product[j], 0, sizeof product[j]);
    bf_add_lines(factors->isa, codes, lines, product, 2, sizeof product[0], count);
  }
}

/* Rows of `width` neighbours, or of one code for all of them (across 0), 16 apart in tile; what is left of a row is 0. */
static void gather(bf_code *tile, struct bf_place place, int size, size_t width, size_t n) {
  const size_t bytes = (size_t)size;
  unsigned char *row = (unsigned char *)tile;
  if (width < SOME) memset(tile, 0, n * SOME * bytes);
  for (size_t i = 0; i < n; i++, row += SOME * bytes, place.data += place.step) {
    if (place.across && width == SOME && size == 2) memcpy(row, place.data, SOME * sizeof *tile);
    else if (place.across) memcpy(row, place.data, width * bytes);
    else if (size == 1) memset(row, *place.data, width);
    else
      for (size_t j = 0; j < width; j++) ((bf_code *)(void *)row)[j] = *(const bf_code *)(const void *)place.data;
  }
}

static void multiply_rows(struct bf_codes *codes, size_t width, const struct bf_factors *factors, struct bf_place x,
                          struct bf_place y, size_t n) {
  bf_code a[TERMS], b[TERMS], product[TERMS];
  for (size_t rows; n; n -= rows, x = after(x, rows), y = after(y, rows)) {
    rows = n < TERMS / SOME ? n : TERMS / SOME;
    gather(a, x, factors->size, width, rows);
    gather(b, y, factors->size, width, rows);
    bf_clear(factors, a, rows);
    bf_clear(factors, b, rows);
    if (bf_multiply(factors, product, a, b, rows)) bf_add_columns(codes, width, product, 2, SOME * sizeof *product, rows);
    else add_exactly(codes, width, a, b, SOME, rows);
  }
}

/* BF_CHAINS neighbours: by the machine's acts. Returns 0, with nothing added, where there are none, or products do not fit. */
static int add_many(struct bf_codes *codes, const struct bf_factors *factors, struct bf_place x, struct bf_place y, int product,
                    size_t n) {
  const struct bf_isa *isa = factors->isa;
  if (!product) return bf_follow_columns(isa, codes, x.data, factors->size, (ptrdiff_t)x.step, n), 1;
  if (x.across && y.across) return 0;
  const struct bf_place row = x.across ? x : y, one = x.across ? y : x;
  if (!row.across) return 0;
  const struct bf_dots dots = {
      row.data, one.data, (ptrdiff_t)row.step, (ptrdiff_t)one.step, n, (int16_t)codes->low, (int16_t)codes->high};
  return bf_follow_dots(factors, codes, &dots);
}

static void add_rows(struct bf_codes *codes, size_t width, struct bf_place x, int size, size_t n) {
  bf_code tile[TERMS];
  if (width == SOME) {
    bf_add_columns(codes, width, x.data, size, (ptrdiff_t)x.step, n);
    return;
  }
  gather(tile, x, size, width, n);
  bf_add_columns(codes, width, tile, size, (ptrdiff_t)size * SOME, n);
}

static void announce(struct bf_place place, size_t bytes, size_t n) { /* n rows of so many bytes */
  for (; n && place.across; n--, place.data += place.step) bf_announce(place.data, bytes);
}

/* A few rows of all outputs before the next ones, so that each cache line is read once. */
static void add_across(struct bf_codes *codes, size_t width, const struct bf_factors *factors, struct bf_place x, struct bf_place y,
                       int product, size_t n) {
  const int size = factors->size;
  const int many = factors->isa->dots_i16 && width == BF_CHAINS && (!product || !x.across != !y.across);
  for (size_t rows = many ? 4 * TERMS / SOME : TERMS / SOME; n; n -= rows, x = after(x, rows), y = after(y, rows)) {
    const size_t next = n < 2 * rows ? n - (n < rows ? n : rows) : rows;
    if (n < rows) rows = n;
    announce(after(x, rows), width * (size_t)size, next);
    if (product) announce(after(y, rows), width * (size_t)size, next);
    for (size_t j = 0, some; j < width; j += some) {
      some = width - j < SOME ? width - j : factors->isa->dots_i16 && width - j >= BF_CHAINS ? BF_CHAINS : SOME;
      const struct bf_place left = {x.data + (int64_t)j * x.across, x.step, x.across};
      const struct bf_place right = {y.data + (int64_t)j * y.across, y.step, y.across};
      if (some == BF_CHAINS && add_many(&codes[j], factors, left, right, product, rows)) continue;
      if (some > SOME) some = SOME;
      if (product) multiply_rows(&codes[j], some, factors, left, right, rows);
      else add_rows(&codes[j], some, left, size, rows);
    }
  }
}

static void add_along(struct bf_codes *codes, size_t width, const struct bf_factors *factors, struct bf_place x, struct bf_place y,
                      int product, size_t n) {
  for (size_t lines; width;
       width -= lines, codes += lines, x.data += (int64_t)lines * x.across, y.data += (int64_t)lines * y.across) {
    lines = width < BF_LINES ? 1 : width < BF_SEGMENTS ? BF_LINES : BF_SEGMENTS;
    if (lines == 1 && product) add_products(codes, factors, x.data, y.data, n);
    else if (lines == 1) bf_add_segments(factors->isa, codes, x.data, factors->size, n);
    else if (product) add_lines_of_products(codes, lines, factors, x, y, n);
    else bf_add_lines(factors->isa, codes, lines, x.data, factors->size, (ptrdiff_t)x.across, n);
  }
}

uint64_t bf_codes_add_in_place(struct bf_codes *codes, const struct bf_terms *terms, uint64_t first, uint64_t n) {
  const int size = terms->size, product = bf_has_product(terms->operation);
  const struct bf_place x = bf_place_of(terms, BF_X, first), y = bf_place_of(terms, BF_Y, first);
  if (terms->operation == BITFOLD_OPERATION_SUMABS || !is_short(codes, size, product) || !x.data || !y.data) return 0;
  const int columns = terms->width > 1 && (x.across == size || y.across == size) && (x.across == size || !x.across) &&
                      (y.across == size || !y.across);
  if (!columns && (x.step != size || y.step != size)) return 0;
  if (n > BF_DUE && terms->progress) n = BF_DUE;
  const struct bf_factors factors = bf_factors_of(terms->isa, codes, size);
  if (columns) add_across(codes, terms->width, &factors, x, y, product, (size_t)n);
  else add_along(codes, terms->width, &factors, x, y, product, (size_t)n);
  bf_count_terms(terms, first, n);
  return n;
}

size_t bf_codes_add_row(const struct bf_isa *isa, struct bf_codes *codes, bitfold_format format, const void *x, const void *y,
                        size_t n) {
  enum { NEAR = 4096 }; /* codes that stay in the nearest cache from the check to the sum */
  const int size = format <= BITFOLD_FORMAT_SF8 ? 1 : 2, is_checked = format != BITFOLD_FORMAT_SF8 && format != BITFOLD_FORMAT_SF16;
  if (!is_short(codes, size, y != NULL) || (((uintptr_t)x | (uintptr_t)y) & (uintptr_t)(size - 1))) return 0;
  const size_t count = is_checked && n > NEAR ? NEAR : n, bytes = count * (size_t)size;
  if (is_checked && !(bf_is_row_in_range(isa, format, x, count) && (!y || bf_is_row_in_range(isa, format, y, count)))) return 0;
  if (n > 2 * count) bf_announce((const unsigned char *)x + bytes, bytes);
  if (n > 2 * count && y) bf_announce((const unsigned char *)y + bytes, bytes);
  if (!y) bf_add_segments(isa, codes, x, size, count);
  else {
    const struct bf_factors factors = bf_factors_of(isa, codes, size);
    add_products(codes, &factors, x, y, count);
  }
  return count;
}

/* Whether all n of them fit. */
static int narrow(bf_code *narrow, const int32_t *x, size_t n) {
  int32_t rest = 0;
  for (size_t i = 0; i < n; i++) narrow[i] = (int16_t)x[i], rest |= x[i] ^ narrow[i];
  return !rest;
}

void bf_codes_add_tile(const struct bf_isa *isa, struct bf_codes *codes, size_t width, const int32_t *x, const int32_t *y,
                       size_t n) {
  bf_code a[BF_TILE], b[BF_TILE];
  const struct bf_axis row = {n, (int64_t)(sizeof *a * width), (int64_t)(sizeof *b * width), 0};
  struct bf_terms terms = {.isa = isa, .reduced = &row, .reduceds = 1, .size = sizeof *a, .width = width};
  terms.operation = y ? BITFOLD_OPERATION_DOT : BITFOLD_OPERATION_SUM;
  terms.x = (const unsigned char *)a, terms.x_across = terms.y_across = sizeof *a;
  if (y) terms.y = (const unsigned char *)b;
  if (is_short(codes, terms.size, y != NULL) && narrow(a, x, n * width) &&
      (!y || narrow(b, y, n * width)) && /* |-1.0| does not fit */
      bf_codes_add_in_place(codes, &terms, 0, n))
    return;
  for (size_t j = 0; j < width; j++) bf_codes_add(&codes[j], x + j, y ? y + j : NULL, n, width);
}
