/* SPDX-License-Identifier: Apache-2.0 */
/* Every contract under every rounding mode, flush-to-zero and denormals-are-zero state: default bits, control state left as found.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include <bitfold/bitfold.h>

#include "contracts.h"
#include "hostile.h"

enum { LONGEST = 160 };

static uint64_t seed = 20240607;
static unsigned long rows = 110;

/* ---- The control state: `state_set`, `state_get`, the states to visit, and which of their bits are cumulative flags. ---- */
#if defined(__x86_64__) || defined(__SSE2__)
#include <fenv.h>
#include <xmmintrin.h>
static const unsigned flags = 0x3f;
static unsigned state_get(void) { return _mm_getcsr(); }
static unsigned state_number(unsigned i) { return 0x1f80u | (i & 3) << 13 | (i >> 2 & 1) << 15 | (i >> 3 & 1) << 6; }
static void state_set(unsigned state) {
  static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
  fesetround(modes[state >> 13 & 3]); /* the x87 unit too */
  _mm_setcsr(state);
}
#elif defined(__aarch64__)
static const unsigned flags = 0; /* they live in FPSR, see flags_get */
static unsigned state_get(void) {
  uint64_t state;
  __asm__ volatile("mrs %0, fpcr" : "=r"(state));
  return (unsigned)state;
}
static unsigned state_number(unsigned i) { return (i & 3) << 22 | (i >> 2 & 1) << 24 | (i >> 3 & 1) << 25; }
static void state_set(unsigned state) { __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)state) : "memory"); }
#else
#include <fenv.h>
static const unsigned flags = 0;
static const int modes[] = {
    FE_TONEAREST,
#ifdef FE_DOWNWARD
    FE_DOWNWARD,
#endif
#ifdef FE_UPWARD
    FE_UPWARD,
#endif
#ifdef FE_TOWARDZERO
    FE_TOWARDZERO,
#endif
};
static unsigned state_get(void) { return (unsigned)fegetround(); }
static unsigned state_number(unsigned i) { return (unsigned)modes[i % (sizeof modes / sizeof modes[0])]; }
static void state_set(unsigned state) { fesetround((int)state); }
#endif

#ifdef __aarch64__
static uint64_t flags_get(void) {
  uint64_t state;
  __asm__ volatile("mrs %0, fpsr" : "=r"(state));
  return state & 0x9f;
}
#else
static uint64_t flags_get(void) { return state_get() & flags; }
#endif

/* ---- The data ---- */
static uint64_t xs[LONGEST], ys[LONGEST], first[LONGEST], second[LONGEST];

static void fill(bitfold_format format, unsigned kind, size_t n, uint64_t *state, uint64_t *patterns, void *to) {
  static const shape floats[] = {{16, 10}, {16, 7}, {32, 23}, {64, 52}};
  size_t size = bitfold_format_size(format);
  if (format <= BITFOLD_FORMAT_F64) {
    hostile_row(floats[format - BITFOLD_FORMAT_F16], kind, n, state, patterns);
    hostile_store(patterns, n, size, to);
    return;
  }
  unsigned bits = format <= BITFOLD_FORMAT_I64 ? (unsigned)size * 8 : (unsigned)(format - BITFOLD_FORMAT_SF2) + 2;
  for (size_t i = 0; i < n; i++) {
    int64_t code = (int64_t)((hostile_next(state) >> (64 - bits)) - (UINT64_C(1) << (bits - 1)));
    if (size == 1) ((int8_t *)to)[i] = (int8_t)code;
    else if (size == 2) ((int16_t *)to)[i] = (int16_t)code;
    else if (size == 4) ((int32_t *)to)[i] = (int32_t)code;
    else ((int64_t *)to)[i] = code;
  }
}

typedef struct answer {
  uint64_t bits, clamped, nan, overflowed;
} answer;

