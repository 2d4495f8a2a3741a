/* SPDX-License-Identifier: Apache-2.0 */
/* The list of machines: which run here, and the chosen one with its gaps filled from the scalar one. */
#include "../kernel.h"

static const struct bf_isa *const machines[] = {
#define ISA(isa) &bf_isa_##isa,
#include "isas.def"
#undef ISA
};

static const struct bf_isa *machine_at(size_t i) {
  for (size_t m = 0; m < sizeof machines / sizeof *machines; m++)
    if (machines[m]->runs_here() && !i--) return machines[m];
  return NULL;
}

const char *bitfold_isa_at(size_t i) {
  const struct bf_isa *isa = machine_at(i);
  return isa ? isa->name : NULL;
}

const char *bf_isa_name(const char *name) {
  size_t i = 0;
  while (machine_at(i) && !bf_same(machine_at(i)->name, name)) i++;
  return bitfold_isa_at(i);
}

const struct bf_isa *bf_isa_best(void) { return machine_at(0); }

const struct bf_isa *bf_isa_chosen(const char *name, struct bf_isa *room) {
  const struct bf_isa *isa = NULL;
  for (size_t m = 0; m < sizeof machines / sizeof *machines && !isa; m++)
    if ((!name || bf_same(name, machines[m]->name)) && machines[m]->runs_here()) isa = machines[m];
  if (!isa || isa->is_whole) return isa;
  *room = *isa;
#define WIDEN(from, to)                                                                                                            \
  if (!room->widen_##from##_##to) room->widen_##from##_##to = bf_isa_scalar.widen_##from##_##to;
#include "../format/widen.def"
#undef WIDEN
#define ACCUMULATOR(f)                                                                                                             \
  if (!room->deposit_##f) room->deposit_##f = bf_isa_scalar.deposit_##f;                                                           \
  if (!room->add_##f) room->add_##f = bf_isa_scalar.add_##f;
#include "../format/accumulators.def"
#undef ACCUMULATOR
  if (!room->exact_f64) room->exact_f64 = bf_isa_scalar.exact_f64;
  if (!room->best) room->best = bf_isa_scalar.best;
#define ACT(name)                                                                                                                  \
  if (!room->name) room->name = bf_isa_scalar.name;
#include "acts.def"
#undef ACT
  return room;
}
