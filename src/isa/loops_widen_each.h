/* SPDX-License-Identifier: Apache-2.0 */
/* One act of loops_widen.h, with FROM and TO naming the formats. */
#define WIDEN_ACT BF_JOIN(BF_JOIN(widen, FROM), TO)
static void WIDEN_ACT(BF_JOIN(TO, value) * tile, const unsigned char *x, int64_t step, int64_t across, size_t n, size_t width) {
  enum { EACH = VECTOR / sizeof *tile };
  const int64_t size = sizeof(BF_JOIN(FROM, bits));
  const size_t beside = width == 1 ? n : width, times = width == 1 ? 1 : n;
  if ((width == 1 ? step : across) != size || beside < EACH) {
    bf_isa_scalar.WIDEN_ACT(tile, x, step, across, n, width);
    return;
  }
  for (size_t row = 0; row < times; row++, x += step, tile += beside) {
    size_t i = 0;
    for (; i + EACH <= beside; i += EACH) {
      const BF_JOIN(TO, vector) v = BF_JOIN(BF_JOIN(TO, of), FROM)(x + (int64_t)i * size);
      memcpy(tile + i, &v, sizeof v);
    }
    if (i < beside) bf_isa_scalar.WIDEN_ACT(tile + i, x + (int64_t)i * size, size, 0, beside - i, 1);
  }
}
#undef WIDEN_ACT
#undef FROM
#undef TO
