/* SPDX-License-Identifier: Apache-2.0 */
/* Sums and dots of type T in vectors of BYTES bytes, in whatever order is fastest; part of bench_width.h. */

typedef T NAME_T(vector) __attribute__((vector_size(BYTES), may_alias));

static TARGET void NAME_T(sum)(const void *x, const void *y, size_t bytes) {
  const NAME_T(vector) *from = x;
  NAME_T(vector) all[ACCUMULATORS] = {{0}};
  (void)y;
  for (size_t i = 0; i < bytes / BYTES; i += ACCUMULATORS) {
#pragma GCC unroll 8
    for (size_t k = 0; k < ACCUMULATORS; k++) all[k] += from[i + k];
  }
  for (size_t k = 1; k < ACCUMULATORS; k++) all[0] += all[k];
  for (size_t k = 0; k < BYTES / sizeof(T); k++) sink_float = (double)all[0][k];
}

static TARGET void NAME_T(dot)(const void *x, const void *y, size_t bytes) {
  const NAME_T(vector) *from = x, *with = y;
  NAME_T(vector) all[ACCUMULATORS] = {{0}};
  for (size_t i = 0; i < bytes / BYTES; i += ACCUMULATORS) {
#pragma GCC unroll 8
    for (size_t k = 0; k < ACCUMULATORS; k++) all[k] += from[i + k] * with[i + k];
  }
  for (size_t k = 1; k < ACCUMULATORS; k++) all[0] += all[k];
  for (size_t k = 0; k < BYTES / sizeof(T); k++) sink_float = (double)all[0][k];
}
