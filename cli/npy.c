/* SPDX-License-Identifier: Apache-2.0 */
/* The header of a .npy file, versions 1 to 3: a Python dictionary of three keys, read as strictly as NumPy reads it. */
#include "cli.h"

#include <stdarg.h>
#include <string.h>

/* A place in the text of the dictionary. */
typedef struct scan {
  const char *file;
  const unsigned char *at;
  const unsigned char *end;
  const unsigned char *start;
} scan;

static int damaged(const scan *s, const char *expected) {
  return complain(
      s->file,
      "header damaged at byte %zu: expected %s; np.save writes {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
      (size_t)(s->at - s->start), expected);
}

static void skip_space(scan *s) {
  while (s->at < s->end && strchr(" \t\n\r\f", *s->at) && *s->at) s->at++;
}

/* Steps over one character, with the space before it, if it is there. */
static int take(scan *s, char c) {
  skip_space(s);
  if (s->at == s->end || *s->at != (unsigned char)c) return 0;
  s->at++;
  return 1;
}

static int take_word(scan *s, const char *word) {
  size_t length = strlen(word);
  skip_space(s);
  if ((size_t)(s->end - s->at) < length || memcmp(s->at, word, length) != 0) return 0;
  s->at += length;
  return 1;
}

/* A quoted string without escapes, which no key and no dtype needs. */
static int read_string(scan *s, char *text, size_t capacity, const char *expected) {
  skip_space(s);
  if (s->at == s->end || (*s->at != '\'' && *s->at != '"')) return damaged(s, expected);
  unsigned char quote = *s->at++;
  size_t length = 0;
  while (s->at < s->end && *s->at != quote) {
    if (length + 1 == capacity || *s->at < 0x20 || *s->at == '\\') return damaged(s, expected);
    text[length++] = (char)*s->at++;
  }
  if (s->at == s->end) return damaged(s, "a closing quote");
  s->at++;
  text[length] = '\0';
  return STATUS_DONE;
}

/* The list that is the descr of a structured type, to its end. */
static int skip_list(scan *s) {
  int depth = 0;
  unsigned char quote = 0;
  for (; s->at < s->end; s->at++) {
    unsigned char c = *s->at;
    if (quote) {
      if (c == '\\' && s->at + 1 < s->end) s->at++;
      else if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '[') {
      depth++;
    } else if (c == ']' && --depth == 0) {
      s->at++;
      return STATUS_DONE;
    }
  }
  return damaged(s, "']'");
}

/* Steps over a short string, if there is one. */
static int take_string(scan *s, char text[DTYPE_MAX]) {
  skip_space(s);
  if (s->at == s->end || (*s->at != '\'' && *s->at != '"')) return 0;
  const unsigned char *begin = s->at + 1;
  const unsigned char *close = memchr(begin, *s->at, (size_t)(s->end - begin));
  if (!close || close - begin >= DTYPE_MAX) return 0;
  memcpy(text, begin, (size_t)(close - begin));
  text[close - begin] = '\0';
  s->at = close + 1;
  return 1;
}

/* [('sf16', '<i2')]: one field, named by the format whose codes it holds. Any other list will be refused. */
static void read_codes(scan s, npy *header) {
  char name[DTYPE_MAX];
  char descr[DTYPE_MAX];
  if (!take(&s, '[') || !take(&s, '(') || !take_string(&s, name) || !take(&s, ',') || !take_string(&s, descr)) return;
  (void)take(&s, ',');
  if (!take(&s, ')')) return;
  (void)take(&s, ',');
  bitfold_format format = bitfold_format_named(name);
  if (!take(&s, ']') || !format_is_sf(format) || dtype_format(descr) != format_storage(format) || dtype_is_widened(descr)) return;
  header->codes = format;
  memcpy(header->descr, descr, sizeof descr);
}

static int read_descr(scan *s, npy *header) {
  skip_space(s);
  if (s->at < s->end && *s->at == '[') {
    header->descr[0] = '\0';
    read_codes(*s, header);
    return skip_list(s);
  }
  int status = read_string(s, header->descr, sizeof header->descr, "a dtype such as '<f4'");
  if (!status && !header->descr[0]) return damaged(s, "a dtype such as '<f4'");
  return status;
}

static int read_order(scan *s, npy *header) {
  header->fortran = take_word(s, "True");
  if (!header->fortran && !take_word(s, "False")) return damaged(s, "True or False");
  return STATUS_DONE;
}

static int read_extent(scan *s, int64_t *extent) {
  skip_space(s);
  if (s->at == s->end || *s->at < '0' || *s->at > '9') return damaged(s, "an extent of 0 or more");
  int64_t value = 0;
  for (; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++) {
    if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, *s->at - '0', &value)) {
      return complain(s->file, "the shape overflows; an extent is at most 2^63 - 1");
    }
  }
  *extent = value;
  return STATUS_DONE;
}

/* () or (5,) or (3, 4) or (3, 4,); (5) is a number to Python, and so to NumPy no shape. */
static int read_shape(scan *s, npy *header) {
  int status;
  int comma = 0;
  int rank = 0;
  if (!take(s, '(')) return damaged(s, "a shape such as (3, 4)");
  while (!take(s, ')')) {
    int64_t extent = 0;
    if (rank && !comma) return damaged(s, "',' or ')'");
    if ((status = read_extent(s, &extent))) return status;
    if (rank < BITFOLD_RANK_MAX) header->shape[rank] = extent;
    rank++;
    comma = take(s, ',');
  }
  if (rank == 1 && !comma) return damaged(s, "a shape such as (5,)");
  if (rank > BITFOLD_RANK_MAX) return complain(s->file, "rank %d; at most %d axes", rank, BITFOLD_RANK_MAX);
  header->rank = rank;
  return STATUS_DONE;
}

