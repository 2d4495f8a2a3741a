/* SPDX-License-Identifier: Apache-2.0 */
/* The one-line calls on short rows, which have a way of their own, against bitfold_reduce on the machine scalar. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <bitfold/bitfold.h>

#include "hostile.h"

enum { LONGEST = 70, ROUNDS = 12 };
static const struct {
  bitfold_format format;
  shape shape;
} formats[] = {
    {BITFOLD_FORMAT_F16, {16, 10}}, {BITFOLD_FORMAT_BF16, {16, 7}}, {BITFOLD_FORMAT_F32, {32, 23}}, {BITFOLD_FORMAT_F64, {64, 52}}};

/* Every call takes n elements of x; a dot's other operand are the n behind them. */
#define CALLS(op)                                                                                                                  \
  static bitfold_status op(bitfold_format f, const void *x, size_t n, const bitfold_contract *c, void *y) {                        \
    if (f == BITFOLD_FORMAT_F16) return bitfold_##op##_f16(x, n, c, y);                                                            \
    if (f == BITFOLD_FORMAT_BF16) return bitfold_##op##_bf16(x, n, c, y);                                                          \
    return f == BITFOLD_FORMAT_F32 ? bitfold_##op##_f32(x, n, c, y) : bitfold_##op##_f64(x, n, c, y);                              \
  }
CALLS(sum)
CALLS(mean)
CALLS(sumsq)
CALLS(sumabs)
CALLS(max)
CALLS(min)
CALLS(argmax)
CALLS(argmin)
static bitfold_status dot(bitfold_format f, const void *x, size_t n, const bitfold_contract *c, void *y) {
  const void *other = (const char *)x + n * bitfold_format_size(f);
  if (f == BITFOLD_FORMAT_F16) return bitfold_dot_f16(x, other, n, c, y);
  if (f == BITFOLD_FORMAT_BF16) return bitfold_dot_bf16(x, other, n, c, y);
  return f == BITFOLD_FORMAT_F32 ? bitfold_dot_f32(x, other, n, c, y) : bitfold_dot_f64(x, other, n, c, y);
}
static const struct {
  const char *name;
  bitfold_status (*call)(bitfold_format f, const void *x, size_t n, const bitfold_contract *c, void *y);
  const char *rest[5]; /* of the contract; "" is the default */
} calls[] = {{"sum", sum, {"", ":exact", ":sequential", ":lanes(4)"}},
             {"dot", dot, {"", ":sequential", ":lanes(4)"}},
             {"mean", mean, {"", ":sequential"}},
             {"sumsq", sumsq, {"", ":sequential"}},
             {"sumabs", sumabs, {"", ":sequential"}},
             {"max", max, {"", ":nan=propagate", ":nan=ignore"}},
             {"min", min, {"", ":nan=propagate", ":nan=ignore"}},
             {"argmax", argmax, {"", ":nan=propagate", ":nan=ignore"}},
             {"argmin", argmin, {"", ":nan=propagate", ":nan=ignore"}}};

/* Bits of the result, behind a status. */
struct outcome {
  bitfold_status status;
  uint64_t bits;
};
static struct outcome by_reduce(const bitfold_contract *contract, const void *x, size_t n) {
  struct outcome outcome = {BITFOLD_STATUS_OK, 0};
  const bitfold_engine engine = {.isa = "scalar"};
  const int64_t extent = (int64_t)n;
  const int is_dot = contract->operation == BITFOLD_OPERATION_DOT;
  bitfold_tensor input, other, output;
  assert_int_equal(bitfold_tensor_init(&input, contract->element, x, 1, &extent), BITFOLD_STATUS_OK);
  other = input, other.data = (const char *)x + n * bitfold_format_size(contract->element);
  assert_int_equal(bitfold_tensor_init(&output, contract->output, &outcome.bits, 0, NULL), BITFOLD_STATUS_OK);
  outcome.status = bitfold_reduce(contract, &input, is_dot ? &other : NULL, NULL, &output, &engine, NULL);
  return outcome;
}

static void compare(size_t f, size_t o, size_t r, unsigned kind, const void *x, size_t n) {
  char text[96];
  bitfold_contract contract;
  (void)snprintf(text, sizeof text, "%s:%s%s", calls[o].name, bitfold_format_name(formats[f].format), calls[o].rest[r]);
  assert_int_equal(bitfold_contract_parse(text, &contract, NULL), BITFOLD_STATUS_OK);
  const struct outcome want = by_reduce(&contract, x, n);
  for (int null = 0; null < (*calls[o].rest[r] ? 1 : 2); null++) {
    struct outcome got = {BITFOLD_STATUS_OK, 0};
    got.status = calls[o].call(formats[f].format, x, n, null ? NULL : &contract, &got.bits);
    if (got.status == want.status && got.bits == want.bits) continue;
    fail_msg("%s of %zu elements of kind %u: status %d, bits %llx; bitfold_reduce gives %d, %llx", text, n, kind, (int)got.status,
             (unsigned long long)got.bits, (int)want.status, (unsigned long long)want.bits);
  }
}

