/* SPDX-License-Identifier: Apache-2.0 */
/* Exact sums, means, dots and sums of squares of every machine against MPFR on a million hostile rows: exact_mpfr [rows [seed]]. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <mpfr.h>
#include <bitfold/bitfold.h>

#include "hostile.h"

enum { LONGEST = 8300, DIGITS_SUM = 2400, DIGITS_PRODUCT = 106, OPERATIONS = 5, FORMATS = 4 };

typedef struct format {
  const char *name;
  bitfold_format code;
  shape shape;
  mpfr_exp_t lowest, highest; /* MPFR's exponents of the smallest subnormal and of the largest finite number */
} format;

static const format formats[FORMATS] = {{"f16", BITFOLD_FORMAT_F16, {16, 10}, -23, 16},
                                        {"bf16", BITFOLD_FORMAT_BF16, {16, 7}, -132, 128},
                                        {"f32", BITFOLD_FORMAT_F32, {32, 23}, -148, 128},
                                        {"f64", BITFOLD_FORMAT_F64, {64, 52}, -1073, 1024}};
static const char *const operations[OPERATIONS] = {"sum", "mean", "dot", "sumsq", "sumabs"};

static unsigned long rows = 1000000;
static uint64_t seed = 20240607;
static mpfr_t x[LONGEST], y[LONGEST], product[LONGEST], whole, rounded[FORMATS];
static mpfr_ptr term[LONGEST];
static uint64_t xs[LONGEST], ys[LONGEST];

static uint64_t infinity(const format *f) {
  return ((UINT64_C(1) << (f->shape.bits - f->shape.mantissa - 1)) - 1) << f->shape.mantissa;
}

/* The value of a pattern, exactly: integer mantissa times a power of two. */
static void decode(mpfr_t value, const format *f, uint64_t pattern) {
  uint64_t sign = pattern >> (f->shape.bits - 1), magnitude = pattern ^ sign << (f->shape.bits - 1);
  uint64_t exponent = magnitude >> f->shape.mantissa, mantissa = magnitude ^ exponent << f->shape.mantissa;
  if (magnitude > infinity(f)) {
    mpfr_set_nan(value);
    return;
  }
  if (magnitude == infinity(f)) {
    mpfr_set_inf(value, sign ? -1 : 1);
    return;
  }
  if (exponent) mantissa |= UINT64_C(1) << f->shape.mantissa;
  mpfr_set_ui_2exp(value, mantissa, f->lowest - 1 + (mpfr_exp_t)(exponent ? exponent - 1 : 0), MPFR_RNDN);
  mpfr_setsign(value, value, (int)sign, MPFR_RNDN);
}

/*
 * The pattern of a value that was rounded to the format's precision with an unbounded exponent, and `inexact`, MPFR's ternary
 * value of that rounding. mpfr_subnormalize needs it to round a subnormal once, not twice.
 */
static uint64_t encode(mpfr_t value, const format *f, int inexact) {
  if (mpfr_nan_p(value)) return infinity(f) | UINT64_C(1) << (f->shape.mantissa - 1);
  if (mpfr_zero_p(value) && !inexact) return 0; /* sums of zeros are +0 */
  mpfr_exp_t low = mpfr_get_emin(), high = mpfr_get_emax();
  mpfr_set_emin(f->lowest), mpfr_set_emax(f->highest);
  inexact = mpfr_check_range(value, inexact, MPFR_RNDN);
  mpfr_subnormalize(value, inexact, MPFR_RNDN);
  mpfr_set_emin(low), mpfr_set_emax(high);
  uint64_t sign = (uint64_t)(mpfr_signbit(value) != 0) << (f->shape.bits - 1);
  if (mpfr_inf_p(value)) return sign | infinity(f);
  if (mpfr_zero_p(value)) return sign;
  mpfr_exp_t last = mpfr_get_exp(value) - 1 - (mpfr_exp_t)f->shape.mantissa; /* of the last mantissa bit, were it normal */
  mpfr_exp_t unit = last < f->lowest - 1 ? f->lowest - 1 : last;
  mpfr_abs(value, value, MPFR_RNDN);
  mpfr_mul_2si(value, value, -unit, MPFR_RNDN);
  assert_true(mpfr_integer_p(value));
  return sign | (((uint64_t)(unit - (f->lowest - 1)) << f->shape.mantissa) + mpfr_get_uj(value, MPFR_RNDN));
}

