/* SPDX-License-Identifier: Apache-2.0 */
/* SuperFloat codes as a device writes them: words in two's complement or sign-magnitude, and two sf4 a byte. */
#include "../kernel.h"

static const char *const names[] = {"twos-complement", "sign-magnitude"};

const char *bitfold_encoding_name(bitfold_encoding encoding) {
  return (size_t)encoding < sizeof names / sizeof *names ? names[encoding] : NULL;
}

/* What lies in memory, as an unsigned number, and what it becomes on the other side; 0 if the other side does not have it. */
typedef int turn_fn(bitfold_encoding encoding, int bits, uint32_t from, int32_t *to);

static int word_of(bitfold_encoding encoding, int bits, uint32_t from, int32_t *word) {
  const int32_t half = bits <= 8 ? 0x80 : 0x8000, unit = (int32_t)1 << (bits - 1), code = ((int32_t)from ^ half) - half;
  const int magnitude = encoding == BITFOLD_ENCODING_SIGN_MAGNITUDE;
  *word = code >= 0 ? code : magnitude ? unit - code : 2 * unit + code;
  return code < unit && code >= magnitude - unit;
}

static int code_of(bitfold_encoding encoding, int bits, uint32_t word, int32_t *code) {
  const uint32_t memory = bits <= 8 ? 0xff : 0xffff;
  const int32_t unit = (int32_t)1 << (bits - 1), low = (int32_t)word & (2 * unit - 1);
  if (encoding == BITFOLD_ENCODING_SIGN_MAGNITUDE) {
    *code = low < unit ? low : unit - low;
    return (uint32_t)low == word;
  }
  *code = (low ^ unit) - unit;
  return (uint32_t)low == word || ((uint32_t)*code & memory) == word; /* the sign may go on above */
}

/* Every element is tried before any is written. */
static bitfold_status turn_all(turn_fn *turn, bitfold_encoding encoding, bitfold_format format, const void *from, void *to,
                               size_t n) {
  const unsigned char *x = from;
  unsigned char *y = to;
  int32_t turned;
  if (!bf_is_sf(format) || !bitfold_encoding_name(encoding)) return BITFOLD_STATUS_CONTRACT;
  if (n && (!from || !to)) return BITFOLD_STATUS_NULL;
  const int size = bf_format(format)->size, bits = bf_format(format)->fraction + 1;
  for (size_t i = 0; i < n; i++)
    if (!turn(encoding, bits, (uint32_t)bf_load(x + i * (size_t)size, size, 0), &turned)) return BITFOLD_STATUS_VALUE;
  for (size_t i = 0; i < n; i++) {
    (void)turn(encoding, bits, (uint32_t)bf_load(x + i * (size_t)size, size, 0), &turned);
    bf_store(y + i * (size_t)size, size, 0, (uint64_t)(int64_t)turned);
  }
  return BITFOLD_STATUS_OK;
}

bitfold_status bitfold_words_from_codes(bitfold_encoding encoding, bitfold_format format, const void *codes, void *words,
                                        size_t n) {
  return turn_all(word_of, encoding, format, codes, words, n);
}

bitfold_status bitfold_codes_from_words(bitfold_encoding encoding, bitfold_format format, const void *words, void *codes,
                                        size_t n) {
  return turn_all(code_of, encoding, format, words, codes, n);
}

bitfold_status bitfold_pack_sf4(const int8_t *codes, size_t n, uint8_t *bytes) {
  if (n && (!codes || !bytes)) return BITFOLD_STATUS_NULL;
  for (size_t i = 0; i < n; i++)
    if (codes[i] < -7 || codes[i] > 7) return BITFOLD_STATUS_VALUE;
  for (size_t i = 0; i < n; i += 2) {
    unsigned first = (uint8_t)codes[i] & 15, second = i + 1 < n ? (uint8_t)codes[i + 1] & 15 : 0;
    bytes[i / 2] = (uint8_t)(first | second << 4);
  }
  return BITFOLD_STATUS_OK;
}

static unsigned nibble(const uint8_t *bytes, size_t i) { return bytes[i / 2] >> 4 * (i & 1) & 15; }

bitfold_status bitfold_unpack_sf4(const uint8_t *bytes, size_t n, int8_t *codes) {
  if (n && (!codes || !bytes)) return BITFOLD_STATUS_NULL;
  for (size_t i = 0; i < n; i++)
    if (nibble(bytes, i) == 8) return BITFOLD_STATUS_VALUE;
  if (n & 1 && nibble(bytes, n)) return BITFOLD_STATUS_VALUE;
  for (size_t i = 0; i < n; i++) codes[i] = (int8_t)((int)(nibble(bytes, i) ^ 8) - 8);
  return BITFOLD_STATUS_OK;
}
