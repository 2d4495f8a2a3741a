/* SPDX-License-Identifier: Apache-2.0 */
/* Loops over vectors of BYTES bytes, compiled for TARGET: a read in one or more streams. Includes bench_free.h for the sums. */

typedef uint64_t NAME(words) __attribute__((vector_size(BYTES), may_alias));

/* Streams part the array and go side by side; ahead is how many bytes before their use lines are asked for, or 0. */
static inline TARGET __attribute__((always_inline)) void NAME(read)(const void *x, size_t bytes, const size_t streams,
                                                                    const size_t ahead) {
  const NAME(words) *from = x;
  const size_t part = bytes / BYTES / streams, side = ACCUMULATORS / streams;
  NAME(words) all[ACCUMULATORS] = {{0}};
  for (size_t i = 0; i < part; i += side) {
#pragma GCC unroll 8
    for (size_t s = 0; s < streams; s++) {
#pragma GCC unroll 8
      for (size_t k = 0; k < side; k++) all[s * side + k] |= from[s * part + i + k];
      for (size_t line = 0; ahead && line < side * BYTES; line += LINE)
        __builtin_prefetch((const char *)&from[s * part + i] + ahead + line);
    }
  }
  for (size_t k = 1; k < ACCUMULATORS; k++) all[0] |= all[k];
  for (size_t k = 0; k < BYTES / sizeof(uint64_t); k++) sink = all[0][k];
}

static TARGET void NAME(read_one)(const void *x, const void *y, size_t bytes) { (void)y, NAME(read)(x, bytes, 1, 0); }
static TARGET void NAME(read_ahead)(const void *x, const void *y, size_t bytes) { (void)y, NAME(read)(x, bytes, 1, AHEAD); }
static TARGET void NAME(read_four)(const void *x, const void *y, size_t bytes) { (void)y, NAME(read)(x, bytes, 4, 0); }

#define T float
#include "bench_free.h"
#undef T
#define T double
#include "bench_free.h"
#undef T
