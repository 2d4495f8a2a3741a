/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of codes on vectors of 16-bit lanes, narrowed to the width N of the data, and chains of them. Included by vector.h.
 *
 * A product toward zero is |a| 2^(16-N) times 2|b|, of which the upper 16 bits are kept, with its sign put back; rounded down it is
 * the upper bits of a 2^(16-N) times b, once more doubled with the next lower bit. 2|b| has no room for a b of -1.0 in sf16; a
 * product of -2^15 is that of -1.0 with itself, which does not fit.
 */
struct factor { /* one side of a product: magnitude doubled, and sign, or the code itself where products are rounded down */
  v_u16 doubled;
  v_i16 sign;
};
VEC v_i16 without(v_i16 x, v_i16 zero) { return x & (x != zero); }
VEC struct factor factor_of(v_i16 b, const int down) { return (struct factor){down ? (v_u16)b : (v_u16)abs_i16(b) << 1, b >> 15}; }
/* plain: sf16, toward zero. Else a product may be 1 where a ^ b.sign is 0, as of -1 and -1.0. */
VEC v_i16 times(v_i16 a, struct factor b, const int shift, const int down, const int plain) {
  if (down) {
    const v_u16 scaled = (v_u16)a << shift, high = mul_high_u16(scaled, b.doubled);
    const v_u16 floor = high - (scaled & (v_u16)b.sign) - (b.doubled & (v_u16)(a >> 15));
    return (v_i16)(floor << 1 | (v_u16)(scaled * b.doubled) >> 15);
  }
  const v_i16 sign = plain ? a ^ b.sign : (a ^ b.sign) | 1;
  return signed_i16((v_i16)mul_high_u16((v_u16)abs_i16(a) << shift, b.doubled), sign);
}
VEC v_i16 load_code(const unsigned char *x, const int size) { return size == 2 ? load_i16(x) : load_half(x); }
/* Lanes where a product may not fit: see above. */
VEC v_i16 misfit(v_i16 b, v_i16 product, const int down) { return (down ? product : b) == INT16_MIN; }
VEC int multiply_some(const struct bf_factors *factors, int16_t *product, const unsigned char *x, const unsigned char *y, size_t n,
                      const int size, const int down, const int zeroed) {
  const int shift = size == 2 && !down && !zeroed ? 0 : 16 - factors->bits;
  const v_i16 zero = (v_i16){0} + factors->zero;
  v_i16 wrong = {0};
  for (size_t i = 0; i < n; i += LANES_I16) {
    v_i16 a = load_code(x + i * (size_t)size, size), b = load_code(y + i * (size_t)size, size);
    if (zeroed) a = without(a, zero), b = without(b, zero);
    if (down) {
      a = times(a, factor_of(b, 1), shift, 1, 0);
      if (size == 2) wrong |= misfit(b, a, 1);
    } else {
      const v_i16 magnitude = abs_i16(b); /* below 0 where b is -1.0 in sf16 */
      if (size == 2) wrong |= magnitude;
      a = with_sign((v_i16)mul_high_u16((v_u16)abs_i16(a) << shift, (v_u16)magnitude << 1), a, b);
    }
    memcpy(product + i, &a, VECTOR);
  }
  return !any(wrong & INT16_MIN);
}
static int products_i16(const struct bf_factors *factors, int16_t *product, const void *x, const void *y, size_t n) {
  if (factors->size == 1)
    return factors->down ? multiply_some(factors, product, x, y, n, 1, 1, 1) : multiply_some(factors, product, x, y, n, 1, 0, 1);
  if (factors->down) return multiply_some(factors, product, x, y, n, 2, 1, 1);
  if (factors->zero || factors->bits != 16) return multiply_some(factors, product, x, y, n, 2, 0, 1);
  return multiply_some(factors, product, x, y, n, 2, 0, 0);
}

/* What is constant in a loop: the bytes of a code, whether products are rounded down, and whether some code counts as 0. */
struct kind {
  int size, down, zeroed;
};

