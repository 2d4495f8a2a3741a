/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the twelve functions, and data made of integers, so that every machine is measured on the same bits. */
#include "subjects.h"

#define MASKED(name, act, is_half, is_min)                                                                                         \
  { "arm_" #name, (any_fn *)arm_##name, act, is_half, is_min }
const struct function twelve[TWELVE] = {
    MASKED(reduce_sum_f32, SPREAD, 0, 0),   MASKED(nn_mean_f32, SPREAD, 0, 0), MASKED(reduce_max_f32, EXTREMES, 0, 0),
    MASKED(reduce_min_f32, EXTREMES, 0, 1), MASKED(argmax_f32, FIRSTS, 0, 0),  MASKED(argmin_f32, FIRSTS, 0, 1),
    MASKED(reduce_sum_f16, SPREAD, 1, 0),   MASKED(nn_mean_f16, SPREAD, 1, 0), MASKED(reduce_max_f16, EXTREMES, 1, 0),
    MASKED(reduce_min_f16, EXTREMES, 1, 1), MASKED(argmax_f16, FIRSTS, 1, 0),  MASKED(argmin_f16, FIRSTS, 1, 1),
};
const char *const kind_names[KINDS] = {"random", "positive", "negative", "ascending", "subnormal", "zero"};

/* Bits of a normal number of either sign, its exponent spread over five binades as a bell's would be. */
static uint32_t draw(int is_half, uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  const uint32_t sign = *state >> 31, fraction = *state >> 8 & 0x7fffffu, coin = *state >> 24 & 15;
  const uint32_t below = coin < 8 ? 0 : coin < 12 ? 1 : coin < 14 ? 2 : coin < 15 ? 3 : 4; /* binades below [1, 2) */
  return is_half ? sign << 15 | (15 - below) << 10 | fraction >> 13 : sign << 31 | (127 - below) << 23 | fraction;
}

static uint32_t element(const struct function *function, enum kind kind, unsigned i, uint32_t *state) {
  const uint32_t sign = function->is_half ? 0x8000u : 0x80000000u, bits = draw(function->is_half, state);
  switch (kind) {
  case POSITIVE: return bits & ~sign;
  case NEGATIVE: return bits | sign;
  case ASCENDING: return function->is_half ? 0x400u + i : 0x3f800000u + 64 * i;
  case ZERO_WINS: return function->is_min ? bits & ~sign : bits | sign;
  default: return bits;
  }
}

void fill(const struct function *function, enum kind kind, unsigned n, unsigned width, void *to) {
  uint32_t state = 1;
  for (unsigned i = 0; i < n; i++) {
    uint32_t bits = element(function, kind, i, &state);
    if (kind == SUBNORMAL_LAST && i == n - 1) bits = 3;
    if (kind == ZERO_WINS && i + width >= n) bits = !function->is_min ? 0 : function->is_half ? 0x8000u : 0x80000000u;
    if (function->is_half) ((uint16_t *)to)[i] = (uint16_t)bits;
    else ((uint32_t *)to)[i] = bits;
  }
}
