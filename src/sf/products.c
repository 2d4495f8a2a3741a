/* SPDX-License-Identifier: Apache-2.0 */
/* Products of codes, narrowed to the width of the data, as 16-bit terms for segments.c and columns.c. */
#include "in_place.h"

/* Products that fit 16 bits before they are narrowed, as of sf8. */
static BF_NOINLINE void multiply_bytes(const struct bf_factors *factors, bf_code *restrict product, const int8_t *x,
                                       const int8_t *y, size_t n) {
  const int unit = 1 << (8 - factors->bits), rest = factors->down ? 0 : 127;
  for (size_t i = 0; i < BF_WIDTH_MAX * n; i++) {
    const int16_t exact = (int16_t)((int16_t)(x[i] * unit) * y[i]), up = (int16_t)(exact < 0 ? rest : 0);
    product[i] = (int16_t)((uint16_t)(exact + up + 16384) / 128 - 128); /* what is divided is positive: rounded down */
  }
}

static inline uint16_t sign(int16_t x) { return (uint16_t) - (x < 0); }
static inline uint16_t negate(uint16_t x, uint16_t sign) { return (uint16_t)((x ^ sign) - sign); } /* where sign is all ones */

/*
 * |x||y| >> (N-1) with the product's sign, as the high half of 2^(16-N) |x| times 2|y|. Returns 0 where a y was -1.0 in sf16, of
 * which 2|y| passes 16 bits.
 */
static BF_NOINLINE int multiply_toward_zero(const struct bf_factors *factors, bf_code *restrict product, const bf_code *x,
                                            const bf_code *y, size_t n) {
  const uint16_t unit = (uint16_t)(1u << (16 - factors->bits));
  uint16_t wrong = 0;
  for (size_t i = 0; i < BF_WIDTH_MAX * n; i++) {
    const uint16_t left = sign(x[i]), right = sign(y[i]);
    const uint16_t a = (uint16_t)((uint32_t)negate((uint16_t)x[i], left) * unit);
    const uint16_t b = (uint16_t)(negate((uint16_t)y[i], right) << 1);
    wrong |= (uint16_t) - (y[i] == INT16_MIN);
    product[i] = (int16_t)negate((uint16_t)((uint32_t)a * b >> 16), left ^ right);
  }
  return !wrong;
}

/* x y >> (N-1), rounded as asked. Returns 0 unless all fit: -1.0 times -1.0 in sf16 becomes -2^15, which no other product is. */
static BF_NOINLINE int multiply_words(const struct bf_factors *factors, bf_code *restrict product, const bf_code *x,
                                      const bf_code *y, size_t n) {
  const int shift = factors->bits - 1;
  const uint32_t bias = (uint32_t)1 << 30; /* makes every product positive, so that a shift rounds it down */
  const int32_t rest = factors->down ? 0 : (1 << shift) - 1;
  uint16_t wrong = 0;
  for (size_t i = 0; i < BF_WIDTH_MAX * n; i++) {
    const int32_t exact = x[i] * y[i], up = exact < 0 ? rest : 0;
    const int16_t narrow = (int16_t)(uint16_t)((((uint32_t)(exact + up) + bias) >> shift) - (bias >> shift));
    wrong |= (uint16_t) - (narrow == INT16_MIN);
    product[i] = narrow;
  }
  return !wrong;
}

struct bf_factors bf_factors_of(const struct bf_isa *isa, const struct bf_codes *codes, int size) {
  struct bf_factors factors = {isa, size, codes->bits, codes->rule->product == BITFOLD_PRODUCT_FLOOR, 0};
  if (codes->rule->minus_one_is_zero) factors.zero = (int16_t) - (1 << (codes->bits - 1));
  return factors;
}

int bf_multiply(const struct bf_factors *factors, bf_code *product, const void *x, const void *y, size_t n) {
  if (!BF_IN_PLACE) return 0;
  if (factors->size == 1) return multiply_bytes(factors, product, x, y, n), 1;
  return (!factors->down && multiply_toward_zero(factors, product, x, y, n)) || multiply_words(factors, product, x, y, n);
}

void bf_clear(const struct bf_factors *factors, void *codes, size_t n) {
  const int16_t zero = factors->zero;
  int8_t *bytes = codes;
  bf_code *words = codes;
  if (!BF_IN_PLACE || !zero) return;
  if (factors->size == 1)
    for (size_t i = 0; i < BF_WIDTH_MAX * n; i++) bytes[i] = bytes[i] == zero ? 0 : bytes[i];
  else
    for (size_t i = 0; i < BF_WIDTH_MAX * n; i++) words[i] = words[i] == zero ? 0 : words[i];
}
