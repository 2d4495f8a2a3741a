/* SPDX-License-Identifier: Apache-2.0 */
/* bitfold_reveal on boxes whose order is known: the library's own contracts, trees in plain C, and boxes that are no sums. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <cmocka.h>
#include <bitfold/bitfold.h>

static int by_contract(void *context, const void *x, const void *y, size_t n, void *result) {
  const bitfold_contract *c = context;
  const int64_t shape = (int64_t)n;
  bitfold_tensor a, b, out;
  (void)bitfold_tensor_init(&a, c->element, x, 1, &shape);
  (void)bitfold_tensor_init(&b, c->element, y, 1, &shape);
  (void)bitfold_tensor_init(&out, c->output, result, 0, NULL);
  return bitfold_reduce(c, &a, y ? &b : NULL, NULL, &out, NULL, NULL) != BITFOLD_STATUS_OK;
}

/* Reveals into *found, whose texts live until the next call. */
static void reveal(const bitfold_box *box, bitfold_revelation *found) {
  static void *room;
  bitfold_message message;
  free(room);
  room = malloc(bitfold_reveal_bytes(box));
  assert_non_null(room);
  if (bitfold_reveal(box, room, bitfold_reveal_bytes(box), found, &message)) fail_msg("%s", message.text);
}

static void reveal_contract(const char *text, size_t n, bitfold_revelation *found) {
  bitfold_contract c;
  assert_int_equal(bitfold_contract_parse(text, &c, NULL), BITFOLD_STATUS_OK);
  reveal(&(bitfold_box){by_contract, &c, c.operation, c.element, c.output, n, 16, n, 0}, found);
}

static void reveal_floats(bitfold_box_function call, void *context, size_t n, bitfold_revelation *found) {
  reveal(&(bitfold_box){call, context, BITFOLD_OPERATION_SUM, BITFOLD_FORMAT_F32, BITFOLD_FORMAT_NONE, n, 0, n, 0}, found);
}

/* ---- Contracts ---- */

static void test_contracts_are_found(void **state) {
  static const char *const texts[] = {"sum:f32:exact",
                                      "sum:f32:sequential",
                                      "sum:f32:lanes(4,fold=left)",
                                      "sum:f32:lanes(8,fold=pairs,tail=after)",
                                      "sum:f32:canonical(16)",
                                      "sum:f32:pairwise(32,lanes(8,fold=pairs,tail=after))",
                                      "sum:f32:blocks(70,lanes(4,fold=left))",
                                      "sum:f32:acc=f64:sequential",
                                      "sum:f64:canonical(3):out=f32",
                                      "sum:f16:acc=f16:lanes(4,fold=left)",
                                      "sum:f16:acc=f32:sequential",
                                      "sum:bf16:acc=f32:lanes(8,fold=halves)",
                                      "sum:bf16:acc=bf16:canonical(4)",
                                      "mean:f32:lanes(4,fold=left)",
                                      "dot:f64:reverse",
                                      "dot:f32:sequential:fma",
                                      "sum:f32:lanes(4,fold=left):ftz",
                                      "sum:f16:acc=f16:reverse:ftz",
                                      "dot:f32:lanes(4,fold=left)",
                                      "dot:f16:acc=f16:sequential"};
  (void)state;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    bitfold_revelation found;
    reveal_contract(texts[i], 155, &found);
    assert_int_equal(found.finding, BITFOLD_FINDING_CONTRACT);
    assert_string_equal(found.contract, texts[i]);
    assert_int_equal(found.agreed, 16);
    assert_true(found.probes < 155 + 200);
  }
}

