/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of data that tell orders, accumulators and roundings apart, kept as seeds, with what the box made of them. */
#include "reveal.h"

/* Exponents, both ends included, of the elements of a row; of its y where it is a dot. */
struct span {
  int low, high, y_low, y_high;
};

static int bits_of(uint64_t n) { return n > 1 ? bf_top_bit(n - 1) + 1 : 0; }
static int at_least(int a, int least) { return a < least ? least : a; }
static int at_most(int a, int most) { return a > most ? most : a; }

static struct span span_of(const struct bf_reveal *r, enum bf_row_kind kind, uint64_t *random) {
  const struct bf_format *f = bf_format(r->box->element);
  const int most = (1 << (f->exponent - 1)) - 1, least = 1 - most, room = most - bits_of(r->n) - 2;
  struct span s = {at_least(least + f->fraction, -20), at_most(room, 20), 0, 0};
  if (r->y) s.low = 0, s.high = at_most(room / 2, 10), s.y_high = at_least(s.high, 0);
  if (kind == BF_ROW_TINY) s.low = least - 1, s.high = least + 1, s.y_low = -1, s.y_high = 1;
  if (kind == BF_ROW_WIDE) s.low = least - 1, s.high = r->y ? room - 4 : room, s.y_low = -2, s.y_high = 2;
  if (kind == BF_ROW_HUGE) s.low = most - 2, s.high = most, s.y_low = s.y_high = 0;
  s.high = at_least(s.high, s.low);
  if (kind == BF_ROW_LEVEL) s.low = s.high = s.low + (int)bf_below(random, (uint64_t)(s.high - s.low) + 1);
  return s;
}

/* A number of random sign and fraction; one binade below the normal numbers are the subnormal ones. */
static uint64_t number(const struct bf_format *f, int low, int high, uint64_t *random) {
  const int bias = (1 << (f->exponent - 1)) - 1, exponent = low + (int)bf_below(random, (uint64_t)(high - low) + 1);
  const uint64_t drawn = bf_draw(random), fraction = drawn & (((uint64_t)1 << f->fraction) - 1);
  return (drawn >> 63) << (8 * f->size - 1) | (uint64_t)(exponent + bias) << f->fraction | fraction;
}

static uint64_t common_divisor(uint64_t a, uint64_t b) {
  while (b) {
    const uint64_t rest = a % b;
    a = b, b = rest;
  }
  return a;
}

static void numbers(struct bf_reveal *r, enum bf_row_kind kind, uint64_t random) {
  const struct bf_format *f = bf_format(r->box->element);
  const struct span s = span_of(r, kind, &random);
  const size_t size = (size_t)r->size;
  const uint64_t sign = (uint64_t)1 << (8 * r->size - 1);
  uint64_t step = 1, at = 0;
  if (kind == BF_ROW_CANCEL) /* pairs of neighbours in a walk through the row */
    do step = 1 + bf_below(&random, r->n);
    while (common_divisor(step, r->n) != 1);
  for (size_t i = 0; i < r->n; i++, at = (at + step) % r->n) {
    const size_t before = (size_t)((at + r->n - step % r->n) % r->n);
    uint64_t x = number(f, s.low, s.high, &random), y = r->y ? number(f, s.y_low, s.y_high, &random) : 0;
    if (kind == BF_ROW_CANCEL && i % 2) {
      x = bf_load(r->x + before * size, r->size, 0) ^ sign ^ (x & 3);
      y = r->y ? bf_load(r->y + before * size, r->size, 0) : 0;
    }
    bf_store(r->x + at * size, r->size, 0, x);
    if (r->y) bf_store(r->y + at * size, r->size, 0, y);
  }
}

static void set_y(struct bf_reveal *r, size_t i, int negative) {
  int event;
  if (!r->y) return;
  bf_store(r->y + i * (size_t)r->size, r->size, 0, bf_encode(r->box->element, bf_real_integer(negative, 1, 0), &event));
}

