/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tree from nothing but questions. +M at leaf i and -M at leaf j among units: the units that are lost are the other leaves of the
 * subtree where i and j meet. For one i, the pivot, and each j these counts are i's ancestors with their sizes; the leaves that
 * joined at each of them are looked into in the same way, from pivots that keep the questions near n log n whatever the tree.
 *
 * A node of more than two operands loses the units among its operands too where it aligns them to the largest (two of its operands
 * then seem to meet in a larger subtree than all that joined there); it keeps them where it is exact, and then as many are
 * lost as lie under the two operands alone.
 */
#include "reveal.h"

static const uint32_t LOST = UINT32_MAX;

/* How many units are left in an answer; LOST where that is no number of them, 0 .. most. */
static uint32_t units(const struct bf_reveal *r, uint64_t bits, uint32_t most) {
  const struct bf_real left = bf_decode(r->output, bits);
  const int32_t shift = r->unit - left.exponent;
  if (left.class != BF_FINITE || (left.negative && left.magnitude)) return LOST;
  if (!left.magnitude) return 0;
  if (r->box->operation == BITFOLD_OPERATION_MEAN) { /* a rounded part of n, from which the whole is found below 2^22 */
    if (shift < 0 || shift > 126) return LOST;
    double value = (double)left.magnitude * (double)r->n;
    for (int32_t k = 0; k < shift; k++) value /= 2;
    const uint32_t near = value < (double)most + 0.5 ? (uint32_t)(value + 0.5) : LOST;
    return near != LOST && value - near < 0.25 && near - value < 0.25 ? near : LOST;
  }
  if (shift < 0 || shift > 63 || (shift && left.magnitude << (64 - shift)) || left.magnitude >> shift > most) return LOST;
  return (uint32_t)(left.magnitude >> shift);
}

static int no_tree(const struct bf_reveal *r, const char *why, uint32_t i, uint32_t j) {
  struct bf_digits a, b;
  BF_FAIL(r->message, BITFOLD_STATUS_OK, "no tree of additions: with +M at element ", bf_number(&a, i), " and -M at ",
          bf_number(&b, j), " among small ones, ", why);
  return 0;
}

/* How many leaves, i and j among them, are lost with them; 0 where that cannot be. The row is of units, and is so again afterwards.
 */
static uint32_t lost(struct bf_reveal *r, uint32_t i, uint32_t j, uint32_t others) {
  const bitfold_format element = r->box->element;
  const size_t size = (size_t)r->size;
  if (r->probes >= r->budget) return (uint32_t)no_tree(r, "it takes more questions than trees do", i, j);
  const uint64_t x = bf_load(r->x + i * size, r->size, 0), y = bf_load(r->x + j * size, r->size, 0);
  uint64_t bits;
  bf_set(r, i, 0, 1, bf_hider(element));
  bf_set(r, j, 1, 1, bf_hider(element));
  const int answered = bf_ask(r, &bits);
  bf_store(r->x + i * size, r->size, 0, x);
  bf_store(r->x + j * size, r->size, 0, y);
  if (!answered) return 0;
  const uint32_t left = units(r, bits, others);
  return left == LOST ? (uint32_t)no_tree(r, "what is left is no number of them", i, j) : others - left + 2;
}

/* Whether the units of some leaves survive +M and -M at i and j: 1, 0, or -1 where some do. */
static int survive(struct bf_reveal *r, uint32_t i, uint32_t j, uint32_t begin, uint32_t end) {
  const int unit = r->unit;
  bf_fill(r, 0, 0);
  for (uint32_t k = begin; k < end; k++) bf_set(r, r->leaf[k], 0, 1, unit);
  const uint32_t gone = lost(r, i, j, end - begin);
  bf_fill(r, 1, unit);
  if (!gone) return -1;
  return gone == 2 ? 1 : gone == end - begin + 2 ? 0 : no_tree(r, "part of an addition is lost", i, j) - 1;
}

