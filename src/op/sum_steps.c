/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums whose contract says fma or ftz: one output at a time, one addition after the other, in arithmetic that does not ask what the
 * processor has. Sums are doubles, which hold every accumulator's values, as their bits.
 *
 * ftz flushes as Arm does: operands that are subnormal in the accumulator's format, and results whose exact value is nearer to zero
 * than the format's least normal number, even where rounding would bring them up to it.
 */
#include "../format/fma.h"
#include "../order/steps.h"

struct summing {
  const bitfold_contract *contract;
  struct bf_terms terms; /* of one output */
  uint64_t start, count; /* which terms lie in x and y */
  uint64_t n;
  int has_product, fuses;
  double least; /* normal number of the accumulator */
  double x[BF_TILE], y[BF_TILE];
};

/* By its bits, as some compilers take NaN for less than anything. */
static int is_below_least(const struct summing *s, double x) { return (f64_to_bits(x) & INT64_MAX) < f64_to_bits(s->least); }

static double flushed(const struct summing *s, double x) {
  if (s->contract->ftz && is_below_least(s, x)) return f64_from_bits(f64_to_bits(x) & (uint64_t)1 << 63);
  return x;
}

/* The exact value as one of the accumulator. */
static double rounded(const struct summing *s, struct bf_real exact) {
  const bitfold_format f = s->contract->accumulator;
  int event;
  const double x = f64_from_bits(bf_encode(BITFOLD_FORMAT_F64, exact, &event));
  const struct bf_format *format = bf_format(f);
  const int lowest = 2 - (1 << (format->exponent - 1));
  if (s->contract->ftz && exact.class == BF_FINITE && exact.magnitude && exact.exponent + 63 < lowest)
    return f64_from_bits(f64_to_bits(x) & (uint64_t)1 << 63);
  if (f == BITFOLD_FORMAT_F64) return x;
  return f64_from_bits(bf_encode(BITFOLD_FORMAT_F64, bf_decode(f, bf_encode(f, exact, &event)), &event));
}

