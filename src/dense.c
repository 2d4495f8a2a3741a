/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bitfold_dense_*: reductions of contiguous arrays for firmware: no contract value, little stack, one machine's acts called
 * by name. Each gives the bits of bitfold_reduce under the contract that its declaration names.
 */
#ifndef F
#include "kernel.h"

#ifdef BITFOLD_MACHINE
#define ACT(word) BF_JOIN(BF_JOIN(BF_JOIN(bf, word), F), BITFOLD_MACHINE)
#define CONSTANT static const
#else
#define ACT(word) bf_isa_best()->BF_JOIN(word, F)
#define CONSTANT const
#endif

enum { KEPT_0, REDUCED_0, KEPT_1, REDUCED_1, KEPT_2, EXTENTS };
enum { GROUP = BF_SMALL ? 4 : BF_SPREAD }; /* neighbouring outputs that are summed side by side */

bitfold_status bitfold_dense_init(bitfold_dense *dense, const int32_t shape[4], const int32_t mask[4]) {
  if (!dense || !shape || !mask) return BITFOLD_STATUS_NULL;
  size_t *at = &dense->extent[KEPT_2];
  int reduced = 0;
  for (int i = 0; i < EXTENTS; i++) dense->extent[i] = 1;
  for (int i = 3; i >= 0; i--) {
    const int32_t extent = shape[i];
    if (extent == 1) continue;
    if ((mask[i] != 0) != reduced) at--, reduced = !reduced; /* four times at the most, so it ends at extent[0] */
    *at *= extent > 0 ? (size_t)extent : 0;
  }
  return BITFOLD_STATUS_OK;
}

/* What one function needs to know, each in an object of its own, so that a linker keeps no act that is not called. */
struct sum {
  bf_spread_fn *spread;
  uint8_t size, mean;
};
struct extreme {
  bf_extremes_fn *extremes;
  uint8_t size, least;
};
struct first {
  bf_firsts_fn *firsts;
  uint8_t size, least;
};
static uint32_t sign_of(size_t size) { return size == 2 ? 0x8000 : 0x80000000; }

static void store(void *y, size_t j, size_t size, uint32_t bits) {
  if (size == 2) ((bf_f16_word *)y)[j] = (bf_f16_word)bits;
  else ((bf_f32_word *)y)[j] = bits;
}

/* A sum in float32, divided by count if it is a mean, as element j; the one NaN. */
BF_INLINE void finish(const struct sum *how, float sum, size_t count, void *y, size_t j) {
  if (how->mean) sum = f32_over(sum, (float)count);
  uint32_t bits = f32_to_bits(sum);
  const int nan = (bits & 0x7fffffff) > 0x7f800000;
  if (how->size == 2) bits = nan ? 0x7e00 : bf_half(sum);
  else if (nan) bits = 0x7fc00000;
  store(y, j, how->size, bits);
}

/* The terms of each of `count` outputs are contiguous: lanes(4,fold=left). */
static inline void rows(size_t count, size_t n, const unsigned char *x, unsigned char *y, const struct sum *how) {
  for (size_t j = 0; j < count; j++, x += n * how->size) {
    const size_t rest = n % 4;
    float row[4];
    row[0] = row[1] = row[2] = row[3] = 0;
    if (n > rest) how->spread(row, 4, x, 4, n / 4);
    if (rest) how->spread(row, rest, x + (n - rest) * how->size, 4, 1);
    finish(how, f32_plus(f32_plus(f32_plus(row[0], row[1]), row[2]), row[3]), n, y, j);
  }
}

/* Up to GROUP neighbouring outputs whose first element is x: sequential. */
static inline void columns(const bitfold_dense *d, size_t width, const unsigned char *x, unsigned char *y, const struct sum *how) {
  const size_t inner = d->extent[KEPT_2], n = d->extent[REDUCED_1], blocks = d->extent[REDUCED_0];
  float row[GROUP];
  for (size_t j = 0; j < GROUP; j++) row[j] = bf_opaque_f32(0); /* or compilers call memset for it */
  for (size_t block = n ? blocks : 0; block; block--, x += d->extent[KEPT_1] * n * inner * how->size)
    how->spread(row, width, x, inner, n);
  for (size_t j = 0; j < width; j++) finish(how, row[j], n * blocks, y, j);
}

static inline void all_columns(const bitfold_dense *d, const unsigned char *x, unsigned char *y, const struct sum *how) {
  const size_t inner = d->extent[KEPT_2], middle = d->extent[KEPT_1], blocks = d->extent[REDUCED_0], size = how->size;
  const size_t apart = blocks ? d->extent[REDUCED_1] * inner * size : 0, all = inner ? d->extent[KEPT_0] * middle : 0;
  for (size_t i = 0; i < all; i++) {
    const unsigned char *from = x + (i / middle * (blocks - 1) * middle + i) * apart;
    for (size_t j = 0, width; j < inner; j += width, y += width * size) {
      width = inner - j < GROUP ? inner - j : GROUP;
      columns(d, width, from + j * size, y, how);
    }
  }
}

