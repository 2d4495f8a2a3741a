/* SPDX-License-Identifier: Apache-2.0 */
/* The usual contracts, one after the other: orders by accumulators by the arithmetic of single steps; rules; policies. */
#include "../kernel.h"

static const struct candidate {
  const char *text;
  uint64_t least, most;
} orders[] = {
#define CANDIDATE(text, least, most) {text, least, most},
#include "candidates.def"
#undef CANDIDATE
};

enum { ENTRIES = sizeof orders / sizeof *orders, ACCUMULATORS = 5, STEPS = 4, TEXT = 128 };

static int is_float_sum(const bitfold_contract *c) { return bf_is_float(c->element) && !bf_is_selection(c->operation); }

/* Text number i with its # filled in; 0 past the last. */
static int order_text(uint64_t i, struct bf_text *out) {
  for (const struct candidate *entry = orders; entry < orders + ENTRIES; entry++) {
    uint64_t size = entry->least;
    while (i && size < entry->most) size *= 2, i--;
    if (i--) continue; /* of this entry's last text too */
    for (const char *c = entry->text; *c; c++) {
      if (*c == '#') bf_append_number(out, size);
      else bf_append(out, c, 1);
    }
    return 1;
  }
  return 0;
}

static uint64_t orders_in_all(void) {
  struct bf_text counted = {NULL, 0, 0};
  uint64_t n = 0;
  while (order_text(n, &counted)) n++;
  return n;
}

/* *made becomes `asked` with its order, or rule, or policy number i; 0 where it does not go with the rest. */
static int with_order(const bitfold_contract *asked, uint64_t i, bitfold_contract *made) {
  char text[TEXT];
  struct bf_text out = {text, sizeof text, 0};
  *made = *asked;
  if (bf_is_selection(asked->operation)) {
    if (i > 1 || (i && !bf_is_float(asked->element))) return 0;
    if (asked->nan) return !i;
    if (bf_is_float(asked->element)) made->nan = i ? BITFOLD_NAN_IGNORE : BITFOLD_NAN_PROPAGATE;
    return 1;
  }
  if (asked->depth || asked->rule) return !i;
  if (bf_is_sf(asked->element) && (made->rule = bitfold_rule_at((size_t)i))) return 1;
  if (!is_float_sum(asked)) return i == (bf_is_sf(asked->element) ? 8 : 0) && !bitfold_contract_add(made, "exact", NULL);
  return order_text(i, &out) && !bitfold_contract_add(made, text, NULL);
}

/* Whether the candidate of these numbers is one, and not another one's twin. */
static int make(const bitfold_contract *asked, uint64_t order, unsigned accumulator, unsigned steps, bitfold_contract *made) {
  const int fma = (int)(steps & 1), ftz = (int)(steps >> 1);
  bitfold_contract usual;
  if (!with_order(asked, order, made)) return 0;
  if ((fma && asked->fma) || (ftz && asked->ftz)) return 0;
  made->fma |= fma, made->ftz |= ftz;
  usual = *made;
  if (bitfold_contract_complete(&usual, NULL) || (asked->accumulator && usual.accumulator != asked->accumulator)) return 0;
  if (!accumulator) return *made = usual, 1;
  if (asked->accumulator) return 0;
  made->accumulator = (bitfold_format)(BITFOLD_FORMAT_F16 + (int)accumulator - 1);
  return made->accumulator != usual.accumulator && !bitfold_contract_complete(made, NULL) && made->accumulator;
}

int bitfold_candidate_next(const bitfold_contract *asked, uint64_t *cursor, bitfold_contract *candidate) {
  if (!asked || !cursor || !candidate || !asked->operation || !bf_format(asked->element)) return 0;
  const uint64_t all = is_float_sum(asked) ? orders_in_all() : 9; /* eight rules and exact */
  const uint64_t end = is_float_sum(asked) ? all * ACCUMULATORS * STEPS : all;
  bitfold_contract made;
  while (*cursor < end) {
    const uint64_t at = (*cursor)++;
    if (!make(asked, at % all, (unsigned)(at / all % ACCUMULATORS), (unsigned)(at / all / ACCUMULATORS), &made)) continue;
    *candidate = made;
    return 1;
  }
  return 0;
}
