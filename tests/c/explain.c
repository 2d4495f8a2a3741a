/* SPDX-License-Identifier: Apache-2.0 */
/* Explanations: each candidate explains its own result, and nothing explains what it does not make; walks and separating inputs. */
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

enum { ROWS = 2, LENGTH = 75, TRIALS = 4096, TEXT = 512 };

static const char *const asked_texts[] = {"sum:f32", "dot:f32",  "mean:f16", "sumsq:bf16",      "dot:f64", "sumabs:f64:out=f32",
                                          "sum:sf8", "dot:sf16", "mean:sf5", "sum:i16:out=i64", "max:f32", "argmin:f64:out=i64"};

static bitfold_contract asked_of(const char *text) {
  bitfold_contract asked = {0};
  assert_int_equal(bitfold_contract_add(&asked, text, NULL), BITFOLD_STATUS_OK);
  return asked;
}

/* Data of two rows; tame enough for orders to differ without all being infinite. */
struct data {
  bitfold_tensor x, y;
  uint64_t first[ROWS * LENGTH], second[ROWS * LENGTH];
};
static void fill(struct data *d, bitfold_format f, uint64_t seed) {
  const int64_t extents[2] = {ROWS, LENGTH};
  uint64_t state = seed;
  const size_t size = bitfold_format_size(f);
  for (size_t i = 0; i < (size_t)ROWS * LENGTH; i++)
    for (int second = 0; second < 2; second++) {
      const int64_t part = (int64_t)(hostile_next(&state) >> 40) - (1 << 23);
      const double value = (double)part / (1 << (f >= BITFOLD_FORMAT_I8 ? 23 : 20));
      const int is_integer = f >= BITFOLD_FORMAT_I8 && f <= BITFOLD_FORMAT_I64;
      const double scaled = is_integer ? 100 * value : value;
      unsigned char *to = (unsigned char *)(second ? d->second : d->first) + i * size;
      assert_int_equal(bitfold_convert(BITFOLD_FORMAT_F64, &scaled, f, to, 1, NULL), BITFOLD_STATUS_OK);
    }
  assert_int_equal(bitfold_tensor_init(&d->x, f, d->first, 2, extents), BITFOLD_STATUS_OK);
  assert_int_equal(bitfold_tensor_init(&d->y, f, d->second, 2, extents), BITFOLD_STATUS_OK);
}

static const bitfold_axes rows = {1, {1}};

/* Both outputs of a contract, whose tensor becomes *out; 0 where it refuses. */
static int made_by(const bitfold_contract *c, const struct data *d, uint64_t room[ROWS], bitfold_tensor *out) {
  const int64_t extents[1] = {ROWS};
  memset(room, 0, ROWS * sizeof *room);
  assert_int_equal(bitfold_tensor_init(out, c->output, room, 1, extents), BITFOLD_STATUS_OK);
  const bitfold_tensor *y = c->operation == BITFOLD_OPERATION_DOT ? &d->y : NULL;
  return bitfold_reduce(c, &d->x, y, &rows, out, NULL, NULL) == BITFOLD_STATUS_OK;
}

static void test_candidates_are_whole_and_different(void **unused) {
  static char texts[TRIALS][TEXT];
  (void)unused;
  for (size_t k = 0; k < sizeof asked_texts / sizeof *asked_texts; k++) {
    const bitfold_contract asked = asked_of(asked_texts[k]);
    bitfold_contract candidate, again;
    size_t count = 0;
    for (uint64_t cursor = 0; bitfold_candidate_next(&asked, &cursor, &candidate); count++) {
      assert_in_range(count, 0, TRIALS - 1);
      assert_in_range(bitfold_contract_print(&candidate, texts[count], TEXT), 1, TEXT - 1);
      assert_int_equal(bitfold_contract_parse(texts[count], &again, NULL), BITFOLD_STATUS_OK);
      assert_true(bitfold_contract_equal(&candidate, &again));
      assert_int_equal(candidate.operation, asked.operation);
      if (asked.output) assert_int_equal(candidate.output, asked.output);
      for (size_t i = 0; i < count; i++) assert_string_not_equal(texts[i], texts[count]);
    }
    assert_in_range(count, 1, TRIALS);
  }
}

