/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A partial as bytes that mean the same on every machine, and back: little endian, specified in docs/partials.md. What is read is
 * trusted in nothing: a state that no sequence of adds and merges can leave is refused.
 */
#include "piece.h"

static const unsigned char magic[4] = {'B', 'F', 'P', '1'};
enum { TEXT_MAX = 400 };

/* A place in bytes that are written or read; past the capacity it only counts, and reading there fails. */
struct cursor {
  unsigned char *to;
  const unsigned char *from;
  size_t at, capacity;
  int failed;
};

static void put(struct cursor *c, uint64_t value, int size) {
  for (int i = 0; i < size; i++, c->at++)
    if (c->at < c->capacity) c->to[c->at] = (unsigned char)(value >> 8 * i);
}

static uint64_t get(struct cursor *c, int size) {
  uint64_t value = 0;
  if (c->failed || c->capacity - c->at < (size_t)size) return c->failed = 1, 0;
  for (int i = 0; i < size; i++) value |= (uint64_t)c->from[c->at++] << 8 * i;
  return value;
}

/* Which NaN an addition gives is the processor's choice; the bytes know one. */
static uint64_t one_nan(uint64_t bits) { return bits << 1 > (uint64_t)0x7ff << 53 ? (uint64_t)0x7ff8 << 48 : bits; }

/*
 * The digits from the first that is not 0 to the last, which is signed and holds the sign: a sign above it, -1, is taken into it as
 * -2^32, so a number has one form.
 */
static void put_wide(struct cursor *c, struct bf_wide *wide) {
  bf_wide_carry(wide);
  int low = wide->low, high = wide->high;
  while (low < high && !wide->digit[low]) low++;
  while (high > low && !wide->digit[high - 1]) high--;
  int64_t last = high > low ? wide->digit[high - 1] : 0;
  for (; last == -1 && high - low > 1; high--) last = wide->digit[high - 2] - 4294967296;
  put(c, (uint64_t)wide->saw, 1);
  put(c, high > low ? (uint64_t)low : 0, 2);
  put(c, (uint64_t)(high - low), 2);
  for (int k = low; k < high - 1; k++) put(c, (uint64_t)wide->digit[k], 4);
  if (high > low) put(c, (uint64_t)last, 8);
}

/* A sum of fewer than 2^63 terms leaves nothing but its sign in the highest digit. */
static int is_sum(const bitfold_partial *p, const struct bf_wide *wide, int digits) {
  int64_t top = wide->digit[wide->high - 1];
  int infinite = (wide->saw & (BF_SAW_PLUS | BF_SAW_MINUS)) != 0;
  if (!p->count && (digits || wide->saw)) return 0;
  if (wide->saw > 7 || infinite != p->infinite || (wide->saw && !bf_is_float(p->contract.element))) return 0;
  return top == 0 || top == -1;
}

static void get_wide(struct cursor *c, const bitfold_partial *p, struct bf_wide *wide) {
  wide->saw = (int)get(c, 1);
  int low = (int)get(c, 2), digits = (int)get(c, 2);
  if (c->failed || (digits ? low < wide->low || low + digits > wide->high : low)) {
    c->failed = 1;
    return;
  }
  for (int k = low; k < low + digits - 1; k++) wide->digit[k] = (int64_t)get(c, 4);
  if (digits) {
    int64_t last = (int64_t)get(c, 8);
    wide->digit[low + digits - 1] = last;
    if (!wide->digit[low] || !last || (last == -1 && digits > 1) || last < -4294967296 || last >= 4294967296) c->failed = 1;
  }
  if (c->failed) return;
  bf_wide_carry(wide);
  c->failed = !is_sum(p, wide, digits);
}

static void put_nodes(struct cursor *c, const bitfold_partial *p, const struct bf_nodes *nodes) {
  uint64_t values = bf_piece_of(&p->contract) == BF_PIECE_STREAM ? bf_node_values(p, 0, p->count) : nodes->values;
  put(c, nodes->nodes, 2);
  for (uint64_t i = 0; i < nodes->nodes; i++) put(c, nodes->length[i], 8);
  put(c, values, 2);
  for (uint64_t i = 0; i < values; i++) put(c, one_nan(f64_to_bits(nodes->value[i])), 8);
}

