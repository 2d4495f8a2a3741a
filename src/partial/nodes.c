/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pieces of canonical, blocks and pairwise: finished subtrees, joined as soon as both halves of a larger one are there. Streams
 * (sequential, lanes, helia) are one subtree of L lanes that grows.
 */
#ifndef F
#include "piece.h"

static uint64_t lanes_of(const bitfold_contract *c) {
  switch (c->level[0].order) {
  case BITFOLD_ORDER_HELIA: return 4; /* a row is contiguous: H62 */
  case BITFOLD_ORDER_LANES:
  case BITFOLD_ORDER_CANONICAL: return c->level[0].size;
  default: return 1;
  }
}

/* Elements that may not be torn apart, where that does not depend on the place. */
static uint64_t unit_of(const bitfold_contract *c) {
  return c->level[0].order == BITFOLD_ORDER_BLOCKS ? c->level[0].size : lanes_of(c);
}

/* A node of the pairwise tree over a row. */
struct span {
  uint64_t start, length;
};

/* From the root down to the node that holds `at` and is a leaf or, with a length given, the node [at, at + length). */
static struct span descend(uint64_t row, uint64_t block, uint64_t at, uint64_t length, struct span *parent) {
  struct span node = {0, row};
  *parent = node;
  for (uint64_t left; !(node.start == at && node.length == length) && (left = bf_pairwise_split(node.length, block));) {
    *parent = node;
    if (at >= node.start + left) node.start += left, node.length -= left;
    else node.length = left;
  }
  return node;
}

uint64_t bf_cut(const bitfold_contract *c, uint64_t length, uint64_t at) {
  struct span parent;
  if (at == length || bf_piece_of(c) == BF_PIECE_WIDE || bf_piece_of(c) == BF_PIECE_BEST || bf_piece_of(c) == BF_PIECE_SCAN)
    return at;
  if (bf_piece_of(c) == BF_PIECE_REFUSED) return 0;
  if (c->level[0].order != BITFOLD_ORDER_PAIRWISE) return at - at % unit_of(c);
  return descend(length, c->level[0].size, at, 0, &parent).start;
}

int bf_may_end(const bitfold_partial *p, uint64_t end) {
  return end == p->length || bf_cut(&p->contract, p->length, end) == end ||
         (p->length == BITFOLD_LENGTH_UNKNOWN && p->contract.level[0].order != BITFOLD_ORDER_PAIRWISE);
}

/* Whether a subtree of the canonical tree: rows, a power of two of them at a multiple of that; or the row's ragged end. */
static int is_rows(const bitfold_partial *p, uint64_t lanes, uint64_t start, uint64_t length) {
  uint64_t rows = length / lanes;
  if (length < lanes) return length && start + length == p->first + p->count;
  return length % lanes == 0 && start % length == 0 && (rows & (rows - 1)) == 0;
}

uint64_t bf_node_values(const bitfold_partial *p, uint64_t start, uint64_t length) {
  const bitfold_contract *c = &p->contract;
  const uint64_t lanes = lanes_of(c), end = p->first + p->count;
  struct span parent;
  switch (c->level[0].order) {
  case BITFOLD_ORDER_CANONICAL:
    if (start % lanes || !is_rows(p, lanes, start, length)) return 0;
    return length < lanes ? length : lanes;
  case BITFOLD_ORDER_BLOCKS:
    return length && (!start || length <= c->level[0].size) && (length % c->level[0].size == 0 || start + length == end);
  case BITFOLD_ORDER_PAIRWISE: {
    struct span node = descend(p->length, c->level[0].size, start, length, &parent);
    return length && node.start == start && node.length == length;
  }
  default: return start == 0 && length == p->count ? (length % lanes ? 1 : lanes) : 0;
  }
}

/* Whether the two nodes, neighbours, are joined by one addition that takes no other node. */
int bf_nodes_join(const bitfold_partial *p, uint64_t start, uint64_t left, uint64_t right) {
  const bitfold_contract *c = &p->contract;
  struct span parent;
  switch (c->level[0].order) {
  case BITFOLD_ORDER_CANONICAL: return left == right && left % lanes_of(c) == 0 && start % (2 * left) == 0;
  case BITFOLD_ORDER_BLOCKS: return start == 0;
  default:
    descend(p->length, c->level[0].size, start + left, right, &parent);
    return parent.start == start && parent.length == left + right;
  }
}

