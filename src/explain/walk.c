/* SPDX-License-Identifier: Apache-2.0 */
/* The order of a contract as a walk over its additions, for those who draw it. */
#include "../order/steps.h"
#include "../order/torch.h"

static uint64_t term(void *context, uint64_t i) {
  const bitfold_visitor *v = context;
  return v->term(v->context, i);
}
static uint64_t fused(void *context, const uint64_t *sums, size_t n) {
  const bitfold_visitor *v = context;
  return v->sum(v->context, sums, n);
}
static uint64_t plus(void *context, uint64_t left, uint64_t right) { return fused(context, (const uint64_t[]){left, right}, 2); }
static uint64_t join(void *context, uint64_t sum, uint64_t i) { return plus(context, sum, term(context, i)); }
static uint64_t exact(void *context, uint64_t first, uint64_t n) {
  const bitfold_visitor *v = context;
  return v->exact(v->context, first, n);
}

/* The levels of a contiguous row. */
static bitfold_status resolve(const bitfold_contract *contract, uint64_t n, bitfold_level *levels, bitfold_message *message) {
  const int64_t size = bf_format(contract->element)->size;
  struct bf_walk walk = {.axis = {{n, size, size, 0}}, .reduced = {{n, size, size, 0}}, .inner = {1, 0, 0, 0}};
  struct bf_job job = {.contract = contract, .n = n};
  walk.rank = walk.reduceds = walk.rows = walk.marked = 1, walk.outputs = 1, walk.terms = n;
  job.terms.size = (int)size;
  levels[0] = (bitfold_level){.order = BITFOLD_ORDER_SEQUENTIAL}; /* a rule's */
  return contract->rule ? BITFOLD_STATUS_OK : bf_resolve(&job, levels, &walk, message);
}

bitfold_status bitfold_order_walk(const bitfold_contract *contract, uint64_t n, const bitfold_visitor *visitor, uint64_t *root,
                                  bitfold_message *message) {
  bitfold_status status = bf_contract_check(contract, message);
  if (status) return status;
  if (!visitor || !visitor->term || !visitor->sum || !visitor->exact || !root)
    return BF_FAIL(message, BITFOLD_STATUS_NULL, "the visitor, one of its functions or the root is null");
  if (bf_is_selection(contract->operation))
    return BF_FAIL(message, BITFOLD_STATUS_CONTRACT, bitfold_operation_name(contract->operation),
                   " adds nothing, so it has no order");
  bitfold_visitor own = *visitor;
  bitfold_level levels[BITFOLD_LEVELS_MAX];
  if ((status = resolve(contract, n, levels, message))) return status;
  if (levels[0].order == BITFOLD_ORDER_TREE) {
    const uint64_t leaves = bf_tree_leaves(contract->tree, contract->tree_length, message);
    struct bf_digits has, asked;
    if (leaves != n)
      return BF_FAIL(message, BITFOLD_STATUS_SHAPE, "the tree has ", bf_number(&has, (int64_t)leaves), " leaves, not ",
                     bf_number(&asked, (int64_t)n));
  }
  if (levels[0].order == BITFOLD_ORDER_TORCH && bf_torch_from(levels).places > 1)
    return BF_FAIL(message, BITFOLD_STATUS_CONTRACT, "torch(T) has no tree here from 32768 elements on, where its threads part");
  struct bf_steps steps = {&own, own.start, term, join, plus, fused, exact, own.stopped, contract->tree, contract->tree_length};
  *root = bf_steps_sum(&steps, levels, 0, n);
  if (message) message->text[0] = 0;
  return own.stopped && *own.stopped ? BITFOLD_STATUS_STOPPED : BITFOLD_STATUS_OK;
}
