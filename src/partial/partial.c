/* SPDX-License-Identifier: Apache-2.0 */
/* A mergeable state of one row's reduction: init, cut, add, merge, finish. */
#include "piece.h"

enum bf_piece bf_piece_of(const bitfold_contract *c) {
  if (bf_is_selection(c->operation)) return BF_PIECE_BEST;
  if (c->fma || c->ftz) return BF_PIECE_REFUSED;
  if (c->rule) return c->rule->product == BITFOLD_PRODUCT_FLOAT32 ? BF_PIECE_REFUSED : BF_PIECE_SCAN;
  switch (c->level[0].order) {
  case BITFOLD_ORDER_EXACT: return BF_PIECE_WIDE;
  case BITFOLD_ORDER_CANONICAL:
  case BITFOLD_ORDER_BLOCKS:
  case BITFOLD_ORDER_PAIRWISE: return BF_PIECE_NODES;
  case BITFOLD_ORDER_SEQUENTIAL:
  case BITFOLD_ORDER_LANES:
  case BITFOLD_ORDER_HELIA: return BF_PIECE_STREAM;
  default: return BF_PIECE_REFUSED;
  }
}

/* The state is kept in the public structure as integers; it is copied out to be used. */
static void load(const bitfold_partial *partial, union bf_state *state) { memcpy(state, partial->state, sizeof *state); }
static void save(bitfold_partial *partial, const union bf_state *state) { memcpy(partial->state, state, sizeof *state); }
_Static_assert(sizeof(union bf_state) <= sizeof((bitfold_partial *)0)->state, "the public structure has room for every state");

static bitfold_status check_start(const bitfold_contract *c, uint64_t length, uint64_t first, bitfold_message *message) {
  enum bf_piece piece = bf_piece_of(c);
  if (piece == BF_PIECE_REFUSED)
    return BF_FAIL(message, BITFOLD_STATUS_CUT,
                   c->fma    ? "a sum with fma"
                   : c->ftz  ? "a sum with ftz"
                   : c->rule ? c->rule->name
                             : bf_order_name(c->level[0].order),
                   " cannot be cut; reduce the whole row at once");
  if (length == BITFOLD_LENGTH_UNKNOWN && c->level[0].order == BITFOLD_ORDER_PAIRWISE && piece == BF_PIECE_NODES)
    return BF_FAIL(message, BITFOLD_STATUS_CUT, "pairwise is cut by the row's length, which must be given");
  if (first > length || (length != BITFOLD_LENGTH_UNKNOWN && length > INT64_MAX) || first > INT64_MAX)
    return BF_FAIL(message, BITFOLD_STATUS_SHAPE, "the piece begins behind the row's end, or the row is longer than 2^63 - 1");
  if (first && piece == BF_PIECE_STREAM)
    return BF_FAIL(message, BITFOLD_STATUS_CUT, bf_order_name(c->level[0].order), " is one stream from element 0");
  if (bf_cut(c, length, first) != first)
    return BF_FAIL(message, BITFOLD_STATUS_CUT, bf_order_name(c->level[0].order), " cannot be cut there; see bitfold_partial_cut");
  return BITFOLD_STATUS_OK;
}

bitfold_status bitfold_partial_init(bitfold_partial *partial, const bitfold_contract *contract, uint64_t length, uint64_t first,
                                    bitfold_message *message) {
  union bf_state state;
  if (!partial) return BF_FAIL(message, BITFOLD_STATUS_NULL, "the partial is null");
  bitfold_status status = bf_contract_check(contract, message);
  if (status || (status = check_start(contract, length, first, message))) return status;
  memset(&state, 0, sizeof state);
  switch (bf_piece_of(contract)) {
  case BF_PIECE_WIDE: bf_exact_init(&state.wide, contract->element, contract->operation); break;
  case BF_PIECE_BEST: state.winner.best.key = INT64_MIN; break;
  case BF_PIECE_SCAN: bf_scan_init(&state.scan, contract->rule, bf_format(contract->element)->fraction + 1); break;
  default: break;
  }
  memset(partial, 0, sizeof *partial);
  partial->contract = *contract;
  partial->length = length;
  partial->first = first;
  save(partial, &state);
  if (message) message->text[0] = 0;
  return BITFOLD_STATUS_OK;
}