/* Whether the lengths are subtrees that fill the piece, none of which could have been joined with its neighbour. */
static int are_nodes(const bitfold_partial *p, const struct bf_nodes *nodes, uint64_t values) {
  uint64_t start = p->first, sum = 0;
  if (bf_piece_of(&p->contract) == BF_PIECE_STREAM) return !nodes->nodes && values == bf_node_values(p, 0, p->count);
  for (uint64_t i = 0; i < nodes->nodes; start += nodes->length[i++]) {
    uint64_t more = nodes->length[i] > p->first + p->count - start ? 0 : bf_node_values(p, start, nodes->length[i]);
    if (!more || (i && bf_nodes_join(p, start - nodes->length[i - 1], nodes->length[i - 1], nodes->length[i]))) return 0;
    sum += more;
  }
  return start == p->first + p->count && sum == values;
}

static void get_nodes(struct cursor *c, const bitfold_partial *p, struct bf_nodes *nodes) {
  nodes->nodes = get(c, 2);
  if (nodes->nodes > BF_NODES) c->failed = 1;
  for (uint64_t i = 0; i < nodes->nodes && !c->failed; i++) nodes->length[i] = get(c, 8);
  uint64_t values = get(c, 2);
  if (c->failed || values > BF_NODE_VALUES || !are_nodes(p, nodes, values)) c->failed = 1;
  for (uint64_t i = 0; i < values && !c->failed; i++) {
    uint64_t bits = get(c, 8);
    nodes->value[i] = f64_from_bits(bits);
    if (bits != one_nan(bits) || !bf_accumulator_holds(p->contract.accumulator, nodes->value[i])) c->failed = 1;
  }
  nodes->values = bf_piece_of(&p->contract) == BF_PIECE_STREAM ? 0 : values;
}

static void get_scan(struct cursor *c, const bitfold_partial *p, struct bf_scan *scan) {
  const int64_t low = scan->low, high = scan->high, most = (int64_t)1 << 62;
  int64_t *field[5] = {&scan->total, &scan->low, &scan->high, &scan->lowest, &scan->highest};
  for (int i = 0; i < 5; i++) *field[i] = (int64_t)get(c, 8);
  if (scan->low < low || scan->high > high || scan->low > scan->high || scan->lowest > 0 || scan->highest < 0) c->failed = 1;
  if (!p->count && (scan->total || scan->lowest || scan->highest || scan->low != low || scan->high != high)) c->failed = 1;
  if (p->contract.rule->overflow == BITFOLD_OVERFLOW_WRAP) return;
  if (scan->lowest < -most || scan->highest > most || scan->total < scan->lowest || scan->total > scan->highest) c->failed = 1;
}

static void get_winner(struct cursor *c, const bitfold_partial *p, struct bf_winner *winner) {
  const struct bf_format *f = bf_format(p->contract.element);
  winner->best.key = (int64_t)get(c, 8);
  winner->best.index = get(c, 8);
  winner->bits = get(c, 8);
  if (f->size < 8 && winner->bits >> 8 * f->size) c->failed = 1;
  uint64_t end = p->scattered ? p->length : p->first + p->count;
  if (p->count && (winner->best.index >= end || winner->best.index > INT64_MAX)) c->failed = 1;
  if (p->count ? winner->best.key != bf_key(&p->contract, winner->bits) || winner->best.index < p->first
               : winner->best.key != INT64_MIN || winner->best.index || winner->bits)
    c->failed = 1;
}

