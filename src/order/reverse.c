/* SPDX-License-Identifier: Apache-2.0 */
/* reverse: ((0 + x[n-1]) + x[n-2]) + ... + x[0] */
#ifndef F
#include "../kernel.h"
#define SELF "../order/reverse.c"
#include "../format/each_accumulator.h"
const struct bf_order bf_order_reverse = {f16_reverse, bf16_reverse, f32_reverse, f64_reverse};
#else
static void ON(reverse)(const struct bf_terms *terms, const bitfold_level *level, uint64_t first, uint64_t n, ON(value) * out) {
  const size_t width = terms->width, most = bf_fit(width);
  ON(value) tile[BF_TILE];
  (void)level;
  memset(out, 0, width * sizeof *out);
  while (n && !bf_stopped(terms)) {
    size_t count = n < most ? (size_t)n : most;
    n -= count;
    const ON(value) *x = BF_ON(terms)(terms, first + n, count, tile, NULL);
    for (size_t j = 0; j < width; j++) {
      ON(value) sum = out[j];
      for (size_t i = count; i--;) sum = ON(plus)(sum, x[i * width + j]);
      out[j] = sum;
    }
  }
}
#endif
