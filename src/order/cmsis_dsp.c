/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmsis-dsp: arm_accumulate_f32, arm_mean_f32 and arm_dot_prod_f32 on Helium. Four lanes, folded from the left; what is left over
 * joins its lanes, but in a mean is added after the fold. A dot fuses each product with its addition. The row is as it was
 * gathered: axes and strides do not matter.
 */
#include "../kernel.h"

enum { LANES = 4 };

bitfold_status bf_resolve_cmsis_dsp(struct bf_job *job, bitfold_level *levels, struct bf_walk *walk, bitfold_message *message) {
  const bitfold_tail tail = bf_is_mean(job->contract->operation) ? BITFOLD_TAIL_AFTER : BITFOLD_TAIL_LANES;
  (void)walk, (void)message;
  if (job->contract->operation == BITFOLD_OPERATION_DOT) return BITFOLD_STATUS_OK;
  levels[0] = (bitfold_level){BITFOLD_ORDER_LANES, BITFOLD_FOLD_LEFT, tail, LANES};
  return BITFOLD_STATUS_OK;
}

/*
 * acc + product, rounded once. The product of two floats is exact in double; a sum that is not is made odd in its last bit, after
 * which rounding it to float is the rounding of the real sum (Boldo and Melquiond 2008: 53 >= 24 + 2).
 */
static float fused(float acc, double product) {
  const double sum = f64_plus(product, (double)acc), other = f64_plus(sum, -product);
  const double error = f64_plus(f64_plus(product, -f64_plus(sum, -other)), f64_plus((double)acc, -other));
  uint64_t bits = f64_to_bits(sum);
  const int finite = (bits >> 52 & 0x7ff) != 0x7ff;
  if (finite && error != 0 && !(bits & 1)) bits = (error > 0) == (sum > 0) ? bits + 1 : bits - 1;
  return (float)f64_from_bits(bits);
}

/* A dot: sums and means have come to lanes. */
static void f32_cmsis_dsp(const struct bf_terms *terms, const bitfold_level *level, uint64_t first, uint64_t n, float *out) {
  const bitfold_level left = {BITFOLD_ORDER_LANES, BITFOLD_FOLD_LEFT, BITFOLD_TAIL_LANES, LANES};
  const size_t width = terms->width, most = bf_fit(width) / LANES * LANES;
  double x[BF_TILE], y[BF_TILE];
  float row[LANES * BF_WIDTH_MAX] = {0};
  (void)level;
  for (size_t count; n && !bf_stopped(terms); first += count, n -= count) {
    count = n < most ? (size_t)n : most;
    bf_operand_f64(terms, BF_X, first, count, x);
    bf_operand_f64(terms, BF_Y, first, count, y);
    for (size_t i = 0; i < count * width; i++) {
      float *lane = &row[i % (LANES * width)];
      *lane = fused(*lane, f64_times(x[i], y[i]));
    }
  }
  bf_f32_fold(terms->isa, &left, width, row);
  memcpy(out, row, width * sizeof *out);
}

const struct bf_order bf_order_cmsis_dsp = {NULL, NULL, f32_cmsis_dsp, NULL};
