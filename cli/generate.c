/* SPDX-License-Identifier: Apache-2.0 */
/* Data for agree: seeded, the same on every machine because it is made of integers, and of the kinds that tell orders apart. */
#include "cli.h"

#include <string.h>

enum { NORMAL, CANCELLING, MIXED, SUBNORMAL, SPECIAL, KINDS };

static const char *const kinds[KINDS] = {"normal", "cancelling", "mixed exponents", "subnormal", "special values"};

const char *generate_kind(size_t i) { return i < KINDS ? kinds[i] : NULL; }

/* SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t draw(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

/* Twelve uniform numbers less six: variance 1, and bell-shaped enough. A sum of integers, exact in a double. */
static double bell(uint64_t *state) {
  int64_t sum = 0;
  for (int i = 0; i < 6; i++) {
    uint64_t two = draw(state);
    sum += (int64_t)(two >> 32) + (int64_t)(two & UINT32_MAX);
  }
  return (double)(sum - 6 * (INT64_C(1) << 32)) / 4294967296.0;
}

/* Where the fields of a float format lie. */
typedef struct fields {
  int fraction; /* bits */
  int exponent;
} fields;

static fields fields_of(bitfold_format format) {
  switch (format) {
  case BITFOLD_FORMAT_F16: return (fields){10, 5};
  case BITFOLD_FORMAT_BF16: return (fields){7, 8};
  case BITFOLD_FORMAT_F32: return (fields){23, 8};
  default: return (fields){52, 11};
  }
}

/* Random bits, then bent to the kind: no exponent of Inf and NaN in mixed, none but 0 in subnormal. */
static uint64_t float_bits(size_t kind, fields f, uint64_t *state) {
  uint64_t bits = draw(state);
  uint64_t top = ((UINT64_C(1) << f.exponent) - 1) << f.fraction;
  uint64_t sign = UINT64_C(1) << (f.fraction + f.exponent);
  bits &= sign | (sign - 1);
  if (kind == SUBNORMAL) return bits & ~top;
  if (kind == SPECIAL) {
    const uint64_t special[] = {0,   sign,       1,      sign | 1, top - 1, sign | (top - 1), UINT64_C(1) << f.fraction,
                                top, sign | top, top | 1};
    /* A NaN or an infinity in each row would hide everything else. */
    uint64_t choice = draw(state) % 1024;
    if (choice < 256) return special[choice % 7];
    if (choice < 259) return special[7 + choice % 3];
  }
  return (bits & top) == top ? bits ^ (UINT64_C(1) << f.fraction) : bits;
}

/* Codes and integers: small ones, pairs that cancel, or any. Narrow sfN get no code beyond their width. */
static int64_t whole(size_t kind, int bits, uint64_t *state) {
  uint64_t random = draw(state);
  int shift = kind == NORMAL || kind == SUBNORMAL ? 1 + bits / 2 : 0;
  uint64_t most = (UINT64_C(1) << (bits - 1 - (shift < bits - 1 ? shift : bits - 2))) - 1;
  if (kind == SPECIAL && random % 8 == 0) return random & 8 ? (int64_t)most : -(int64_t)most;
  return (int64_t)((bits < 64 ? random >> 1 : random) % (2 * most + 1) - most);
}

static void put_whole(bitfold_format format, int64_t value, unsigned char *at) {
  int8_t code8 = (int8_t)value;
  int16_t code16 = (int16_t)value;
  int32_t code32 = (int32_t)value;
  switch (bitfold_format_size(format)) {
  case 1: memcpy(at, &code8, sizeof code8); break;
  case 2: memcpy(at, &code16, sizeof code16); break;
  case 4: memcpy(at, &code32, sizeof code32); break;
  default: memcpy(at, &value, sizeof value); break;
  }
}

static void put_bits(bitfold_format format, uint64_t bits, unsigned char *at) {
  uint16_t bits16 = (uint16_t)bits;
  uint32_t bits32 = (uint32_t)bits;
  switch (bitfold_format_size(format)) {
  case 2: memcpy(at, &bits16, sizeof bits16); break;
  case 4: memcpy(at, &bits32, sizeof bits32); break;
  default: memcpy(at, &bits, sizeof bits); break;
  }
}

static void generate_whole(size_t kind, bitfold_format format, uint64_t *state, unsigned char *data, size_t n) {
  size_t size = bitfold_format_size(format);
  int bits = format_is_sf(format) ? (int)(format - BITFOLD_FORMAT_SF2) + 2 : (int)(8 * size);
  int64_t last = 0;
  for (size_t i = 0; i < n; i++) {
    last = kind == CANCELLING && i % 2 ? -last : whole(kind, bits, state);
    put_whole(format, last, data + i * size);
  }
}

static void generate_float(size_t kind, bitfold_format format, uint64_t *state, unsigned char *data, size_t n) {
  size_t size = bitfold_format_size(format);
  double last = 0;
  for (size_t i = 0; i < n; i++) {
    if (kind > CANCELLING) {
      put_bits(format, float_bits(kind, fields_of(format), state), data + i * size);
      continue;
    }
    /* Every second element undoes the one before it, but for a little. */
    last = kind == CANCELLING && i % 2 ? -last : bell(state) * (kind == CANCELLING ? 1024 : 1);
    double little = kind == CANCELLING ? bell(state) : 0;
    double value = last + little;
    (void)bitfold_convert(BITFOLD_FORMAT_F64, &value, format, data + i * size, 1, NULL);
  }
}

void generate(size_t kind, bitfold_format format, uint64_t seed, void *data, size_t n) {
  uint64_t state = seed;
  if (format_is_sf(format) || format_is_integer(format)) generate_whole(kind, format, &state, data, n);
  else generate_float(kind, format, &state, data, n);
}