static void put_partial(struct cursor *c, const bitfold_partial *p, const char *text, size_t length) {
  union bf_state state;
  memcpy(&state, p->state, sizeof state);
  const struct bf_scan *scan = &state.scan;
  const struct bf_winner *winner = &state.winner;
  for (size_t i = 0; i < sizeof magic; i++) put(c, magic[i], 1);
  put(c, length, 2);
  for (size_t i = 0; i < length; i++) put(c, (unsigned char)text[i], 1);
  const uint64_t head[3] = {p->length, p->first, p->count};
  for (int i = 0; i < 3; i++) put(c, head[i], 8);
  put(c, (uint64_t)(p->infinite | p->scattered << 1), 1);
  const int64_t fields[5] = {scan->total, scan->low, scan->high, scan->lowest, scan->highest};
  const uint64_t best[3] = {(uint64_t)winner->best.key, winner->best.index, winner->bits};
  switch (bf_piece_of(&p->contract)) {
  case BF_PIECE_WIDE: put_wide(c, &state.wide); break;
  case BF_PIECE_BEST:
    for (int i = 0; i < 3; i++) put(c, best[i], 8);
    break;
  case BF_PIECE_SCAN:
    for (int i = 0; i < 5; i++) put(c, (uint64_t)fields[i], 8);
    break;
  default: put_nodes(c, p, &state.nodes); break;
  }
}

bitfold_status bitfold_partial_to_bytes(const bitfold_partial *partial, unsigned char *bytes, size_t capacity, size_t *used) {
  char text[TEXT_MAX];
  if (!partial || !used || (capacity && !bytes)) return BITFOLD_STATUS_NULL;
  const bitfold_contract *c = &partial->contract;
  size_t length = bitfold_contract_print(c, text, sizeof text);
  if (length >= sizeof text || (c->rule && c->rule != bitfold_rule_named(c->rule->name))) return BITFOLD_STATUS_CONTRACT;
  struct cursor size = {0}, cursor = {0};
  cursor.to = bytes;
  cursor.capacity = capacity;
  put_partial(&size, partial, text, length);
  if (bytes && size.at > capacity) return BITFOLD_STATUS_BYTES;
  if (bytes) put_partial(&cursor, partial, text, length);
  *used = size.at;
  return BITFOLD_STATUS_OK;
}

/* The head: contract, place and count, as if freshly begun. */
static int get_head(struct cursor *c, bitfold_partial *made) {
  char text[TEXT_MAX], printed[TEXT_MAX];
  bitfold_contract contract;
  for (size_t i = 0; i < sizeof magic; i++)
    if (get(c, 1) != magic[i]) return 0;
  size_t length = (size_t)get(c, 2);
  if (length >= sizeof text) return 0;
  for (size_t i = 0; i < length; i++) text[i] = (char)get(c, 1);
  text[length] = 0;
  if (c->failed || bf_length(text) != length || bitfold_contract_parse(text, &contract, NULL)) return 0;
  bitfold_contract_print(&contract, printed, sizeof printed);
  if (!bf_same(text, printed)) return 0;
  uint64_t row = get(c, 8), first = get(c, 8), count = get(c, 8), flags = get(c, 1);
  if (c->failed || flags > 3 || bitfold_partial_init(made, &contract, row, first, NULL)) return 0;
  if (count > INT64_MAX || count > row - first || first + count > INT64_MAX) return 0;
  made->count = count;
  made->infinite = (int)flags & 1;
  made->scattered = (int)flags >> 1;
  enum bf_piece piece = bf_piece_of(&contract);
  if (made->scattered && (!count || (piece != BF_PIECE_WIDE && piece != BF_PIECE_BEST))) return 0;
  return bf_may_end(made, first + count);
}

bitfold_status bitfold_partial_from_bytes(bitfold_partial *partial, const unsigned char *bytes, size_t size) {
  bitfold_partial made;
  union bf_state state;
  if (!partial || (size && !bytes)) return BITFOLD_STATUS_NULL;
  struct cursor cursor = {NULL, bytes, 0, size, 0};
  if (!get_head(&cursor, &made)) return BITFOLD_STATUS_BYTES;
  memcpy(&state, made.state, sizeof state);
  switch (bf_piece_of(&made.contract)) {
  case BF_PIECE_WIDE: get_wide(&cursor, &made, &state.wide); break;
  case BF_PIECE_BEST: get_winner(&cursor, &made, &state.winner); break;
  case BF_PIECE_SCAN: get_scan(&cursor, &made, &state.scan); break;
  default: get_nodes(&cursor, &made, &state.nodes); break;
  }
  if (cursor.failed || cursor.at != size) return BITFOLD_STATUS_BYTES;
  memcpy(made.state, &state, sizeof state);
  *partial = made;
  return BITFOLD_STATUS_OK;
}