static int read_dictionary(scan *s, npy *header) {
  static const char *const keys[] = {"descr", "fortran_order", "shape"};
  static int (*const readers[])(scan *, npy *) = {read_descr, read_order, read_shape};
  int seen[3] = {0};
  int status;
  if (!take(s, '{')) return damaged(s, "'{'");
  for (int comma = 1; !take(s, '}'); comma = take(s, ',')) {
    char key[16];
    size_t k = 0;
    if (!comma) return damaged(s, "',' or '}'");
    if ((status = read_string(s, key, sizeof key, "'descr', 'fortran_order' or 'shape'"))) return status;
    while (k < 3 && strcmp(key, keys[k]) != 0) k++;
    if (k == 3 || seen[k]++) return damaged(s, "'descr', 'fortran_order' and 'shape', each once");
    if (!take(s, ':')) return damaged(s, "':'");
    if ((status = readers[k](s, header))) return status;
  }
  if (!seen[0] || !seen[1] || !seen[2]) return damaged(s, "'descr', 'fortran_order' and 'shape', each once");
  skip_space(s);
  return s->at == s->end ? STATUS_DONE : damaged(s, "nothing after '}'");
}

static int count_elements(const char *file, npy *header) {
  header->count = 1;
  for (int i = 0; i < header->rank; i++) {
    if (header->shape[i] == 0) {
      header->count = 0;
      return STATUS_DONE;
    }
  }
  for (int i = 0; i < header->rank; i++) {
    char text[SHAPE_TEXT_MAX];
    if (__builtin_mul_overflow(header->count, (uint64_t)header->shape[i], &header->count) || header->count > INT64_MAX) {
      return complain(file, "the shape %s overflows; a file holds at most 2^63 - 1 elements",
                      shape_text(header->rank, header->shape, text));
    }
  }
  return STATUS_DONE;
}

int npy_is_magic(const unsigned char *bytes, size_t size) {
  static const char magic[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};
  return memcmp(bytes, magic, size < sizeof magic ? size : sizeof magic) == 0;
}

int npy_read(const char *file, const unsigned char *bytes, size_t size, npy *header) {
  *header = (npy){0};
  if (size == 0) return complain(file, "empty; a .npy file begins with \\x93NUMPY");
  if (!npy_is_magic(bytes, size)) return complain(file, "not a .npy file; np.save writes one");
  if (size < 10) return complain(file, "truncated after %zu bytes, inside the header", size);
  int major = bytes[6];
  if (major < 1 || major > 3 || bytes[7] != 0)
    return complain(file, ".npy version %d.%d; 1.0, 2.0 and 3.0 are read", major, bytes[7]);
  size_t begin = major == 1 ? 10 : 12;
  if (size < begin) return complain(file, "truncated after %zu bytes, inside the header", size);
  size_t length = bytes[8] + ((size_t)bytes[9] << 8);
  if (major > 1) length += ((size_t)bytes[10] << 16) + ((size_t)bytes[11] << 24);
  if (length > size - begin) return complain(file, "truncated inside the header: %zu bytes of %zu", size - begin, length);
  scan s = {.file = file, .at = bytes + begin, .end = bytes + begin + length, .start = bytes};
  int status = read_dictionary(&s, header);
  if (status) return status;
  header->offset = begin + length;
  return count_elements(file, header);
}

bitfold_format npy_format(const npy *header) { return header->codes ? header->codes : dtype_format(header->descr); }

const char *npy_dtype(const npy *header, char text[DTYPE_MAX]) {
  if (!header->codes) return dtype_name(header->descr, text);
  (void)snprintf(text, DTYPE_MAX, "%s", bitfold_format_name(header->codes));
  return text;
}

const char *shape_text(int rank, const int64_t *shape, char text[SHAPE_TEXT_MAX]) {
  size_t used = 0;
  text[used++] = '(';
  for (int i = 0; i < rank; i++) {
    const char *after = i + 1 < rank ? ", " : rank == 1 ? "," : "";
    used += (size_t)snprintf(text + used, SHAPE_TEXT_MAX - used, "%lld%s", (long long)shape[i], after);
  }
  (void)snprintf(text + used, SHAPE_TEXT_MAX - used, ")");
  return text;
}

size_t npy_write(const bitfold_tensor *tensor, unsigned char bytes[NPY_HEADER_MAX]) {
  char shape[SHAPE_TEXT_MAX];
  char text[NPY_HEADER_MAX];
  char descr[DTYPE_MAX];
  int length = snprintf(text, sizeof text, "{'descr': %s, 'fortran_order': False, 'shape': %s, }",
                        dtype_descr(tensor->format, descr), shape_text(tensor->rank, tensor->shape, shape));
  size_t padded = (10 + (size_t)length + 1 + 63) / 64 * 64; /* NumPy aligns the data to 64 bytes, a line feed before it */
  size_t dictionary = padded - 10;
  memcpy(bytes, "\x93NUMPY\x01\x00", 8);
  bytes[8] = (unsigned char)(dictionary & 0xff);
  bytes[9] = (unsigned char)(dictionary >> 8);
  memset(bytes + 10, ' ', dictionary);
  memcpy(bytes + 10, text, (size_t)length);
  bytes[padded - 1] = '\n';
  return padded;
}
