/* SPDX-License-Identifier: Apache-2.0 */
/* The portable widening loop; included once per line of format/widen.def, with FROM and TO naming the formats. */
static void BF_JOIN(BF_JOIN(BF_JOIN(widen, FROM), TO), scalar)(BF_JOIN(TO, value) * tile, const unsigned char *x, int64_t step,
                                                               int64_t across, size_t n, size_t width) {
  BF_JOIN(FROM, bits) bits;
  if (width == 1 && step == (int64_t)sizeof bits) { /* a loop of its own, which compilers make vector code of */
    for (size_t i = 0; i < n; i++) {
      memcpy(&bits, x + i * sizeof bits, sizeof bits);
      tile[i] = (BF_JOIN(TO, value))BF_JOIN(FROM, from_bits)(bits);
    }
    return;
  }
  /* Row after row of the tile where outputs are the nearer neighbours in memory, else output after output. */
  int by_row = bf_magnitude(across) <= bf_magnitude(step);
  size_t outer = by_row ? n : width, inner = by_row ? width : n;
  size_t outer_tile = by_row ? width : 1, inner_tile = by_row ? 1 : width;
  int64_t outer_step = by_row ? step : across, inner_step = by_row ? across : step;
  for (size_t o = 0; o < outer; o++, x += outer_step) {
    const unsigned char *element = x;
    BF_JOIN(TO, value) *to = tile + o * outer_tile;
    for (size_t i = 0; i < inner; i++, element += inner_step, to += inner_tile) {
      memcpy(&bits, element, sizeof bits);
      *to = (BF_JOIN(TO, value))BF_JOIN(FROM, from_bits)(bits);
    }
  }
}
#undef FROM
#undef TO
