/* SPDX-License-Identifier: Apache-2.0 */
/* Which parts of a contract go together, and what a part is that was left out. */
#include "../kernel.h"
#include "../order/torch.h"

#define WRONG(message, ...) BF_FAIL(message, BITFOLD_STATUS_CONTRACT, __VA_ARGS__)

static int is_exact(const bitfold_contract *c) { return c->depth == 1 && c->level[0].order == BITFOLD_ORDER_EXACT; }
static int is_known(const bitfold_contract *c) {
  return bitfold_operation_name(c->operation) && bf_format(c->element) && (!c->output || bf_format(c->output)) &&
         (!c->accumulator || bf_format(c->accumulator)) && (unsigned)c->nan <= BITFOLD_NAN_IGNORE &&
         c->depth <= BITFOLD_LEVELS_MAX && (unsigned)c->fma <= 1 && (unsigned)c->ftz <= 1;
}

static bitfold_status check_lanes(const bitfold_level *level, bitfold_message *message) {
  const char *name = bf_order_name(level->order);
  if (level->size < 1 || level->size > BITFOLD_LANES_MAX) return WRONG(message, name, ": the number of lanes is 1 to 256");
  if ((unsigned)level->fold > BITFOLD_FOLD_HALVES || (unsigned)level->tail > BITFOLD_TAIL_AFTER)
    return WRONG(message, name, ": fold or tail is not one of the enumerators");
  if (level->fold == BITFOLD_FOLD_HALVES && level->size & (level->size - 1))
    return WRONG(message, name, ": fold=halves needs a power of two of lanes");
  return BITFOLD_STATUS_OK;
}

static int is_numpy(const bitfold_contract *c) {
  return c->depth && (c->level[0].order == BITFOLD_ORDER_NUMPY || c->level[0].order == BITFOLD_ORDER_NUMPY_1);
}

static bitfold_status check_numpy(const bitfold_contract *c, const char *name, bitfold_message *message) {
  const int dot = c->operation == BITFOLD_OPERATION_DOT;
  const char *element = bitfold_format_name(c->element);
  if (c->element == BITFOLD_FORMAT_BF16) return WRONG(message, "NumPy has no bf16: ", name, " orders f16, f32 and f64");
  if (dot && c->element != BITFOLD_FORMAT_F16)
    return WRONG(message, "NumPy leaves a dot of ", element, " to a BLAS, which has no one order; ", name, " orders that of f16");
  if (dot && c->accumulator != BITFOLD_FORMAT_F32) return WRONG(message, "NumPy adds a dot of f16 in f32: acc=f32 is right");
  return BITFOLD_STATUS_OK;
}

static bitfold_status check_imitation(const bitfold_contract *c, const char *name, bitfold_message *message) {
  const int helia = c->level[0].order == BITFOLD_ORDER_HELIA, dot = c->operation == BITFOLD_OPERATION_DOT;
  const char *more = helia ? "" : is_numpy(c) ? ", and the dot of f16" : ", and dot";
  if (c->operation != BITFOLD_OPERATION_SUM && !bf_is_mean(c->operation) && (helia || !dot))
    return WRONG(message, name, " orders sum and mean", more, ", not ", bitfold_operation_name(c->operation));
  if (is_numpy(c)) return check_numpy(c, name, message);
  if (!helia && (c->element != BITFOLD_FORMAT_F32 || c->accumulator != BITFOLD_FORMAT_F32))
    return WRONG(message, name, " orders f32, added in f32");
  return BITFOLD_STATUS_OK;
}

/* In the formats of sum(x), or of sum(x, dtype=out). */
static bitfold_status check_torch(const bitfold_contract *c, const bitfold_level *level, bitfold_message *message) {
  const bitfold_format own = c->element <= BITFOLD_FORMAT_BF16 ? BITFOLD_FORMAT_F32 : c->element;
  const int plain = c->output == c->element && c->accumulator == own;
  const int copied = c->output == c->accumulator && c->accumulator >= BITFOLD_FORMAT_F32 && c->accumulator > c->element;
  if (level->size < 1 || level->size > BF_TORCH_THREADS) return WRONG(message, "torch: the number of threads is 1 to 256");
  if (c->operation != BITFOLD_OPERATION_SUM && !bf_is_mean(c->operation))
    return WRONG(message, "torch orders sum and mean, not ", bitfold_operation_name(c->operation));
  if (plain || copied) return BITFOLD_STATUS_OK;
  return WRONG(message, "torch: acc= is ", bitfold_format_name(own), " and out= the element's, or both are the same wider format");
}

