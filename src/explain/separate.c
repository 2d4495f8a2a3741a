/* SPDX-License-Identifier: Apache-2.0 */
/* A small input on which two contracts differ, found by search: short rows first, of several kinds of data, then made shorter. */
#include "../kernel.h"

enum { KINDS = 8, ROUNDS = 6, LENGTHS = 96, PASSES = 4000 };

struct pair {
  const bitfold_contract *a, *b;
  unsigned char *x, *y; /* y null unless dot */
  size_t size, capacity;
  uint64_t state, tried, patience; /* trials from when on zeros of two signs will do */
  bitfold_status refused;
};

/* A linear congruential generator with its high bits mixed in. */
static uint64_t next(uint64_t *state) {
  *state = *state * 6364136223846793005 + 1442695040888963407;
  return (*state ^ *state >> 29) * 0xff51afd7ed558ccd;
}
static uint64_t below(uint64_t *state, uint64_t limit) { return (next(state) >> 32) % limit; }

/* A float whose exponent field lies in [low, low + span). */
static uint64_t binary(const struct bf_format *f, uint64_t *state, int64_t low, uint64_t span, int has_sign) {
  const int64_t top = (1 << f->exponent) - 2, field = low + (int64_t)below(state, span);
  const uint64_t kept = (uint64_t)(field < 0 ? 0 : field > top ? top : field), bits = next(state);
  const uint64_t fraction =
      bits >> 8 & (((uint64_t)1 << f->fraction) - 1) & (bits & 2 ? ~(uint64_t)0 : ~(uint64_t)0 << f->fraction / 2);
  return (has_sign ? bits & 1 : 0) << (8 * f->size - 1) | kept << f->fraction | fraction;
}

static uint64_t element(const struct bf_format *f, int kind, uint64_t *state) {
  const int64_t one = (1 << (f->exponent - (f->kind == BF_BINARY))) - 1;
  if (f->kind == BF_FIXED || f->kind == BF_INTEGER) {
    const int width = f->kind == BF_FIXED ? f->fraction + 1 : 8 * f->size, drop = kind % 4 * width / 4;
    const int64_t half = (int64_t)(((uint64_t)1 << (width - 1)) - 1), k = (int64_t)(next(state) >> (65 - width)) >> drop;
    return (uint64_t)(kind == 7 && k % 3 == 0 ? half : below(state, 2) ? -k : k);
  }
  switch (kind) {
  case 0: return binary(f, state, one - 2, 4, 0); /* near 1, as data often is */
  case 1: return binary(f, state, one - 3, 6, 1);
  case 2: return binary(f, state, one - f->fraction, (uint64_t)f->fraction + 4, 1);
  case 3: return binary(f, state, 0, 3, 1);           /* subnormal, and just not */
  case 4: return binary(f, state, one / 2 - 1, 4, 1); /* with a product that is */
  case 5: return binary(f, state, below(state, 2) ? one + f->fraction : one - 1, 2, 1);
  case 6: return binary(f, state, 1, 2 * (uint64_t)one - 1, 1);
  default: return binary(f, state, 2 * one - 2, 3, 1); /* near the greatest */
  }
}

static void fill(struct pair *p, int kind, size_t n) {
  const struct bf_format *f = bf_format(p->a->element);
  const uint64_t sign = (uint64_t)1 << (8 * f->size - 1);
  for (size_t i = 0; i < n; i++) {
    bf_store(p->x + i * p->size, f->size, 0, element(f, kind, &p->state));
    if (p->y) bf_store(p->y + i * p->size, f->size, 0, element(f, kind, &p->state));
  }
  /* One row in two cancels: some element comes back with the other sign. */
  for (size_t i = 1; f->kind == BF_BINARY && below(&p->state, 2) && i < n; i++) {
    const size_t from = (size_t)below(&p->state, i);
    bf_store(p->x + i * p->size, f->size, 0, bf_load(p->x + from * p->size, f->size, 0) ^ sign);
    if (p->y) memcpy(p->y + i * p->size, p->y + from * p->size, p->size);
  }
}

static int result(const bitfold_contract *c, const struct pair *p, size_t n, bitfold_status *status, struct bf_real *value) {
  unsigned char output[8];
  *status = bf_reduce_row(c, p->x, p->y, n, output);
  if (*status) return 0;
  *value = bf_decode(c->output, bf_load(output, bf_format(c->output)->size, 0));
  return 1;
}

/* Whether both have a result, and not the same one. */
static int differ(struct pair *p, size_t n) {
  struct bf_real a, b;
  p->tried++;
  if (!result(p->a, p, n, &p->refused, &a) || !result(p->b, p, n, &p->refused, &b)) return 0;
  if (a.class != b.class) return 1;
  if (a.class == BF_NAN || (a.class == BF_FINITE && !a.magnitude && !b.magnitude && p->tried < p->patience)) return 0;
  return a.negative != b.negative || a.magnitude != b.magnitude || (a.magnitude && a.exponent != b.exponent);
}

