/* SPDX-License-Identifier: Apache-2.0 */
/* bitfold_reveal: from a black box to the contract that has its bits, or to what can be said of it. */
#include "reveal.h"

enum { ELEMENTS_MAX = 1 << 24, ROUNDS = 4, ALIGNED = 64 };

const char *bitfold_rounding_name(bitfold_rounding rounding) {
  static const char *const names[] = {"unknown", "nearest", "nearest, ties away", "toward zero", "up", "down"};
  return (unsigned)rounding < sizeof names / sizeof *names ? names[rounding] : names[0];
}

const char *bitfold_finding_name(bitfold_finding finding) {
  static const char *const names[] = {"none", "contract", "order", "free", "values", "unstable", "no-sum"};
  return (unsigned)finding < sizeof names / sizeof *names ? names[finding] : names[0];
}

/* ---- Memory ---- */

/* Takes bytes from the room; with a null start only counts them. */
struct room {
  unsigned char *start;
  size_t used;
};
static void *take(struct room *room, size_t bytes) {
  void *taken = room->start ? room->start + room->used : NULL;
  room->used += (bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
  return taken;
}

static void lay_out(struct bf_reveal *r, struct room *room) {
  const size_t n = r->n, nodes = 2 * n, row = (n * (size_t)r->size + ALIGNED - 1) / ALIGNED * ALIGNED;
  const int is_dot = r->box->operation == BITFOLD_OPERATION_DOT;
  r->row_size = row;
  r->x = take(room, row);
  r->y = is_dot ? take(room, row) : NULL;
  r->kept = take(room, 2 * row);
  r->witness = take(room, BF_WITNESSES * sizeof *r->witness);
  r->tree.first = take(room, nodes * sizeof(int32_t));
  r->tree.next = take(room, nodes * sizeof(int32_t));
  r->tree.parent = take(room, nodes * sizeof(int32_t));
  r->tree.leaves = take(room, nodes * sizeof(uint32_t));
  r->tree.low = take(room, nodes * sizeof(uint32_t));
  r->tree.kind = take(room, nodes);
  r->tree.slots = take(room, nodes);
  r->leaf = take(room, n * sizeof(uint32_t));
  r->level = take(room, n * sizeof(uint32_t));
  r->stretch = take(room, n * sizeof *r->stretch);
  r->text_size = (n <= BF_TREE_LEAVES ? 8 * n : 0) + BF_ORDER_MAX + 64;
  r->tree_text = take(room, r->text_size);
  r->order_text = take(room, r->text_size);
  r->contract_text = take(room, r->text_size);
  if (room->start) r->tree_text[0] = r->contract_text[0] = 0;
  r->other = take(room, BF_OTHERS * sizeof *r->other);
  r->other_order = take(room, BF_OTHERS * sizeof *r->other_order);
}

static bitfold_status begin(struct bf_reveal *r, const bitfold_box *box, struct room *room, bitfold_message *message) {
  if (!box || !box->call) return BF_FAIL(message, BITFOLD_STATUS_NULL, "a null pointer instead of a box or its function");
  const bitfold_operation o = box->operation;
  if (o != BITFOLD_OPERATION_SUM && o != BITFOLD_OPERATION_MEAN && o != BITFOLD_OPERATION_DOT)
    return BF_FAIL(message, BITFOLD_STATUS_CONTRACT, "a box is asked for a sum, mean or dot");
  if (!bf_is_float(box->element) || (box->output && !bf_is_float(box->output)))
    return BF_FAIL(message, BITFOLD_STATUS_CONTRACT, "a box takes and gives f16, bf16, f32 or f64");
  if (box->n < 1 || box->n > ELEMENTS_MAX) return BF_FAIL(message, BITFOLD_STATUS_SHAPE, "a box takes 1 to 16777216 elements");
  memset(r, 0, sizeof *r);
  r->box = box, r->n = box->n, r->message = message;
  r->output = box->output ? box->output : box->element;
  r->size = bf_format(box->element)->size, r->output_size = bf_format(r->output)->size;
  r->unit = bf_unit(box->element, 1);
  r->random = box->seed;
  r->tree.root = BF_NO_NODE;
  lay_out(r, room);
  return BITFOLD_STATUS_OK;
}

size_t bitfold_reveal_bytes(const bitfold_box *box) {
  struct bf_reveal r;
  struct room room = {NULL, 0};
  return begin(&r, box, &room, NULL) ? 0 : room.used;
}

/* ---- What it is ---- */

/* Whether a tree, once known, gives all answers in some accumulator, or at least those to usual rows. */
static int fits_tree(struct bf_reveal *r, int least, bitfold_contract *contract) {
  const bitfold_format format[] = {BITFOLD_FORMAT_F32, r->box->element, BITFOLD_FORMAT_F64};
  struct bf_text out = {r->order_text, r->text_size, 0};
  bf_append_word(&out, "tree(\"");
  bf_append_word(&out, r->tree_text);
  bf_append_word(&out, "\")");
  for (size_t k = 0; r->tree_text[0] && bf_parts(r, k); k++)
    for (size_t i = 0; i < 3; i++)
      if (bf_assemble(r, format[i], r->order_text, bf_parts(r, k), contract) && bf_fits(r, contract) >= least) return 1;
  return 0;
}

/* Counts are exact up to here. */
static uint64_t countable(const struct bf_reveal *r) {
  const int a = bf_format(r->box->element)->fraction, b = bf_format(r->output)->fraction;
  return (uint64_t)2 << (a < b ? a : b);
}

/* No word fits: the tree alone. 1: a contract of it fits; 0: with the finding. */
static int rebuild(struct bf_reveal *r, bitfold_contract *contract, bitfold_revelation *found) {
  struct bf_digits most;
  if (r->n > countable(r)) {
    BF_FAIL(r->message, BITFOLD_STATUS_OK, "no order of the language fits, and a tree can be counted out in ",
            bitfold_format_name(r->output), " for at most ", bf_number(&most, (int64_t)countable(r)), " elements");
    return bf_says(r, found, BITFOLD_FINDING_NONE);
  }
  if (!bf_rebuild(r)) return bf_says(r, found, BITFOLD_FINDING_VALUES);
  bf_write_tree(r);
  const struct bf_tree *t = &r->tree;
  if (r->n > 2 && t->nodes == t->n + 1 && t->kind[t->root] == BF_NODE_EXACT) {
    t = NULL, r->tree.root = BF_NO_NODE, r->tree_text[0] = 0;
    BF_FAIL(r->message, BITFOLD_STATUS_OK,
            "no order shows, yet it is not exact: a compensated sum, or an accumulator that is wide, but has an end");
    return bf_says(r, found, BITFOLD_FINDING_FREE);
  }
  if (!r->tree.has_cut && (fits_tree(r, 2, contract) || fits_tree(r, 1, contract))) return 1;
  if (bf_is_by_value(r)) {
    r->tree.root = BF_NO_NODE, r->tree_text[0] = 0;
    BF_FAIL(r->message, BITFOLD_STATUS_OK,
            "how it adds depends on the values: small terms are lost wherever they stand, as where terms are sorted first");
    return bf_says(r, found, BITFOLD_FINDING_VALUES);
  }
  found->finding = BITFOLD_FINDING_ORDER;
  return 0;
}

/* The contract, if there is one: 1 as above. */
static int search(struct bf_reveal *r, bitfold_contract *contract, bitfold_revelation *found) {
  const int guessed = bf_guess(r, contract, found);
  return guessed ? guessed > 0 : rebuild(r, contract, found);
}

/* Contracts that fitted so far, and do not have these bits of the row that stands there. */
static void drop_others(struct bf_reveal *r, const struct bf_witness *asked, bitfold_revelation *found) {
  unsigned kept = 0;
  for (unsigned i = 0; i < found->others; i++) {
    bitfold_contract contract;
    uint64_t bits;
    if (bitfold_contract_parse(found->other[i], &contract, NULL) || !bf_ask_contract(r, &contract, &bits)) continue;
    if (bits == asked->bits || asked->kind > BF_ROW_USUAL) found->other[kept++] = found->other[i];
  }
  found->others = kept;
}

/* More random rows. 1; 0 where the box stopped; -1 where a usual row disagrees, which is then a witness. */
static int try_out(struct bf_reveal *r, const bitfold_contract *contract, bitfold_revelation *found) {
  const uint64_t trials = r->box->trials ? r->box->trials : 100;
  found->trials = found->agreed = 0;
  for (uint64_t k = 0; k < trials; k++) {
    const enum bf_row_kind kind = (enum bf_row_kind)(k % (r->box->bounded ? BF_ROW_HUGE : BF_ROW_KINDS));
    uint64_t expected;
    if (r->witnesses == BF_WITNESSES) r->witnesses--;
    if (!bf_add_witness(r, kind)) return 0;
    const struct bf_witness *asked = &r->witness[r->witnesses - 1];
    drop_others(r, asked, found);
    const int agrees = bf_ask_contract(r, contract, &expected) && expected == asked->bits;
    found->trials++, found->agreed += (uint64_t)agrees;
    if (!agrees && kind <= BF_ROW_USUAL) return -1;
    r->witnesses--;
  }
  return 1;
}

/* ---- In one line ---- */

static void say_order(struct bf_reveal *r, const bitfold_revelation *found) {
  struct bf_digits bits;
  const char *what = "";
  if (r->tree.has_cut) what = ": where more than two operands meet, they are aligned to the largest and cut off";
  else if (found->rounding > BITFOLD_ROUNDING_NEAREST) what = "";
  else if (found->fused == 1) what = ": its products join the sum unrounded (fused)";
  else if (found->flushes) what = ": subnormal numbers become 0";
  else if (found->saturates) what = ": what passes the largest number becomes it";
  if (*what || !found->accumulator_bits)
    BF_FAIL(r->message, BITFOLD_STATUS_OK, "its tree is known, but no contract has all its bits", what);
  else
    BF_FAIL(r->message, BITFOLD_STATUS_OK, "its tree is known, but no contract has all its bits: its additions keep ",
            bf_number(&bits, (int64_t)found->accumulator_bits), " significant bits and round ",
            bitfold_rounding_name(found->rounding));
}

static void say_contract(struct bf_reveal *r, const bitfold_revelation *found) {
  struct bf_digits agreed, trials;
  const int is_short = bf_length(found->contract) < 120;
  BF_FAIL(r->message, BITFOLD_STATUS_OK, is_short ? found->contract : "the tree",
          found->agreed == found->trials ? ": " : ", nearly: ", bf_number(&agreed, (int64_t)found->agreed), " of ",
          bf_number(&trials, (int64_t)found->trials), " random rows agree",
          found->agreed == found->trials ? ""
          : found->flushes               ? "; subnormal numbers become 0"
                                         : "",
          found->agreed != found->trials && found->saturates ? "; what passes the largest number becomes it" : "");
}

/* Everything, but for the texts. The box may stop at any point. */
static void reveal(struct bf_reveal *r, bitfold_revelation *found) {
  bitfold_contract contract;
  int held = -1;
  found->finding = BITFOLD_FINDING_NONE;
  if (!bf_adds(r, found) || !bf_find_flushing(r) || !bf_gather(r) || !bf_is_steady(r, 4, found)) return;
  for (int round = 0; held < 0 && round < ROUNDS; round++) {
    if (!search(r, &contract, found)) break;
    held = try_out(r, &contract, found);
  }
  const int is_sure = held > 0 && found->agreed == found->trials; /* what fits nothing may be what is never the same */
  for (int again = is_sure ? 1 : 3; again--;)
    if (r->status || !bf_is_steady(r, is_sure ? 4 : 1, found)) return;
  if (held < 0 && found->finding == BITFOLD_FINDING_NONE && r->message->text[0]) return;
  bf_write_tree(r);
  if (held < 0 && found->finding == BITFOLD_FINDING_NONE) {
    BF_FAIL(r->message, BITFOLD_STATUS_OK, "how it adds depends on the values: no contract has its bits for all ordinary rows");
    (void)bf_says(r, found, BITFOLD_FINDING_VALUES);
  }
  if (!bf_find_traits(r, found)) return;
  if (held > 0) {
    found->finding = found->agreed == found->trials ? BITFOLD_FINDING_CONTRACT : BITFOLD_FINDING_ORDER;
    (void)bitfold_contract_print(&contract, r->contract_text, r->text_size);
    say_contract(r, found);
  } else if (found->finding == BITFOLD_FINDING_ORDER && !bf_is_compensated(r, found)) say_order(r, found);
}

bitfold_status bitfold_reveal(const bitfold_box *box, void *room, size_t bytes, bitfold_revelation *revelation,
                              bitfold_message *message) {
  struct bf_reveal r;
  struct room left = {room, 0};
  bitfold_message line = {""};
  bitfold_revelation found = {.finding = BITFOLD_FINDING_NONE};
  if (!room || !revelation) return BF_FAIL(message, BITFOLD_STATUS_NULL, "a null pointer instead of a room or revelation");
  if (bytes < bitfold_reveal_bytes(box))
    return BF_FAIL(message, BITFOLD_STATUS_BYTES, "the room is smaller than bitfold_reveal_bytes says");
  const bitfold_status status = begin(&r, box, &left, message);
  if (status) return status;
  r.message = &line;
  found.contract = r.contract_text, found.tree = r.tree_text;
  reveal(&r, &found);
  if (r.status) return BF_FAIL(message, r.status, "the box asked to stop");
  found.probes = r.probes, found.message = line;
  *revelation = found;
  if (message) message->text[0] = 0;
  return BITFOLD_STATUS_OK;
}