/* The right pattern of operation `op` over n terms, in the output format g. */
static uint64_t wanted(unsigned op, const format *f, const format *g, size_t n) {
  int inexact;
  mpfr_ptr out = rounded[g - formats];
  for (size_t i = 0; i < n; i++) {
    decode(x[i], f, xs[i]);
    term[i] = x[i];
    if (op == 2) decode(y[i], f, ys[i]);
    if (op == 4) mpfr_abs(x[i], x[i], MPFR_RNDN);
    if (op == 2 || op == 3) {
      inexact = mpfr_mul(product[i], x[i], op == 2 ? y[i] : x[i], MPFR_RNDN);
      assert_int_equal(inexact, 0);
      term[i] = product[i];
    }
  }
  if (op == 1 && n == 0) {
    mpfr_set_nan(out);
    return encode(out, g, 0);
  }
  inexact = mpfr_sum(op == 1 ? whole : out, term, n, MPFR_RNDN);
  if (op == 1) {
    assert_int_equal(inexact, 0);
    inexact = mpfr_div_ui(out, whole, n, MPFR_RNDN);
  }
  return encode(out, g, inexact);
}

/* The library's pattern for the same, by bitfold_reduce. */
static uint64_t gotten(const bitfold_contract *contract, const format *f, const format *g, size_t n, const char *machine) {
  static uint64_t first[LONGEST], second[LONGEST];
  uint64_t out = 0;
  int64_t length = (int64_t)n;
  bitfold_tensor a, b, to;
  hostile_store(xs, n, f->shape.bits / 8, first);
  hostile_store(ys, n, f->shape.bits / 8, second);
  assert_int_equal(bitfold_tensor_init(&a, f->code, first, 1, &length), BITFOLD_STATUS_OK);
  assert_int_equal(bitfold_tensor_init(&b, f->code, second, 1, &length), BITFOLD_STATUS_OK);
  assert_int_equal(bitfold_tensor_init(&to, g->code, &out, 0, NULL), BITFOLD_STATUS_OK);
  const bitfold_tensor *other = contract->operation == BITFOLD_OPERATION_DOT ? &b : NULL;
  const bitfold_engine engine = {.isa = machine};
  assert_int_equal(bitfold_reduce(contract, &a, other, NULL, &to, &engine, NULL), BITFOLD_STATUS_OK);
  return hostile_load(&out, g->shape.bits / 8);
}

static void show(const char *text, const char *machine, unsigned op, const format *f, size_t n, uint64_t got, uint64_t want) {
  print_error("%s on %s n=%zu seed=%" PRIu64 "\n", text, machine, n, seed);
  for (size_t i = 0; i < n && i < 40; i++) {
    print_error("  %0*" PRIx64, (int)f->shape.bits / 4, xs[i]);
    if (op == 2) print_error(" * %0*" PRIx64, (int)f->shape.bits / 4, ys[i]);
    print_error("\n");
  }
  fail_msg("got %" PRIx64 ", want %" PRIx64, got, want);
}

/* Most rows are short; some have a hundred elements, few have thousands. */
static size_t length_of(uint64_t *state) {
  uint64_t pick = hostile_next(state) >> 40;
  if (pick % 4096 == 0) return (pick >> 12) % 3000;
  return pick % 64 == 0 ? (pick >> 12) % 120 : (pick >> 12) % 9;
}

/* One in eight rows asks for another output format than its element's. */
static const format *output_of(const format *f, uint64_t *state) {
  uint64_t pick = hostile_next(state) >> 40;
  return pick % 8 ? f : &formats[(pick >> 3) % FORMATS];
}

static size_t machines(void) {
  size_t count = 0;
  while (bitfold_isa_at(count)) count++;
  return count;
}

static void run(unsigned op, const format *f, unsigned long count) {
  uint64_t state = seed * 0x9e3779b97f4a7c15u + (uint64_t)op * 4 + (uint64_t)(f - formats);
  bitfold_contract contracts[FORMATS];
  char text[FORMATS][64];
  for (unsigned g = 0; g < FORMATS; g++) {
    snprintf(text[g], sizeof text[g], "%s:%s:exact:out=%s", operations[op], f->name, formats[g].name);
    assert_int_equal(bitfold_contract_parse(text[g], &contracts[g], NULL), BITFOLD_STATUS_OK);
  }
  for (unsigned long i = 0; i < count; i++) {
    size_t n = length_of(&state);
    const format *g = output_of(f, &state);
    hostile_row(f->shape, (unsigned)(i % HOSTILE_KINDS), n, &state, xs);
    hostile_row(f->shape, (unsigned)((i / 2) % HOSTILE_KINDS), n, &state, ys);
    const char *machine = bitfold_isa_at(i % machines());
    uint64_t got = gotten(&contracts[g - formats], f, g, n, machine), want = wanted(op, f, g, n);
    if (got != want) show(text[g - formats], machine, op, f, n, got, want);
  }
}