/* The longest subtree that begins at `at` and ends by `end`; 0 if there is none. */
static uint64_t longest(const bitfold_partial *p, uint64_t at, uint64_t end) {
  const bitfold_contract *c = &p->contract;
  const uint64_t unit = unit_of(c), room = end - at;
  struct span node = {0, p->length};
  if (c->level[0].order == BITFOLD_ORDER_BLOCKS) return room < unit ? room : unit;
  if (c->level[0].order == BITFOLD_ORDER_CANONICAL) {
    uint64_t rows = room / unit, size = 1;
    while (size <= rows / 2 && at / unit % (2 * size) == 0) size *= 2;
    return rows ? size * unit : room;
  }
  for (uint64_t left; node.start != at || at + node.length > end;) {
    if (!(left = bf_pairwise_split(node.length, c->level[0].size))) return 0;
    if (at >= node.start + left) node.start += left, node.length -= left;
    else node.length = left;
  }
  return node.length;
}

static bitfold_status push(bitfold_partial *p, struct bf_nodes *nodes, uint64_t start, uint64_t length, const double *value);

#define SELF "../partial/nodes.c"
#include "../format/each_accumulator.h"

#define BY_ACCUMULATOR(p, call)                                                                                                    \
  switch ((int)(p)->contract.accumulator) {                                                                                        \
  case BITFOLD_FORMAT_F16: f16_##call; break;                                                                                      \
  case BITFOLD_FORMAT_BF16: bf16_##call; break;                                                                                    \
  case BITFOLD_FORMAT_F32: f32_##call; break;                                                                                      \
  default: f64_##call; break;                                                                                                      \
  }

int bf_accumulator_holds(bitfold_format accumulator, double value) {
  int event;
  struct bf_real real = bf_decode(BITFOLD_FORMAT_F64, f64_to_bits(value));
  struct bf_real back = bf_decode(accumulator, bf_encode(accumulator, real, &event));
  return real.class == back.class && real.magnitude == back.magnitude && (!real.magnitude || real.exponent == back.exponent);
}

/* Appends a node that starts where the others end, and joins what can be joined; right to left, as a row is read. */
static bitfold_status push(bitfold_partial *p, struct bf_nodes *nodes, uint64_t start, uint64_t length, const double *value) {
  uint64_t values = bf_node_values(p, start, length);
  if (nodes->nodes == BF_NODES || nodes->values + values > BF_NODE_VALUES) return BITFOLD_STATUS_FULL;
  memcpy(nodes->value + nodes->values, value, (size_t)values * sizeof *value);
  nodes->length[nodes->nodes++] = length;
  nodes->values += values;
  while (nodes->nodes > 1) {
    uint64_t right = nodes->length[nodes->nodes - 1], left = nodes->length[nodes->nodes - 2];
    if (!bf_nodes_join(p, start + length - right - left, left, right)) break;
    double *x = nodes->value + nodes->values - 2 * values;
    BY_ACCUMULATOR(p, join(x, (size_t)values))
    nodes->nodes--;
    nodes->values -= values;
    nodes->length[nodes->nodes - 1] = left + right;
  }
  return BITFOLD_STATUS_OK;
}

bitfold_status bf_nodes_add(bitfold_partial *p, union bf_state *state, const struct bf_terms *terms, uint64_t n) {
  const uint64_t start = p->first + p->count;
  bitfold_status status = BITFOLD_STATUS_OK;
  if (bf_piece_of(&p->contract) == BF_PIECE_STREAM) {
    BY_ACCUMULATOR(p, stream(p, &state->nodes, terms, n))
    return status;
  }
  const uint64_t end = start + n;
  p->count += n; /* the nodes may reach that far from here on */
  for (uint64_t at = start, length; at < end && !status; at += length) {
    if (!(length = longest(p, at, end))) return BITFOLD_STATUS_CUT;
    BY_ACCUMULATOR(p, subtree(p, &state->nodes, terms, at, at - start, length, &status))
  }
  return status;
}

bitfold_status bf_nodes_merge(bitfold_partial *p, union bf_state *state, const union bf_state *right) {
  uint64_t start = p->first + p->count, value = 0;
  bitfold_status status = BITFOLD_STATUS_OK;
  for (uint64_t i = 0; i < right->nodes.nodes; i++) p->count += right->nodes.length[i];
  for (uint64_t i = 0; i < right->nodes.nodes && !status; i++) {
    uint64_t values = bf_node_values(p, start, right->nodes.length[i]);
    status = push(p, &state->nodes, start, right->nodes.length[i], right->nodes.value + value);
    start += right->nodes.length[i];
    value += values;
  }
  return status;
}

int bf_nodes_finite(const union bf_state *state) {
  const struct bf_nodes *nodes = &state->nodes;
  for (size_t i = 0; i < BF_NODE_VALUES && i < (nodes->values ? nodes->values : BITFOLD_LANES_MAX); i++)
    if ((f64_to_bits(nodes->value[i]) >> 52 & 2047) == 2047) return 0;
  return 1;
}

