/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of rows, several of them at once, for f32 and f64: a part of a cascade. Includes itself once for each. */
#ifndef F
#define SELF "loops_blocks.h"
#define F f32
#define V v_f32
#include SELF
#undef F
#undef V
#define F f64
#define V v_f64
#include SELF
#undef F
#undef V
#undef SELF
#else
/* As many as have a sum in a register each; they begin at +0, so that none waits for another. */
VEC void ON(some_blocks)(V *total, const ON(value) * x, uint64_t rows, const size_t blocks) {
  enum { WIDE = BF_BLOCK_ROW / VECTOR, LANES = VECTOR / sizeof(ON(value)) };
  V sum[8] = {{0}};
  for (uint64_t row = 0; row < rows; row++, x += WIDE * LANES)
#pragma GCC unroll 8
    for (size_t b = 0; b < blocks; b++)
#pragma GCC unroll 8
      for (size_t v = 0; v < WIDE; v++) sum[b * WIDE + v] += ON(at)(x + (b * rows * WIDE + v) * LANES);
#pragma GCC unroll 8
  for (size_t i = 0; i < blocks * WIDE; i++) total[i % WIDE] += sum[i];
}

static void ON(blocks)(ON(value) * row, const ON(value) * x, uint64_t rows, uint64_t count) {
  enum { WIDE = BF_BLOCK_ROW / VECTOR, LANES = VECTOR / sizeof(ON(value)), SOME = 8 / WIDE };
  const size_t size = (size_t)rows * WIDE * LANES;
  V total[WIDE];
  for (size_t v = 0; v < WIDE; v++) total[v] = ON(at)(row + v * LANES);
  for (; count >= SOME; count -= SOME, x += SOME * size) ON(some_blocks)(total, x, rows, SOME);
  for (; count; count--, x += size) ON(some_blocks)(total, x, rows, 1);
  for (size_t v = 0; v < WIDE; v++) ON(put)(row + v * LANES, total[v]);
}
#endif