static void test_the_usual_word_of_several(void **state) {
  static const struct {
    const char *text, *found;
    size_t n;
  } cases[] = {{"sum:f32:lanes(4,fold=left)", "sum:f32:exact", 1},
               {"sum:f32:lanes(4,fold=left)", "sum:f32:exact", 2},
               {"sum:f32:lanes(4,fold=left)", "sum:f32:sequential", 4},
               {"sum:f32:helia", "sum:f32:lanes(4,fold=left)", 100},
               {"sum:f32:pairwise(128,sequential)", "sum:f32:sequential", 128},
               {"sum:f16:acc=f64:reverse", "sum:f16:exact", 50}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bitfold_revelation found;
    reveal_contract(cases[i].text, cases[i].n, &found);
    assert_string_equal(found.contract, cases[i].found);
    assert_int_equal(found.finding, BITFOLD_FINDING_CONTRACT);
  }
  bitfold_revelation found;
  reveal_contract("sum:f32:helia", 100, &found);
  assert_string_equal(found.other[0], "sum:f32:helia");
}

static void test_every_short_length(void **state) {
  static const char *const texts[] = {"sum:f32:sequential", "sum:f32:lanes(8,fold=pairs,tail=after)", "sum:f32:canonical(4)"};
  (void)state;
  for (size_t n = 1; n <= 40; n++)
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
      bitfold_revelation found;
      reveal_contract(texts[i], n, &found);
      assert_int_equal(found.finding, BITFOLD_FINDING_CONTRACT);
      assert_null(strstr(found.contract, "tree"));
    }
}

/* ---- Trees ---- */
/* A box that adds as a text of a tree says, in plain floats; a node of more than two operands is exact, or cuts. */
struct written {
  const char *text, *at;
  const float *x;
  int cuts;
};
static float work_out(struct written *w) {
  float operand[8], most = 0;
  double exact = 0;
  int count = 0;
  char *end;
  const unsigned long leaf = strtoul(w->at, &end, 10);
  if (*w->at != '(') return w->at = end, w->x[leaf];
  do {
    w->at++;
    operand[count++] = work_out(w);
  } while (*w->at == '+');
  w->at++;
  if (count == 2) return operand[0] + operand[1];
  for (int i = 0; i < count; i++) most = fmaxf(most, fabsf(operand[i]));
  const double unit = most > 0 ? ldexp(1, ilogbf(most) - 24) : 1;
  for (int i = 0; i < count; i++) exact += w->cuts ? trunc((double)operand[i] / unit) * unit : (double)operand[i];
  return (float)exact; /* which double holds, as long as the rows of the test do not ask for more */
}
static int by_text(void *context, const void *x, const void *y, size_t n, void *result) {
  struct written *w = context;
  (void)y, (void)n;
  w->at = w->text, w->x = x;
  const float sum = work_out(w) + 0.0F;
  memcpy(result, &sum, sizeof sum);
  return 0;
}

static void test_trees_without_a_word(void **state) {
  static const char *const texts[] = {"((0+2)+1)", "((0+3)+(1+2))", "((((5+6)+(2+3))+((0+4)+7))+1)",
                                      "(((((((8+1)+0)+(3+4))+7)+2)+5)+6)"};
  static const char *const written[] = {"((0+2)+1)", "((0+3)+(1+2))", "((((2+3)+(5+6))+((0+4)+7))+1)",
                                        "(((((((1+8)+0)+(3+4))+7)+2)+5)+6)"};
  (void)state;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct written w = {texts[i], texts[i], NULL, 0};
    bitfold_revelation found;
    size_t n = 1;
    for (const char *c = texts[i]; *c; c++) n += *c == '+';
    reveal_floats(by_text, &w, n, &found);
    assert_int_equal(found.finding, BITFOLD_FINDING_CONTRACT);
    assert_int_equal(found.agreed, found.trials);
    assert_string_equal(found.tree, written[i]);
    assert_true(i < 2 || strstr(found.contract, found.tree)); /* ((0+2)+1) is lanes(2) */
    assert_int_equal(found.accumulator_bits, 24);
    assert_int_equal(found.rounding, BITFOLD_ROUNDING_NEAREST);
  }
}

