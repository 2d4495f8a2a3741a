/* SPDX-License-Identifier: Apache-2.0 */
/* The act deposit_f32 of a machine that has spread_f32: lanes are columns. Included by isa/<name>.c with MACHINE naming it. */
static void BF_JOIN(deposit_f32, MACHINE)(float *row, size_t lanes, const float *x, uint64_t n) {
  const size_t rows = (size_t)(n / lanes), rest = (size_t)(n % lanes);
  for (size_t l = 0, width; l < lanes; l += width) {
    width = lanes - l < BF_SPREAD ? lanes - l : BF_SPREAD;
    if (rows) BF_JOIN(bf_spread_f32, MACHINE)(row + l, width, x + l, lanes, rows);
  }
  for (size_t l = 0, width; l < rest; l += width) {
    width = rest - l < BF_SPREAD ? rest - l : BF_SPREAD;
    BF_JOIN(bf_spread_f32, MACHINE)(row + l, width, x + rows * lanes + l, lanes, 1);
  }
}
#undef MACHINE
