/* SPDX-License-Identifier: Apache-2.0 */
/* Plain sums of the rule sf over one axis of a matrix of codes, next to cli/bench_codes.h. */

/* Sums of columns, down each column in turn, and along the rows with a row of sums. */
static __attribute__((noinline)) void NAME(columns_down)(const T *x, size_t rows, size_t columns, int bits, T *code, int *clamped) {
  const int most = (1 << (bits - 1)) - 1;
  for (size_t j = 0; j < columns; j++) {
    struct sum sum = {0, 0};
    for (size_t i = 0; i < rows; i++) {
      sum.code += x[i * columns + j];
      if (sum.code > most) sum.code = most, sum.event = 1;
      else if (sum.code < -most) sum.code = -most, sum.event = 1;
    }
    code[j] = (T)sum.code, *clamped += sum.event;
  }
}

static __attribute__((noinline)) void NAME(columns_along)(const T *x, size_t rows, size_t columns, int bits, T *code,
                                                          int *clamped) {
  const int most = (1 << (bits - 1)) - 1;
  memset(wide, 0, columns * sizeof *wide);
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < columns; j++) {
      const int next = wide[j].code + x[i * columns + j];
      const int kept = next < -most ? -most : next > most ? most : next;
      wide[j].event |= kept != next;
      wide[j].code = kept;
    }
  for (size_t j = 0; j < columns; j++) code[j] = (T)wide[j].code, *clamped += wide[j].event;
}

static __attribute__((noinline)) void NAME(rows_along)(const T *x, size_t rows, size_t columns, int bits, T *code, int *clamped) {
  for (size_t i = 0; i < rows; i++) {
    const struct sum sum = NAME(sum_branches)(x + i * columns, columns, bits);
    code[i] = (T)sum.code, *clamped += sum.event;
  }
}
