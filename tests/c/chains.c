/* SPDX-License-Identifier: Apache-2.0 */
/* Clamping sums of codes against the plainest chain: every width, hostile rows, every length, short sequences exhaustively. */
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

enum { RULES = 8, KINDS = 8, LONGEST = 10000000 };

/* Rules on data-wide accumulators, and some of nobody's: narrower and wider than the data, with other roundings, and one that
 * wraps.
 */
static const bitfold_rule *rule_at(int i) {
  static const bitfold_rule own[] = {
      {"narrow", BITFOLD_PRODUCT_TOWARD_ZERO, 0, 5, BITFOLD_OVERFLOW_CLAMP, 0, 0, 0, BITFOLD_READOUT_FLOOR, 0},
      {"wide", BITFOLD_PRODUCT_FLOOR, 1, 16, BITFOLD_OVERFLOW_CLAMP, 0, 0, 0, BITFOLD_READOUT_FLOOR, 0},
      {"guarded", BITFOLD_PRODUCT_TOWARD_ZERO, 1, 17, BITFOLD_OVERFLOW_CLAMP, 1, 0, 0, BITFOLD_READOUT_FLOOR, 1},
      {"twelve", BITFOLD_PRODUCT_TOWARD_ZERO, 0, 12, BITFOLD_OVERFLOW_CLAMP, 1, 0, 0, BITFOLD_READOUT_FLOOR, 0},
      {"wraps", BITFOLD_PRODUCT_FLOOR, 0, 12, BITFOLD_OVERFLOW_WRAP, 1, 0, 0, BITFOLD_READOUT_FLOOR, 0}};
  static const char *const names[] = {"sf", "atreides-v1", "atreides-v2.1"};
  return i < 3 ? bitfold_rule_named(names[i]) : &own[i - 3];
}

/* The chain as a sentence: a term is added, and what passes an edge becomes the edge, or comes back at the other one. */
struct chain {
  const bitfold_rule *rule;
  int bits;
  long sum, low, high;
  uint64_t event;
};

static struct chain chain_of(const bitfold_rule *rule, int bits) {
  const int wide = rule->accumulator_bits == BITFOLD_BITS_DATA ? bits : rule->accumulator_bits;
  const long high = (1L << (wide - 1)) - 1;
  return (struct chain){rule, bits, 0, rule->full_range ? -high - 1 : -high, high, 0};
}

static void step(struct chain *chain, long x, const int *y) {
  const long unit = 1L << (chain->bits - 1);
  long term = x;
  if (y) {
    const long exact = x * *y, rest = ((exact % unit) + unit) % unit;
    term = chain->rule->product == BITFOLD_PRODUCT_FLOOR ? (exact - rest) / unit : exact / unit;
    if (chain->rule->minus_one_is_zero && (x == -unit || *y == -unit)) term = 0;
  }
  chain->sum += term;
  if (chain->rule->overflow == BITFOLD_OVERFLOW_WRAP) {
    const long size = chain->high - chain->low + 1, turns = (chain->sum - chain->low) % size;
    chain->sum = chain->low + (turns < 0 ? turns + size : turns);
  }
  if (chain->sum > chain->high) chain->sum = chain->high, chain->event = 1;
  if (chain->sum < chain->low) chain->sum = chain->low, chain->event = 1;
}

static long finish(struct chain *chain) {
  const long high = (1L << (chain->bits - 1)) - 1, low = chain->rule->readout_full_range ? -high - 1 : -high;
  if (chain->sum <= high && chain->sum >= low) return chain->sum;
  chain->event = 1;
  return chain->sum > high ? high : low;
}

/* Codes in memory of exactly their size, so that a step beyond it is found by valgrind and the sanitizers. */
struct codes {
  int bits;
  size_t n;
  void *data;
};
static struct codes codes_of(int bits, size_t n) {
  struct codes codes = {bits, n, malloc(n * (bits > 8 ? 2 : 1) + (n == 0))};
  assert_non_null(codes.data);
  return codes;
}
static int get(const struct codes *codes, size_t i) {
  return codes->bits > 8 ? ((const int16_t *)codes->data)[i] : ((const int8_t *)codes->data)[i];
}
static void put(const struct codes *codes, size_t i, int code) {
  if (codes->bits > 8) ((int16_t *)codes->data)[i] = (int16_t)code;
  else ((int8_t *)codes->data)[i] = (int8_t)code;
}
static bitfold_format format_of(int bits) { return (bitfold_format)(BITFOLD_FORMAT_SF2 + bits - 2); }