static uint64_t seed(void) {
  const char *text = getenv("SEED");
  const uint64_t seed = text ? strtoull(text, NULL, 0) : 2026;
  print_message("SEED=%llu\n", (unsigned long long)seed);
  return seed;
}

/* Hostile rows of n elements and as many for a dot, through the calls from `first` up to `end`. */
static void check_rows(size_t n, int rounds, size_t first, size_t end, uint64_t *random) {
  uint64_t *patterns = malloc((2 * n + 1) * sizeof *patterns);
  assert_non_null(patterns);
  for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
    for (unsigned kind = 0; kind < HOSTILE_KINDS; kind++)
      for (int round = 0; round < rounds; round++) {
        const size_t size = formats[f].shape.bits / 8;
        void *x = malloc(2 * n * size + (n == 0));
        assert_non_null(x);
        hostile_row(formats[f].shape, kind, 2 * n, random, patterns);
        hostile_store(patterns, 2 * n, size, x);
        for (size_t o = first; o < end; o++)
          for (size_t r = 0; calls[o].rest[r]; r++) compare(f, o, r, kind, x, n);
        free(x);
      }
  free(patterns);
}

static void short_rows(void **state) {
  uint64_t random = seed();
  (void)state;
  for (size_t n = 0; n < LONGEST; n++) check_rows(n, ROUNDS, 0, sizeof calls / sizeof *calls, &random);
}

/* Around the blocks in which machines take exact sums. */
static void rows_of_blocks(void **state) {
  uint64_t random = seed();
  (void)state;
  for (size_t block = 128; block <= 16384; block *= 2)
    for (size_t n = block - 1; n <= block + 1; n++) check_rows(n, 2, 0, 5, &random);
}

/* Exponents just so far apart that doubles hold the sum, and one further. */
static void ranges(void **state) {
  float x[32];
  (void)state;
  for (int apart = 15; apart < 40; apart++)
    for (size_t n = 2; n <= 32; n++)
      for (int base = -148; base < 100; base += 31) {
        const uint32_t ulp = base < -126 ? UINT32_C(1) << (base + 149) : (uint32_t)(base + 127) << 23 | 0x7fffff;
        for (size_t i = 0; i < n; i++) {
          const int high = base + apart;
          const uint32_t top = (uint32_t)((high < -126 ? -126 : high) + 127) << 23 | 0x7fffff, bits = i % 2 ? ulp : top;
          memcpy(&x[i], &bits, sizeof bits);
        }
        for (size_t r = 0; r < 3; r++) compare(2, 0, r, 0, x, n);
      }
}

/* A contract that is not whole, or has what its order does not take, is refused by either way. */
static void contracts_that_are_not_whole(void **state) {
  const float x[4] = {1, 2, 3, 4};
  float y = 7;
  int64_t index = 7;
  bitfold_contract good, bad;
  (void)state;
  assert_int_equal(bitfold_contract_parse("sum:f32:exact", &good, NULL), BITFOLD_STATUS_OK);
  bad = good, bad.level[0].size = 4;
  assert_int_equal(bitfold_sum_f32(x, 4, &bad, &y), BITFOLD_STATUS_CONTRACT);
  bad = good, bad.accumulator = BITFOLD_FORMAT_F32;
  assert_int_equal(bitfold_sum_f32(x, 4, &bad, &y), BITFOLD_STATUS_CONTRACT);
  bad = good, bad.nan = BITFOLD_NAN_IGNORE;
  assert_int_equal(bitfold_sum_f32(x, 4, &bad, &y), BITFOLD_STATUS_CONTRACT);
  bad = good, bad.depth = 2;
  assert_int_equal(bitfold_sum_f32(x, 4, &bad, &y), BITFOLD_STATUS_CONTRACT);
  assert_int_equal(bitfold_max_f32(x, 4, &good, &y), BITFOLD_STATUS_CONTRACT);
  assert_int_equal(bitfold_contract_parse("argmax:f32", &good, NULL), BITFOLD_STATUS_OK);
  bad = good, bad.nan = BITFOLD_NAN_DEFAULT;
  assert_int_equal(bitfold_argmax_f32(x, 4, &bad, &index), BITFOLD_STATUS_CONTRACT);
  bad = good, bad.depth = 1;
  assert_int_equal(bitfold_argmax_f32(x, 4, &bad, &index), BITFOLD_STATUS_CONTRACT);
  bad = good, bad.output = BITFOLD_FORMAT_I32;
  assert_int_equal(bitfold_argmax_f32(x, 4, &bad, &index), BITFOLD_STATUS_CONTRACT);
  assert_true(y == 7 && index == 7);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(short_rows), cmocka_unit_test(rows_of_blocks), cmocka_unit_test(ranges),
                                     cmocka_unit_test(contracts_that_are_not_whole)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
