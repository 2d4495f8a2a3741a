/* SPDX-License-Identifier: Apache-2.0 */
/* A contract from the table of candidates that answers like the box: a few rows choose it, then each node of its tree is asked for.
 */
#include "reveal.h"

enum { BLOCKS_MAX = 160, WHOLE = 8192, SAMPLES = 4096 };

int bf_assemble(const struct bf_reveal *r, bitfold_format accumulator, const char *order, const char *parts,
                bitfold_contract *contract) {
  char text[BF_ORDER_MAX + 64];
  struct bf_text out = {text, sizeof text, 0};
  bf_append_word(&out, bitfold_operation_name(r->box->operation));
  bf_append_word(&out, ":");
  bf_append_word(&out, bitfold_format_name(r->box->element));
  bf_append_word(&out, ":out=");
  bf_append_word(&out, bitfold_format_name(r->output));
  if (accumulator) bf_append_word(&out, ":acc=");
  if (accumulator) bf_append_word(&out, bitfold_format_name(accumulator));
  if (*parts) bf_append_word(&out, ":");
  bf_append_word(&out, parts);
  bitfold_contract made = {0};
  if (bitfold_contract_add(&made, text, NULL) || bitfold_contract_add(&made, order, NULL)) return 0;
  if (bitfold_contract_complete(&made, NULL)) return 0;
  *contract = made;
  return 1;
}

const char *bf_parts(const struct bf_reveal *r, size_t i) {
  static const char *const parts[] = {"", "fma", "ftz", "fma:ftz"};
  static const unsigned char product[] = {0, 1, 0, 1}, flush[] = {0, 0, 1, 1};
  for (size_t k = 0; k < 4; k++)
    if ((!product[k] || r->y) && (!flush[k] || r->flushes) && !i--) return parts[k];
  return NULL;
}

/* ---- Blocks that the row suggests ---- */

struct blocks {
  uint64_t size[BLOCKS_MAX];
  size_t count;
};

static void add_block(struct blocks *b, uint64_t size) {
  for (size_t i = 0; i < b->count; i++)
    if (b->size[i] == size) return;
  if (size && b->count < BLOCKS_MAX) b->size[b->count++] = size;
}

/* pairwise(B) is another order only where B passes the length of a part: its lengths at each depth, from the row's own down. */
static void add_parts(struct blocks *b, uint64_t n) {
  uint64_t low = n, high = n;
  for (uint64_t left; (left = bf_pairwise_split(low, 8)) != 0;) {
    const uint64_t least = left, most = high - bf_pairwise_split(high, 8);
    for (uint64_t size = least; size <= most && size < least + 24; size++) add_block(b, size);
    low = least, high = most;
  }
}

/* How many elements +M and -M at i and j are lost with, themselves included; as much as can be read of it. 0 where the box stopped.
 */
static uint64_t together(struct bf_reveal *r, size_t i, size_t j) {
  uint64_t bits;
  bf_fill(r, 1, r->unit);
  bf_set(r, i, 0, 1, bf_hider(r->box->element));
  bf_set(r, j, 1, 1, bf_hider(r->box->element));
  if (!bf_ask(r, &bits)) return 0;
  const struct bf_real left = bf_decode(r->output, bits);
  const int32_t shift = r->unit - left.exponent; /* exponents are of a magnitude of 64 bits */
  const uint64_t count = left.magnitude && shift >= 0 && shift < 64 ? left.magnitude >> shift : 0;
  return count < r->n ? r->n - count : r->n;
}

/* Where the second of two blocks begins: from there on, elements meet the last one before they meet the first. */
static int add_second(struct bf_reveal *r, struct blocks *b) {
  size_t first = 0, second = r->n - 1;
  while (second - first > 1) {
    const size_t middle = first + (second - first) / 2;
    const uint64_t size = together(r, middle, r->n - 1);
    if (!size) return 0;
    if (size == r->n) first = middle;
    else second = middle;
  }
  add_block(b, second);
  return 1;
}

/* In blocks(B,...), element 0 meets element j, of another block, once j's block is whole, and the next one B elements later. */
static int add_steps(struct bf_reveal *r, struct blocks *b) {
  for (size_t part = 2; part <= 8; part *= 2) {
    const uint64_t end = r->n / part ? together(r, 0, r->n / part) : 1;
    if (!end) return 0;
    if (part == 2 && !add_second(r, b)) return 0;
    if (end >= r->n) continue;
    const uint64_t next = together(r, 0, (size_t)end);
    if (!next) return 0;
    if (next > end) add_block(b, next - end);
    add_block(b, end);
  }
  return 1;
}

static int suggest(struct bf_reveal *r, struct blocks *b) {
  b->count = 0;
  for (uint64_t size = 128; size <= 65536; size *= 2) add_block(b, size);
  for (uint64_t size = 64; size > 1; size /= 2) add_block(b, size);
  if (r->n > 2 && !add_steps(r, b)) return 0;
  add_parts(b, r->n);
  return 1;
}

/* ---- The node by node check ---- */

/* One more answer that the contract must give: 1, 0 where it does not (and the row is kept), -1 where the box stopped. */
static int holds(struct bf_reveal *r, const bitfold_contract *contract, const struct bf_witness *asked) {
  uint64_t bits, expected;
  if (!bf_ask(r, &bits)) return -1;
  if (bf_ask_contract(r, contract, &expected) && bits == expected) return 1;
  if (r->witnesses == BF_WITNESSES) r->witnesses--;
  r->witness[r->witnesses] = *asked;
  r->witness[r->witnesses++].bits = bits;
  return 0;
}

