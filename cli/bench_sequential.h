/* SPDX-License-Identifier: Apache-2.0 */
/* The plainest C loop for a sequential sum of type T. */
static __attribute__((noinline)) T NAME(sequential)(const T *x, size_t n) {
  T sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i];
  return sum;
}