static void hidden(struct bf_reveal *r, const struct bf_witness *witness) {
  const bitfold_format element = r->box->element;
  const int unit = bf_unit(element, witness->kind == BF_ROW_DEEP);
  const int width = at_most(at_least(bf_format(element)->fraction - bits_of(r->n), 1), 10);
  uint64_t random = witness->seed;
  for (size_t i = 0; i < r->n; i++) {
    const uint64_t drawn = bf_draw(&random);
    const int flipped = r->y ? (int)(drawn >> 62 & 1) : 0;
    const int is_hider = i == witness->plus || (i == witness->minus && r->n > 1);
    const int negative = is_hider ? i != witness->plus : (int)(drawn >> 63);
    const uint64_t magnitude = is_hider ? 1 : 1 + (drawn & (((uint64_t)1 << width) - 1));
    bf_set(r, i, negative ^ flipped, magnitude, is_hider ? bf_hider(element) : unit);
    set_y(r, i, flipped);
  }
}

void bf_move_hiders(struct bf_reveal *r, struct bf_patch *was, const struct bf_witness *witness) {
  const size_t size = (size_t)r->size;
  for (int k = 2; was->is_set && k--;) bf_store(r->x + was->at[k] * size, r->size, 0, was->bits[k]);
  *was = (struct bf_patch){{witness->plus, witness->minus}, {0, 0}, 1};
  for (int k = 0; k < 2; k++) {
    const size_t at = was->at[k];
    const int flipped = r->y ? (int)(bf_load(r->y + at * size, r->size, 0) >> (8 * r->size - 1)) : 0;
    was->bits[k] = bf_load(r->x + at * size, r->size, 0);
    bf_set(r, at, k ^ flipped, 1, bf_hider(r->box->element));
  }
}

void bf_row(struct bf_reveal *r, const struct bf_witness *witness) {
  if (witness->kind == BF_ROW_HIDDEN || witness->kind == BF_ROW_DEEP) hidden(r, witness);
  else numbers(r, witness->kind, witness->seed);
}

int bf_add_witness(struct bf_reveal *r, enum bf_row_kind kind) {
  struct bf_witness made = {kind, 0, 0, bf_draw(&r->random), 0};
  made.plus = (uint32_t)bf_below(&r->random, r->n);
  const uint64_t near = (uint64_t)1 << bf_below(&r->random, (uint64_t)bits_of(r->n) + 1), far = bf_below(&r->random, r->n);
  made.minus = (uint32_t)((made.plus + (made.seed & 1 ? near : far)) % r->n);
  if (made.minus == made.plus) made.minus = (uint32_t)((made.plus + 1) % r->n);
  bf_row(r, &made);
  if (!r->witnesses) memcpy(r->kept, r->x, r->row_size);
  if (!r->witnesses && r->y) memcpy(r->kept + r->row_size, r->y, r->row_size);
  if (!bf_ask(r, &made.bits)) return 0;
  if (r->witnesses < BF_WITNESSES) r->witness[r->witnesses++] = made;
  return 1;
}

int bf_gather(struct bf_reveal *r) {
  static const unsigned char count[BF_ROW_KINDS] = {12, 20, 6, 8, 6, 4, 4, 2};
  for (int kind = 0; kind < (r->box->bounded ? BF_ROW_HUGE : BF_ROW_KINDS); kind++)
    for (unsigned i = 0; i < count[kind]; i++)
      if (!bf_add_witness(r, (enum bf_row_kind)kind)) return 0;
  return 1;
}

int bf_repeats(struct bf_reveal *r, size_t step) {
  for (size_t i = 0; i < r->witnesses; i += step) {
    uint64_t bits;
    bf_row(r, &r->witness[i]);
    if (!bf_ask(r, &bits)) return -1;
    if (bits != r->witness[i].bits) return 0;
  }
  return 1;
}

int bf_fits(struct bf_reveal *r, const bitfold_contract *contract) {
  int fits = 2;
  for (size_t i = 0; i < r->witnesses; i++) {
    const int is_usual = r->witness[i].kind <= BF_ROW_USUAL;
    uint64_t bits;
    if (fits < 2 && !is_usual) continue;
    if (i) bf_row(r, &r->witness[i]);
    else memcpy(r->x, r->kept, r->row_size);
    if (!i && r->y) memcpy(r->y, r->kept + r->row_size, r->row_size);
    if (bf_ask_contract(r, contract, &bits) && bits == r->witness[i].bits) continue;
    if (is_usual) return 0;
    fits = 1;
  }
  return fits;
}
