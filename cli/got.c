/* SPDX-License-Identifier: Apache-2.0 */
/* --got: the result that somebody got, as bits, as a number, or as a .npy file, and everything that it can be taken for. */
#include "explain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int is_float(bitfold_format format) { return format >= BITFOLD_FORMAT_F16 && format <= BITFOLD_FORMAT_F64; }

/* Whether e->asked leaves this output open. */
static int is_open(const explanation *e, bitfold_format format) {
  return e->asked.output == BITFOLD_FORMAT_NONE || e->asked.output == format;
}

/* The result's usual format, which is tried before all others; NONE where the parts do not go together. */
static bitfold_format usual_of(const explanation *e) {
  bitfold_contract usual = e->asked;
  usual.output = BITFOLD_FORMAT_NONE;
  return bitfold_contract_complete(&usual, NULL) ? BITFOLD_FORMAT_NONE : usual.output;
}

/* A reading of `count` elements of the format in memory of its own, in the shape of `like`, or of one. */
static reading *add(explanation *e, bitfold_format format, const bitfold_tensor *like, uint64_t count) {
  reading *r = &e->reading[e->readings];
  r->room = calloc(count ? count : 1, bitfold_format_size(format));
  if (!r->room) {
    (void)complain("--got", "out of memory");
    return NULL;
  }
  (void)bitfold_tensor_init(&r->tensor, format, r->room, like ? like->rank : 0, like ? like->shape : NULL);
  e->readings++;
  return r;
}

/* Words of a device, in each encoding that has all of them. */
static int add_words(explanation *e, const uint64_t *word, uint64_t count, const bitfold_tensor *like) {
  const bitfold_format f = e->asked.element;
  const size_t size = bitfold_format_size(f);
  for (int encoding = 0; bitfold_encoding_name((bitfold_encoding)encoding); encoding++) {
    reading *r = add(e, f, like, count);
    if (!r) return STATUS_UNUSABLE;
    for (uint64_t i = 0; i < count; i++) {
      const uint8_t narrow = (uint8_t)word[i];
      const uint16_t wide = (uint16_t)word[i];
      memcpy((unsigned char *)r->room + i * size, size == 1 ? (const void *)&narrow : (const void *)&wide, size);
    }
    r->encoding = bitfold_encoding_name((bitfold_encoding)encoding);
    if (bitfold_codes_from_words((bitfold_encoding)encoding, f, r->room, r->room, (size_t)count) == BITFOLD_STATUS_OK) continue;
    free(r->room);
    *r = (reading){0};
    e->readings--;
  }
  if (e->readings) return STATUS_DONE;
  return complain(e->o->got, "not words of %s: their high bits hold no code and no sign", bitfold_format_name(f));
}

static int is_beyond(uint64_t bits, size_t size) { return size < 8 && bits >> (8 * size); }

/* 0x3f800000: as many digits as the format has, or a word of sfN. */
static int read_bits(explanation *e, const char *text) {
  char *end;
  errno = 0;
  const uint64_t bits = strtoull(text, &end, 16);
  const size_t digits = strlen(text) - 2, size = digits <= 4 ? 2 : digits <= 8 ? 4 : 8;
  if (*end || !digits || errno || digits > 16) return complain("--got", "%s: hex bits are 0x and up to 16 digits", text);
  if (format_is_sf(e->asked.element) && !is_float(e->asked.output)) {
    if (is_beyond(bits, bitfold_format_size(e->asked.element)))
      return complain("--got", "%s: more bits than a word of %s has", text, bitfold_format_name(e->asked.element));
    return add_words(e, &bits, 1, NULL);
  }
  const bitfold_format usual = usual_of(e);
  for (int f = 0; f <= BITFOLD_FORMAT_I64; f++) {
    const bitfold_format format = f ? (bitfold_format)f : usual;
    if (!format || (f && format == usual)) continue;
    const int fits = bitfold_format_size(format) == size && is_float(format) == is_float(e->asked.element);
    if (e->asked.output ? e->asked.output != format || is_beyond(bits, bitfold_format_size(format)) : !fits) continue;
    const reading *r = add(e, format, NULL, 1);
    if (!r) return STATUS_UNUSABLE;
    const uint8_t u8 = (uint8_t)bits;
    const uint16_t u16 = (uint16_t)bits;
    const uint32_t u32 = (uint32_t)bits;
    const void *from = &bits;
    switch (bitfold_format_size(format)) {
    case 1: from = &u8; break;
    case 2: from = &u16; break;
    case 4: from = &u32; break;
    default: break;
    }
    memcpy(r->room, from, bitfold_format_size(format));
  }
  if (e->readings) return STATUS_DONE;
  return complain("--got", "%s: %zu digits, which no output of this contract has; f16 and bf16 have 4, f32 8, f64 16", text,
                  digits);
}