struct bf_real bf_nodes_finish(const bitfold_partial *p, const union bf_state *state) {
  struct bf_real value;
  BY_ACCUMULATOR(p, finish(p, &state->nodes, &value))
  return value;
}
#else
static void ON(from_doubles)(ON(value) * to, const double *from, uint64_t n) {
  for (uint64_t i = 0; i < n; i++) to[i] = (ON(value))from[i];
}
static void ON(to_doubles)(double *to, const ON(value) * from, uint64_t n) {
  for (uint64_t i = 0; i < n; i++) to[i] = (double)from[i];
}

static void ON(join)(double *x, size_t n) {
  for (size_t i = 0; i < n; i++) x[i] = (double)ON(plus)((ON(value))x[i], (ON(value))x[n + i]);
}

/* The subtree over `length` terms from number `first` on, which are the row's elements from `at` on. */
static void ON(subtree)(bitfold_partial *p, struct bf_nodes *nodes, const struct bf_terms *terms, uint64_t at, uint64_t first,
                        uint64_t length, bitfold_status *status) {
  const bitfold_level *level = p->contract.level;
  const uint64_t lanes = lanes_of(&p->contract);
  ON(value) value[BITFOLD_LANES_MAX], tile[BF_TILE];
  double wide[BITFOLD_LANES_MAX];
  if (level->order == BITFOLD_ORDER_BLOCKS) bf_order_blocks.F(terms, level, first, length, value);
  else if (level->order == BITFOLD_ORDER_PAIRWISE) bf_order_pairwise.F(terms, level, first, length, value);
  else if (length >= lanes) BF_ON(rows)(terms, lanes, first, length / lanes, value);
  else memcpy(value, BF_ON(terms)(terms, first, (size_t)length, tile, NULL), (size_t)length * sizeof *value);
  ON(to_doubles)(wide, value, bf_node_values(p, at, length));
  *status = push(p, nodes, at, length, wide);
}

/* The stream's one node: L lanes, or the finished value once a ragged end has come. */
static void ON(stream)(bitfold_partial *p, struct bf_nodes *nodes, const struct bf_terms *terms, uint64_t n) {
  const bitfold_level *level = p->contract.level;
  const size_t lanes = (size_t)lanes_of(&p->contract), ragged = (size_t)(n % lanes);
  const bitfold_level fold = {BITFOLD_ORDER_LANES, level->fold, level->tail, lanes};
  const size_t after = level->tail == BITFOLD_TAIL_AFTER ? ragged : 0;
  ON(value) row[BITFOLD_LANES_MAX];
  ON(from_doubles)(row, nodes->value, lanes);
  BF_ON(join)(terms, lanes, 0, n - after, row);
  if (ragged) BF_ON(fold)(terms->isa, &fold, 1, row);
  if (after) BF_ON(join)(terms, 1, n - after, after, row);
  ON(to_doubles)(nodes->value, row, lanes);
  p->count += n;
}

/* x = 0 + the lanes by adjacent pairs, of s[0] + (s[1] + ( ... + s[last])) over the subtrees that reach a lane. */
static void ON(unwind)(const bitfold_partial *p, const struct bf_nodes *nodes, ON(value) * x) {
  const double *value = nodes->value + nodes->values;
  uint64_t end = p->first + p->count, present = 0;
  for (uint64_t i = nodes->nodes; i--; end -= nodes->length[i]) {
    uint64_t lanes = bf_node_values(p, end - nodes->length[i], nodes->length[i]);
    value -= lanes;
    for (uint64_t l = 0; l < lanes; l++) x[l] = l < present ? ON(plus)((ON(value))value[l], x[l]) : (ON(value))value[l];
    present = lanes;
  }
  const bitfold_level pairs = {BITFOLD_ORDER_LANES, BITFOLD_FOLD_PAIRS, BITFOLD_TAIL_LANES, present};
  if (present) BF_ON(fold)(&bf_isa_scalar, &pairs, 1, x);
  *x = ON(plus)(0, *x);
}

static void ON(finish)(const bitfold_partial *p, const struct bf_nodes *nodes, struct bf_real *result) {
  const bitfold_contract *c = &p->contract;
  const size_t lanes = (size_t)lanes_of(c);
  const bitfold_level fold = {BITFOLD_ORDER_LANES, c->level[0].fold, BITFOLD_TAIL_LANES, lanes};
  ON(value) x[BITFOLD_LANES_MAX] = {0};
  if (c->level[0].order == BITFOLD_ORDER_CANONICAL) ON(unwind)(p, nodes, x);
  else ON(from_doubles)(x, nodes->value, bf_piece_of(c) == BF_PIECE_STREAM ? lanes : nodes->nodes);
  if (bf_piece_of(c) == BF_PIECE_STREAM && p->count % lanes == 0) BF_ON(fold)(&bf_isa_scalar, &fold, 1, x);
  if (bf_is_mean(c->operation)) *x = ON(over)(*x, BF_ON(count)(p->count));
  *result = BF_ON(real)(*x);
}
#endif