static void test_nodes_of_many_operands(void **state) {
  bitfold_revelation found;
  (void)state;
  reveal_contract("sum:f32:tree(\"((((0+1+2)+(3+4+5+6))+7)+(8+9+(10+11)+12))\")", 13, &found);
  assert_string_equal(found.tree, "((((3+4+5+6)+(0+1+2))+7)+((10+11)+8+9+12))");
  assert_int_equal(found.finding, BITFOLD_FINDING_CONTRACT);
  struct written w = {"((0+1+2+3)+(4+5+6+7))", NULL, NULL, 1};
  reveal_floats(by_text, &w, 8, &found);
  assert_int_equal(found.finding, BITFOLD_FINDING_ORDER);
  assert_string_equal(found.tree, w.text);
  assert_non_null(strstr(found.message.text, "cut off"));
}

/* ---- Boxes of another kind ---- */

enum kind {
  NAN_ALWAYS,
  CONSTANT,
  LARGEST,
  RESTLESS,
  KAHAN,
  NEUMAIER,
  SORTED,
  FLUSHING,
  SATURATING,
  TOWARD_ZERO,
  FUSED,
  STARTS,
  STOPS
};

static int ascending(const void *a, const void *b) {
  const float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}
static float cut(double x) { /* to a float, toward zero */
  const float near = (float)x;
  return fabs((double)near) > fabs(x) ? nextafterf(near, 0) : near;
}
static float step(enum kind kind, float sum, float x, float y) {
  if (kind == FUSED) return fmaf(x, y, sum);
  if (kind == TOWARD_ZERO) return cut((double)sum + (double)x);
  const float next = sum + x;
  if (kind == SATURATING && isinf(next)) return next > 0 ? 0x1.fffffep127F : -0x1.fffffep127F;
  return kind == FLUSHING && fabsf(next) < 0x1p-126F ? 0 * next : next;
}
static float compensated(enum kind kind, const float *x, size_t n) {
  volatile float sum = 0, rest = 0; /* in float, whatever the compiler would rather do */
  for (size_t i = 0; i < n; i++) {
    const volatile float term = kind == KAHAN ? x[i] - rest : x[i], next = sum + term;
    const volatile float lost = kind == KAHAN               ? (next - sum) - term
                                : fabsf(sum) >= fabsf(term) ? (sum - next) + term
                                                            : (term - next) + sum;
    rest = kind == KAHAN ? lost : rest + lost;
    sum = next;
  }
  return kind == KAHAN ? sum : sum + rest;
}
static int odd_box(void *context, const void *x, const void *y, size_t n, void *result) {
  static unsigned calls;
  const enum kind kind = *(const enum kind *)context;
  float row[300], sum = kind == NAN_ALWAYS ? NAN : kind == STARTS ? 5 : 0, largest = -INFINITY;
  memcpy(row, x, n * sizeof *row);
  if (kind == SORTED) qsort(row, n, sizeof *row, ascending);
  if (kind == RESTLESS && ++calls % 7 == 0) row[n / 2] *= 1.0F + 0x1p-12F;
  for (size_t i = 0; i < n; i++) largest = fmaxf(largest, row[i]), sum = step(kind, sum, row[i], y ? ((const float *)y)[i] : 1);
  if (kind == KAHAN || kind == NEUMAIER) sum = compensated(kind, row, n);
  if (kind == CONSTANT || kind == LARGEST) sum = kind == CONSTANT ? 0 : largest;
  memcpy(result, &sum, sizeof sum);
  return kind == STOPS;
}

static void look_at(enum kind kind, bitfold_finding finding, const char *says, bitfold_revelation *found) {
  const bitfold_operation operation = kind == FUSED ? BITFOLD_OPERATION_DOT : BITFOLD_OPERATION_SUM;
  reveal(&(bitfold_box){odd_box, &kind, operation, BITFOLD_FORMAT_F32, BITFOLD_FORMAT_F32, 60, 0, 1, 0}, found);
  if (found->finding != finding || !strstr(found->message.text, says))
    fail_msg("%d: finding %d: %s", kind, found->finding, found->message.text);
}

