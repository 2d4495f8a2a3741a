/* SPDX-License-Identifier: Apache-2.0 */
/* bitfold_trace_codes: the read-out of a sum of codes after each of its terms. */
#include "../kernel.h"

struct trace {
  struct bf_terms terms;
  struct bf_codes codes;
  int is_product;
  uint64_t clamped;
};

/* The tiles of terms [first, first + n). */
static void tiles(const struct trace *trace, size_t first, size_t n, int32_t *x, int32_t *y) {
  bf_operand_i32(&trace->terms, BF_X, first, n, x);
  if (trace->is_product) bf_operand_i32(&trace->terms, BF_Y, first, n, y);
}

static int in_range(const struct trace *trace, size_t n) {
  int32_t x[BF_TILE], y[BF_TILE];
  int inside = 1;
  for (size_t first = 0, count; first < n && inside; first += count) {
    count = n - first < BF_TILE ? n - first : BF_TILE;
    tiles(trace, first, count, x, y);
    inside = bf_codes_in_range(trace->terms.element, x, count);
    if (trace->is_product) inside &= bf_codes_in_range(trace->terms.element, y, count);
  }
  return inside;
}

/* A read-out that clamps is an event of that read-out alone, so it is made of a copy. */
static void follow(struct trace *trace, int16_t *code, size_t n) {
  int32_t x[BF_TILE], y[BF_TILE];
  for (size_t first = 0, count; first < n; first += count) {
    count = n - first < BF_TILE ? n - first : BF_TILE;
    tiles(trace, first, count, x, y);
    for (size_t i = 0; i < count; i++) {
      bf_codes_add(&trace->codes, x + i, trace->is_product ? y + i : NULL, 1, 1);
      struct bf_codes now = trace->codes;
      code[first + i] = (int16_t)bf_codes_read(&now, trace->is_product, 0);
      trace->clamped += (uint64_t)now.clamped;
    }
  }
}

bitfold_status bitfold_trace_codes(const bitfold_rule *rule, bitfold_format format, const void *x, const void *y, size_t n,
                                   int16_t *code, uint64_t *clamped) {
  const int size = (int)bitfold_format_size(format);
  const struct bf_axis row = {n, size, size, 0};
  struct trace trace = {.is_product = y != NULL};
  if (!rule || (n && (!x || !code))) return BITFOLD_STATUS_NULL;
  if (!bf_is_sf(format) || !bf_rule_is_valid(rule, bf_format(format)->fraction + 1)) return BITFOLD_STATUS_CONTRACT;
  trace.terms = (struct bf_terms){.reduced = &row, .reduceds = 1, .element = format, .size = size, .x = x, .y = y, .width = 1};
  if (!in_range(&trace, n)) return BITFOLD_STATUS_VALUE;
  bf_codes_init(&trace.codes, rule, bf_format(format)->fraction + 1);
  uint64_t control = bf_control_enter();
  follow(&trace, code, n);
  bf_control_leave(control);
  if (clamped) *clamped = trace.clamped;
  return BITFOLD_STATUS_OK;
}