static void swap(struct bf_reveal *r, uint32_t a, uint32_t b) {
  const uint32_t leaf = r->leaf[a], level = r->level[a];
  r->leaf[a] = r->leaf[b], r->level[a] = r->level[b];
  r->leaf[b] = leaf, r->level[b] = level;
}

/* Heap sort of leaves [begin, begin + n) by level. */
static void sort(struct bf_reveal *r, uint32_t begin, uint32_t n) {
  for (uint32_t start = n / 2, end = n; end > 1;) {
    if (start) start--;
    else end--, swap(r, begin, begin + end);
    for (uint32_t root = start, child; (child = 2 * root + 1) < end; root = child) {
      if (child + 1 < end && r->level[begin + child + 1] > r->level[begin + child]) child++;
      if (r->level[begin + root] >= r->level[begin + child]) break;
      swap(r, begin + root, begin + child);
    }
  }
}

static int32_t new_node(struct bf_tree *t, uint32_t leaves) {
  const int32_t node = (int32_t)t->nodes++;
  t->first[node] = t->next[node] = t->parent[node] = BF_NO_NODE;
  t->leaves[node] = leaves, t->kind[node] = BF_NODE_ROUNDED;
  return node;
}

static void attach(struct bf_tree *t, int32_t node, int32_t parent) {
  t->parent[node] = parent;
  if (parent == BF_NO_NODE) {
    t->root = node;
    return;
  }
  t->next[node] = t->first[parent];
  t->first[parent] = node;
}

/* What is known while one climbs from a pivot: the topmost node, the leaves below it and, of them, below its first operand. */
struct climb {
  uint32_t pivot, size, base, begin, end; /* [begin, end): leaves that joined at the node first, if it is one */
  int32_t node;
  uint32_t many; /* more than so many in one stretch would be a bad cut */
  int is_lopsided;
};

/* Leaves [begin, end) are lost with the pivot at one level: where did they join? */
static int join(struct bf_reveal *r, struct climb *c, uint32_t begin, uint32_t end, uint32_t *stretches) {
  struct bf_tree *t = &r->tree;
  const uint32_t level = r->level[begin], count = end - begin;
  uint32_t limit = count;
  int same = 0;
  if (level > c->size + count) return no_tree(r, "more is lost than can meet there", c->pivot, r->leaf[begin]);
  if (level < c->size + count && c->begin != c->end) {
    same = survive(r, c->pivot, r->leaf[begin], c->begin, c->end);
    if (same < 0) return 0;
  }
  if (!same) {
    const int32_t node = new_node(t, c->size);
    attach(t, c->node, node);
    c->node = node, c->base = c->size, c->begin = begin, c->end = end;
  }
  if (same || level < c->size + count) {
    t->kind[c->node] = BF_NODE_EXACT;
    limit = level - c->base;
    if (level <= c->base || count % limit) return no_tree(r, "less is lost than must meet there", c->pivot, r->leaf[begin]);
  }
  c->size += count, t->leaves[c->node] = c->size;
  r->stretch[(*stretches)++] = (struct bf_stretch){begin, end, limit, c->node, c->is_lopsided || count > c->many};
  return 1;
}

/* The lowest leaf, which most orders begin with and so meets the others in few large groups; a random one, where that went badly.
 */
static uint32_t pivot_of(struct bf_reveal *r, const struct bf_stretch *s) {
  uint32_t at = s->begin;
  if (s->is_lopsided) return s->begin + (uint32_t)bf_below(&r->random, s->end - s->begin);
  for (uint32_t k = s->begin; k < s->end; k++)
    if (r->leaf[k] < r->leaf[at]) at = k;
  return at;
}

