/* SPDX-License-Identifier: Apache-2.0 */
/* The one-line calls for contiguous rows: bitfold_sum_f32 and its relatives, all of them bitfold_reduce of a rank of 1. */
#include "kernel.h"

static bitfold_status by_default(bitfold_operation operation, bitfold_format element, const void *x, const void *other, size_t n,
                                 void *y) {
  bitfold_contract contract = {.operation = operation, .element = element};
  const bitfold_status status = bitfold_contract_complete(&contract, NULL);
  return status ? status : bf_reduce_row(&contract, x, other, n, y);
}

static bitfold_status row(bitfold_operation operation, bitfold_format element, const void *x, const void *other, size_t n,
                          const bitfold_contract *contract, void *y) {
  const bitfold_format output = bf_is_arg(operation) ? BITFOLD_FORMAT_I64 : element;
  if (!y || (n && (!x || (operation == BITFOLD_OPERATION_DOT && !other)))) return BITFOLD_STATUS_NULL;
  if (contract && (contract->operation != operation || contract->element != element || contract->output != output))
    return BITFOLD_STATUS_CONTRACT;
  const uint64_t control = bf_control_enter();
  const int is_done = bf_quick(operation, element, x, other, n, contract, y);
  bf_control_leave(control);
  if (is_done) return BITFOLD_STATUS_OK;
  return contract ? bf_reduce_row(contract, x, other, n, y) : by_default(operation, element, x, other, n, y);
}

#define ROW(op, OP, f, FORMAT, from, to)                                                                                           \
  bitfold_status bitfold_##op##_##f(const from *x, size_t n, const bitfold_contract *contract, to *y) {                            \
    return row(BITFOLD_OPERATION_##OP, BITFOLD_FORMAT_##FORMAT, x, NULL, n, contract, y);                                          \
  }
#define DOT(f, FORMAT, from)                                                                                                       \
  bitfold_status bitfold_dot_##f(const from *a, const from *b, size_t n, const bitfold_contract *contract, from *y) {              \
    return row(BITFOLD_OPERATION_DOT, BITFOLD_FORMAT_##FORMAT, a, b, n, contract, y);                                              \
  }
#define EACH_FORMAT(op, OP)                                                                                                        \
  ROW(op, OP, f16, F16, uint16_t, uint16_t)                                                                                        \
  ROW(op, OP, bf16, BF16, uint16_t, uint16_t)                                                                                      \
  ROW(op, OP, f32, F32, float, float)                                                                                              \
  ROW(op, OP, f64, F64, double, double)
#define EACH_INDEX(op, OP)                                                                                                         \
  ROW(op, OP, f16, F16, uint16_t, int64_t)                                                                                         \
  ROW(op, OP, bf16, BF16, uint16_t, int64_t)                                                                                       \
  ROW(op, OP, f32, F32, float, int64_t)                                                                                            \
  ROW(op, OP, f64, F64, double, int64_t)

EACH_FORMAT(sum, SUM)
EACH_FORMAT(mean, MEAN)
EACH_FORMAT(sumsq, SUMSQ)
EACH_FORMAT(sumabs, SUMABS)
EACH_FORMAT(max, MAX)
EACH_FORMAT(min, MIN)
EACH_INDEX(argmax, ARGMAX)
EACH_INDEX(argmin, ARGMIN)
DOT(f16, F16, uint16_t)
DOT(bf16, BF16, uint16_t)
DOT(f32, F32, float)
DOT(f64, F64, double)
