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
    {"i8", "int64", BITFOLD_FORMAT_NONE},       {"u1", "uint8", BITFOLD_FORMAT_NONE},
    {"u2", "uint16", BITFOLD_FORMAT_NONE},      {"u4", "uint32", BITFOLD_FORMAT_NONE},
    {"u8", "uint64", BITFOLD_FORMAT_NONE},      {"b1", "bool", BITFOLD_FORMAT_NONE},
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

int dtype_is_word(const char *descr) { return strcmp(without_order(descr), "u2") == 0 || strcmp(without_order(descr), "V2") == 0; }

size_t dtype_size(const char *descr) { return dtype_is_word(descr) ? 2 : bitfold_format_size(dtype_format(descr)); }

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define NATIVE ">"
enum { NATIVE_IS_BIG = 1 };
#else
#define NATIVE "<"
enum { NATIVE_IS_BIG = 0 };
#endif

int dtype_is_big(const char *descr) { return descr[0] == '>' || (descr[0] != '<' && NATIVE_IS_BIG); }

int dtype_swapped(const char *descr) { return dtype_is_big(descr) != NATIVE_IS_BIG && dtype_size(descr) > 1; }

const char *dtype_descr(bitfold_format format) {
  switch (format) {
  case BITFOLD_FORMAT_F16: return NATIVE "f2";
  case BITFOLD_FORMAT_BF16: return NATIVE "u2";
  case BITFOLD_FORMAT_F32: return NATIVE "f4";
  case BITFOLD_FORMAT_F64: return NATIVE "f8";
  case BITFOLD_FORMAT_I32: return NATIVE "i4";
  case BITFOLD_FORMAT_I64: return NATIVE "i8";
  default: return bitfold_format_size(format) == 1 ? "|i1" : NATIVE "i2";
  }
}