static void test_parts_that_are_known_are_kept(void **unused) {
  bitfold_contract asked = asked_of("dot:f16:lanes(5,fold=pairs):fma"), candidate;
  uint64_t cursor = 0;
  char text[TEXT];
  static const char *const wanted[] = {
      "dot:f16:acc=f32:lanes(5,fold=pairs):fma",     "dot:f16:acc=f16:lanes(5,fold=pairs):fma",
      "dot:f16:acc=f64:lanes(5,fold=pairs):fma",     "dot:f16:acc=f32:lanes(5,fold=pairs):fma:ftz",
      "dot:f16:acc=f16:lanes(5,fold=pairs):fma:ftz", "dot:f16:acc=f64:lanes(5,fold=pairs):fma:ftz"};
  (void)unused;
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    assert_true(bitfold_candidate_next(&asked, &cursor, &candidate));
    (void)bitfold_contract_print(&candidate, text, sizeof text);
    assert_string_equal(text, wanted[i]);
  }
  assert_false(bitfold_candidate_next(&asked, &cursor, &candidate));
}

/* What explain says of a candidate's own result, held against bitfold_reduce. */
static void check(const bitfold_contract *asked, const bitfold_contract *own, const struct data *d, bitfold_trial *trials) {
  uint64_t got[ROWS], other[ROWS], room[ROWS];
  bitfold_tensor tensor, again;
  size_t count = 0, found = 0;
  if (!made_by(own, d, got, &tensor)) return;
  const bitfold_tensor *y = own->operation == BITFOLD_OPERATION_DOT ? &d->y : NULL;
  assert_int_equal(bitfold_explain(asked, &d->x, y, &rows, &tensor, room, NULL, trials, TRIALS, &count, NULL), BITFOLD_STATUS_OK);
  assert_in_range(count, 1, TRIALS);
  const size_t size = bitfold_format_size(own->output);
  for (size_t i = 0; i < count; i++) {
    const bitfold_trial *t = &trials[i];
    assert_true(made_by(&t->contract, d, other, &again));
    const int same[ROWS] = {!memcmp(got, other, size), !memcmp((char *)got + size, (char *)other + size, size)};
    assert_int_equal(t->outputs, ROWS);
    assert_int_equal(t->matched, (uint64_t)(same[0] + same[1]));
    assert_int_equal(t->first, !same[0] ? 0 : !same[1] ? 1 : ROWS);
    assert_int_equal(t->ulps == 0, t->matched == ROWS);
    if (i) assert_true(trials[i - 1].matched >= t->matched);
    if (t->matched == ROWS) assert_int_equal(t->hash, trials[0].hash);
    found += (size_t)(t->matched == ROWS && bitfold_contract_equal(&t->contract, own));
  }
  assert_int_equal(found, 1);
}

static void test_every_candidate_explains_its_own_result(void **unused) {
  static struct data d;
  bitfold_trial *trials = calloc(TRIALS, sizeof *trials);
  (void)unused;
  assert_non_null(trials);
  for (size_t k = 0; k < sizeof asked_texts / sizeof *asked_texts; k++) {
    bitfold_contract asked = asked_of(asked_texts[k]), own;
    size_t i = k;
    if (!asked.output) { /* as the result's format decides it */
      uint64_t cursor = 0;
      assert_true(bitfold_candidate_next(&asked, &cursor, &own));
      asked.output = own.output;
    }
    fill(&d, asked.element, 1 + k);
    for (uint64_t cursor = 0; bitfold_candidate_next(&asked, &cursor, &own); i++)
      if (i % 53 == 0 || asked.element >= BITFOLD_FORMAT_I8) check(&asked, &own, &d, trials);
  }
  free(trials);
}

static void test_distances(void **unused) {
  static const struct {
    uint32_t x, got;
    uint64_t ulps;
  } cases[] = {{0x3f800000, 0x3f800000, 0},          {0x3f800000, 0x3f800003, 3},
               {0x00000001, 0x80000001, 2},          {0, 0x80000000, 1},
               {0x7f800000, 0x7f7fffff, 1},          {0x7fc00000, 0xffc12345, 0},
               {0x7fc00000, 0x3f800000, UINT64_MAX}, {0x3f800000, 0xffffffff, UINT64_MAX}};
  bitfold_contract contract;
  (void)unused;
  assert_int_equal(bitfold_contract_parse("sum:f32", &contract, NULL), BITFOLD_STATUS_OK);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bitfold_tensor x, got;
    bitfold_trial trial;
    uint64_t room;
    const int64_t one = 1;
    assert_int_equal(bitfold_tensor_init(&x, BITFOLD_FORMAT_F32, &cases[i].x, 1, &one), BITFOLD_STATUS_OK);
    assert_int_equal(bitfold_tensor_init(&got, BITFOLD_FORMAT_F32, &cases[i].got, 0, NULL), BITFOLD_STATUS_OK);
    assert_int_equal(bitfold_try(&contract, &x, NULL, NULL, &got, &room, NULL, &trial, NULL), BITFOLD_STATUS_OK);
    assert_int_equal(trial.ulps, cases[i].ulps);
    assert_int_equal(trial.matched, cases[i].ulps == 0);
  }
}