/* Quiet, any, at the top edge, at the bottom one, alternating, from edge to edge exactly, full range, -1.0 alone. */
static int code_of(int kind, int top, size_t i, uint64_t *seed) {
  const int any = (int)(hostile_next(seed) % (2 * (uint64_t)top + 1)) - top;
  switch (kind) {
  case 0: return any / (top / 2 + 1);
  case 1: return any;
  case 2: return any < -top / 2 ? any : abs(any);
  case 3: return any > top / 2 ? any : -abs(any);
  case 4: return i & 1 ? -top : top;
  case 5: return i == 0 ? -top : (i - 1) & 2 ? -top : top;
  case 6: return hostile_next(seed) & 3 ? any : -top - 1;
  default: return -top - 1;
  }
}
static struct codes row_of(int bits, int kind, size_t n, uint64_t *seed) {
  struct codes codes = codes_of(bits, n);
  for (size_t i = 0; i < n; i++) put(&codes, i, code_of(kind, (1 << (bits - 1)) - 1, i, seed));
  return codes;
}

static void fail_at(const struct chain *chain, size_t n, long want, int16_t code, uint64_t event) {
  fail_msg("%s sf%d, %zu terms: %d event %d, wanted %ld event %d", chain->rule->name, chain->bits, n, code, (int)event, want,
           (int)chain->event);
}

/* Every prefix of the row whose length the step divides, and the last one; y null in a sum. */
static void compare(const bitfold_rule *rule, const struct codes *x, const struct codes *y, size_t every) {
  struct chain chain = chain_of(rule, x->bits);
  for (size_t n = 0; n <= x->n; n++) {
    if (n % every == 0 || n == x->n) {
      struct chain now = chain;
      const long want = finish(&now);
      int16_t code = 0x5555;
      uint64_t event = 77;
      assert_int_equal(bitfold_sum_codes(rule, format_of(x->bits), x->data, y ? y->data : NULL, n, &code, &event),
                       BITFOLD_STATUS_OK);
      if (code != want || event != now.event) fail_at(&now, n, want, code, event);
    }
    if (n == x->n) break;
    const int b = y ? get(y, n) : 0;
    step(&chain, get(x, n), y ? &b : NULL);
  }
}

static void every_length(void **state) {
  (void)state;
  uint64_t seed = 1;
  for (int bits = 8; bits <= 16; bits += 4)
    for (int kind = 0; kind < KINDS; kind++) {
      const struct codes x = row_of(bits, kind, 2000, &seed), y = row_of(bits, (int)(seed >> 60) % KINDS, 2000, &seed);
      compare(rule_at(0), &x, NULL, 1);
      compare(rule_at(0), &x, &y, 1);
      free(x.data), free(y.data);
    }
}

static void every_width(void **state) {
  (void)state;
  uint64_t seed = 2;
  for (int rule = 0; rule < RULES; rule++)
    for (int bits = 2; bits <= 16; bits++)
      for (int kind = 0; kind < KINDS; kind++) {
        const struct codes x = row_of(bits, kind, 2049, &seed), y = row_of(bits, (int)(seed >> 60) % KINDS, 2049, &seed);
        compare(rule_at(rule), &x, NULL, 61);
        compare(rule_at(rule), &x, &y, 61);
        free(x.data), free(y.data);
      }
}

/* Rows that take every path of groups and blocks; and one of ten million. */
static void long_rows(void **state) {
  (void)state;
  static const size_t lengths[] = {4095, 4096, 4097, 8191, 8192, 12345, 65537, 1048575};
  uint64_t seed = 3;
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
    for (int bits = 8; bits <= 16; bits += 8)
      for (int kind = 0; kind < KINDS - 1; kind++) {
        const struct codes x = row_of(bits, kind, lengths[i], &seed), y = row_of(bits, 1, lengths[i], &seed);
        compare(rule_at(0), &x, NULL, lengths[i]);
        if (lengths[i] < 20000) compare(rule_at(kind % 3), &x, &y, lengths[i]);
        free(x.data), free(y.data);
      }
  const struct codes x = row_of(16, 1, LONGEST, &seed);
  compare(rule_at(0), &x, NULL, LONGEST);
  free(x.data);
}

