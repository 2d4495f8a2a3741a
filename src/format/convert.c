/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bitfold_convert: elements of one format as elements of another. What doubles hold goes by way of doubles, many at a time; the
 * rest goes one by one as exact real numbers, which is the definition.
 */
#include "../kernel.h"

enum { SOME = BF_TILE };

/* Elements as unsigned words; size is a constant where this is inlined. */
static inline uint64_t word_at(const unsigned char *x, size_t i, const int size) { return bf_load(x + i * (size_t)size, size, 0); }

static inline uint64_t greatest(const unsigned char *x, size_t n, const int size, uint64_t plus, uint64_t mask) {
  uint64_t most = 0;
  for (size_t i = 0; i < n; i++) {
    const uint64_t word = (word_at(x, i, size) + plus) & mask;
    most = word > most ? word : most;
  }
  return most;
}
static uint64_t greatest_of(const struct bf_format *f, const unsigned char *x, size_t n, uint64_t plus, uint64_t mask) {
  switch (f->size) {
  case 1: return greatest(x, n, 1, plus, mask);
  case 2: return greatest(x, n, 2, plus, mask);
  case 4: return greatest(x, n, 4, plus, mask);
  default: return greatest(x, n, 8, plus, mask);
  }
}

/* Whether a NaN is among n elements. */
static int has_nan(const struct bf_format *f, const unsigned char *x, size_t n) {
  if (f->kind != BF_BINARY) return 0;
  const uint64_t infinity = (((uint64_t)1 << f->exponent) - 1) << f->fraction;
  return greatest_of(f, x, n, 0, ((uint64_t)1 << (8 * f->size - 1)) - 1) > infinity;
}

/* Whether a code is among n elements that sfN does not have, N bits being narrower than the memory they lie in. */
static int has_stray_code(const struct bf_format *f, const unsigned char *x, size_t n) {
  if (f->kind != BF_FIXED || f->fraction + 1 == 8 * f->size) return 0;
  const uint64_t half = (uint64_t)1 << f->fraction;
  return greatest_of(f, x, n, half, f->size == 1 ? 0xff : 0xffff) >= 2 * half;
}

/* n elements as doubles, which hold every value of every format but i64. A loop for each size: GNU as does not assemble a
 * conversion under a condition (vcvtne) for processors with MVE. */
static void to_doubles(bitfold_format from, double *tile, const unsigned char *x, size_t n) {
  const struct bf_format *f = bf_format(from);
  const struct bf_isa *isa = &bf_isa_scalar;
  const double unit = f64_from_bits((uint64_t)(1023 - f->fraction) << 52);
  const int64_t step = f->size;
  switch ((int)from) {
  case BITFOLD_FORMAT_F16: isa->widen_f16_f64(tile, x, step, 0, n, 1); return;
  case BITFOLD_FORMAT_BF16: isa->widen_bf16_f64(tile, x, step, 0, n, 1); return;
  case BITFOLD_FORMAT_F32: isa->widen_f32_f64(tile, x, step, 0, n, 1); return;
  case BITFOLD_FORMAT_F64: isa->widen_f64_f64(tile, x, step, 0, n, 1); return;
  default: break;
  }
  if (f->size == 1)
    for (size_t i = 0; i < n; i++) tile[i] = f64_times((double)((const int8_t *)x)[i], unit);
  else if (f->size == 2)
    for (size_t i = 0; i < n; i++) tile[i] = f64_times((double)(int16_t)word_at(x, i, 2), unit);
  else
    for (size_t i = 0; i < n; i++) tile[i] = f64_times((double)(int32_t)word_at(x, i, 4), unit);
}