static int check_tree(struct bf_reveal *r, const bitfold_contract *contract, struct bf_witness *asked, struct bf_patch *was) {
  const struct bf_tree *t = &r->tree;
  int held = 1;
  for (uint32_t node = t->n; held == 1 && node < t->nodes; node++) {
    const int32_t left = t->first[node];
    for (int32_t right = t->next[left]; held == 1 && right != BF_NO_NODE; right = t->next[right]) {
      asked->plus = t->low[left], asked->minus = t->low[right];
      bf_move_hiders(r, was, asked);
      held = holds(r, contract, asked);
    }
  }
  return held;
}

static int check_samples(struct bf_reveal *r, const bitfold_contract *contract, struct bf_witness *asked, struct bf_patch *was) {
  int held = 1;
  for (unsigned k = 0; held == 1 && k < SAMPLES && k + 1 < r->n; k++) {
    const uint64_t drawn = bf_draw(&r->random), near = (uint64_t)1 << (drawn >> 8) % 20;
    asked->plus = r->n - 1 <= SAMPLES ? k : (uint32_t)(drawn % r->n);
    asked->minus = r->n - 1 <= SAMPLES ? k + 1 : (uint32_t)((asked->plus + near) % r->n);
    if (asked->plus == asked->minus) continue;
    bf_move_hiders(r, was, asked);
    held = holds(r, contract, asked);
  }
  return held;
}

/* Whether each two leaves meet in the box where they meet in the contract's tree; as many as are asked, where that is too large. */
static int check(struct bf_reveal *r, const bitfold_contract *contract) {
  struct bf_witness asked = {BF_ROW_HIDDEN, (uint32_t)r->n, (uint32_t)r->n, bf_draw(&r->random), 0};
  struct bf_patch was = {{0, 0}, {0, 0}, 0};
  r->tree.root = BF_NO_NODE;
  const int whole = r->n <= WHOLE && bf_rebuild_contract(r, contract);
  if (r->n < 2) return 1;
  bf_row(r, &asked);
  return whole ? check_tree(r, contract, &asked, &was) : check_samples(r, contract, &asked, &was);
}

/* ---- The table ---- */

struct search {
  struct bf_reveal *r;
  bitfold_format accumulator;
  const char *parts;
  int least;         /* what bf_fits must say */
  int is_usual_seen; /* some contract fits the usual kinds alone */
  char chosen[BF_ORDER_MAX];
  bitfold_revelation *found;
};

/* Whether two orders begin with one word. */
static int same_word(const char *a, const char *b) {
  while (*a && *a == *b && *a != '(') a++, b++;
  return (!*a || *a == '(' || *a == ':') && (!*b || *b == '(' || *b == ':');
}

static int visit(void *context, const char *order, int is_usual) {
  struct search *s = context;
  bitfold_revelation *found = s->found;
  bitfold_contract contract;
  if (!bf_assemble(s->r, s->accumulator, order, s->parts, &contract)) return 0;
  const int fits = bf_fits(s->r, &contract);
  s->is_usual_seen |= fits;
  if (fits < s->least) return 0;
  if (!s->chosen[0]) {
    memcpy(s->chosen, order, bf_length(order) + 1);
    return 0;
  }
  int is_new = is_usual && !same_word(order, s->chosen) && found->others < BF_OTHERS;
  for (size_t i = 0; is_new && i < found->others; i++) is_new = !same_word(order, s->r->other_order[i]);
  if (!is_new) return 0;
  memcpy(s->r->other_order[found->others], order, bf_length(order) + 1);
  (void)bitfold_contract_print(&contract, s->r->other[found->others], sizeof s->r->other[0]);
  found->other[found->others] = s->r->other[found->others];
  found->others++;
  return 0;
}

static int try_table(struct search *s, enum bf_stage stage, const struct blocks *b, bitfold_contract *contract) {
  int held;
  do {
    s->chosen[0] = 0, s->found->others = 0;
    (void)bf_each_order(stage, s->r->n, b->size, b->count, visit, s);
    if (!s->chosen[0] || !bf_assemble(s->r, s->accumulator, s->chosen, s->parts, contract)) return 0;
    held = check(s->r, contract);
  } while (!held);
  return held;
}

/* The order's own accumulator, then the others that a half may be added in, or a float. */
static int try_stage(struct search *s, enum bf_stage stage, const struct blocks *b, bitfold_contract *contract) {
  const bitfold_format element = s->r->box->element;
  const bitfold_format format[] = {BITFOLD_FORMAT_NONE, BITFOLD_FORMAT_F32, element, BITFOLD_FORMAT_F64};
  const int is_half = element < BITFOLD_FORMAT_F32;
  for (size_t i = 0; i < 4; i++) {
    if ((!is_half && (i == 1 || i == 2)) || (i && element == BITFOLD_FORMAT_F64)) continue;
    s->accumulator = format[i];
    const int held = try_table(s, stage, b, contract);
    if (held) return held;
  }
  return 0;
}

static int try_all(struct search *s, struct blocks *b, bitfold_contract *contract) {
  for (size_t i = 0; (s->parts = bf_parts(s->r, i)); i++)
    for (int stage = BF_STAGE_SIMPLE; stage < BF_STAGES; stage++) {
      if (stage == BF_STAGE_NESTED && !b->count && !suggest(s->r, b)) return -1;
      const int held = try_stage(s, (enum bf_stage)stage, b, contract);
      if (held) return held;
    }
  s->found->others = 0;
  return 0;
}

int bf_guess(struct bf_reveal *r, bitfold_contract *contract, bitfold_revelation *found) {
  struct search s = {.r = r, .least = 2, .found = found};
  struct blocks b = {{0}, 0};
  const int held = try_all(&s, &b, contract);
  if (held || !s.is_usual_seen) return held;
  s.least = 1;
  return try_all(&s, &b, contract);
}