static void test_refusals_say_why(void **unused) {
  static struct data d;
  const bitfold_contract asked = asked_of("dot:f32");
  bitfold_message message;
  bitfold_trial trial;
  uint64_t room[ROWS] = {0};
  bitfold_tensor got;
  size_t count = 77;
  const int64_t extents[1] = {3};
  (void)unused;
  fill(&d, BITFOLD_FORMAT_F32, 5);
  assert_int_equal(bitfold_tensor_init(&got, BITFOLD_FORMAT_F32, room, 0, NULL), BITFOLD_STATUS_OK);
  assert_int_equal(bitfold_explain(&asked, &d.x, NULL, NULL, &got, room, NULL, &trial, 1, &count, &message), BITFOLD_STATUS_NULL);
  assert_string_equal(message.text, "dot takes two inputs");
  assert_int_equal(bitfold_tensor_init(&got, BITFOLD_FORMAT_F32, room, 1, extents), BITFOLD_STATUS_OK);
  assert_int_equal(bitfold_explain(&asked, &d.x, &d.y, &rows, &got, room, NULL, &trial, 1, &count, &message), BITFOLD_STATUS_SHAPE);
  assert_int_equal(count, 77);
  assert_int_equal(bitfold_explain(&asked, &d.x, &d.y, &rows, NULL, room, NULL, &trial, 1, &count, &message), BITFOLD_STATUS_NULL);
}

static void test_inputs_that_separate(void **unused) {
  static const struct {
    const char *a, *b;
    int parts;
  } cases[] = {{"sum:f32:sequential", "sum:f32:lanes(4)", 1},
               {"sum:f64:lanes(32)", "sum:f64:lanes(64)", 1},
               {"dot:f32:sequential", "dot:f32:sequential:fma", 1},
               {"sum:f32:sequential", "sum:f32:sequential:ftz", 1},
               {"dot:f32:lanes(4):fma:ftz", "dot:f32:lanes(4):fma", 1},
               {"sum:f16:acc=f16:blocks(1024,sequential)", "sum:f16:acc=f16:blocks(2048,sequential)", 1},
               {"sum:f32:sequential", "sum:f32:exact", 1},
               {"dot:sf16:sf", "dot:sf16:atreides-v2.1", 1},
               {"dot:sf8:sf31", "dot:sf8:guarded31", 1},
               {"max:f32:nan=propagate", "max:f32:nan=propagate", 0},
               {"sum:f32:tree(\"((0+1)+2)\")", "sum:f32:tree(\"(0+1+2)\")", 1},
               {"sum:f32:sequential", "sum:f32:lanes(1)", 0},
               {"dot:f16:sequential", "dot:f16:sequential:fma", 0}, /* products of halves are exact in f32 */
               {"sum:f32:canonical(1)", "sum:f32:canonical(2)", 1}};
  enum { CAPACITY = 5000 };
  static uint64_t x[CAPACITY], y[CAPACITY];
  (void)unused;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bitfold_contract a, b;
    size_t n = 0;
    uint64_t tried = 0;
    assert_int_equal(bitfold_contract_parse(cases[i].a, &a, NULL), BITFOLD_STATUS_OK);
    assert_int_equal(bitfold_contract_parse(cases[i].b, &b, NULL), BITFOLD_STATUS_OK);
    assert_int_equal(bitfold_separate(&a, &b, 1, 3000, x, y, CAPACITY, &n, &tried, NULL), BITFOLD_STATUS_OK);
    if ((n != 0) != cases[i].parts) fail_msg("%s and %s: %zu elements", cases[i].a, cases[i].b, n);
    if (!n) continue;
    bitfold_tensor row, other, out;
    uint64_t one = 0, two = 0;
    const int64_t extents[1] = {(int64_t)n};
    assert_int_equal(bitfold_tensor_init(&row, a.element, x, 1, extents), BITFOLD_STATUS_OK);
    assert_int_equal(bitfold_tensor_init(&other, a.element, y, 1, extents), BITFOLD_STATUS_OK);
    const bitfold_tensor *second = a.operation == BITFOLD_OPERATION_DOT ? &other : NULL;
    assert_int_equal(bitfold_tensor_init(&out, a.output, &one, 0, NULL), BITFOLD_STATUS_OK);
    assert_int_equal(bitfold_reduce(&a, &row, second, NULL, &out, NULL, NULL), BITFOLD_STATUS_OK);
    assert_int_equal(bitfold_tensor_init(&out, b.output, &two, 0, NULL), BITFOLD_STATUS_OK);
    assert_int_equal(bitfold_reduce(&b, &row, second, NULL, &out, NULL, NULL), BITFOLD_STATUS_OK);
    assert_int_not_equal(one, two);
  }
  bitfold_contract sum = asked_of("sum:f32:sequential"), dot = asked_of("dot:f32:sequential");
  bitfold_message message;
  size_t n;
  uint64_t tried;
  assert_int_equal(bitfold_contract_complete(&sum, NULL), BITFOLD_STATUS_OK);
  assert_int_equal(bitfold_contract_complete(&dot, NULL), BITFOLD_STATUS_OK);
  assert_int_equal(bitfold_separate(&sum, &dot, 1, 10, x, y, CAPACITY, &n, &tried, &message), BITFOLD_STATUS_CONTRACT);
  assert_string_equal(message.text,
                      "only contracts of one operation and element can be told apart by an input: sum:f32 and dot:f32");
}