bitfold_status bitfold_partial_cut(const bitfold_contract *contract, uint64_t length, uint64_t at, uint64_t *cut) {
  if (!cut) return BITFOLD_STATUS_NULL;
  bitfold_status status = bf_contract_check(contract, NULL);
  if (status) return status;
  int needs_length = contract->level[0].order == BITFOLD_ORDER_PAIRWISE && bf_piece_of(contract) == BF_PIECE_NODES;
  if (at > length || (length > INT64_MAX && (needs_length || length != BITFOLD_LENGTH_UNKNOWN))) return BITFOLD_STATUS_SHAPE;
  *cut = bf_cut(contract, length, at);
  return BITFOLD_STATUS_OK;
}

static void add_best(bitfold_partial *partial, struct bf_winner *winner, const struct bf_terms *terms, uint64_t n) {
  struct bf_best best = {INT64_MIN, 0};
  bf_select(terms, &partial->contract, 0, n, &best);
  if (partial->count && best.key <= winner->best.key) return; /* equal ones came earlier, or see merge */
  bf_operand_bits(terms, best.index, 1, &winner->bits);
  winner->best = (struct bf_best){best.key, partial->first + partial->count + best.index};
}

/* A partial that bitfold_partial_init has not set up is found out by its contract, unless that looks like one by chance. */
static bitfold_status check_made(const bitfold_partial *p, bitfold_message *message) {
  if (!bf_contract_check(&p->contract, NULL) && bf_piece_of(&p->contract) != BF_PIECE_REFUSED) return BITFOLD_STATUS_OK;
  return BF_FAIL(message, BITFOLD_STATUS_CONTRACT, "the partial was not set up by bitfold_partial_init");
}

static bitfold_status check_add(const bitfold_partial *p, const void *x, const void *y, size_t n, bitfold_message *message) {
  const bitfold_contract *c = &p->contract;
  const uint64_t start = p->first + p->count, end = start + n;
  if (n && !x) return BF_FAIL(message, BITFOLD_STATUS_NULL, "the elements are null");
  if (n && (c->operation == BITFOLD_OPERATION_DOT) != (y != NULL))
    return BF_FAIL(message, y ? BITFOLD_STATUS_CONTRACT : BITFOLD_STATUS_NULL,
                   y ? "only dot takes a second row" : "dot takes two rows");
  if (end < start || end > INT64_MAX || end > p->length)
    return BF_FAIL(message, BITFOLD_STATUS_SHAPE, "these elements go past the row's length");
  if (n && p->scattered)
    return BF_FAIL(message, BITFOLD_STATUS_CUT, "pieces with a gap between them were merged; add to a piece before it is merged");
  if (n && p->length == BITFOLD_LENGTH_UNKNOWN && bf_cut(c, p->length, start) != start)
    return BF_FAIL(message, BITFOLD_STATUS_CUT, "the row has ended with an incomplete block or row of lanes");
  if (!bf_may_end(p, end))
    return BF_FAIL(message, BITFOLD_STATUS_CUT, bf_order_name(c->level[0].order), " cannot be cut there; see bitfold_partial_cut");
  return BITFOLD_STATUS_OK;
}

static bitfold_status check_codes(const bitfold_partial *p, const struct bf_terms *terms, size_t n, bitfold_message *message) {
  int32_t tile[BF_TILE];
  for (size_t first = 0, count; bf_is_sf(p->contract.element) && first < n; first += count) {
    count = n - first < BF_TILE ? n - first : BF_TILE;
    for (enum bf_operand which = BF_X; which <= (terms->y ? BF_Y : BF_X); which++) {
      bf_operand_i32(terms, which, first, count, tile);
      if (!bf_codes_in_range(p->contract.element, tile, count))
        return BF_FAIL(message, BITFOLD_STATUS_VALUE, "a code is beyond the width of ", bitfold_format_name(p->contract.element));
    }
  }
  return BITFOLD_STATUS_OK;
}

