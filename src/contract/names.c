/* SPDX-License-Identifier: Apache-2.0 */
/* The words of the contract language other than formats and rules: operations and orders, from their lists. */
#include "../kernel.h"

static const char *const operations[] = {
    NULL,
#define OPERATION(name, NAME) #name,
#include "../op/ops.def"
#undef OPERATION
};
static const char *const orders[] = {
    NULL,
#define ORDER(name, NAME, word) word,
#include "../order/orders.def"
#undef ORDER
};
static const struct bf_order *const order_functions[] = {
    NULL,
#define ORDER(name, NAME, word) &bf_order_##name,
#include "../order/orders.def"
#undef ORDER
};
static bf_resolve_fn *const resolvers[] = {
    NULL,
#define ORDER(name, NAME, word) NULL,
#define IMITATION(name, NAME, word) bf_resolve_##name,
#include "../order/orders.def"
#undef ORDER
};

const char *bitfold_operation_name(bitfold_operation operation) {
  return (size_t)operation < sizeof operations / sizeof *operations ? operations[operation] : NULL;
}
const char *bf_order_name(bitfold_order order) { return (size_t)order < sizeof orders / sizeof *orders ? orders[order] : NULL; }
const struct bf_order *bf_order(bitfold_order order) { return order_functions[order]; }
bf_resolve_fn *bf_resolver(bitfold_order order) { return resolvers[order]; }

const char *bitfold_version(void) { return BITFOLD_VERSION; }

const char *bitfold_status_text(bitfold_status status) {
  switch (status) {
  case BITFOLD_STATUS_OK: return "done";
  case BITFOLD_STATUS_NULL: return "a pointer is null that may not be";
  case BITFOLD_STATUS_CONTRACT: return "the contract is not valid, or not this call's";
  case BITFOLD_STATUS_SHAPE: return "the shapes do not fit";
  case BITFOLD_STATUS_AXIS: return "an axis is out of range or named twice";
  case BITFOLD_STATUS_EMPTY: return "there is no element to choose from or to divide by";
  case BITFOLD_STATUS_VALUE: return "an input is not a value of the format";
  case BITFOLD_STATUS_CUT: return "the order cannot be cut there";
  case BITFOLD_STATUS_FULL: return "the partial holds no more pending blocks";
  case BITFOLD_STATUS_BYTES: return "the bytes are not a partial, or the buffer is too small";
  case BITFOLD_STATUS_MACHINE: return "there is no such machine here";
  case BITFOLD_STATUS_STOPPED: return "stopped by the caller";
  }
  return "not a status";
}