/* One child after the other of a node, from its stretch of leaves. */
static int look_into(struct bf_reveal *r, struct bf_stretch s, uint32_t *stretches) {
  struct bf_tree *t = &r->tree;
  const uint32_t whole = s.end - s.begin, others = t->n - 2;
  while (s.limit == 1 && s.begin != s.end) attach(t, (int32_t)r->leaf[s.begin++], s.parent);
  while (s.begin != s.end) {
    swap(r, s.begin, pivot_of(r, &s));
    struct climb c = {r->leaf[s.begin], 1, 0, 0, 0, (int32_t)r->leaf[s.begin], (s.end - s.begin) / 4 * 3 + 8, s.is_lopsided};
    for (uint32_t k = s.begin + 1; k < s.end; k++)
      if (!(r->level[k] = lost(r, c.pivot, r->leaf[k], others))) return 0;
    sort(r, s.begin + 1, s.end - s.begin - 1);
    uint32_t k = s.begin + 1;
    while (k < s.end && r->level[k] <= s.limit) {
      const uint32_t begin = k;
      while (k < s.end && r->level[k] == r->level[begin]) k++;
      if (!join(r, &c, begin, k, stretches)) return 0;
    }
    if (s.limit < whole && c.size != s.limit) return no_tree(r, "operands seem of one size and are not", c.pivot, c.pivot);
    if (k < s.end && s.limit == whole && s.parent == BF_NO_NODE)
      return no_tree(r, "more is lost than there is", c.pivot, r->leaf[k]);
    if (k < s.end && s.limit == whole) t->kind[s.parent] = BF_NODE_CUT, t->has_cut = 1;
    if (k < s.end && s.limit == whole && r->level[k] != t->leaves[s.parent])
      return no_tree(r, "the sizes of its parts do not agree", c.pivot, r->leaf[k]);
    attach(t, c.node, s.parent);
    s.begin = k;
  }
  return 1;
}

/* The lowest leaf of each node, from the leaves upwards. */
static void set_low(struct bf_tree *t) {
  for (uint32_t node = t->n; node < t->nodes; node++) t->low[node] = UINT32_MAX;
  for (uint32_t leaf = 0; leaf < t->n; leaf++) {
    t->low[leaf] = leaf;
    for (int32_t up = t->parent[leaf]; up != BF_NO_NODE && t->low[up] == UINT32_MAX; up = t->parent[up]) t->low[up] = leaf;
  }
}

int bf_rebuild(struct bf_reveal *r) {
  struct bf_tree *t = &r->tree;
  uint32_t stretches = 1;
  t->n = t->nodes = (uint32_t)r->n;
  t->has_cut = 0, t->root = BF_NO_NODE;
  for (uint32_t i = 0; i < t->n; i++) {
    r->leaf[i] = i;
    t->first[i] = t->next[i] = t->parent[i] = BF_NO_NODE;
    t->leaves[i] = 1, t->kind[i] = BF_NODE_ROUNDED;
  }
  bf_fill(r, 1, r->unit);
  r->budget = r->probes + r->n * (8 * (uint64_t)bf_top_bit(r->n) + 64);
  r->stretch[0] = (struct bf_stretch){0, t->n, t->n, BF_NO_NODE, 0};
  while (stretches) {
    if (!look_into(r, r->stretch[--stretches], &stretches)) {
      t->root = BF_NO_NODE;
      return 0;
    }
  }
  set_low(t);
  return 1;
}

/* ---- A contract as a box ---- */

struct asked {
  const struct bf_reveal *r;
  bitfold_contract contract;
};
static int answer(void *context, const void *x, const void *y, size_t n, void *result) {
  const struct asked *a = context;
  return bf_reduce_row(&a->contract, x, y, n, result) != BITFOLD_STATUS_OK;
}

int bf_rebuild_contract(struct bf_reveal *r, const bitfold_contract *contract) {
  struct asked asked = {r, *contract};
  asked.contract.output = BITFOLD_FORMAT_F64;
  struct bf_reveal inner = *r;
  bitfold_box box = *r->box;
  const bitfold_format accumulator = contract->accumulator ? contract->accumulator : BITFOLD_FORMAT_F64;
  if (r->n > (uint64_t)2 << bf_format(accumulator)->fraction) return 0;
  box.call = answer, box.context = &asked;
  inner.box = &box, inner.message = NULL, inner.output = BITFOLD_FORMAT_F64, inner.output_size = 8;
  const int done = bf_rebuild(&inner);
  r->tree = inner.tree;
  r->random = inner.random;
  return done;
}