/* Doubles to integers, or codes, of at most 32 bits; returns how many clamped. Adding 1.5 * 2^52 rounds to a whole number. */
static uint64_t to_integers(const struct bf_format *f, unsigned char *y, const double *tile, size_t n) {
  const int width = f->kind == BF_FIXED ? f->fraction + 1 : 8 * f->size;
  const double unit = (double)((uint64_t)1 << (f->kind == BF_FIXED ? f->fraction : 0)),
               top = (double)(((uint64_t)1 << (width - 1)) - 1);
  const double bottom = f->kind == BF_FIXED ? -top : -top - 1, far = 0x1p40, whole = 0x1.8p52;
  uint64_t clamped = 0;
  int32_t number[SOME];
  for (size_t i = 0; i < n; i++) {
    const double scaled = f64_times(tile[i], unit), near = scaled > far ? far : scaled < -far ? -far : scaled;
    const double rounded = f64_plus(f64_plus(near, whole), -whole);
    const double kept = rounded > top ? top : rounded < bottom ? bottom : rounded;
    clamped += kept != rounded;
    number[i] = (int32_t)kept;
  }
  if (f->size == 1)
    for (size_t i = 0; i < n; i++) y[i] = (unsigned char)number[i];
  for (size_t i = 0; i < n && f->size > 1; i++) bf_store(y + i * (size_t)f->size, f->size, 0, (uint64_t)(int64_t)number[i]);
  return clamped;
}

static void to_f32(unsigned char *y, const double *tile, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const uint32_t bits = f32_to_bits((float)tile[i]), kept = (bits & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : bits;
    memcpy(y + 4 * i, &kept, 4);
  }
}
static void to_f64(unsigned char *y, const double *tile, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const uint64_t bits = f64_to_bits(tile[i]), kept = bits << 1 > (uint64_t)0x7ff << 53 ? (uint64_t)0x7ff8 << 48 : bits;
    memcpy(y + 8 * i, &kept, 8);
  }
}

static int is_by_doubles(bitfold_format from, bitfold_format to) {
  return from != BITFOLD_FORMAT_I64 && to != BITFOLD_FORMAT_I64 && to != BITFOLD_FORMAT_F16 && to != BITFOLD_FORMAT_BF16;
}

static uint64_t by_doubles(bitfold_format from, const unsigned char *x, bitfold_format to, unsigned char *y, size_t n) {
  const size_t size = (size_t)bf_format(from)->size, made = (size_t)bf_format(to)->size;
  double tile[SOME];
  uint64_t clamped = 0;
  for (size_t some; n; n -= some, x += some * size, y += some * made) {
    some = n < SOME ? n : SOME;
    to_doubles(from, tile, x, some);
    if (to == BITFOLD_FORMAT_F32) to_f32(y, tile, some);
    else if (to == BITFOLD_FORMAT_F64) to_f64(y, tile, some);
    else clamped += to_integers(bf_format(to), y, tile, some);
  }
  return clamped;
}

static uint64_t one_by_one(bitfold_format from, const unsigned char *x, bitfold_format to, unsigned char *y, size_t n) {
  const struct bf_format *source = bf_format(from), *target = bf_format(to);
  uint64_t clamped = 0;
  for (size_t i = 0; i < n; i++) {
    int event;
    struct bf_real value = bf_decode(from, bf_load(x + i * (size_t)source->size, source->size, 0));
    bf_store(y + i * (size_t)target->size, target->size, 0, bf_encode(to, value, &event));
    clamped += (uint64_t)(event && target->kind != BF_BINARY);
  }
  return clamped;
}

bitfold_status bitfold_convert(bitfold_format from, const void *input, bitfold_format to, void *output, size_t n,
                               uint64_t *clamped) {
  const struct bf_format *source = bf_format(from), *target = bf_format(to);
  uint64_t count;
  if (!source || !target) return BITFOLD_STATUS_CONTRACT;
  if (n && (!input || !output)) return BITFOLD_STATUS_NULL;
  if ((target->kind != BF_BINARY && has_nan(source, input, n)) || has_stray_code(source, input, n)) return BITFOLD_STATUS_VALUE;
  if (is_by_doubles(from, to)) {
    const uint64_t control = bf_control_enter();
    count = by_doubles(from, input, to, output, n);
    bf_control_leave(control);
  } else count = one_by_one(from, input, to, output, n);
  if (clamped) *clamped = count;
  return BITFOLD_STATUS_OK;
}
