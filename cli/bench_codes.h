/* SPDX-License-Identifier: Apache-2.0 */
/* The plainest C loops of the rule sf over codes of type T: one term after the other, with branches and without. */

/* |x y| >> (bits - 1) with the product's sign. */
static inline int NAME(narrow)(int product, int bits) {
  return (product + (product < 0 ? (1 << (bits - 1)) - 1 : 0)) >> (bits - 1);
}

static __attribute__((noinline)) struct sum NAME(sum_branches)(const T *x, size_t n, int bits) {
  const int most = (1 << (bits - 1)) - 1;
  struct sum sum = {0, 0};
  for (size_t i = 0; i < n; i++) {
    sum.code += x[i];
    if (sum.code > most) sum.code = most, sum.event = 1;
    else if (sum.code < -most) sum.code = -most, sum.event = 1;
  }
  return sum;
}

static __attribute__((noinline)) struct sum NAME(sum_selects)(const T *x, size_t n, int bits) {
  const int most = (1 << (bits - 1)) - 1;
  struct sum sum = {0, 0};
  for (size_t i = 0; i < n; i++) {
    const int next = sum.code + x[i];
    sum.event |= (next > most) | (next < -most);
    sum.code = next < -most ? -most : next > most ? most : next;
  }
  return sum;
}

static __attribute__((noinline)) struct sum NAME(dot_branches)(const T *x, const T *y, size_t n, int bits) {
  const int most = (1 << (bits - 1)) - 1;
  struct sum sum = {0, 0};
  for (size_t i = 0; i < n; i++) {
    sum.code += NAME(narrow)(x[i] * y[i], bits);
    if (sum.code > most) sum.code = most, sum.event = 1;
    else if (sum.code < -most) sum.code = -most, sum.event = 1;
  }
  return sum;
}

static __attribute__((noinline)) struct sum NAME(dot_selects)(const T *x, const T *y, size_t n, int bits) {
  const int most = (1 << (bits - 1)) - 1;
  struct sum sum = {0, 0};
  for (size_t i = 0; i < n; i++) {
    const int next = sum.code + NAME(narrow)(x[i] * y[i], bits);
    sum.event |= (next > most) | (next < -most);
    sum.code = next < -most ? -most : next > most ? most : next;
  }
  return sum;
}
