/* SPDX-License-Identifier: Apache-2.0 */
/* The generators of hostile.h: no floating-point operation. */
#include <string.h>

#include "hostile.h"

uint64_t hostile_next(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  uint64_t word = *state;
  return (word ^ (word >> 29)) * 0xff51afd7ed558ccdu;
}

static uint64_t below(uint64_t *state, uint64_t limit) { return (hostile_next(state) >> 32) % limit; }

static uint64_t pack(shape f, uint64_t sign, uint64_t exponent, uint64_t mantissa) {
  return sign << (f.bits - 1) | exponent << f.mantissa | (mantissa & ((UINT64_C(1) << f.mantissa) - 1));
}

/* Random sign and mantissa (sparse every other time), exponent field in low .. low + span - 1. */
static uint64_t finite(shape f, uint64_t *state, uint64_t low, uint64_t span) {
  uint64_t word = hostile_next(state), mantissa = word >> 8;
  if (word & 2) mantissa &= ~((UINT64_C(1) << (f.mantissa / 2 + 1)) - 1);
  return pack(f, word & 1, low + below(state, span), mantissa);
}

static uint64_t top(shape f) { return (UINT64_C(1) << (f.bits - f.mantissa - 1)) - 1; }

/* A power of two, or its half unit, or a neighbour of either: sums are ties, or one unit off a tie. */
static uint64_t tie(shape f, uint64_t *state) {
  static const unsigned char drops[] = {0, 0, 1, 0, 1, 2};
  uint64_t base = top(f) / 2 + f.mantissa / 2 + 2, pick = below(state, 6), sign = below(state, 2), odd = below(state, 6) == 0;
  uint64_t drop = pick < 3 ? drops[pick] : f.mantissa + drops[pick];
  return pack(f, sign, base > drop ? base - drop : 0, odd);
}

/* One element. Every draw is a statement of its own: the sequence of the draws in one expression would be the compiler's. */
static uint64_t element(shape f, unsigned kind, uint64_t *state) {
  uint64_t limit = top(f), middle = limit / 2, sign = below(state, 2), one_in_9 = below(state, 9) == 0, field = below(state, 4);
  uint64_t payload = hostile_next(state) >> 8;
  switch (kind) {
  case 0: return finite(f, state, middle - 4, 6);
  case 1: return finite(f, state, 0, limit);
  case 2: return finite(f, state, 1, limit - 1);
  case 3: return finite(f, state, 0, 3);
  case 4: return finite(f, state, limit - 3, 3);
  case 5: return tie(f, state);
  case 6: return pack(f, sign, 0, one_in_9);
  case 7: return pack(f, sign, middle + field, (payload & 7) << (f.mantissa - 3));
  case 8: return one_in_9 ? pack(f, sign && field == 0, limit, 0) : finite(f, state, 0, limit);
  case 9: return one_in_9 ? pack(f, sign, limit, payload | 1) : finite(f, state, 0, limit);
  default: return sign ? finite(f, state, limit - 2, 2) : finite(f, state, 0, 2);
  }
}

void hostile_row(shape f, unsigned kind, size_t n, uint64_t *state, uint64_t *patterns) {
  for (size_t i = 0; i < n; i++) patterns[i] = element(f, kind, state);
  if (kind != 2) return;
  for (size_t i = 0; i < n / 2; i++) {
    if (below(state, 5)) patterns[n - 1 - i] = patterns[i] ^ UINT64_C(1) << (f.bits - 1);
  }
}

void hostile_store(const uint64_t *patterns, size_t n, size_t size, void *elements) {
  unsigned char *to = elements;
  for (size_t i = 0; i < n; i++, to += size) {
    uint16_t half = (uint16_t)patterns[i];
    uint32_t single = (uint32_t)patterns[i];
    memcpy(to, size == 2 ? (const void *)&half : size == 4 ? (const void *)&single : (const void *)&patterns[i], size);
  }
}

uint64_t hostile_load(const void *from, size_t size) {
  uint16_t half;
  uint32_t single;
  uint64_t pattern;
  if (size == 2) return memcpy(&half, from, size), half;
  if (size == 4) return memcpy(&single, from, size), single;
  return memcpy(&pattern, from, size), pattern;
}
