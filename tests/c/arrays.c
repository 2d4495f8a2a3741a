/* SPDX-License-Identifier: Apache-2.0 */
/* SuperFloat arrays in C: the rule sf element by element, other byte orders, exact room, device words, and what errors leave alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <bitfold/bitfold.h>

#include "hostile.h"

enum { LENGTHS = 300 };

static int64_t limited(int64_t k, int64_t top) { return k > top ? top : k < -top ? -top : k; }

/* The rule sf, written as a sentence: a start of 0, each term added and clamped. */
static int64_t wanted(bitfold_elementwise operation, int bits, int64_t x, int64_t y, uint64_t *clamped) {
  const int64_t top = (INT64_C(1) << (bits - 1)) - 1, unit = top + 1;
  int64_t terms[2] = {x, 0};
  if (operation == BITFOLD_ELEMENTWISE_ADD) terms[1] = y;
  if (operation == BITFOLD_ELEMENTWISE_SUBTRACT) terms[1] = -y;
  if (operation == BITFOLD_ELEMENTWISE_MULTIPLY) terms[0] = x * y / unit; /* a division drops the fraction */
  if (operation == BITFOLD_ELEMENTWISE_NEGATIVE) terms[0] = -x;
  if (operation == BITFOLD_ELEMENTWISE_ABSOLUTE) terms[0] = llabs(x);
  int64_t first = limited(terms[0], top), second = limited(first + terms[1], top);
  *clamped += first != terms[0] || second != first + terms[1];
  return second;
}

static int is_unary(int operation) { return operation >= BITFOLD_ELEMENTWISE_NEGATIVE; }

/* Codes in memory of exactly their size, so that a step beyond it is found by valgrind and the sanitizers. */
static unsigned char *elements(size_t n, int size) {
  unsigned char *room = malloc(n * (size_t)size + (n == 0));
  assert_non_null(room);
  return room;
}
static int64_t load(const unsigned char *x, int size, int swapped) {
  unsigned char two[2] = {x[0], 0};
  int16_t wide;
  if (size == 1) return (int8_t)x[0];
  two[swapped] = x[0], two[!swapped] = x[1];
  return memcpy(&wide, two, 2), wide;
}
static void store(unsigned char *x, int size, int swapped, int64_t code) {
  int16_t wide = (int16_t)code;
  unsigned char two[2];
  memcpy(two, &wide, 2);
  if (size == 1) *x = (unsigned char)(int8_t)code;
  else x[0] = two[swapped], x[1] = two[!swapped];
}

static void compare(bitfold_format format, int operation, size_t n, int swapped, uint64_t *random) {
  const int size = (int)bitfold_format_size(format), bits = (int)(format - BITFOLD_FORMAT_SF2) + 2;
  const int64_t unit = INT64_C(1) << (bits - 1), extent = (int64_t)n;
  unsigned char *x = elements(n, size), *y = elements(n, size), *out = elements(n, size);
  uint64_t clamped = 99, events = 0;
  bitfold_tensor a, b, to;
  for (size_t i = 0; i < n; i++) {
    store(x + i * (size_t)size, size, swapped & 1, (int64_t)(hostile_next(random) % (uint64_t)(2 * unit)) - unit);
    store(y + i * (size_t)size, size, swapped >> 1 & 1, (int64_t)(hostile_next(random) % (uint64_t)(2 * unit)) - unit);
  }
  assert_int_equal(bitfold_tensor_init(&a, format, x, 1, &extent), BITFOLD_STATUS_OK);
  assert_int_equal(bitfold_tensor_init(&b, format, y, 1, &extent), BITFOLD_STATUS_OK);
  assert_int_equal(bitfold_tensor_init(&to, format, out, 1, &extent), BITFOLD_STATUS_OK);
  a.swapped = swapped & 1, b.swapped = swapped >> 1 & 1, to.swapped = swapped >> 2;
  assert_int_equal(bitfold_map_codes((bitfold_elementwise)operation, bitfold_rule_named("sf"), &a, is_unary(operation) ? NULL : &b,
                                     &to, &clamped, NULL),
                   BITFOLD_STATUS_OK);
  for (size_t i = 0; i < n; i++) {
    int64_t left = load(x + i * (size_t)size, size, a.swapped), right = load(y + i * (size_t)size, size, b.swapped);
    assert_int_equal(load(out + i * (size_t)size, size, to.swapped),
                     wanted((bitfold_elementwise)operation, bits, left, right, &events));
  }
  assert_int_equal(clamped, events);
  free(x), free(y), free(out);
}

static void test_every_operation(void **unused) {
  (void)unused;
  uint64_t random = 7;
  for (int format = BITFOLD_FORMAT_SF2; format <= BITFOLD_FORMAT_SF16; format++)
    for (int operation = 0; operation <= BITFOLD_ELEMENTWISE_ABSOLUTE; operation++)
      for (size_t n = 0; n < LENGTHS; n += n < 20 ? 1 : 31)
        for (int swapped = 0; swapped < 8; swapped++) compare((bitfold_format)format, operation, n, swapped, &random);
}