/* A visitor that adds doubles. */
static double number_of(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}
static uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
static uint64_t term(void *context, uint64_t i) { return bits_of(((const double *)context)[i]); }
static uint64_t sum(void *context, const uint64_t *operands, size_t n) {
  (void)context;
  assert_int_equal(n, 2);
  return bits_of(number_of(operands[0]) + number_of(operands[1]));
}
static uint64_t exact(void *context, uint64_t first, uint64_t n) {
  double y;
  assert_int_equal(bitfold_sum_f64((const double *)context + first, (size_t)n, NULL, &y), BITFOLD_STATUS_OK);
  return bits_of(y);
}

static void test_a_walk_adds_what_a_reduction_adds(void **unused) {
  const bitfold_contract asked = asked_of("sum:f64:acc=f64:out=f64");
  bitfold_contract candidate;
  double x[300], y;
  uint64_t state = 9, root;
  (void)unused;
  for (size_t i = 0; i < 300; i++) x[i] = (double)(hostile_next(&state) >> 11) * (i % 7 ? 1 : -1e6);
  const bitfold_visitor visitor = {x, 0, term, sum, exact, NULL};
  for (uint64_t cursor = 0; bitfold_candidate_next(&asked, &cursor, &candidate);)
    for (size_t n = 0; n <= 300 && !candidate.ftz; n += n < 20 ? 1 : 35) {
      const bitfold_status status = bitfold_order_walk(&candidate, n, &visitor, &root, NULL);
      assert_int_equal(status, BITFOLD_STATUS_OK);
      assert_int_equal(bitfold_sum_f64(x, n, &candidate, &y), BITFOLD_STATUS_OK);
      assert_int_equal(root, bits_of(y));
    }
  const int stop = 1;
  const bitfold_visitor stopping = {x, 0, term, sum, exact, &stop};
  bitfold_contract max;
  bitfold_message message;
  assert_int_equal(bitfold_contract_parse("sum:f64:sequential", &candidate, NULL), BITFOLD_STATUS_OK);
  assert_int_equal(bitfold_order_walk(&candidate, 300, &stopping, &root, NULL), BITFOLD_STATUS_STOPPED);
  assert_int_equal(bitfold_contract_parse("max:f64", &max, NULL), BITFOLD_STATUS_OK);
  assert_int_equal(bitfold_order_walk(&max, 3, &visitor, &root, &message), BITFOLD_STATUS_CONTRACT);
  assert_string_equal(message.text, "max adds nothing, so it has no order");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_candidates_are_whole_and_different),
                                     cmocka_unit_test(test_parts_that_are_known_are_kept),
                                     cmocka_unit_test(test_every_candidate_explains_its_own_result),
                                     cmocka_unit_test(test_distances),
                                     cmocka_unit_test(test_refusals_say_why),
                                     cmocka_unit_test(test_inputs_that_separate),
                                     cmocka_unit_test(test_a_walk_adds_what_a_reduction_adds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
