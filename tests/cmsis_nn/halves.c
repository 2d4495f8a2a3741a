/* SPDX-License-Identifier: Apache-2.0 */
/* All 65,536 halves: copied, alone, and before seven others; zeros and a NaN come before them too (H85). */
#include "suite.h"

#if ARM_NN_ENABLE_F16
enum { BLOCK = 64 };

static void pairs(const function *f, uint32_t first, uint32_t other) {
  for (uint32_t i = 0; i < BLOCK; i++) put(f, (size_t)2 * i, first + i), put(f, (size_t)2 * i + 1, other);
  check(f, (cmsis_nn_dims){1, 1, BLOCK, 2}, 1);
  if (other == half.one || other == (half.sign | half.one) || (other & ~half.sign) == half.inf) return;
  for (uint32_t i = 0; i < BLOCK; i++) put(f, i, other), put(f, BLOCK + i, first + i);
  check(f, (cmsis_nn_dims){1, 1, 2, BLOCK}, 2);
}

void h85(void) {
  const uint32_t others[] = {0, half.sign, half.one, half.sign | half.one, half.inf, half.sign | half.inf, half.inf | 1};
  EACH_FUNCTION(f) {
    if (f->format != &half) continue;
    for (uint32_t first = 0; first < 0x10000; first += BLOCK) {
      for (uint32_t i = 0; i < BLOCK; i++) put(f, i, first + i);
      if (!is_arg(f)) check(f, (cmsis_nn_dims){1, 1, 8, BLOCK / 8}, 0);
      check(f, (cmsis_nn_dims){BLOCK, 1, 1, 1}, 1);
      for (size_t k = 0; k < sizeof others / sizeof *others; k++) pairs(f, first, others[k]);
    }
  }
}
#else
void h85(void) { left_out("without halves"); }
#endif
