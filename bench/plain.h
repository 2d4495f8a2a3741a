/* SPDX-License-Identifier: Apache-2.0 */
/* The plainest C loops for some orders, once per type: what a careful programmer would write by hand. */
static inline T NAME(lanes)(const T *x, size_t n, const size_t lanes) {
  T lane[64] = {0};
  for (size_t i = 0; i < n; i++) lane[i % lanes] += x[i];
  for (size_t l = 1; l < lanes; l++) lane[0] += lane[l];
  return lane[0];
}
static __attribute__((noinline)) T NAME(lanes4)(const T *x, size_t n) { return NAME(lanes)(x, n, 4); }
static __attribute__((noinline)) T NAME(lanes16)(const T *x, size_t n) { return NAME(lanes)(x, n, 16); }
static __attribute__((noinline)) T NAME(lanes64)(const T *x, size_t n) { return NAME(lanes)(x, n, 64); }

/* Level by level, through memory; n is a power of two and at least two rows. */
static inline T NAME(canonical)(const T *x, size_t n, const size_t lanes) {
  T *level = scratch;
  for (size_t rows = n / lanes; rows > 1; rows /= 2, x = level)
    for (size_t row = 0; row < rows / 2; row++)
      for (size_t l = 0; l < lanes; l++) level[row * lanes + l] = x[2 * row * lanes + l] + x[(2 * row + 1) * lanes + l];
  for (size_t left = lanes / 2; left; left /= 2)
    for (size_t l = 0; l < left; l++) level[l] = level[2 * l] + level[2 * l + 1];
  return level[0];
}
static __attribute__((noinline)) T NAME(canonical1)(const T *x, size_t n) { return NAME(canonical)(x, n, 1); }
static __attribute__((noinline)) T NAME(canonical16)(const T *x, size_t n) { return NAME(canonical)(x, n, 16); }
static __attribute__((noinline)) T NAME(canonical128)(const T *x, size_t n) { return NAME(canonical)(x, n, 128); }