/* Every code of every width as every word, and back. */
static void test_words(void **unused) {
  (void)unused;
  for (int format = BITFOLD_FORMAT_SF2; format <= BITFOLD_FORMAT_SF16; format++) {
    const int size = (int)bitfold_format_size((bitfold_format)format), bits = format - BITFOLD_FORMAT_SF2 + 2;
    const int64_t unit = INT64_C(1) << (bits - 1);
    unsigned char *code = elements(1, size);
    for (int64_t k = -unit; k < unit; k++) {
      int signs = k != -unit;
      store(code, size, 0, k);
      assert_int_equal(bitfold_words_from_codes(BITFOLD_ENCODING_SIGN_MAGNITUDE, (bitfold_format)format, code, code, 1),
                       signs ? BITFOLD_STATUS_OK : BITFOLD_STATUS_VALUE);
      assert_int_equal(load(code, size, 0) & (2 * unit - 1), !signs || k >= 0 ? k & (2 * unit - 1) : unit - k);
      if (signs)
        assert_int_equal(bitfold_codes_from_words(BITFOLD_ENCODING_SIGN_MAGNITUDE, (bitfold_format)format, code, code, 1),
                         BITFOLD_STATUS_OK);
      assert_int_equal(load(code, size, 0), k);
      assert_int_equal(bitfold_words_from_codes(BITFOLD_ENCODING_TWOS_COMPLEMENT, (bitfold_format)format, code, code, 1),
                       BITFOLD_STATUS_OK);
      assert_int_equal(load(code, size, 0) & ((INT64_C(1) << 8 * size) - 1), k & (2 * unit - 1));
      assert_int_equal(bitfold_codes_from_words(BITFOLD_ENCODING_TWOS_COMPLEMENT, (bitfold_format)format, code, code, 1),
                       BITFOLD_STATUS_OK);
      assert_int_equal(load(code, size, 0), k);
    }
    free(code);
  }
}

/* Traces, counts and packed codes in memory of exactly their size. */
static void test_exact_room(void **unused) {
  (void)unused;
  const bitfold_rule *sf = bitfold_rule_named("sf");
  for (size_t n = 0; n < LENGTHS; n += n < 20 ? 1 : 31) {
    unsigned char *x = elements(n, 1), *packed = elements((n + 1) / 2, 1);
    int16_t *code = (int16_t *)(void *)elements(n, 2), last;
    int64_t extent = (int64_t)n, vanished = -1;
    uint64_t clamped, event;
    bitfold_tensor a, to;
    for (size_t i = 0; i < n; i++) store(x + i, 1, 0, (int64_t)(i * 5 % 15) - 7);
    assert_int_equal(bitfold_trace_codes(sf, BITFOLD_FORMAT_SF4, x, x, n, code, &clamped), BITFOLD_STATUS_OK);
    assert_int_equal(bitfold_sum_codes(sf, BITFOLD_FORMAT_SF4, x, x, n, &last, &event), BITFOLD_STATUS_OK);
    assert_int_equal(n ? code[n - 1] : 0, last);
    assert_true(clamped >= event && clamped <= n);
    assert_int_equal(bitfold_tensor_init(&a, BITFOLD_FORMAT_SF4, x, 1, &extent), BITFOLD_STATUS_OK);
    assert_int_equal(bitfold_tensor_init(&to, BITFOLD_FORMAT_I64, &vanished, 0, NULL), BITFOLD_STATUS_OK);
    assert_int_equal(bitfold_vanished_codes(sf, &a, &a, NULL, &to, NULL), BITFOLD_STATUS_OK);
    int64_t small = 0;
    for (size_t i = 0; i < n; i++) small += load(x + i, 1, 0) && llabs(load(x + i, 1, 0)) < 3; /* 2 * 2 < 8 */
    assert_int_equal(vanished, small);
    assert_int_equal(bitfold_pack_sf4((int8_t *)x, n, packed), BITFOLD_STATUS_OK);
    assert_int_equal(bitfold_unpack_sf4(packed, n, (int8_t *)code), BITFOLD_STATUS_OK);
    assert_memory_equal(code, x, n);
    free(x), free(packed), free(code);
  }
}

static void test_stray_codes_change_nothing(void **unused) {
  (void)unused;
  int8_t x[3] = {1, 2, 64}, out[3] = {9, 9, 9};
  const int64_t three = 3;
  uint64_t clamped = 99;
  bitfold_message message;
  bitfold_tensor a, to;
  assert_int_equal(bitfold_tensor_init(&a, BITFOLD_FORMAT_SF7, x, 1, &three), BITFOLD_STATUS_OK);
  assert_int_equal(bitfold_tensor_init(&to, BITFOLD_FORMAT_SF7, out, 1, &three), BITFOLD_STATUS_OK);
  assert_int_equal(bitfold_map_codes(BITFOLD_ELEMENTWISE_ADD, bitfold_rule_named("sf"), &a, &a, &to, &clamped, &message),
                   BITFOLD_STATUS_VALUE);
  assert_string_equal(message.text, "a code is beyond the width of sf7");
  assert_true(out[0] == 9 && out[1] == 9 && out[2] == 9 && clamped == 99);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_operation), cmocka_unit_test(test_words),
                                     cmocka_unit_test(test_exact_room), cmocka_unit_test(test_stray_codes_change_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