static bitfold_status check_level(const bitfold_contract *c, unsigned i, bitfold_message *message) {
  const bitfold_level *level = &c->level[i];
  const char *name = bf_order_name(level->order);
  int nests = level->order == BITFOLD_ORDER_PAIRWISE || level->order == BITFOLD_ORDER_BLOCKS;
  int lanes = level->order == BITFOLD_ORDER_LANES, sized = nests || lanes || level->order == BITFOLD_ORDER_CANONICAL;
  bitfold_status status;
  int torch = level->order == BITFOLD_ORDER_TORCH;
  if (!name) return WRONG(message, "a level has no order");
  if ((!sized && !torch && level->size) || (!lanes && (level->fold || level->tail)))
    return WRONG(message, name, " has a size, fold or tail that it does not take; leave them 0");
  if (nests && (level->size < 1 || level->size > INT64_MAX)) return WRONG(message, name, ": the block is at least 1 element");
  if (nests != (i + 1 < c->depth)) return WRONG(message, name, nests ? " needs an order for its blocks" : " takes no order inside");
  if (i && (level->order == BITFOLD_ORDER_TREE || bf_resolver(level->order)))
    return WRONG(message, name, " orders a whole row; it cannot stand inside another order");
  if (torch) return check_torch(c, level, message);
  if (bf_resolver(level->order) && (status = check_imitation(c, name, message))) return status;
  if (level->order == BITFOLD_ORDER_TREE && (!c->tree || !bf_tree_leaves(c->tree, c->tree_length, message)))
    return c->tree ? BITFOLD_STATUS_CONTRACT : WRONG(message, "tree has no text");
  return sized && !nests ? check_lanes(level, message) : BITFOLD_STATUS_OK;
}

/* An accumulator holds every element: f16 and bf16 do not hold each other. */
static int holds(bitfold_format accumulator, bitfold_format element) {
  return bf_is_float(accumulator) && (accumulator == element || (accumulator >= BITFOLD_FORMAT_F32 && accumulator > element));
}

/* What fma and ftz change is a single addition or product, so there must be one. */
static bitfold_status check_arithmetic(const bitfold_contract *c, bitfold_message *message) {
  if (!c->fma && !c->ftz) return BITFOLD_STATUS_OK;
  if (c->fma && !bf_has_product(c->operation))
    return WRONG(message, "fma is for the products of dot and sumsq; ", bitfold_operation_name(c->operation), " has none");
  const bitfold_order last = c->level[c->depth - 1].order; /* whose accumulators the terms join */
  if (last == BITFOLD_ORDER_EXACT) return WRONG(message, "exact rounds no single step; leave ", c->fma ? "fma" : "ftz", " out");
  if (c->fma && bf_resolver(last))
    return WRONG(message, bf_order_name(last), " says by itself whether its products are fused; leave fma out");
  if (c->ftz && is_numpy(c)) return WRONG(message, bf_order_name(last), " keeps subnormals, as NumPy does; leave ftz out");
  if (c->ftz && last == BITFOLD_ORDER_TORCH) return WRONG(message, "torch keeps subnormals, as PyTorch does; leave ftz out");
  if (c->fma && last != BITFOLD_ORDER_SEQUENTIAL && last != BITFOLD_ORDER_REVERSE && last != BITFOLD_ORDER_LANES)
    return WRONG(message, bf_order_name(last),
                 " adds products to one another, not to an accumulator; fma goes with sequential, reverse and lanes, also "
                 "inside blocks and pairwise");
  return BITFOLD_STATUS_OK;
}

static bitfold_status check_float_sum(const bitfold_contract *c, bitfold_message *message) {
  const char *element = bitfold_format_name(c->element);
  if (c->rule) return WRONG(message, "the rule ", c->rule->name, " adds sfN codes, not ", element);
  if (!c->depth) return WRONG(message, "a sum needs an order");
  for (unsigned i = 0; i < c->depth; i++) {
    bitfold_status status = check_level(c, i, message);
    if (status) return status;
  }
  if (!bf_is_float(c->output)) return WRONG(message, "out= of a sum of ", element, " is f16, bf16, f32 or f64");
  bitfold_status status = check_arithmetic(c, message);
  if (status) return status;
  if (is_exact(c)) return c->accumulator ? WRONG(message, "exact has no accumulator") : BITFOLD_STATUS_OK;
  if (!holds(c->accumulator, c->element))
    return WRONG(message, "acc=", c->accumulator ? bitfold_format_name(c->accumulator) : "", " does not hold every ", element,
                 c->element <= BITFOLD_FORMAT_BF16 ? "; it may be the same, f32 or f64" : "; it may be the same or f64");
  return BITFOLD_STATUS_OK;
}

static bitfold_status check_code_sum(const bitfold_contract *c, bitfold_message *message) {
  const char *element = bitfold_format_name(c->element);
  int sf = bf_is_sf(c->element);
  if (c->fma || c->ftz) return WRONG(message, c->fma ? "fma" : "ftz", " is for sums of floats, not of ", element);
  if (c->accumulator)
    return WRONG(message, "acc= is for floats; ", sf ? "a rule sets its own accumulator" : "integer sums are exact");
  if (!sf && (c->rule || !is_exact(c))) return WRONG(message, "sums of ", element, " are exact; leave the order out");
  if (sf && !(c->rule && !c->depth) && !is_exact(c))
    return WRONG(message, element, " takes a rule (sf, ...) or exact as its order");
  if (c->rule && !bf_rule_is_valid(c->rule, bf_format(c->element)->fraction + 1))
    return WRONG(message, "the rule has a field out of its range");
  if (sf && c->output != c->element && !bf_is_float(c->output))
    return WRONG(message, "out= of ", element, " is the same or a float");
  if (!sf && bf_is_sf(c->output)) return WRONG(message, "out= of a sum of ", element, " is an integer or a float");
  return BITFOLD_STATUS_OK;
}