/* A decimal number, in the format of the result and in wider ones; an integer is a code of sfN. */
static int read_number(explanation *e, const char *text) {
  char *end;
  const double value = strtod(text, &end);
  if (end == text || *end)
    return complain("--got", "%s: no file, and neither bits such as 0x3f800000 nor a number; is a .npy file missing?", text);
  if (format_is_sf(e->asked.element) && !is_float(e->asked.output)) {
    const long code = strtol(text, &end, 10);
    const uint64_t word = (uint64_t)code;
    return *end ? complain("--got", "%s: for %s it is a code, such as -5897, or a word, such as 0xe8f7", text,
                           bitfold_format_name(e->asked.element))
                : add_words(e, &word, 1, NULL);
  }
  const int is_index = e->asked.operation == BITFOLD_OPERATION_ARGMAX || e->asked.operation == BITFOLD_OPERATION_ARGMIN;
  const int float_only = !is_index && (is_float(e->asked.element) || is_float(e->asked.output));
  const bitfold_format usual = usual_of(e);
  for (int f = 0; f <= BITFOLD_FORMAT_I64; f++) {
    const bitfold_format format = f ? (bitfold_format)f : usual;
    if (!format || (f && format == usual) || (!float_only && format < BITFOLD_FORMAT_F64)) continue;
    const int narrower = bitfold_format_size(format) < bitfold_format_size(e->asked.element);
    if (!is_open(e, format) || (float_only && !is_float(format)) || (!e->asked.output && narrower)) continue;
    const int64_t whole = strtoll(text, &end, 10);
    if (format_is_integer(format) && *end) continue;
    reading *r = add(e, format, NULL, 1);
    if (!r) return STATUS_UNUSABLE;
    if (bitfold_convert(format_is_integer(format) ? BITFOLD_FORMAT_I64 : BITFOLD_FORMAT_F64,
                        format_is_integer(format) ? (const void *)&whole : (const void *)&value, format, r->room, 1, NULL))
      return complain("--got", "%s is no %s", text, bitfold_format_name(format));
  }
  return e->readings ? STATUS_DONE : complain("--got", "%s: not an output of this contract", text);
}

/* Integers of a file, which for sfN are words. */
static int read_words(explanation *e, input *in) {
  int status = recast(in, BITFOLD_FORMAT_I64, 0, 0);
  uint64_t *word = status ? NULL : calloc(in->header.count ? in->header.count : 1, sizeof *word);
  if (!status && !word) status = complain(in->name, "out of memory");
  for (uint64_t i = 0; word && i < in->header.count; i++) {
    int64_t offset = 0;
    uint64_t rest = i;
    for (int k = in->tensor.rank - 1; k >= 0; k--) {
      offset += (int64_t)(rest % (uint64_t)in->tensor.shape[k]) * in->tensor.stride[k];
      rest /= (uint64_t)in->tensor.shape[k];
    }
    memcpy(&word[i], (const unsigned char *)in->tensor.data + offset, sizeof *word);
  }
  if (!status) status = add_words(e, word, in->header.count, &in->tensor);
  free(word);
  input_close(in);
  return status;
}

/* The file as its own format; words of 16 bits as f16 and as bf16. */
static int read_floats(explanation *e, const input *in) {
  const int is_word = dtype_is_word(in->header.descr) && is_float(e->asked.element);
  reading *r = &e->reading[e->readings++];
  r->file = *in;
  const int status = recast(&r->file, is_word ? BITFOLD_FORMAT_F16 : BITFOLD_FORMAT_NONE, is_word, 0);
  r->tensor = r->file.tensor;
  if (status) return status;
  if (is_word && is_open(e, BITFOLD_FORMAT_F16)) {
    reading *other = &e->reading[e->readings];
    other->tensor = r->tensor; /* in the same mapping */
    other->tensor.format = BITFOLD_FORMAT_BF16;
    e->readings += is_open(e, BITFOLD_FORMAT_BF16);
  } else if (is_word) {
    r->tensor.format = BITFOLD_FORMAT_BF16;
  }
  if (is_open(e, r->tensor.format)) return STATUS_DONE;
  return complain(in->name, "holds %s, and the contract says out=%s", bitfold_format_name(r->tensor.format),
                  bitfold_format_name(e->asked.output));
}

static int read_file(explanation *e, const char *file) {
  input in;
  const int status = input_peek(file, &in);
  if (status) return input_close(&in), status;
  const int is_integer = format_is_integer(npy_format(&in.header));
  return format_is_sf(e->asked.element) && is_integer ? read_words(e, &in) : read_floats(e, &in);
}

int got_read(explanation *e) {
  const char *text = e->o->got;
  const size_t length = strlen(text);
  if (strcmp(text, "-") == 0 || (length > 4 && strcmp(text + length - 4, ".npy") == 0)) return read_file(e, text);
  return strncmp(text, "0x", 2) == 0 || strncmp(text, "0X", 2) == 0 ? read_bits(e, text) : read_number(e, text);
}

void got_close(explanation *e) {
  for (int i = 0; i < e->readings; i++) {
    free(e->reading[i].room);
    input_close(&e->reading[i].file);
  }
  e->readings = 0;
}
