/* SPDX-License-Identifier: Apache-2.0 */
/* A contract from the verb, the options and the file, none of which may contradict another. */
#include "cli.h"

#include <string.h>

static int add(const char *option, const char *text, bitfold_contract *contract) {
  bitfold_message message;
  if (bitfold_contract_add(contract, text, &message) == BITFOLD_STATUS_OK) return STATUS_DONE;
  return complain(option, "%s", message.text);
}

/* --order takes an order or a rule; other parts of a contract go to --contract. */
static int check_order(const char *text) {
  bitfold_contract alone = {0}, named = {.operation = BITFOLD_OPERATION_SUM, .element = BITFOLD_FORMAT_F32};
  /* With the other parts named, the library compares an unknown word with orders and rules only. */
  if (bitfold_contract_add(&alone, text, NULL)) return add("--order", text, &named);
  if (alone.operation == BITFOLD_OPERATION_NONE && alone.element == BITFOLD_FORMAT_NONE &&
      alone.accumulator == BITFOLD_FORMAT_NONE && alone.output == BITFOLD_FORMAT_NONE && alone.nan == BITFOLD_NAN_DEFAULT) {
    return STATUS_DONE;
  }
  return complain("--order", "%s is not an order or a rule alone; --contract takes any part of a contract", text);
}

int assemble_begin(const options *o, const char *operation, bitfold_contract *contract) {
  int status;
  *contract = (bitfold_contract){0};
  if (o->order && o->has_rule) return complain(NULL, "--order and --rule are both given; choose one");
  if ((status = add(NULL, operation, contract))) return status;
  if (o->as != BITFOLD_FORMAT_NONE && (status = add("--as", bitfold_format_name(o->as), contract))) return status;
  if (o->order && ((status = check_order(o->order)) || (status = add("--order", o->order, contract)))) return status;
  if (o->nan && (status = add("--nan", o->nan, contract))) return status;
  if (o->contract && (status = add("--contract", o->contract, contract))) return status;
  if (!o->has_rule) return STATUS_DONE;
  if (contract->rule || contract->depth)
    return complain("--contract", "%s says how to add, and --rule too; choose one", o->contract);
  contract->rule = &o->rule.rule;
  return STATUS_DONE;
}

int assemble_end(const char *file, const bitfold_contract *begun, bitfold_format element, bitfold_contract *contract) {
  bitfold_message message;
  const char *own = bitfold_format_name(element);
  *contract = *begun;
  if (begun->element != BITFOLD_FORMAT_NONE && begun->element != element) {
    const char *wanted = bitfold_format_name(begun->element);
    return complain(file, "holds %s, and the contract says %s; --as %s makes it that", own, wanted, wanted);
  }
  if (begun->element == BITFOLD_FORMAT_NONE && add(file, own, contract)) return STATUS_UNUSABLE;
  if (contract->rule && format_is_sf(element) && rule_check(file, contract->rule, element)) return STATUS_UNUSABLE;
  if (bitfold_contract_complete(contract, &message) == BITFOLD_STATUS_OK) return STATUS_DONE;
  return complain(file, "%s", message.text);
}
