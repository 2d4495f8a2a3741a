/* SPDX-License-Identifier: Apache-2.0 */
/* One element of a result as text: its bits, its code, or the fewest digits that bring it back. */
#include "cli.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int format_is_sf(bitfold_format format) { return format >= BITFOLD_FORMAT_SF2 && format <= BITFOLD_FORMAT_SF16; }

int format_is_integer(bitfold_format format) { return format >= BITFOLD_FORMAT_I8 && format <= BITFOLD_FORMAT_I64; }

bitfold_format format_storage(bitfold_format format) {
  return bitfold_format_size(format) == 1 ? BITFOLD_FORMAT_I8 : BITFOLD_FORMAT_I16;
}

static const unsigned char *element(bitfold_format format, const void *data, uint64_t i) {
  return (const unsigned char *)data + i * bitfold_format_size(format);
}

int64_t number_code(bitfold_format format, const void *data, uint64_t i) {
  int8_t code8;
  int16_t code16;
  int32_t code32;
  int64_t code64;
  const unsigned char *at = element(format, data, i);
  switch (bitfold_format_size(format)) {
  case 1: memcpy(&code8, at, sizeof code8); return code8;
  case 2: memcpy(&code16, at, sizeof code16); return code16;
  case 4: memcpy(&code32, at, sizeof code32); return code32;
  default: memcpy(&code64, at, sizeof code64); return code64;
  }
}

double number_value(bitfold_format format, const void *data, uint64_t i) {
  double value;
  (void)bitfold_convert(format, element(format, data, i), BITFOLD_FORMAT_F64, &value, 1, NULL);
  return value;
}

/* Whether so many digits of value read back as the same element of the format. */
static int brings_back(bitfold_format format, double value, int digits) {
  char text[NUMBER_MAX];
  uint64_t bits = 0;
  uint64_t back = 0;
  (void)snprintf(text, sizeof text, "%.*g", digits, value);
  double read = strtod(text, NULL);
  (void)bitfold_convert(BITFOLD_FORMAT_F64, &value, format, &bits, 1, NULL);
  (void)bitfold_convert(BITFOLD_FORMAT_F64, &read, format, &back, 1, NULL);
  return bits == back;
}

int number_digits(bitfold_format format, double value, int least) {
  enum { ENOUGH = 17 };
  while (least < ENOUGH && !brings_back(format, value, least)) least++;
  return least;
}

const char *number_bits(bitfold_format format, const void *data, uint64_t i, char text[NUMBER_MAX]) {
  size_t size = bitfold_format_size(format);
  uint64_t bits = (uint64_t)number_code(format, data, i);
  if (size < 8) bits &= (UINT64_C(1) << (8 * size)) - 1;
  (void)snprintf(text, NUMBER_MAX, "%0*" PRIx64, (int)(2 * size), bits);
  return text;
}

/* As Python writes a float: with an exponent only where that is shorter than zeros. */
static void put_float(bitfold_format format, double value, char text[NUMBER_MAX]) {
  enum { FIXED_FROM = -4, FIXED_BELOW = 16 };
  int digits = number_digits(format, value, 1);
  (void)snprintf(text, NUMBER_MAX, "%.*e", digits - 1, value);
  const char *e = strchr(text, 'e');
  long exponent = e ? strtol(e + 1, NULL, 10) : FIXED_BELOW; /* inf has none */
  if (exponent < FIXED_FROM || exponent >= FIXED_BELOW) return;
  (void)snprintf(text, NUMBER_MAX, "%.*f", exponent < digits - 1 ? digits - 1 - (int)exponent : 0, value);
}

const char *number_text(bitfold_format format, const void *data, uint64_t i, int alone, char text[NUMBER_MAX]) {
  enum { ARRAY_DIGITS = 8 };
  if (format_is_integer(format)) {
    (void)snprintf(text, NUMBER_MAX, "%" PRId64, number_code(format, data, i));
    return text;
  }
  double value = number_value(format, data, i);
  if (isnan(value)) {
    (void)snprintf(text, NUMBER_MAX, "nan");
  } else if (!format_is_sf(format)) {
    put_float(format, value, text);
  } else if (!alone) {
    (void)snprintf(text, NUMBER_MAX, "%.*g", ARRAY_DIGITS, value);
  } else {
    char exact[NUMBER_MAX];
    put_float(BITFOLD_FORMAT_F64, value, exact);
    (void)snprintf(text, NUMBER_MAX, "%s(%.32s%s)", bitfold_format_name(format), exact, strpbrk(exact, ".e") ? "" : ".0");
  }
  return text;
}