static bitfold_status add(bitfold_partial *made, const struct bf_terms *terms, size_t n) {
  union bf_state state;
  bitfold_status status = BITFOLD_STATUS_OK;
  load(made, &state);
  switch (bf_piece_of(&made->contract)) {
  case BF_PIECE_WIDE:
    bf_exact_add(&state.wide, terms, 0, n);
    made->infinite = (state.wide.saw & (BF_SAW_PLUS | BF_SAW_MINUS)) != 0;
    break;
  case BF_PIECE_BEST: add_best(made, &state.winner, terms, n); break;
  case BF_PIECE_SCAN: bf_scan_add(&state.scan, &made->contract, terms, n); break;
  default:
    status = bf_nodes_add(made, &state, terms, n);
    if (!made->infinite && !status) made->infinite = !bf_nodes_finite(&state) && bf_has_infinity(terms, 0, n);
    save(made, &state);
    return status;
  }
  made->count += n;
  save(made, &state);
  return status;
}

bitfold_status bitfold_partial_add(bitfold_partial *partial, const void *x, const void *y, size_t n, bitfold_message *message) {
  if (!partial) return BF_FAIL(message, BITFOLD_STATUS_NULL, "the partial is null");
  const bitfold_contract *c = &partial->contract;
  bitfold_status status = check_made(partial, message);
  if (status) return status;
  status = check_add(partial, x, y, n, message);
  if (status) return status;
  const int size = (int)bitfold_format_size(c->element);
  struct bf_isa room;
  const struct bf_isa *isa = bf_isa_chosen(NULL, &room);
  const struct bf_axis row = {n, size, size, 0};
  struct bf_terms terms = {.isa = isa, .reduced = &row, .reduceds = 1, .element = c->element, .operation = c->operation};
  terms.size = size, terms.x = x, terms.y = y, terms.width = 1;
  if ((status = check_codes(partial, &terms, n, message))) return status;
  bitfold_partial made = *partial;
  uint64_t control = bf_control_enter();
  if (n) status = add(&made, &terms, n);
  bf_control_leave(control);
  if (status) return BF_FAIL(message, status, bitfold_status_text(status));
  *partial = made;
  if (message) message->text[0] = 0;
  return BITFOLD_STATUS_OK;
}

static bitfold_status check_merge(const bitfold_partial *p, const bitfold_partial *right, bitfold_message *message) {
  enum bf_piece piece = bf_piece_of(&p->contract);
  struct bf_digits begins, ends;
  if (!bitfold_contract_equal(&p->contract, &right->contract) || p->length != right->length)
    return BF_FAIL(message, BITFOLD_STATUS_CONTRACT, "the two pieces are not of one row: contracts or lengths differ");
  const uint64_t first = p->count && (!right->count || p->first < right->first) ? p->first : right->first;
  const uint64_t length = p->length != BITFOLD_LENGTH_UNKNOWN ? p->length : INT64_MAX, room = length - first;
  if (p->count > room || right->count > room - p->count)
    return BF_FAIL(message, BITFOLD_STATUS_SHAPE, "the pieces have more elements than the row");
  if (piece == BF_PIECE_WIDE || piece == BF_PIECE_BEST) return BITFOLD_STATUS_OK;
  if (piece == BF_PIECE_STREAM)
    return BF_FAIL(message, BITFOLD_STATUS_CUT, bf_order_name(p->contract.level[0].order),
                   " is one stream; pieces cannot be merged");
  if (right->first == p->first + p->count) return BITFOLD_STATUS_OK;
  return BF_FAIL(message, BITFOLD_STATUS_CUT, "the right piece begins at ", bf_number(&begins, (int64_t)right->first),
                 ", the left one ends at ", bf_number(&ends, (int64_t)(p->first + p->count)));
}

bitfold_status bitfold_partial_merge(bitfold_partial *partial, const bitfold_partial *right, bitfold_message *message) {
  union bf_state state, other;
  if (!partial || !right) return BF_FAIL(message, BITFOLD_STATUS_NULL, "a partial is null");
  bitfold_status status = check_made(partial, message);
  if (status || (status = check_made(right, message))) return status;
  status = check_merge(partial, right, message);
  if (status) return status;
  bitfold_partial made = *partial;
  load(partial, &state);
  load(right, &other);
  made.infinite |= right->infinite;
  uint64_t control = bf_control_enter();
  switch (bf_piece_of(&made.contract)) {
  case BF_PIECE_WIDE: bf_wide_merge(&state.wide, &other.wide); break;
  case BF_PIECE_SCAN: bf_scan_merge(&state.scan, &other.scan, &made.contract); break;
  case BF_PIECE_BEST: {
    const struct bf_best *a = &state.winner.best, *b = &other.winner.best;
    int wins = b->key > a->key || (b->key == a->key && b->index < a->index);
    if (right->count && (!partial->count || wins)) state.winner = other.winner;
    break;
  }
  default: status = bf_nodes_merge(&made, &state, &other); break;
  }
  bf_control_leave(control);
  if (status) return BF_FAIL(message, status, bitfold_status_text(status));
  made.count = partial->count + right->count;
  if (right->count) {
    int neighbours = right->first == partial->first + partial->count || right->first + right->count == partial->first;
    made.scattered |= right->scattered || (partial->count && !neighbours);
    if (!partial->count || right->first < made.first) made.first = right->first;
  }
  save(&made, &state);
  *partial = made;
  if (message) message->text[0] = 0;
  return BITFOLD_STATUS_OK;
}