static answer reduce(const bitfold_contract *contract, size_t n) {
  answer a = {0, 0, 0, 0};
  int64_t extent = (int64_t)n;
  bitfold_tensor x, y, to;
  bitfold_report report;
  bitfold_status status = bitfold_tensor_init(&x, contract->element, first, 1, &extent);
  status |= bitfold_tensor_init(&y, contract->element, second, 1, &extent);
  status |= bitfold_tensor_init(&to, contract->output, &a.bits, 0, NULL);
  const bitfold_tensor *other = contract->operation == BITFOLD_OPERATION_DOT ? &y : NULL;
  status |= bitfold_reduce(contract, &x, other, NULL, &to, NULL, &report);
  if (status == BITFOLD_STATUS_OK) a.clamped = report.clamped, a.nan = report.nan, a.overflowed = report.overflowed;
  else a.clamped = UINT64_MAX;
  return a;
}

/* The partial's bits in two adds; sums of a row that no partial takes are not asked for. */
static uint64_t by_partial(const bitfold_contract *contract, size_t n) {
  bitfold_partial part;
  uint64_t out = 0;
  size_t size = bitfold_format_size(contract->element), half = n / 2;
  const unsigned char *x = (const unsigned char *)first, *y = contract->operation == BITFOLD_OPERATION_DOT ? (void *)second : NULL;
  if (bitfold_partial_init(&part, contract, n, 0, NULL)) return 0;
  if (bitfold_partial_add(&part, x, y, half, NULL)) return 1;
  if (bitfold_partial_add(&part, x + half * size, y ? y + half * size : NULL, n - half, NULL)) return 2;
  return bitfold_partial_finish(&part, &out, NULL) ? 3 : out;
}

static int selects(const bitfold_contract *contract) { return contract->operation >= BITFOLD_OPERATION_MAX; }

static void compare(const char *text, const bitfold_contract *contract, size_t n, unsigned number, answer want,
                    uint64_t wanted_partial) {
  unsigned state = state_number(number);
  state_set(state);
  uint64_t raised = flags_get();
  answer got = reduce(contract, n);
  unsigned left = state_get();
  uint64_t raised_after = flags_get();
  uint64_t partial = by_partial(contract, n);
  unsigned left_by_partial = state_get();
  state_set(state_number(0));
  if ((left & ~flags) != (state & ~flags) || (left_by_partial & ~flags) != (state & ~flags))
    fail_msg("%s changed the control state %x to %x (a partial: %x)", text, state, left, left_by_partial);
  if (selects(contract) && raised != raised_after) fail_msg("%s raised flags: %x", text, (unsigned)raised_after);
  if (got.bits != want.bits || got.clamped != want.clamped || got.nan != want.nan || got.overflowed != want.overflowed)
    fail_msg("%s n=%zu under %x: got %llx, by default %llx", text, n, state, (unsigned long long)got.bits,
             (unsigned long long)want.bits);
  if (partial != wanted_partial) fail_msg("%s n=%zu under %x: a partial gave %llx", text, n, state, (unsigned long long)partial);
}

static void test_every_state(void **unused) {
  (void)unused;
  uint64_t random = seed;
  for (unsigned i = 0; i < CONTRACTS; i++) {
    bitfold_contract contract;
    assert_int_equal(bitfold_contract_parse(contracts[i], &contract, NULL), BITFOLD_STATUS_OK);
    for (unsigned long row = 0; row < rows; row++) {
      size_t n = 1 + (hostile_next(&random) >> 33) % (row % 4 ? 20 : LONGEST - 1);
      fill(contract.element, (unsigned)(row % HOSTILE_KINDS), n, &random, xs, first);
      fill(contract.element, (unsigned)((row + 3) % HOSTILE_KINDS), n, &random, ys, second);
      answer want = reduce(&contract, n);
      assert_true(want.clamped != UINT64_MAX);
      uint64_t partial = by_partial(&contract, n);
      for (unsigned number = 0; number < 16; number++) compare(contracts[i], &contract, n, number, want, partial);
    }
  }
}

