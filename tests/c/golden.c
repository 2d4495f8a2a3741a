/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints one hash per contract and kind of data, which every machine that runs here must come to: the lines of tests/golden.txt.
 * A machine that comes to another one adds a line with its name. With the argument "machines" it prints their names instead.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <bitfold/bitfold.h>

#include "contracts.h"
#include "hostile.c" /* one file to compile for another processor */

static const unsigned short lengths[] = {1,  2,  3,  4,  5,   7,   8,   9,   15,  16,  17,  31, 32,
                                         33, 63, 64, 65, 100, 127, 128, 129, 255, 256, 257, 300};

enum { LONGEST = 300, LENGTHS = sizeof lengths / sizeof lengths[0] };

static uint64_t xs[LONGEST], ys[LONGEST], first[LONGEST], second[LONGEST];

/* FNV-1a over the eight bytes of a word, the low byte first. */
static uint64_t hashed(uint64_t hash, uint64_t word) {
  for (int i = 0; i < 8; i++, word >>= 8) hash = (hash ^ (word & 255)) * UINT64_C(0x100000001b3);
  return hash;
}

static int is_float(bitfold_format format) { return format >= BITFOLD_FORMAT_F16 && format <= BITFOLD_FORMAT_F64; }

/* Codes of a width: an arithmetic shift of random words, by `kind` bits more, so that kinds are large, middling and small. */
static void codes(unsigned bits, unsigned kind, size_t n, uint64_t *state, uint64_t *to) {
  unsigned drop = kind % 3 * (bits - 1) / 3;
  uint64_t limit = UINT64_C(1) << (bits - drop);
  for (size_t i = 0; i < n; i++) {
    uint64_t k = (hostile_next(state) >> 20) % limit;
    if (k == limit / 2) k = 0; /* the least code has no negative; sfN has no such code */
    to[i] = k > limit / 2 ? k - limit : k;
  }
}

/* The same of 64 bits, the least one among them. */
static void wholes(unsigned kind, size_t n, uint64_t *state, uint64_t *to) {
  for (size_t i = 0; i < n; i++) {
    uint64_t sign = UINT64_C(1) << (63 - kind % 3 * 21), k = hostile_next(state) >> kind % 3 * 21;
    to[i] = i % 16 == 15 ? UINT64_C(1) << 63 : (k ^ sign) - sign;
  }
}

static void fill(bitfold_format format, unsigned kind, size_t n, uint64_t *state, uint64_t *to) {
  static const shape floats[] = {{16, 10}, {16, 7}, {32, 23}, {64, 52}};
  if (format < BITFOLD_FORMAT_F16) return;
  int is_integer = format >= BITFOLD_FORMAT_I8 && format <= BITFOLD_FORMAT_I32;
  if (is_float(format)) hostile_row(floats[format - BITFOLD_FORMAT_F16], kind, n, state, to);
  else if (format == BITFOLD_FORMAT_I64) wholes(kind, n, state, to);
  else if (is_integer) codes((unsigned)bitfold_format_size(format) * 8, kind, n, state, to);
  else codes((unsigned)(format - BITFOLD_FORMAT_SF2) + 2, kind, n, state, to);
}

static void store(const uint64_t *patterns, size_t n, size_t size, void *to) {
  if (size > 1) hostile_store(patterns, n, size, to);
  else
    for (size_t i = 0; i < n; i++) ((uint8_t *)to)[i] = (uint8_t)patterns[i];
}

static uint64_t load(const void *from, size_t size) { return size == 1 ? *(const uint8_t *)from : hostile_load(from, size); }

static int reduce(const bitfold_contract *contract, const bitfold_engine *engine, size_t n, uint64_t *hash) {
  size_t size = bitfold_format_size(contract->element);
  int64_t extent = (int64_t)n;
  uint64_t out = 0;
  bitfold_tensor x, y, to;
  bitfold_report report = {0};
  store(xs, n, size, first), store(ys, n, size, second);
  bitfold_status bad = bitfold_tensor_init(&x, contract->element, first, 1, &extent);
  if (!bad) bad = bitfold_tensor_init(&y, contract->element, second, 1, &extent);
  if (!bad) bad = bitfold_tensor_init(&to, contract->output, &out, 0, NULL);
  if (!bad)
    bad = bitfold_reduce(contract, &x, contract->operation == BITFOLD_OPERATION_DOT ? &y : NULL, NULL, &to, engine, &report);
  if (bad || strcmp(report.isa, engine->isa) != 0) return 0;
  *hash = hashed(*hash, load(&out, bitfold_format_size(contract->output)));
  *hash = hashed(*hash, report.clamped | report.nan << 1 | report.overflowed << 2);
  return 1;
}

/* The hash of a contract and kind of data on one machine. */
static int hash_of(const char *text, unsigned kind, const char *machine, uint64_t *hash) {
  const bitfold_engine engine = {.isa = machine};
  bitfold_contract contract;
  uint64_t state = kind + 1;
  *hash = UINT64_C(0xcbf29ce484222325);
  if (bitfold_contract_parse(text, &contract, NULL)) return 0;
  for (size_t i = 0; i < LENGTHS; i++) {
    fill(contract.element, kind, lengths[i], &state, xs);
    fill(contract.element, (kind + 3) % HOSTILE_KINDS, lengths[i], &state, ys);
    if (!reduce(&contract, &engine, lengths[i], hash)) return 0;
  }
  return 1;
}

static void print(const char *text, unsigned kind, uint64_t hash, const char *machine) {
  printf("%s %u %08lx%08lx%s%s\n", text, kind, (unsigned long)(hash >> 32), (unsigned long)(hash & 0xffffffffu),
         machine ? " on " : "", machine ? machine : "");
}

/* The line of the best machine, and one more for each other machine that does not agree with it. */
static int line(const char *text, unsigned kind) {
  const char *machine;
  uint64_t best = 0, hash;
  for (size_t i = 0; (machine = bitfold_isa_at(i)); i++) {
    if (!hash_of(text, kind, machine, &hash)) return printf("%s %u refused by %s\n", text, kind, machine), 0;
    if (i == 0) print(text, kind, best = hash, NULL);
    else if (hash != best) print(text, kind, hash, machine);
  }
  return 1;
}

static void print_machines(void) {
  for (size_t i = 0; bitfold_isa_at(i); i++) printf("%s%s", i ? " " : "", bitfold_isa_at(i));
  printf("\n");
}

int main(int argc, char **argv) {
  if (!bitfold_isa_at(0)) return printf("no machine runs here\n"), 1;
  if (argc > 1 && strcmp(argv[1], "machines") == 0) return print_machines(), 0;
  for (unsigned i = 0; i < CONTRACTS; i++)
    for (unsigned kind = 0; kind < HOSTILE_KINDS; kind++)
      if (!line(contracts[i], kind)) return 1;
  return 0;
}
