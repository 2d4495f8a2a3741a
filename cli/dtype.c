/* SPDX-License-Identifier: Apache-2.0 */
/* What NumPy calls the elements of a file ("<f4", float32), and which of the library's formats that is. */
#include "cli.h"

#include <string.h>

typedef struct dtype {
  const char *code; /* descr without its byte order */
  const char *name;
  bitfold_format format;
} dtype;

static const dtype dtypes[] = {
    {"f2", "float16", BITFOLD_FORMAT_F16},      {"f4", "float32", BITFOLD_FORMAT_F32},
    {"f8", "float64", BITFOLD_FORMAT_F64},      {"i1", "int8", BITFOLD_FORMAT_I8},
    {"i2", "int16", BITFOLD_FORMAT_I16},        {"i4", "int32", BITFOLD_FORMAT_I32},
    {"i8", "int64", BITFOLD_FORMAT_I64},        {"u1", "uint8", BITFOLD_FORMAT_I16},
    {"u2", "uint16", BITFOLD_FORMAT_I32},       {"u4", "uint32", BITFOLD_FORMAT_I64},
    {"u8", "uint64", BITFOLD_FORMAT_NONE},      {"b1", "bool", BITFOLD_FORMAT_I8},
    {"c8", "complex64", BITFOLD_FORMAT_NONE},   {"c16", "complex128", BITFOLD_FORMAT_NONE},
    {"c32", "complex256", BITFOLD_FORMAT_NONE}, {"f12", "float96", BITFOLD_FORMAT_NONE},
    {"f16", "float128", BITFOLD_FORMAT_NONE},   {"O", "object", BITFOLD_FORMAT_NONE},
};

static const struct {
  char kind;
  const char *name;
} families[] = {{'S', "bytes"},      {'a', "bytes"},       {'U', "str"},   {'V', "void"},
                {'M', "datetime64"}, {'m', "timedelta64"}, {'O', "object"}};

static const char *without_order(const char *descr) { return descr + (descr[0] && strchr("<>=|", descr[0]) ? 1 : 0); }

static const dtype *find(const char *descr) {
  for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++) {
    if (strcmp(without_order(descr), dtypes[i].code) == 0 || strcmp(descr, dtypes[i].name) == 0) return &dtypes[i];
  }
  return NULL;
}

const char *dtype_name(const char *descr, char text[DTYPE_MAX]) {
  const dtype *found = find(descr);
  const char *name = found ? found->name : descr[0] ? NULL : "a structured type";
  for (size_t i = 0; !name && i < sizeof families / sizeof families[0]; i++) {
    if (without_order(descr)[0] == families[i].kind) name = families[i].name;
  }
  if (name) (void)snprintf(text, DTYPE_MAX, "%s", name);
  else (void)snprintf(text, DTYPE_MAX, "the unknown dtype '%.10s'", descr);
  return text;
}

bitfold_format dtype_format(const char *descr) {
  const dtype *found = find(descr);
  return found ? found->format : BITFOLD_FORMAT_NONE;
}

int dtype_is_widened(const char *descr) {
  const dtype *found = find(descr);
  return found && found->format && strchr("ub", found->code[0]) != NULL;
}

/* An element of 1, 2 or 4 bytes. */
static int64_t number(const unsigned char *element, size_t size) {
  uint16_t word;
  uint32_t wide;
  switch (size) {
  case 1: return *element;
  case 2: memcpy(&word, element, sizeof word); return word;
  default: memcpy(&wide, element, sizeof wide); return wide;
  }
}

void dtype_widen(const char *descr, unsigned char *bytes, size_t n) {
  const dtype *found = find(descr);
  size_t size = dtype_size(descr);
  int is_bool = found && found->code[0] == 'b';
  for (size_t i = n; i-- > 0;) { /* from the last, for what is written is larger than what is read */
    int64_t value = number(bytes + i * size, size);
    if (is_bool) value = value != 0;
    memcpy(bytes + i * sizeof value, &value, sizeof value);
  }
}

int dtype_is_word(const char *descr) {
  const dtype *found = find(descr);
  return found ? strcmp(found->code, "u2") == 0 : strcmp(without_order(descr), "V2") == 0;
}

size_t dtype_size(const char *descr) {
  const dtype *found = find(descr);
  return found && found->format ? (size_t)(found->code[1] - '0') : dtype_is_word(descr) ? 2 : 0;
}

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define NATIVE ">"
enum { NATIVE_IS_BIG = 1 };
#else
#define NATIVE "<"
enum { NATIVE_IS_BIG = 0 };
#endif

int dtype_is_big(const char *descr) { return descr[0] == '>' || (descr[0] != '<' && NATIVE_IS_BIG); }

int dtype_swapped(const char *descr) { return dtype_is_big(descr) != NATIVE_IS_BIG && dtype_size(descr) > 1; }

const char *dtype_descr(bitfold_format format, char text[DTYPE_MAX]) {
  bitfold_format stored = format_is_sf(format) ? format_storage(format) : format;
  const char *code = format == BITFOLD_FORMAT_BF16 ? "u2" : "";
  for (size_t i = 0; !*code; i++) {
    if (dtypes[i].format == stored) code = dtypes[i].code;
  }
  const char *order = bitfold_format_size(format) == 1 ? "|" : NATIVE;
  if (!format_is_sf(format)) (void)snprintf(text, DTYPE_MAX, "'%s%s'", order, code);
  else (void)snprintf(text, DTYPE_MAX, "[('%s', '%s%s')]", bitfold_format_name(format), order, code);
  return text;
}
