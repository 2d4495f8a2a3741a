/* SPDX-License-Identifier: Apache-2.0 */
/* A tree as text that the contract language reads: the operand that needs more slots first, of equals the one with the lowest leaf.
 */
#include "reveal.h"

static int comes_first(const struct bf_tree *t, int32_t a, int32_t b) {
  return t->slots[a] != t->slots[b] ? t->slots[a] > t->slots[b] : t->low[a] < t->low[b];
}

/* Sorts the children of a node whose own children are sorted, and counts what waits while they are worked out. */
static void sort_children(struct bf_tree *t, int32_t node) {
  int32_t child = t->first[node], following;
  t->first[node] = BF_NO_NODE;
  for (; child != BF_NO_NODE; child = following) {
    int32_t *at = &t->first[node];
    following = t->next[child];
    while (*at != BF_NO_NODE && comes_first(t, *at, child)) at = &t->next[*at];
    t->next[child] = *at;
    *at = child;
  }
  unsigned slots = 1, waiting = 0;
  for (child = t->first[node]; child != BF_NO_NODE; child = t->next[child], waiting++)
    if (t->slots[child] + waiting > slots) slots = t->slots[child] + waiting;
  t->slots[node] = (unsigned char)(slots < 255 ? slots : 255);
}

static int32_t deepest(const struct bf_tree *t, int32_t node) {
  while (t->first[node] != BF_NO_NODE) node = t->first[node];
  return node;
}

static void sort_tree(struct bf_tree *t) {
  for (int32_t node = deepest(t, t->root);;) {
    if (t->first[node] == BF_NO_NODE) t->slots[node] = 1;
    else sort_children(t, node);
    if (node == t->root) return;
    node = t->next[node] != BF_NO_NODE ? deepest(t, t->next[node]) : t->parent[node];
  }
}

void bf_write_tree(struct bf_reveal *r) {
  struct bf_tree *t = &r->tree;
  struct bf_text out = {r->tree_text, r->text_size, 0};
  r->tree_text[0] = 0;
  if (t->root == BF_NO_NODE || t->n > BF_TREE_LEAVES) return;
  sort_tree(t);
  for (int32_t node = t->root;;) {
    for (; t->first[node] != BF_NO_NODE; node = t->first[node]) bf_append_word(&out, "(");
    bf_append_number(&out, (uint64_t)node);
    while (node != t->root && t->next[node] == BF_NO_NODE) bf_append_word(&out, ")"), node = t->parent[node];
    if (node == t->root) return;
    bf_append_word(&out, "+");
    node = t->next[node];
  }
}