static bitfold_status check_selection(const bitfold_contract *c, bitfold_message *message) {
  const char *name = bitfold_operation_name(c->operation);
  if (c->depth || c->rule) return WRONG(message, name, " adds nothing: leave the order out");
  if (c->accumulator) return WRONG(message, name, " adds nothing: leave acc= out");
  if (c->fma || c->ftz) return WRONG(message, name, " adds nothing: leave ", c->fma ? "fma" : "ftz", " out");
  if (bf_is_arg(c->operation) && c->output != BITFOLD_FORMAT_I64 && c->output != BITFOLD_FORMAT_I32)
    return WRONG(message, "out= of ", name, " is i64 or i32");
  if (!bf_is_arg(c->operation) && c->output != c->element) return WRONG(message, "out= of ", name, " is the element format");
  if (bf_is_float(c->element) != (c->nan != BITFOLD_NAN_DEFAULT))
    return WRONG(message, "nan= is propagate or ignore for floats only");
  return BITFOLD_STATUS_OK;
}

bitfold_status bf_contract_check(const bitfold_contract *c, bitfold_message *message) {
  if (!c) return BF_FAIL(message, BITFOLD_STATUS_NULL, "a null pointer instead of a contract");
  if (!c->operation || !c->element || !c->output)
    return WRONG(message, "the contract is not complete; bitfold_contract_parse or bitfold_contract_complete makes it so");
  if (!is_known(c)) return WRONG(message, "a part of the contract is not one of the enumerators");
  if (c->tree_length &&
      (!c->depth || (c->level[0].order != BITFOLD_ORDER_TREE && c->level[c->depth - 1].order != BITFOLD_ORDER_TREE)))
    return WRONG(message, "there is a tree, but its order is another");
  if (bf_is_selection(c->operation)) return check_selection(c, message);
  if (c->nan) return WRONG(message, "nan= is for max, min, argmax and argmin; a sum's NaN always propagates");
  return bf_is_float(c->element) ? check_float_sum(c, message) : check_code_sum(c, message);
}

static void default_selection(bitfold_contract *c) {
  if (!c->output) c->output = bf_is_arg(c->operation) ? BITFOLD_FORMAT_I64 : c->element;
  if (!bf_is_float(c->element)) c->nan = BITFOLD_NAN_DEFAULT; /* there is no NaN to have a policy for */
  else if (!c->nan) c->nan = bf_is_arg(c->operation) ? BITFOLD_NAN_IGNORE : BITFOLD_NAN_PROPAGATE;
}

static void default_sum(bitfold_contract *c) {
  int integer = bf_is_integer(c->element), half = c->element <= BITFOLD_FORMAT_BF16;
  if (!c->output) c->output = !integer ? c->element : bf_is_mean(c->operation) ? BITFOLD_FORMAT_F64 : BITFOLD_FORMAT_I64;
  if (!c->depth && !c->rule && bf_is_sf(c->element)) c->rule = bitfold_rule_at(0);
  else if (!c->depth && !c->rule) *c->level = (bitfold_level){.order = BITFOLD_ORDER_EXACT}, c->depth = 1;
  if (!bf_is_float(c->element)) return;
  if (is_exact(c)) c->accumulator = BITFOLD_FORMAT_NONE;
  else if (!c->accumulator) {
    const int own = !half || (c->element == BITFOLD_FORMAT_F16 && is_numpy(c) && c->operation == BITFOLD_OPERATION_SUM);
    c->accumulator = own ? c->element : BITFOLD_FORMAT_F32;
  }
}

bitfold_status bitfold_contract_complete(bitfold_contract *contract, bitfold_message *message) {
  if (!contract) return BF_FAIL(message, BITFOLD_STATUS_NULL, "a null pointer instead of a contract");
  if (!contract->operation) return WRONG(message, "no operation: one of sum, mean, dot, sumsq, sumabs, max, min, argmax, argmin");
  if (!contract->element) return WRONG(message, "no element format: one of f16, bf16, f32, f64, sf2 ... sf16, i8, i16, i32, i64");
  if (!is_known(contract)) return WRONG(message, "a part of the contract is not one of the enumerators");
  bitfold_contract made = *contract;
  if (bf_is_selection(made.operation)) default_selection(&made);
  else default_sum(&made);
  bitfold_status status = bf_contract_check(&made, message);
  if (status) return status;
  *contract = made;
  if (message) message->text[0] = 0;
  return BITFOLD_STATUS_OK;
}