/* x * y + z of floats and halves as a double with its last bit set where it is not exact: rounded again, it is rounded once. */
static double odd(double x, double y, double z) {
  const double product = x * y, sum = f64_plus(product, z), part = f64_plus(sum, -product); /* 24 bits times 24 are exact */
  const double error = f64_plus(f64_plus(product, -f64_plus(sum, -part)), f64_plus(z, -part));
  const uint64_t bits = f64_to_bits(sum);
  if ((bits >> 52 & 2047) == 2047 || error == 0 || (bits & 1)) return sum;
  return f64_from_bits((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

/* Operands are flushed. In f64, products of other elements are exact, and so far from its subnormals that none comes out. */
static double fma_of(const struct summing *s, double x, double y, double z) {
  const bitfold_format f = s->contract->accumulator;
  if (f == BITFOLD_FORMAT_F64) return s->contract->element == f ? rounded(s, bf_fma(x, y, z)) : f64_plus(f64_times(x, y), z);
  const double made = odd(x, y, z);
  if (f == BITFOLD_FORMAT_F32) return (double)(float)flushed(s, made); /* below the least where the exact value is */
  return rounded(s, bf_decode(BITFOLD_FORMAT_F64, f64_to_bits(made)));
}

/* Operands are flushed. A product in double is exact, unless they are doubles; then only the least number may be rounded up to. */
static double product_of(const struct summing *s, double x, double y) {
  const double wide = f64_times(x, y);
  double product = 0;
  if (s->contract->element == BITFOLD_FORMAT_F64 && f64_absolute(wide) == s->least) return rounded(s, bf_fma(x, y, -0.0));
  if (s->contract->ftz && is_below_least(s, wide)) return flushed(s, wide);
  switch ((int)s->contract->accumulator) {
#define ACCUMULATOR(f)                                                                                                             \
  case f##_format:                                                                                                                 \
    product = (double)f##_times((f##_value)x, (f##_value)y);                                                                       \
    break;
#include "../format/accumulators.def"
#undef ACCUMULATOR
  }
  return product;
}

static double plus_of(const struct summing *s, double a, double b) {
  double sum = 0;
  a = flushed(s, a), b = flushed(s, b);
  switch ((int)s->contract->accumulator) {
#define ACCUMULATOR(f)                                                                                                             \
  case f##_format:                                                                                                                 \
    sum = (double)f##_plus((f##_value)a, (f##_value)b);                                                                            \
    break;
#include "../format/accumulators.def"
#undef ACCUMULATOR
  }
  return flushed(s, sum); /* which is exact where it is subnormal */
}

/* Tiles of terms that follow or precede the last ones; a term elsewhere is read alone. */
static size_t at(struct summing *s, uint64_t i) {
  if (i - s->start < s->count) return (size_t)(i - s->start);
  const int forth = i == s->start + s->count, back = i + 1 == s->start;
  const uint64_t most = forth ? s->n - i : back ? i + 1 : 1;
  s->count = most < BF_TILE ? most : BF_TILE;
  s->start = back ? i + 1 - s->count : i;
  bf_operand_f64(&s->terms, BF_X, s->start, (size_t)s->count, s->x);
  if (s->terms.y) bf_operand_f64(&s->terms, BF_Y, s->start, (size_t)s->count, s->y);
  return (size_t)(i - s->start);
}

static uint64_t term(void *context, uint64_t i) {
  struct summing *s = context;
  const size_t k = at(s, i);
  const double x = s->x[k], y = s->terms.y ? s->y[k] : x;
  if (s->has_product) return f64_to_bits(product_of(s, flushed(s, x), flushed(s, y)));
  return f64_to_bits(s->contract->operation == BITFOLD_OPERATION_SUMABS ? f64_absolute(x) : x);
}

static uint64_t plus(void *context, uint64_t left, uint64_t right) {
  return f64_to_bits(plus_of(context, f64_from_bits(left), f64_from_bits(right)));
}

static uint64_t join(void *context, uint64_t sum, uint64_t i) {
  struct summing *s = context;
  if (!s->fuses) return plus(context, sum, term(context, i));
  const size_t k = at(s, i);
  const double x = s->x[k], y = s->terms.y ? s->y[k] : x;
  return f64_to_bits(fma_of(s, flushed(s, x), flushed(s, y), flushed(s, f64_from_bits(sum))));
}

static uint64_t fused(void *context, const uint64_t *sum, size_t n) {
  struct summing *s = context;
  struct bf_wide wide;
  bf_exact_init(&wide, s->contract->accumulator, BITFOLD_OPERATION_SUM);
  for (size_t i = 0; i < n; i++) {
    const double x = flushed(s, f64_from_bits(sum[i]));
    s->terms.isa->exact_f64(&wide, &x, 1, 1);
  }
  return f64_to_bits(rounded(s, bf_wide_over(&wide, 1)));
}

static double mean_of(const struct summing *s, double sum) {
  const double count = s->n ? rounded(s, bf_real_integer(0, s->n, 0)) : 0;
  double mean = 0;
  sum = flushed(s, sum);
  /* sum / count is flushed where least * count is more than sum */
  const struct bf_real left = bf_fma(s->least, count, -f64_absolute(sum));
  if (s->contract->ftz && left.class != BF_NAN && !left.negative && (left.magnitude || left.class == BF_INFINITE))
    return f64_from_bits(f64_to_bits(sum) & (uint64_t)1 << 63);
  switch ((int)s->contract->accumulator) {
#define ACCUMULATOR(f)                                                                                                             \
  case f##_format:                                                                                                                 \
    mean = (double)f##_over((f##_value)sum, (f##_value)count);                                                                     \
    break;
#include "../format/accumulators.def"
#undef ACCUMULATOR
  }
  return mean;
}

void bf_sum_by_steps(struct bf_job *job) {
  const bitfold_contract *c = job->contract;
  struct summing s;
  struct bf_steps steps = {&s, 0, term, join, plus, fused, NULL, NULL, c->tree, c->tree_length};
  if (job->terms.progress) steps.stopped = &job->terms.progress->stopped;
  for (size_t j = 0; j < job->terms.width; j++) {
    s.contract = c, s.terms = job->terms, s.start = s.count = 0, s.n = job->n, s.has_product = bf_has_product(c->operation);
    s.fuses = c->fma || (s.has_product && c->level[0].order == BITFOLD_ORDER_CMSIS_DSP);
    s.least = f64_from_bits((uint64_t)(1023 + 2 - (1 << (bf_format(c->accumulator)->exponent - 1))) << 52);
    s.terms.width = 1;
    s.terms.x += (int64_t)j * job->terms.x_across;
    if (s.terms.y) s.terms.y += (int64_t)j * job->terms.y_across;
    double sum = f64_from_bits(bf_steps_sum(&steps, job->levels, 0, job->n));
    int infinite;
    if (bf_is_mean(c->operation)) sum = mean_of(&s, sum);
    const uint64_t bits = bf_round(c, bf_decode(BITFOLD_FORMAT_F64, f64_to_bits(sum)), &job->report, &infinite);
    bf_job_store(job, j, bits);
    if (infinite && !bf_stopped(&job->terms)) job->report.overflowed += (uint64_t)!bf_has_infinity(&job->terms, j, job->n);
  }
}
