/* SPDX-License-Identifier: Apache-2.0 */
/* Eight rows of eight lanes at once, for f32 and f64: leaves of pairwise sums. Includes itself once for each. */
#ifndef F
#define SELF "loops_leaves.h"
#define F f32
#include SELF
#undef F
#define F f64
#include SELF
#undef F
#undef SELF
#else
/* At most 8 lanes to a vector; some registers full of leaves at a time. */
enum { ON(bytes) = VECTOR < 8 * sizeof(ON(value)) ? VECTOR : 8 * sizeof(ON(value)), ON(parts) = 8 * sizeof(ON(value)) / ON(bytes) };
typedef ON(value) ON(leaf) __attribute__((vector_size(ON(bytes))));

static void ON(leaves)(ON(value) * row, const ON(value) *const *leaf, uint64_t rows) {
  enum { SOME = 8 / ON(parts), EACH = 8 / ON(parts) };
  for (size_t first = 0; first < 8; first += SOME, leaf += SOME, row += SOME * 8) {
    ON(leaf) sum[8], term;
    memcpy(sum, row, sizeof sum);
    for (uint64_t i = 0; i < 8 * rows; i += 8)
      for (size_t s = 0; s < 8; s++) {
        memcpy(&term, leaf[s / ON(parts)] + i + s % ON(parts) * EACH, sizeof term);
        sum[s] += term;
      }
    memcpy(row, sum, sizeof sum);
  }
}
#endif
