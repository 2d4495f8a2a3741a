/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sum, mean, dot, sumsq and sumabs of `width` outputs at a time, in each of their three kinds: floats by an order, anything
 * exactly, SuperFloat codes by a rule. What comes out is a real number or a code, rounded once to the output format.
 */
#ifndef F
#include "sums.h"

int bf_has_infinity(const struct bf_terms *terms, size_t j, uint64_t n) {
  struct bf_terms one = *terms;
  double tile[BF_TILE];
  if (!bf_is_float(terms->element)) return 0;
  one.width = 1;
  one.progress = NULL;
  one.x += (int64_t)j * one.x_across;
  if (one.y) one.y += (int64_t)j * one.y_across;
  for (uint64_t first = 0, count; first < n; first += count) {
    count = n - first < BF_TILE ? n - first : BF_TILE;
    for (enum bf_operand which = BF_X; which <= (one.y ? BF_Y : BF_X); which++) {
      bf_operand_f64(&one, which, first, (size_t)count, tile);
      for (size_t i = 0; i < count; i++)
        if (f64_to_bits(tile[i]) << 1 == (uint64_t)0x7ff << 53) return 1;
    }
  }
  return 0;
}

uint64_t bf_round(const bitfold_contract *contract, struct bf_real value, struct bf_report *report, int *infinite) {
  int event, to_float = bf_is_float(contract->output);
  uint64_t bits = bf_encode(contract->output, value, &event);
  report->nan += value.class == BF_NAN;
  report->clamped += (uint64_t)(!to_float && event);
  *infinite = to_float && (value.class == BF_INFINITE || event);
  return bits;
}

uint64_t bf_round_codes(const bitfold_contract *contract, struct bf_codes *codes, uint64_t count, struct bf_report *report,
                        int *infinite) {
  struct bf_real value = {BF_NAN, 0, 0, 0, 0};
  *infinite = 0;
  if (count && (!bf_is_mean(contract->operation) || contract->output == contract->element)) {
    int32_t code = bf_codes_read(codes, bf_has_product(contract->operation), bf_is_mean(contract->operation) ? count : 0);
    report->clamped += (uint64_t)codes->clamped;
    if (contract->output == contract->element) return (uint64_t)(int64_t)code; /* -1.0 too, which rounding would clamp */
    value = bf_real_integer(code < 0, (uint64_t)(code < 0 ? -code : code), -bf_format(contract->element)->fraction);
  } else if (count) {
    report->clamped += (uint64_t)codes->clamped;
    value = bf_codes_over(codes, count); /* a mean is rounded once, to the output */
  }
  return bf_round(contract, value, report, infinite);
}

static uint64_t count_of(const struct bf_job *job) { return bf_is_mean(job->contract->operation) ? job->n : 1; }

static void store(struct bf_job *job, size_t j, uint64_t bits, int infinite) {
  bf_job_store(job, j, bits);
  if (infinite && !bf_stopped(&job->terms)) job->report.overflowed += (uint64_t)!bf_has_infinity(&job->terms, j, job->n);
}

void bf_store_exact(struct bf_job *job, size_t j, struct bf_wide *wide) {
  const uint64_t count = count_of(job);
  struct bf_real value = {BF_NAN, 0, 0, 0, 0};
  int infinite;
  if (count) value = bf_wide_over(wide, count);
  uint64_t bits = bf_round(job->contract, value, &job->report, &infinite);
  store(job, j, bits, infinite);
}

void bf_sum_exactly(struct bf_job *job) {
  struct bf_wide wide[BF_EXACT_WIDTH];
  for (size_t j = 0; j < job->terms.width; j++) bf_exact_init(&wide[j], job->contract->element, job->contract->operation);
  bf_exact_add(wide, &job->terms, 0, job->n);
  for (size_t j = 0; j < job->terms.width; j++) bf_store_exact(job, j, &wide[j]);
}

static void add_codes(struct bf_codes *codes, const struct bf_terms *terms, uint64_t first, size_t n) {
  int32_t x[BF_TILE], y[BF_TILE];
  const int product = bf_has_product(terms->operation);
  bf_operand_i32(terms, BF_X, first, n, x);
  if (terms->y) bf_operand_i32(terms, BF_Y, first, n, y);
  if (terms->operation == BITFOLD_OPERATION_SUMABS)
    for (size_t i = 0; i < n * terms->width; i++) x[i] = x[i] < 0 ? -x[i] : x[i];
  bf_codes_add_tile(terms->isa, codes, terms->width, x, product ? (terms->y ? y : x) : NULL, n);
}