static BF_NOINLINE bitfold_status sums(const bitfold_dense *d, const void *x, void *y, const struct sum *how) {
  if (!d || !x || !y) return BITFOLD_STATUS_NULL;
  const uint64_t control = bf_control_enter();
  if (d->extent[KEPT_2] != 1 || d->extent[REDUCED_0] != 1) all_columns(d, x, y, how);
  else rows(d->extent[KEPT_0] * d->extent[KEPT_1], d->extent[REDUCED_1], x, y, how);
  bf_control_leave(control);
  return BITFOLD_STATUS_OK;
}

static BF_NOINLINE void fill(void *y, size_t count, size_t size, uint32_t bits) {
  for (size_t j = 0; j < count; j++) store(y, j, size, bits);
}

/* Several blocks of terms for each output, or none: then it is what nothing is less than, -Inf or +Inf. */
static void extremes_of_blocks(const bitfold_dense *d, const unsigned char *x, unsigned char *y, const struct extreme *how,
                               uint32_t sign) {
  const size_t inner = d->extent[KEPT_2], row = inner * how->size, kept = d->extent[KEPT_1] * row, n = d->extent[REDUCED_1];
  if (!n || !d->extent[REDUCED_0] || !kept) {
    fill(y, d->extent[KEPT_0] * d->extent[KEPT_1] * inner, how->size, (how->size == 2 ? 0xfc00 : 0xff800000) ^ sign);
    return;
  }
  for (size_t outer = d->extent[KEPT_0]; outer; outer--, y += kept)
    for (size_t block = 0; block < d->extent[REDUCED_0]; block++)
      for (size_t at = 0; at < kept; at += row, x += n * row)
        how->extremes(y + at, inner, x, inner, n, sign | (block ? 0 : BF_FRESH));
}

static BF_NOINLINE bitfold_status extremes(const bitfold_dense *d, const void *data, void *output, const struct extreme *how) {
  const unsigned char *x = data;
  unsigned char *y = output;
  if (!d || !x || !y) return BITFOLD_STATUS_NULL;
  const size_t inner = d->extent[KEPT_2], n = d->extent[REDUCED_1], size = how->size;
  const uint32_t sign = how->least ? sign_of(size) : 0;
  if (BF_SMALL || d->extent[REDUCED_0] != 1 || !n) extremes_of_blocks(d, x, y, how, sign);
  else
    for (size_t row = inner ? d->extent[KEPT_0] * d->extent[KEPT_1] : 0; row; row--, x += n * inner * size, y += inner * size)
      how->extremes(y, inner, x, inner, n, sign | BF_FRESH);
  return BITFOLD_STATUS_OK;
}

static BF_NOINLINE bitfold_status firsts(const bitfold_dense *d, const void *data, int32_t *index, const struct first *how) {
  const unsigned char *x = data;
  if (!d || !x || !index) return BITFOLD_STATUS_NULL;
  const size_t inner = d->extent[KEPT_2], n = d->extent[REDUCED_1], outputs = d->extent[KEPT_0] * d->extent[KEPT_1] * inner;
  if (d->extent[REDUCED_0] != 1) return BITFOLD_STATUS_AXIS;
  if (n > (size_t)INT32_MAX) return BITFOLD_STATUS_SHAPE;
  if (!n && outputs) return BITFOLD_STATUS_EMPTY;
  for (int32_t *end = index + outputs; index < end; index += inner, x += n * inner * how->size)
    how->firsts(index, inner, x, inner, n, how->least ? sign_of(how->size) : 0);
  return BITFOLD_STATUS_OK;
}

#define SELF "dense.c"
#define F f16
#define SIZE 2
#include SELF
#undef F
#undef SIZE
#define F f32
#define SIZE 4
#include SELF
#else
#define DENSE(word) BF_JOIN(BF_JOIN(bitfold_dense, word), F)

bitfold_status DENSE(sum)(const bitfold_dense *d, const void *x, void *y) {
  CONSTANT struct sum how = {ACT(spread), SIZE, 0};
  return sums(d, x, y, &how);
}
bitfold_status DENSE(mean)(const bitfold_dense *d, const void *x, void *y) {
  CONSTANT struct sum how = {ACT(spread), SIZE, 1};
  return sums(d, x, y, &how);
}
bitfold_status DENSE(max)(const bitfold_dense *d, const void *x, void *y) {
  CONSTANT struct extreme how = {ACT(extremes), SIZE, 0};
  return extremes(d, x, y, &how);
}
bitfold_status DENSE(min)(const bitfold_dense *d, const void *x, void *y) {
  CONSTANT struct extreme how = {ACT(extremes), SIZE, 1};
  return extremes(d, x, y, &how);
}
bitfold_status DENSE(argmax)(const bitfold_dense *d, const void *x, void *y) {
  CONSTANT struct first how = {ACT(firsts), SIZE, 0};
  return firsts(d, x, y, &how);
}
bitfold_status DENSE(argmin)(const bitfold_dense *d, const void *x, void *y) {
  CONSTANT struct first how = {ACT(firsts), SIZE, 1};
  return firsts(d, x, y, &how);
}
#endif