/*
 * A row of 64 terms is eight segments of eight. All sequences of a width's codes lie in one of them, from every accumulator that
 * the first code can make, and with another term behind it.
 */
static void every_sequence_of(const bitfold_rule *rule, int bits, size_t length) {
  const int low = -(1 << (bits - 1)), count = -2 * low;
  const struct codes x = codes_of(bits, 64);
  long sequences = 1;
  for (size_t i = 0; i < length; i++) sequences *= count;
  for (size_t i = 0; i < 64; i++) put(&x, i, 0);
  for (long sequence = 0; sequence < sequences * count; sequence++) {
    const size_t segment = 8 * (1 + (size_t)sequence % 6);
    long rest = sequence / count;
    struct chain chain = chain_of(rule, bits);
    put(&x, 0, (int)(sequence % count) + low);
    put(&x, 63, (int)(sequence % 3) - 1);
    for (size_t i = 0; i < length; i++, rest /= count) put(&x, segment + i, (int)(rest % count) + low);
    for (size_t i = 0; i < 64; i++) step(&chain, get(&x, i), NULL);
    const long want = finish(&chain);
    int16_t code;
    uint64_t event;
    assert_int_equal(bitfold_sum_codes(rule, format_of(bits), x.data, NULL, 64, &code, &event), BITFOLD_STATUS_OK);
    if (code != want || event != chain.event) fail_at(&chain, 64, want, code, event);
    for (size_t i = 0; i < length; i++) put(&x, segment + i, 0);
  }
  free(x.data);
}
static void every_sequence(void **state) {
  (void)state;
  for (int rule = 0; rule < 3; rule++) {
    every_sequence_of(rule_at(rule), 2, 8);
    every_sequence_of(rule_at(rule), 3, 5);
    every_sequence_of(rule_at(rule), 4, 3);
  }
}

/* A sum that comes to an edge at one place, exactly or by one unit too many. */
static void one_event_anywhere(void **state) {
  (void)state;
  for (int bits = 7; bits <= 16; bits += 3)
    for (size_t n = 64; n <= 1100; n += 259)
      for (size_t at = 2; at < 2 * n; at++) {
        const int top = (1 << (bits - 1)) - 1, sign = at & 2 ? -1 : 1, beyond = at & 1;
        const struct codes x = codes_of(bits, n);
        for (size_t i = 0; i < n; i++) put(&x, i, i == at / 2 ? sign * (top - 1) : i == at / 2 - 1 ? sign * (1 + beyond) : 0);
        compare(rule_at(0), &x, NULL, n);
        free(x.data);
      }
}

/* Codes out of range, at every place: nothing is written. */
static void codes_out_of_range(void **state) {
  (void)state;
  for (int bits = 7; bits <= 15; bits += 2)
    for (size_t at = 0; at < 100; at++)
      for (int sign = -1; sign <= 1; sign += 2) {
        const struct codes x = codes_of(bits, 100), y = codes_of(bits, 100);
        const int unit = 1 << (bits - 1);
        int16_t code = 77;
        uint64_t event = 78;
        for (size_t i = 0; i < 100; i++) put(&x, i, i & 1 ? -unit : unit - 1), put(&y, i, 0);
        assert_int_equal(bitfold_sum_codes(rule_at(0), format_of(bits), x.data, y.data, 100, &code, &event), BITFOLD_STATUS_OK);
        code = 77, event = 78;
        put(&x, at, sign < 0 ? -unit - 1 : unit);
        for (int i = 0; i < 3; i++) {
          const void *left = i == 2 ? y.data : x.data, *right = i == 1 ? y.data : i == 2 ? x.data : NULL;
          assert_int_equal(bitfold_sum_codes(rule_at(0), format_of(bits), left, right, 100, &code, &event), BITFOLD_STATUS_VALUE);
          assert_true(code == 77 && event == 78);
        }
        free(x.data), free(y.data);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_length),       cmocka_unit_test(every_width),
                                     cmocka_unit_test(long_rows),          cmocka_unit_test(every_sequence),
                                     cmocka_unit_test(one_event_anywhere), cmocka_unit_test(codes_out_of_range)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
