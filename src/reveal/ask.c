/* SPDX-License-Identifier: Apache-2.0 */
/* One question to a box, or to a contract in its place: the row, element by element, and the answer. */
#include "reveal.h"

/* SplitMix64. */
uint64_t bf_draw(uint64_t *random) {
  uint64_t z = *random += 0x9E3779B97F4A7C15U;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
  z = (z ^ z >> 27) * 0x94D049BB133111EBU;
  return z ^ z >> 31;
}
uint64_t bf_below(uint64_t *random, uint64_t limit) { return bf_draw(random) % limit; }

static uint64_t with_one_nan(bitfold_format format, uint64_t bits) {
  struct bf_real value;
  int event;
  if (!bf_is_float(format)) return bits;
  value = bf_decode(format, bits);
  return value.class == BF_NAN ? bf_encode(format, value, &event) : bits;
}

int bf_ask(struct bf_reveal *r, uint64_t *bits) {
  uint64_t answer[2] = {0, 0};
  if (r->status) return 0;
  r->probes++;
  if (r->box->call(r->box->context, r->x, r->y, r->n, answer)) {
    r->status = BITFOLD_STATUS_STOPPED;
    return 0;
  }
  *bits = with_one_nan(r->output, bf_load((const unsigned char *)answer, r->output_size, 0));
  return 1;
}

int bf_ask_contract(const struct bf_reveal *r, const bitfold_contract *contract, uint64_t *bits) {
  uint64_t answer[2] = {0, 0};
  if (bf_reduce_row(contract, r->x, r->y, r->n, answer)) return 0;
  *bits = bf_load((const unsigned char *)answer, bf_format(contract->output)->size, 0);
  return 1;
}

void bf_set(struct bf_reveal *r, size_t i, int negative, uint64_t magnitude, int exponent) {
  int event;
  const bitfold_format element = r->box->element;
  bf_store(r->x + i * (size_t)r->size, r->size, 0, bf_encode(element, bf_real_integer(negative, magnitude, exponent), &event));
}

void bf_fill(struct bf_reveal *r, uint64_t magnitude, int exponent) {
  const size_t size = (size_t)r->size;
  int event;
  bf_set(r, 0, 0, magnitude, exponent);
  for (size_t i = 1; i < r->n; i++) memcpy(r->x + i * size, r->x, size);
  for (size_t i = 0; r->y && i < r->n; i++)
    bf_store(r->y + i * size, r->size, 0, bf_encode(r->box->element, bf_real_integer(0, 1, 0), &event));
}

/* Far from overflow, but for halves, which have no such room: in them 2^15 hides what stays below 16 in all. */
int bf_hider(bitfold_format element) {
  const struct bf_format *f = bf_format(element);
  return f->exponent == 5 ? 15 : (1 << (f->exponent - 1)) - 28;
}

int bf_unit(bitfold_format element, int deep) {
  const struct bf_format *f = bf_format(element);
  return f->exponent == 5 ? deep ? -24 : -14 : 0;
}