static void reverse(unsigned char *x, size_t size, size_t n) {
  unsigned char other[8];
  for (size_t i = 0; i < n / 2; i++) {
    memcpy(other, x + i * size, size);
    memcpy(x + i * size, x + (n - 1 - i) * size, size);
    memcpy(x + (n - 1 - i) * size, other, size);
  }
}

/* The first k of n elements go behind the others. */
static void rotate(const struct pair *p, size_t first, size_t k, size_t n) {
  for (int i = 0; i < (p->y ? 2 : 1); i++) {
    unsigned char *x = (i ? p->y : p->x) + first * p->size;
    reverse(x, p->size, k);
    reverse(x + k * p->size, p->size, n - k);
    reverse(x, p->size, n);
  }
}

/* Leaves out what can be left out, larger pieces first. */
static size_t shortened(struct pair *p, size_t n) {
  size_t passes = 0;
  for (size_t piece = n / 2; piece; piece /= 2)
    for (size_t first = 0; first + piece <= n && n > piece && passes < PASSES; passes++) {
      rotate(p, first, piece, n - first);
      if (differ(p, n - piece)) n -= piece;
      else rotate(p, first, n - first - piece, n - first), first += piece;
    }
  return n;
}

/* Lengths at which orders part: small ones, round ones, and those about the contracts' own sizes; 0 past the last. */
static size_t length_at(const struct pair *p, size_t i) {
  enum { SMALL = 12, ROUND = 48 };
  if (i < SMALL) return i + 1;
  if ((i -= SMALL) < ROUND) return ((size_t)8 << i / 3) * (i % 3 == 2 ? 3 : 2) / 2 + (i % 3 == 1);
  i -= ROUND;
  const bitfold_contract *c = i < 16 ? p->a : p->b;
  if (i >= 32 || i % 16 / 4 >= c->depth) return 0;
  const uint64_t size = c->level[i % 16 / 4].size;
  if (!size || size >= p->capacity) return 0;
  return (size_t)(i % 4 == 3 ? 2 * size + 1 : size - 1 + i % 4);
}

static int is_tree(const bitfold_contract *c) { return c->depth && c->level[0].order == BITFOLD_ORDER_TREE; }

static size_t search(struct pair *p, uint64_t trials) {
  const bitfold_contract *tree = is_tree(p->a) ? p->a : is_tree(p->b) ? p->b : NULL;
  const size_t only = tree ? (size_t)bf_tree_leaves(tree->tree, tree->tree_length, NULL) : 0;
  for (uint64_t before = p->tried + 1; p->tried < trials && before != p->tried;) {
    before = p->tried;
    for (size_t i = 0; i < LENGTHS; i++) {
      const size_t n = only ? only : length_at(p, i);
      if (!n || n > p->capacity) continue;
      for (int k = 0; k < KINDS * ROUNDS && p->tried < trials; k++) {
        fill(p, k % KINDS, n);
        if (differ(p, n)) return only ? only : shortened(p, n);
      }
    }
  }
  return 0;
}

bitfold_status bitfold_separate(const bitfold_contract *a, const bitfold_contract *b, uint64_t seed, uint64_t trials, void *x,
                                void *y, size_t capacity, size_t *n, uint64_t *tried, bitfold_message *message) {
  bitfold_status status = bf_contract_check(a, message);
  if (status || (status = bf_contract_check(b, message))) return status;
  if (!x || !n || !tried || (a->operation == BITFOLD_OPERATION_DOT && !y))
    return BF_FAIL(message, BITFOLD_STATUS_NULL, "there is no room for the elements, or no place for their number");
  if (a->operation != b->operation || a->element != b->element)
    return BF_FAIL(message, BITFOLD_STATUS_CONTRACT, "only contracts of one operation and element can be told apart by an input: ",
                   bitfold_operation_name(a->operation), ":", bitfold_format_name(a->element), " and ",
                   bitfold_operation_name(b->operation), ":", bitfold_format_name(b->element));
  struct pair p = {.a = a, .b = b, .x = x, .y = a->operation == BITFOLD_OPERATION_DOT ? y : NULL, .capacity = capacity};
  p.size = bitfold_format_size(a->element), p.state = seed, p.patience = trials / 2;
  *n = search(&p, trials);
  *tried = p.tried;
  if (!*n && p.refused) return BF_FAIL(message, p.refused, "one of the contracts has no result: ", bitfold_status_text(p.refused));
  if (message) message->text[0] = 0;
  return BITFOLD_STATUS_OK;
}