/* Term i of all chains is code i of y times the codes of a row of x. What has clamped need not be told again. */
VEC v_i16 follow_products(struct chains_i16 *at, const int vectors, const struct bf_factors *factors, const struct bf_dots *dots,
                          size_t first, size_t n, const struct kind kind, const int tells) {
  const int plain = kind.size == 2 && !kind.down && !kind.zeroed, shift = plain ? 0 : 16 - factors->bits;
  const v_i16 zero = (v_i16){0} + factors->zero, low = (v_i16){0} + dots->low, high = (v_i16){0} + dots->high;
  const unsigned char *x = (const unsigned char *)dots->x + (ptrdiff_t)first * dots->x_step;
  const unsigned char *y = (const unsigned char *)dots->y + (ptrdiff_t)first * dots->y_step;
  v_i16 wrong = {0};
  for (size_t i = 0; i < n; i++, x += dots->x_step, y += dots->y_step) {
    const int16_t one = kind.size == 2 ? *(const bf_code *)(const void *)y : *(const int8_t *)y;
    v_i16 b = (v_i16){0} + one;
    if (kind.zeroed) b = without(b, zero);
    const struct factor factor = factor_of(b, kind.down);
    if (kind.size == 2 && !kind.down) wrong |= misfit(b, b, 0);
    for (int v = 0; v < vectors; v++) {
      v_i16 a = load_code(x + v * LANES_I16 * kind.size, kind.size);
      if (kind.zeroed) a = without(a, zero);
      const v_i16 product = times(a, factor, shift, kind.down, plain);
      if (kind.size == 2 && kind.down) wrong |= misfit(b, product, 1);
      if (tells) at[v] = follow_i16(at[v], product, low, high, plain);
      else at[v].sum = step_i16(at[v].sum, product, low, high, plain);
    }
  }
  return wrong;
}
VEC int chains_of_products(const struct bf_factors *factors, struct bf_chain_lanes *chains, size_t j, const int vectors,
                           struct bf_dots dots, const struct kind kind) {
  enum { SOME = 32 };
  const int plain = kind.size == 2 && !kind.down && !kind.zeroed;
  struct chains_i16 at[4];
  v_i16 wrong = {0};
  dots.x = (const unsigned char *)dots.x + j * (size_t)kind.size;
  for (int v = 0; v < vectors; v++) at[v] = chains_at(chains, j + (size_t)v * LANES_I16);
  for (size_t i = 0, some; i < dots.n; i += some) {
    v_i16 calm = {0};
    for (int v = 0; v < vectors; v++) calm |= at[v].clamped == 0;
    const int tells = !plain || any(calm);
    some = dots.n - i < SOME || !tells ? dots.n - i : SOME;
    if (tells) wrong |= follow_products(at, vectors, factors, &dots, i, some, kind, 1);
    else wrong |= follow_products(at, vectors, factors, &dots, i, some, kind, 0);
  }
  for (int v = 0; v < vectors; v++) chains_to(chains, j + (size_t)v * LANES_I16, at[v]);
  return !any(wrong);
}
static int dots_i16(const struct bf_factors *factors, struct bf_chain_lanes *chains, const struct bf_dots *dots) {
  enum { FEW = BF_CHAINS / LANES_I16 < 4 ? BF_CHAINS / LANES_I16 : 4 };
  int fit = 1;
  for (size_t j = 0; j < BF_CHAINS; j += FEW * LANES_I16) {
    if (factors->size == 1 && factors->down) fit &= chains_of_products(factors, chains, j, FEW, *dots, (struct kind){1, 1, 1});
    else if (factors->size == 1) fit &= chains_of_products(factors, chains, j, FEW, *dots, (struct kind){1, 0, 1});
    else if (factors->down) fit &= chains_of_products(factors, chains, j, FEW, *dots, (struct kind){2, 1, 1});
    else if (factors->zero || factors->bits != 16 || dots->high != INT16_MAX)
      fit &= chains_of_products(factors, chains, j, FEW, *dots, (struct kind){2, 0, 1});
    else fit &= chains_of_products(factors, chains, j, FEW, *dots, (struct kind){2, 0, 0});
  }
  return fit;
}