/* 64 times 2^-140 is 2^-134: a machine that flushes anything gives 0. */
static void test_subnormals_are_kept(void **unused) {
  (void)unused;
  static float x[64];
  float y;
  uint32_t bits;
  for (size_t i = 0; i < 64; i++) hostile_store(&(uint64_t){0x200}, 1, 4, &x[i]);
  for (unsigned number = 0; number < 16; number++) {
    state_set(state_number(number));
    bitfold_status status = bitfold_sum_f32(x, 64, NULL, &y);
    state_set(state_number(0));
    assert_int_equal(status, BITFOLD_STATUS_OK);
    bits = (uint32_t)hostile_load(&y, 4);
    assert_int_equal(bits, 0x8000);
  }
}

/* So do the products of the rule float32, element by element and as a trace. */
static void test_codes_in_float32(void **unused) {
  (void)unused;
  static int16_t x[LONGEST], y[LONGEST], want[2][LONGEST], got[2][LONGEST];
  const bitfold_rule *rule = bitfold_rule_named("float32");
  const int64_t extent = LONGEST;
  uint64_t random = seed, wanted = 0, clamped = 0;
  bitfold_tensor a, b, to;
  fill(BITFOLD_FORMAT_SF16, 0, LONGEST, &random, xs, x);
  fill(BITFOLD_FORMAT_SF16, 0, LONGEST, &random, xs, y);
  assert_int_equal(bitfold_tensor_init(&a, BITFOLD_FORMAT_SF16, x, 1, &extent), BITFOLD_STATUS_OK);
  assert_int_equal(bitfold_tensor_init(&b, BITFOLD_FORMAT_SF16, y, 1, &extent), BITFOLD_STATUS_OK);
  for (unsigned number = 0; number < 16; number++) {
    assert_int_equal(bitfold_tensor_init(&to, BITFOLD_FORMAT_SF16, number ? got[0] : want[0], 1, &extent), BITFOLD_STATUS_OK);
    state_set(state_number(number));
    bitfold_status status = bitfold_map_codes(BITFOLD_ELEMENTWISE_MULTIPLY, rule, &a, &b, &to, number ? &clamped : &wanted, NULL);
    status |= bitfold_trace_codes(rule, BITFOLD_FORMAT_SF16, x, y, LONGEST, number ? got[1] : want[1], NULL);
    unsigned left = state_get();
    state_set(state_number(0));
    assert_int_equal(status, BITFOLD_STATUS_OK);
    assert_int_equal(left & ~flags, state_number(number) & ~flags);
    if (number) assert_memory_equal(got, want, sizeof want);
    assert_true(!number || clamped == wanted);
  }
}

/* Conversions round to nearest under every state. */
static void test_conversions(void **unused) {
  (void)unused;
  static uint64_t want[LONGEST], got[LONGEST];
  uint64_t random = seed;
  for (unsigned kind = 0; kind < HOSTILE_KINDS; kind++) {
    for (int to = BITFOLD_FORMAT_F16; to <= BITFOLD_FORMAT_F64; to++) {
      fill(BITFOLD_FORMAT_F64, kind, LONGEST, &random, xs, first);
      assert_int_equal(bitfold_convert(BITFOLD_FORMAT_F64, first, (bitfold_format)to, want, LONGEST, NULL), BITFOLD_STATUS_OK);
      for (unsigned number = 0; number < 16; number++) {
        state_set(state_number(number));
        bitfold_status status = bitfold_convert(BITFOLD_FORMAT_F64, first, (bitfold_format)to, got, LONGEST, NULL);
        unsigned left = state_get();
        state_set(state_number(0));
        assert_int_equal(status, BITFOLD_STATUS_OK);
        assert_int_equal(left & ~flags, state_number(number) & ~flags);
        assert_memory_equal(got, want, LONGEST * bitfold_format_size((bitfold_format)to));
      }
    }
  }
}

int main(int count, char **arguments) {
  if (count > 1) rows = HOSTILE_KINDS + strtoul(arguments[1], NULL, 10) / 10000; /* a row is reduced 32 times under 122 contracts */
  if (count > 2) seed = strtoull(arguments[2], NULL, 10);
  printf("environment: %lu rows a contract, seed %llu\n", rows, (unsigned long long)seed);
  state_set(state_number(0));
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_state), cmocka_unit_test(test_subnormals_are_kept),
                                     cmocka_unit_test(test_codes_in_float32), cmocka_unit_test(test_conversions)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
