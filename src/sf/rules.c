/* SPDX-License-Identifier: Apache-2.0 */
/* The list of SuperFloat accumulation rules, by name and by number. */
#include "../kernel.h"

static const bitfold_rule rules[] = {
#define RULE(name, product, minus_one, bits, overflow, full, sum_extra, product_extra, readout, readout_full)                      \
  {name,          BITFOLD_PRODUCT_##product, minus_one,   bits, BITFOLD_OVERFLOW_##overflow, full, sum_extra,                      \
   product_extra, BITFOLD_READOUT_##readout, readout_full},
#include "rules.def"
#undef RULE
};

const bitfold_rule *bitfold_rule_at(size_t i) { return i < sizeof rules / sizeof *rules ? &rules[i] : NULL; }

const bitfold_rule *bitfold_rule_named(const char *name) {
  for (size_t i = 0; name && i < sizeof rules / sizeof *rules; i++)
    if (bf_same(name, rules[i].name)) return &rules[i];
  return NULL;
}