static void test_what_is_no_plain_sum(void **state) {
  bitfold_revelation found;
  (void)state;
  look_at(NAN_ALWAYS, BITFOLD_FINDING_NO_SUM, "NaN", &found);
  look_at(CONSTANT, BITFOLD_FINDING_NO_SUM, "does not add", &found);
  look_at(LARGEST, BITFOLD_FINDING_NO_SUM, "does not add", &found);
  look_at(STARTS, BITFOLD_FINDING_NO_SUM, "60 zeros", &found);
  look_at(RESTLESS, BITFOLD_FINDING_UNSTABLE, "not deterministic", &found);
  look_at(KAHAN, BITFOLD_FINDING_VALUES, "compensated", &found);
  look_at(NEUMAIER, BITFOLD_FINDING_FREE, "no order shows", &found);
  look_at(SORTED, BITFOLD_FINDING_VALUES, "sorted", &found);
  look_at(FLUSHING, BITFOLD_FINDING_ORDER, "subnormal numbers become 0", &found);
  assert_true(found.flushes);
  look_at(SATURATING, BITFOLD_FINDING_ORDER, "sum:f32:sequential, nearly", &found);
  assert_true(found.saturates && !found.flushes);
  look_at(TOWARD_ZERO, BITFOLD_FINDING_ORDER, "round toward zero", &found);
  assert_int_equal(found.accumulator_bits, 24);
  assert_int_equal(found.rounding, BITFOLD_ROUNDING_ZERO);
  look_at(FUSED, BITFOLD_FINDING_CONTRACT, "dot:f32:sequential:fma: 100 of 100", &found);
  assert_int_equal(found.fused, 1);
}

static void test_refusals(void **state) {
  enum kind kind = STOPS;
  bitfold_box box = {odd_box, &kind, BITFOLD_OPERATION_SUM, BITFOLD_FORMAT_F32, BITFOLD_FORMAT_F32, 8, 0, 1, 0};
  bitfold_revelation found = {.finding = BITFOLD_FINDING_NONE};
  bitfold_message message;
  void *room = malloc(bitfold_reveal_bytes(&box));
  (void)state;
  assert_int_equal(bitfold_reveal(&box, room, bitfold_reveal_bytes(&box), &found, &message), BITFOLD_STATUS_STOPPED);
  assert_int_equal(bitfold_reveal(&box, room, bitfold_reveal_bytes(&box) - 1, &found, &message), BITFOLD_STATUS_BYTES);
  assert_int_equal(bitfold_reveal(&box, NULL, 1 << 20, &found, NULL), BITFOLD_STATUS_NULL);
  box.n = 0;
  assert_int_equal(bitfold_reveal_bytes(&box), 0);
  assert_int_equal(bitfold_reveal(&box, room, 1 << 20, &found, &message), BITFOLD_STATUS_SHAPE);
  box.n = 8, box.operation = BITFOLD_OPERATION_MAX;
  assert_int_equal(bitfold_reveal(&box, room, 1 << 20, &found, &message), BITFOLD_STATUS_CONTRACT);
  box.operation = BITFOLD_OPERATION_SUM, box.element = BITFOLD_FORMAT_I8;
  assert_int_equal(bitfold_reveal(&box, room, 1 << 20, &found, &message), BITFOLD_STATUS_CONTRACT);
  free(room);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_contracts_are_found),
      cmocka_unit_test(test_the_usual_word_of_several),
      cmocka_unit_test(test_every_short_length),
      cmocka_unit_test(test_trees_without_a_word),
      cmocka_unit_test(test_nodes_of_many_operands),
      cmocka_unit_test(test_what_is_no_plain_sum),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
