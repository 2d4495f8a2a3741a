/* SPDX-License-Identifier: Apache-2.0 */
/* What turns an element's bits into its key, for portable code and for machines. Part of kernel.h. */
#ifndef BITFOLD_KEYS_H
#define BITFOLD_KEYS_H

/* Keys: integers whose order is the operation's, the greatest first one wins; see op/select.c. */
struct bf_best {
  int64_t key;
  uint64_t index;
};
void bf_select(const struct bf_terms *terms, const bitfold_contract *contract, uint64_t first, uint64_t n, struct bf_best *best);
int64_t bf_key(const bitfold_contract *contract, uint64_t bits);
int bf_key_is_nan(const bitfold_contract *contract, int64_t key);

/* Keys of the NaN that wins, and of the one that loses to all numbers. */
#define BF_NAN_WINS INT64_MAX
#define BF_NAN_LOSES (-INT64_MAX)

struct bf_keys {
  uint64_t sign;     /* the sign bit */
  uint64_t infinity; /* the greatest magnitude that is a number; all of them for integers */
  int64_t nan;
  int binary, least, whole; /* whole: 64-bit integers */
  int value;                /* what is wanted of the greatest is its bits, not its index */
};
struct bf_keys bf_keys_of(const bitfold_contract *contract);

/* Elements whose keys are made in the same way. bf16 is f16 with another infinity, and codes are integers. */
enum { BF_KEYS_F16, BF_KEYS_F32, BF_KEYS_F64, BF_KEYS_I8, BF_KEYS_I16, BF_KEYS_I32, BF_KEYS_I64, BF_KEY_KINDS };
static inline int bf_key_kind(bitfold_format format, int size) {
  const int log = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
  return bf_is_float(format) ? BF_KEYS_F16 + log - 1 : BF_KEYS_I8 + log;
}

static inline int64_t bf_key_of(const struct bf_keys *keys, uint64_t bits) {
  if (keys->whole) return (int64_t)(keys->least ? ~bits : bits);
  uint64_t magnitude = bits & (keys->sign - 1);
  int64_t key = (int64_t)magnitude;
  if (bits & keys->sign) key = keys->binary ? -key : key - (int64_t)keys->sign;
  if (keys->least) key = -key;
  return magnitude > keys->infinity ? keys->nan : key;
}

/* The bits of an element of that key, which is neither a NaN's nor, of floats, 0. */
static inline uint64_t bf_bits_of(const struct bf_keys *keys, int64_t key) {
  if (keys->whole) return keys->least ? ~(uint64_t)key : (uint64_t)key;
  const int64_t value = keys->least ? -key : key;
  if (!keys->binary) return (uint64_t)value & (2 * keys->sign - 1);
  return value < 0 ? (uint64_t)-value | keys->sign : (uint64_t)value;
}

/* The format's one NaN. */
static inline uint64_t bf_one_nan(const struct bf_keys *keys) {
  return keys->infinity | (keys->infinity & (0 - keys->infinity)) >> 1;
}

#endif
