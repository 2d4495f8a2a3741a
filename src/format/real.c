/* SPDX-License-Identifier: Apache-2.0 */
/* Bits of a format to the real number they stand for, and back with one rounding: the slow, general way, for every format alike. */
#include "../kernel.h"

static const struct bf_format formats[] = {
    {NULL, 0, 0, 0, 0},
#define FORMAT(name, kind, size, exponent, fraction) {#name, kind, size, exponent, fraction},
#include "formats.def"
#undef FORMAT
};

const struct bf_format *bf_format(bitfold_format format) {
  size_t i = (size_t)format;
  return i > 0 && i < sizeof formats / sizeof *formats ? &formats[i] : NULL;
}

const char *bitfold_format_name(bitfold_format format) {
  const struct bf_format *f = bf_format(format);
  return f ? f->name : NULL;
}

size_t bitfold_format_size(bitfold_format format) {
  const struct bf_format *f = bf_format(format);
  return f ? (size_t)f->size : 0;
}

bitfold_format bitfold_format_named(const char *name) {
  for (size_t i = 1; name && i < sizeof formats / sizeof *formats; i++)
    if (bf_same(name, formats[i].name)) return (bitfold_format)i;
  return BITFOLD_FORMAT_NONE;
}

uint64_t bf_load(const unsigned char *element, int size, int swapped) {
  uint16_t u16;
  uint32_t u32;
  uint64_t u64;
  switch (size) {
  case 1: return *element;
  case 2: return memcpy(&u16, element, 2), swapped ? __builtin_bswap16(u16) : u16;
  case 4: return memcpy(&u32, element, 4), swapped ? __builtin_bswap32(u32) : u32;
  default: return memcpy(&u64, element, 8), swapped ? __builtin_bswap64(u64) : u64;
  }
}

void bf_store(unsigned char *element, int size, int swapped, uint64_t bits) {
  uint16_t u16 = swapped ? __builtin_bswap16((uint16_t)bits) : (uint16_t)bits;
  uint32_t u32 = swapped ? __builtin_bswap32((uint32_t)bits) : (uint32_t)bits;
  uint64_t u64 = swapped ? __builtin_bswap64(bits) : bits;
  switch (size) {
  case 1: *element = (unsigned char)bits; break;
  case 2: memcpy(element, &u16, 2); break;
  case 4: memcpy(element, &u32, 4); break;
  default: memcpy(element, &u64, 8); break;
  }
}

struct bf_real bf_real_integer(int negative, uint64_t magnitude, int32_t exponent) {
  struct bf_real value = {BF_FINITE, negative, 0, 0, 0};
  if (!magnitude) return value;
  int shift = 63 - bf_top_bit(magnitude);
  value.magnitude = magnitude << shift;
  value.exponent = exponent - shift;
  return value;
}

struct bf_real bf_decode(bitfold_format format, uint64_t bits) {
  const struct bf_format *f = bf_format(format);
  int width = 8 * f->size;
  if (f->kind != BF_BINARY) {
    int negative = (int)(bits >> (width - 1) & 1);
    uint64_t magnitude = negative ? 0 - (bits | ~(uint64_t)0 << (width - 1)) : bits & ~(~(uint64_t)0 << (width - 1));
    return bf_real_integer(negative, magnitude, -f->fraction);
  }
  int negative = (int)(bits >> (width - 1) & 1), special = (1 << f->exponent) - 1;
  int exponent = (int)(bits >> f->fraction) & special;
  uint64_t fraction = bits & (((uint64_t)1 << f->fraction) - 1);
  if (exponent == special) return (struct bf_real){fraction ? BF_NAN : BF_INFINITE, negative && !fraction, 0, 0, 0};
  int bias = special / 2;
  if (exponent) return bf_real_integer(negative, fraction | (uint64_t)1 << f->fraction, exponent - bias - f->fraction);
  return bf_real_integer(negative, fraction, 1 - bias - f->fraction);
}

/* value / 2^unit to the nearest integer, ties to even; the caller knows that it is below 2^64. */
static uint64_t nearest(struct bf_real value, int32_t unit) {
  int32_t shift = unit - value.exponent; /* bits to drop */
  if (!value.magnitude || shift > 64) return 0;
  if (shift <= 0) return value.magnitude; /* shift is 0: a normalised magnitude has no room above */
  uint64_t kept = shift == 64 ? 0 : value.magnitude >> shift;
  uint64_t rest = shift == 64 ? value.magnitude : value.magnitude & (((uint64_t)1 << shift) - 1);
  uint64_t half = (uint64_t)1 << (shift - 1);
  if (rest > half || (rest == half && (value.sticky || (kept & 1)))) kept++;
  return kept;
}

static uint64_t encode_binary(const struct bf_format *f, struct bf_real value, int *event) {
  int special = (1 << f->exponent) - 1, bias = special / 2;
  uint64_t sign = (uint64_t)value.negative << (8 * f->size - 1), infinity = (uint64_t)special << f->fraction;
  if (value.class == BF_NAN) return infinity | (uint64_t)1 << (f->fraction - 1);
  if (value.class == BF_INFINITE) return sign | infinity;
  if (!value.magnitude) return sign;
  int32_t top = value.exponent + 63; /* 2^top <= |value| < 2^(top + 1) */
  *event = top > bias;
  if (*event) return sign | infinity;
  int32_t lowest = 1 - bias, binade = top < lowest ? lowest : top;
  uint64_t rounded = nearest(value, binade - f->fraction);
  /* The hidden bit, where there is one, adds 1 to the exponent field below it; a carry out of the fraction does the same. */
  uint64_t bits = ((uint64_t)(binade - lowest) << f->fraction) + rounded;
  *event = bits >= infinity;
  return sign | bits;
}

static uint64_t encode_integer(const struct bf_format *f, struct bf_real value, int *event) {
  int width = f->kind == BF_FIXED ? f->fraction + 1 : 8 * f->size;
  uint64_t most = ~(uint64_t)0 >> (65 - width), edge = value.negative && f->kind == BF_INTEGER ? most + 1 : most;
  if (value.class == BF_NAN) return 0;
  uint64_t rounded = edge;
  if (value.class == BF_INFINITE || (value.magnitude && value.exponent + 63 + f->fraction > 63)) *event = 1;
  else rounded = nearest(value, -f->fraction);
  if (rounded > edge) rounded = edge, *event = 1;
  return value.negative ? 0 - rounded : rounded;
}

uint64_t bf_encode(bitfold_format format, struct bf_real value, int *event) {
  const struct bf_format *f = bf_format(format);
  *event = 0;
  return f->kind == BF_BINARY ? encode_binary(f, value, event) : encode_integer(f, value, event);
}