static bitfold_status check_finish(const bitfold_partial *p, bitfold_message *message) {
  const bitfold_contract *c = &p->contract;
  if (p->first || (p->length != BITFOLD_LENGTH_UNKNOWN && p->count != p->length))
    return BF_FAIL(message, BITFOLD_STATUS_CUT, "this piece is not the whole row");
  if (!p->count && (bf_is_selection(c->operation) || (bf_is_mean(c->operation) && !bf_is_float(c->output))))
    return BF_FAIL(message, BITFOLD_STATUS_EMPTY, bitfold_operation_name(c->operation), " of no elements has no value");
  return BITFOLD_STATUS_OK;
}

static uint64_t finish(const bitfold_partial *p, union bf_state *state, struct bf_report *report, int *infinite) {
  const bitfold_contract *c = &p->contract;
  const uint64_t count = bf_is_mean(c->operation) ? p->count : 1;
  struct bf_real value = {BF_NAN, 0, 0, 0, 0};
  struct bf_codes codes;
  *infinite = 0;
  switch (bf_piece_of(c)) {
  case BF_PIECE_BEST:
    if (bf_is_arg(c->operation)) return state->winner.best.index;
    return bf_key_is_nan(c, state->winner.best.key) ? bf_round(c, value, report, infinite) : state->winner.bits;
  case BF_PIECE_SCAN:
    bf_codes_init(&codes, c->rule, bf_format(c->element)->fraction + 1);
    bf_scan_finish(&state->scan, &codes);
    return bf_round_codes(c, &codes, count, report, infinite);
  case BF_PIECE_WIDE:
    if (count) value = bf_wide_over(&state->wide, count);
    break;
  default: value = bf_nodes_finish(p, state); break;
  }
  return bf_round(c, value, report, infinite);
}

/* out=i32 of argmax and argmin; bitfold_reduce knows the length beforehand. */
static bitfold_status check_index(const bitfold_partial *p, const union bf_state *state, bitfold_message *message) {
  if (!bf_is_arg(p->contract.operation) || p->contract.output != BITFOLD_FORMAT_I32 || state->winner.best.index <= INT32_MAX)
    return BITFOLD_STATUS_OK;
  return BF_FAIL(message, BITFOLD_STATUS_SHAPE, "indices beyond 2^31 - 1 do not fit out=i32");
}

bitfold_status bitfold_partial_finish(const bitfold_partial *partial, void *output, bitfold_report *report) {
  union bf_state state;
  struct bf_report counts = {0};
  int infinite;
  bitfold_message *message = report ? &report->message : NULL;
  if (!partial || !output) return BF_FAIL(message, BITFOLD_STATUS_NULL, "the partial or the output is null");
  bitfold_status status = check_made(partial, message);
  if (status || (status = check_finish(partial, message))) return status;
  load(partial, &state);
  if ((status = check_index(partial, &state, message))) return status;
  uint64_t control = bf_control_enter();
  uint64_t bits = finish(partial, &state, &counts, &infinite);
  bf_control_leave(control);
  bf_store(output, (int)bitfold_format_size(partial->contract.output), 0, bits);
  if (!report) return BITFOLD_STATUS_OK;
  *report = (bitfold_report){.outputs = 1, .clamped = counts.clamped, .nan = counts.nan, .threads = 1};
  report->overflowed = (uint64_t)(infinite && !partial->infinite);
  report->contract = partial->contract, report->isa = bitfold_isa_at(0);
  return BITFOLD_STATUS_OK;
}