static void every_format(unsigned op) {
  for (unsigned f = 0; f < FORMATS; f++) run(op, &formats[f], rows / ((unsigned long)OPERATIONS * FORMATS));
}

static void test_exact_sum(void **state) { (void)state, every_format(0); }
static void test_exact_mean(void **state) { (void)state, every_format(1); }
static void test_exact_dot(void **state) { (void)state, every_format(2); }
static void test_exact_sumsq(void **state) { (void)state, every_format(3); }
static void test_exact_sumabs(void **state) { (void)state, every_format(4); }

/*
 * Exponents from `top` down to `top - range`, both of which are there; mantissas that end in 1 every other time. Heavy: one at the
 * bottom, all others as great as they can be at the top, and in the end they cancel.
 */
static void window(const format *f, unsigned top, unsigned range, int heavy, size_t n, uint64_t *state, uint64_t *patterns) {
  for (size_t i = 0; i < n; i++) {
    uint64_t pick = hostile_next(state), mantissa = hostile_next(state) & ((UINT64_C(1) << f->shape.mantissa) - 1);
    unsigned below = i == n / 2 ? 0 : i == n / 3 ? range : (unsigned)((pick >> 20) % (range + 1));
    patterns[i] = (pick >> 63) << (f->shape.bits - 1) | (uint64_t)(top > below ? top - below : 0) << f->shape.mantissa;
    patterns[i] |= mantissa | (pick >> 10 & 1);
    if (heavy)
      patterns[i] = (((uint64_t)((i == n / 3 ? top - range : top) + 1) << f->shape.mantissa) - 1) | (uint64_t)(i > n / 2)
                                                                                                        << (f->shape.bits - 1);
    else if (pick % 16 == 0) patterns[i] = (pick >> 63) << (f->shape.bits - 1);
  }
}

/* Every machine at the lengths of its blocks and one off, and at each range of exponents that they may be able to hold. */
static void windows(unsigned op, const format *f, int heavy, size_t n, uint64_t *state) {
  const unsigned special = (1u << (f->shape.bits - f->shape.mantissa - 1)) - 1, most = special < 60 ? special : 60;
  bitfold_contract contract;
  char text[64];
  snprintf(text, sizeof text, "%s:%s:exact", operations[op], f->name);
  assert_int_equal(bitfold_contract_parse(text, &contract, NULL), BITFOLD_STATUS_OK);
  for (unsigned range = 0; range<most; range += n> 1100 ? 5 : 1) {
    const unsigned half = special / 2 > range ? special / 2 : range, tops[4] = {half, special - 1, range + 1, half + 2};
    window(f, tops[range % 4], range, heavy, n, state, xs);
    window(f, special / 2, range / 2, 0, n, state, ys);
    const uint64_t want = wanted(op, f, f, n);
    for (size_t m = 0; m < machines(); m++) {
      const uint64_t got = gotten(&contract, f, f, n, bitfold_isa_at(m));
      if (got != want) show(text, bitfold_isa_at(m), op, f, n, got, want);
    }
  }
}

static void test_exact_windows(void **unused) {
  static const size_t lengths[] = {15, 16, 17, 63, 64, 65, 255, 256, 257, 511, 512, 513, 1025, 4096, 4097, 8193};
  uint64_t state = seed;
  (void)unused;
  for (unsigned op = 0; op < OPERATIONS; op++)
    for (unsigned f = 0; f < FORMATS; f++)
      for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int heavy = 0; heavy < 2; heavy++) windows(op, &formats[f], heavy, lengths[i], &state);
}

int main(int count, char **arguments) {
  if (count > 1) rows = strtoul(arguments[1], NULL, 10);
  if (count > 2) seed = strtoull(arguments[2], NULL, 10);
  printf("exact_mpfr: %lu rows, seed %" PRIu64 "\n", rows, seed);
  for (size_t i = 0; i < LONGEST; i++) {
    mpfr_init2(x[i], 53), mpfr_init2(y[i], 53), mpfr_init2(product[i], DIGITS_PRODUCT);
  }
  mpfr_init2(whole, DIGITS_SUM);
  for (unsigned f = 0; f < FORMATS; f++) mpfr_init2(rounded[f], (mpfr_prec_t)formats[f].shape.mantissa + 1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_exact_sum),    cmocka_unit_test(test_exact_mean),
                                     cmocka_unit_test(test_exact_dot),    cmocka_unit_test(test_exact_sumsq),
                                     cmocka_unit_test(test_exact_sumabs), cmocka_unit_test(test_exact_windows)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