/* By way of tiles: neighbours that lie closer together than terms a few at a time, others one after the other. */
static void add_gathered(struct bf_codes *codes, const struct bf_terms *terms, uint64_t start, uint64_t end) {
  const int64_t step = terms->reduceds ? terms->reduced[terms->reduceds - 1].x : 0;
  const size_t most = bf_magnitude(terms->x_across) < bf_magnitude(step) ? BF_WIDTH_MAX : 1;
  struct bf_terms some = *terms;
  for (size_t j = 0; j < terms->width; j += some.width) {
    some.width = terms->width - j < most ? terms->width - j : most;
    some.x = terms->x + (int64_t)j * terms->x_across;
    if (terms->y) some.y = terms->y + (int64_t)j * terms->y_across;
    for (uint64_t first = start, n; first < end && !bf_stopped(terms); first += n) {
      n = end - first < bf_fit(some.width) ? end - first : bf_fit(some.width);
      add_codes(codes + j, &some, first, (size_t)n);
    }
  }
}

void bf_sum_by_rule(struct bf_job *job) {
  const bitfold_contract *c = job->contract;
  const size_t width = job->terms.width;
  struct bf_codes codes[BF_CODES_WIDTH], empty;
  int infinite;
  bf_codes_init(&empty, c->rule, bf_format(c->element)->fraction + 1);
  for (size_t j = 0; j < width; j++) codes[j] = empty;
  for (uint64_t first = 0, n; first < job->n && !bf_stopped(&job->terms); first += n) {
    n = bf_codes_add_in_place(codes, &job->terms, first, job->n - first);
    if (n) continue;
    n = job->n - first;
    add_gathered(codes, &job->terms, first, job->n);
  }
  for (size_t j = 0; j < width; j++) {
    uint64_t bits = bf_round_codes(c, &codes[j], count_of(job), &job->report, &infinite);
    store(job, j, bits, infinite);
  }
}

static void sum_by_order(struct bf_job *job, bitfold_format accumulator);
void bf_sum_by_order(struct bf_job *job) { sum_by_order(job, job->contract->accumulator); }

#define SELF "../op/sum.c"
#include "../format/each_accumulator.h"

static void sum_by_order(struct bf_job *job, bitfold_format accumulator) {
  switch ((int)accumulator) {
#define ACCUMULATOR(f)                                                                                                             \
  case f##_format:                                                                                                                 \
    f##_sum(job);                                                                                                                  \
    break;
#include "../format/accumulators.def"
#undef ACCUMULATOR
  }
}
#else
struct bf_real BF_ON(real)(ON(value) value) {
  return bf_decode(ON(format), ON(to_bits)(value));
}

ON(value) BF_ON(count)(uint64_t count) {
  int event;
  return ON(from_bits)((ON(bits))bf_encode(ON(format), bf_real_integer(0, count, 0), &event));
}

/* Divided in f64, where the count is not exact in the accumulator; where it is, that comes to the same (Figueroa 1995). */
static ON(value) ON(over_f64)(ON(value) sum, uint64_t count) {
  const struct bf_real quotient = bf_decode(BITFOLD_FORMAT_F64, f64_to_bits(f64_over((double)sum, (double)count)));
  int event;
  return ON(from_bits)((ON(bits))bf_encode(ON(format), quotient, &event));
}

void BF_ON(finish)(struct bf_job *job, ON(value) * sum) {
  const ON(value) count = BF_ON(count)(job->n);
  const int mean = bf_is_mean(job->contract->operation), own = job->contract->output == ON(format);
  const struct bf_format *format = bf_format(ON(format));
  const uint64_t infinity = (((uint64_t)1 << format->exponent) - 1) << format->fraction;
  const int beside = sizeof *sum == (size_t)format->size && job->output_across == format->size && !job->output_swapped;
  const int dense = own && beside && !bf_stopped(&job->terms);
  const int in_f64 = mean && job->mean == BF_MEAN_F64 && (double)count != (double)job->n;
  int infinite, odd = 0;
  if (mean && job->mean == BF_MEAN_F64_AT_ONCE) {
    const double quotient = f64_over((double)*sum, (double)job->n);
    const uint64_t bits = bf_round(job->contract, bf_f64_real(quotient), &job->report, &infinite);
    store(job, 0, bits, infinite);
    return;
  }
  for (size_t j = 0; j < job->terms.width && mean; j++) sum[j] = in_f64 ? ON(over_f64)(sum[j], job->n) : ON(over)(sum[j], count);
  for (size_t j = 0; j < job->terms.width && dense; j++) odd |= (ON(to_bits)(sum[j]) & infinity) == infinity;
  if (dense && !odd) {
    memcpy(job->output, sum, job->terms.width * sizeof *sum);
    return;
  }
  for (size_t j = 0; j < job->terms.width; j++) {
    const uint64_t bits = ON(to_bits)(sum[j]);
    if (own && (bits & infinity) != infinity) bf_job_store(job, j, bits); /* finite, and an output as it is */
    else {
      const uint64_t rounded = bf_round(job->contract, BF_ON(real)(sum[j]), &job->report, &infinite);
      store(job, j, rounded, infinite);
    }
  }
}

static void ON(sum)(struct bf_job *job) {
  ON(value) sum[BF_WIDTH_MAX];
  bf_order(job->levels->order)->F(&job->terms, job->levels, 0, job->n, sum);
  BF_ON(finish)(job, sum);
}
#endif
