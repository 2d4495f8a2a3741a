/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bitfold_dense_*: reductions of contiguous arrays for firmware: no contract value, 256 bytes of stack, one machine's acts called
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

bitfold_status bitfold_dense_init(bitfold_dense *dense, int rank, const int32_t *shape, unsigned reduced) {
  size_t extent[5] = {1, 1, 1, 1, 1}; /* from the innermost; the odd ones are reduced */
  unsigned level = 0;
  if (!dense || (rank > 0 && !shape)) return BITFOLD_STATUS_NULL;
  if (rank < 0 || rank > BITFOLD_RANK_MAX) return BITFOLD_STATUS_SHAPE;
  if (reduced >> rank) return BITFOLD_STATUS_AXIS;
  for (int i = rank; i-- > 0;) {
    if (shape[i] < 0) return BITFOLD_STATUS_SHAPE;
    if (shape[i] == 1) continue;
    if ((reduced >> i & 1) != (level & 1)) level++;
    if (level > 4) return BITFOLD_STATUS_AXIS;
    extent[level] *= (size_t)shape[i];
  }
  *dense = (bitfold_dense){{extent[4], extent[2], extent[0]}, {extent[3], extent[1]}};
  return BITFOLD_STATUS_OK;
}

static size_t outputs(const bitfold_dense *d) { return d->kept[0] * d->kept[1] * d->kept[2]; }
static size_t terms(const bitfold_dense *d) { return d->reduced[0] * d->reduced[1]; }

static bitfold_status check(const bitfold_dense *d, const void *x, const void *y) {
  return !d || (outputs(d) && (!y || (terms(d) && !x))) ? BITFOLD_STATUS_NULL : BITFOLD_STATUS_OK;
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

/* A sum in float32 as bits of an output whose elements have `size` bytes; the one NaN. */
static uint32_t rounded(size_t size, float sum) {
  const uint32_t bits = f32_to_bits(sum);
  if ((bits & 0x7fffffff) > 0x7f800000) return size == 2 ? 0x7e00 : 0x7fc00000;
  return size == 2 ? bf_half(sum) : bits;
}

/* `width` neighbouring outputs whose first element is x, each divided by the count where it is a mean. */
static void group(const bitfold_dense *d, const unsigned char *x, size_t width, const struct sum *how, void *y) {
  const size_t n = d->reduced[1], inner = d->kept[2], size = how->size;
  float row[BF_SPREAD] = {0};
  if (inner == 1 && d->reduced[0] == 1) { /* the terms are contiguous: lanes(4,fold=left) */
    if (n >= 4) how->spread(row, 4, x, 4, n / 4);
    if (n % 4) how->spread(row, n % 4, x + n / 4 * 4 * size, 4, 1);
    row[0] = f32_plus(f32_plus(f32_plus(row[0], row[1]), row[2]), row[3]);
  } else { /* sequential */
    for (size_t block = n ? d->reduced[0] : 0; block; block--, x += d->kept[1] * n * inner * size)
      how->spread(row, width, x, inner, n);
  }
  for (size_t j = 0; j < width; j++) store(y, j, size, rounded(size, how->mean ? f32_over(row[j], (float)terms(d)) : row[j]));
}

static BF_NOINLINE bitfold_status sums(const bitfold_dense *d, const void *x, void *output, const struct sum *how) {
  unsigned char *y = output;
  bitfold_status status = check(d, x, y);
  if (status) return status;
  if (!terms(d)) x = y; /* not null; nothing of it is read */
  const size_t inner = d->kept[2], size = how->size, block = d->reduced[1] * inner * size;
  const uint64_t control = bf_control_enter();
  for (size_t row = 0; row < d->kept[0] * d->kept[1]; row++) {
    const size_t skip = row / d->kept[1] * (d->reduced[0] - 1) * d->kept[1];
    for (size_t j = 0, width; j < inner; j += width, y += width * size) {
      width = inner - j < BF_SPREAD ? inner - j : BF_SPREAD;
      group(d, (const unsigned char *)x + (row + skip) * block + j * size, width, how, y);
    }
  }
  bf_control_leave(control);
  return BITFOLD_STATUS_OK;
}

static BF_NOINLINE bitfold_status extremes(const bitfold_dense *d, const void *data, void *output, const struct extreme *how) {
  const unsigned char *x = data;
  unsigned char *y = output;
  bitfold_status status = check(d, x, y);
  if (status) return status;
  const size_t inner = d->kept[2], size = how->size;
  const uint32_t sign = how->least ? sign_of(size) : 0, infinite = size == 2 ? 0x7c00 : 0x7f800000;
  for (size_t j = outputs(d); j--;) store(y, j, size, (sign ^ sign_of(size)) | infinite);
  if (!outputs(d) || !terms(d)) return BITFOLD_STATUS_OK;
  for (size_t outer = d->kept[0]; outer; outer--, y += d->kept[1] * inner * size)
    for (size_t block = d->reduced[0]; block; block--)
      for (size_t middle = 0; middle < d->kept[1]; middle++, x += d->reduced[1] * inner * size)
        how->extremes(y + middle * inner * size, inner, x, inner, d->reduced[1], sign);
  return BITFOLD_STATUS_OK;
}

static BF_NOINLINE bitfold_status firsts(const bitfold_dense *d, const void *data, int32_t *index, const struct first *how) {
  const unsigned char *x = data;
  bitfold_status status = check(d, x, index);
  if (status) return status;
  const size_t inner = d->kept[2], n = d->reduced[1];
  if (d->reduced[0] != 1) return BITFOLD_STATUS_AXIS;
  if (n > (size_t)INT32_MAX) return BITFOLD_STATUS_SHAPE;
  if (!outputs(d)) return BITFOLD_STATUS_OK;
  if (!n) return BITFOLD_STATUS_EMPTY;
  for (size_t row = d->kept[0] * d->kept[1]; row; row--, x += n * inner * how->size, index += inner)
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
