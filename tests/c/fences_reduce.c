/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No machine reads or writes a byte that is not its own: rows of every length, alignment and step, and small tensors, that begin or
 * end at a page which may not be touched, give the bits that the machine scalar makes of a plain copy.
 *
 * usage: fences_reduce [CONTRACTS [SEED]], to try so many of the contracts only
 */
#include "fences_memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bitfold/bitfold.h>

#include "fences_contracts.h"
#include "hostile.h"
#include "hostile_elements.h"

enum { SHORT = 200, LONGS = 22, LONGEST = 4097, SIDES = 24, LARGEST = 34, ALIGNMENTS = 64, UNTOUCHED = 0xa5, RING = 64 };
enum { MACHINES_MAX = 8, FAILURES_MAX = 20 };
static const size_t sides[SIDES] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 31, 32, 33, LARGEST};
/* About the segments of scans and the tiles of orders. */
static const size_t longs[LONGS] = {255,  256,  257,  300,  511,  512,  513,  767,  1023, 1024, 1025,
                                    1279, 1536, 2047, 2048, 2049, 2303, 3071, 3333, 4095, 4096, LONGEST};
static size_t shorts[SHORT + 1];

static uint64_t seed = 20240607, patterns[2][LONGEST];
static const char *machines[MACHINES_MAX];
static unsigned failures, skipped;
static unsigned long calls;

/* The call that is being made, for the words of a failure; static because a fault leaves the call by a jump. */
static struct {
  const char *text, *machine;
  int is_row, backwards, axis, at_end;
  size_t m, n, step, gap, offset;
  bitfold_contract contract;
  size_t size, output_size;
  int is_dot;
} now;

static void complain(const char *what) {
  if (failures++ >= FAILURES_MAX) return;
  printf("FAIL  %s on %s, ", now.text, now.machine);
  if (now.is_row) printf("%zu elements, step %s%zu", now.n, now.backwards ? "-" : "", now.step);
  else printf("%zu x %zu, axis %d, gap %zu", now.m, now.n, now.axis, now.gap);
  printf(", %s %zu: %s\n", now.at_end ? "end -" : "begin +", now.offset, what);
}

/* A view of rank 2 at most, in bytes. */
static bitfold_tensor view(const void *data, int rank, size_t m, size_t n, int64_t across, int64_t along) {
  bitfold_tensor t = {.data = data, .format = now.contract.element, .rank = rank};
  t.shape[0] = (int64_t)(rank == 2 ? m : n), t.stride[0] = rank == 2 ? across : along;
  t.shape[1] = (int64_t)n, t.stride[1] = along;
  return t;
}

/* What a call came to; the outputs are compared where they lie. */
struct answer {
  bitfold_status status;
  uint64_t events[3];
};
static struct answer call(const char *machine, const bitfold_tensor *x, const bitfold_tensor *y, int axis, void *output, size_t n) {
  const bitfold_engine engine = {.isa = machine};
  const bitfold_axes axes = {1, {axis}};
  bitfold_tensor to = {.data = output, .format = now.contract.output, .rank = x->rank - 1};
  bitfold_report report = {0};
  to.shape[0] = (int64_t)n, to.stride[0] = (int64_t)now.output_size;
  const bitfold_status status = bitfold_reduce(&now.contract, x, now.is_dot ? y : NULL, &axes, &to, &engine, &report);
  calls++;
  return (struct answer){status, {report.clamped, report.nan, report.overflowed}};
}

/* The right answer beside its outputs, which begin as bytes that nobody has touched. */
struct wanted {
  struct answer answer;
  unsigned char outputs[LARGEST * 8];
};
static void want(struct wanted *wanted, const bitfold_tensor *x, const bitfold_tensor *y, int axis, size_t n) {
  memset(wanted->outputs, UNTOUCHED, sizeof wanted->outputs);
  wanted->answer = call("scalar", x, y, axis, wanted->outputs, n);
}

/* The same call with n outputs at the end or the beginning of their place. */
static void compare(const struct wanted *wanted, const bitfold_tensor *x, const bitfold_tensor *y, int axis, size_t n, int at_end) {
  unsigned char *place = place_of(PLACE_OUTPUT), ring[RING];
  const size_t bytes = n * now.output_size;
  unsigned char *output = at_end ? place + PLACE_BYTES - bytes : place, *beside = at_end ? output - RING : output + bytes;
  memset(output, UNTOUCHED, bytes), memset(beside, UNTOUCHED, RING), memset(ring, UNTOUCHED, RING);
  const struct answer got = call(now.machine, x, y, axis, output, n);
  if (got.status != wanted->answer.status) complain(bitfold_status_text(got.status));
  else if (memcmp(output, wanted->outputs, bytes) != 0) complain("other bits");
  else if (memcmp(got.events, wanted->answer.events, sizeof got.events) != 0) complain("other events");
  else if (memcmp(beside, ring, RING) != 0) complain("bytes beside the outputs were written");
}

/* ---- Rows: element p of `longest` lies at p * step, from the offset on or up to it ---- */

struct row {
  size_t step;
  int backwards, at_end;
  size_t offset[2], longest, count;
  const size_t *lengths; /* count of them, the last one the longest */
};
static size_t index_of(const struct row *row, size_t n, size_t i) {
  return (row->at_end ? row->longest - n : 0) + (row->backwards ? n - 1 - i : i);
}
static unsigned char *element_of(const struct row *row, int which, size_t p) {
  unsigned char *place = place_of(which ? PLACE_Y : PLACE_X);
  const size_t pitch = row->step * now.size;
  if (row->at_end) return place + PLACE_BYTES - row->offset[which] - (row->longest - 1 - p) * pitch - now.size;
  return place + row->offset[which] + p * pitch;
}

/* The bytes between are no harmless ones: large numbers, NaN, codes out of range. */
static void clear(enum place which, size_t offset, int at_end, size_t bytes) {
  bytes += offset + RING;
  place_allow(which, NULL, PLACE_BYTES);
  place_lock(which, 0);
  memset(place_of(which) + (at_end ? PLACE_BYTES - bytes : 0), offset & 1 ? 0xfb : 0x7f, bytes);
}

static void lay_row(const struct row *row, int which) {
  clear(which ? PLACE_Y : PLACE_X, row->offset[which], row->at_end, row->longest * row->step * now.size);
  for (size_t p = 0; p < row->longest; p++) element_store(patterns[which][p], now.size, 0, element_of(row, which, p));
  place_lock(which ? PLACE_Y : PLACE_X, 1);
}

static bitfold_tensor row_view(const struct row *row, int which, size_t n) {
  const int64_t pitch = (int64_t)(row->step * now.size);
  const size_t first = n ? index_of(row, n, 0) : 0;
  const unsigned char *empty = place_of(which ? PLACE_Y : PLACE_X) + (row->at_end ? PLACE_BYTES : 0);
  const unsigned char *data = n ? element_of(row, which, first) : empty;
  const size_t lowest = n && row->backwards ? first - (n - 1) : first, bytes = n ? (n - 1) * (size_t)pitch + now.size : 0;
  place_allow(which ? PLACE_Y : PLACE_X, n ? element_of(row, which, lowest) : empty, bytes);
  return view(data, 1, 1, n, 0, row->backwards ? -pitch : pitch);
}

static void compare_rows(const struct row *row, const struct wanted *wanted) {
  lay_row(row, 0);
  if (now.is_dot) lay_row(row, 1);
  now.is_row = 1, now.backwards = row->backwards, now.step = row->step, now.offset = row->offset[0], now.at_end = row->at_end;
  for (int i = 0; i < MACHINES_MAX && (now.machine = machines[i]); i++) {
    if (i && row->offset[0] > 1 && strcmp(now.machine, "scalar") == 0) continue; /* the others have its loops for what they lack */
    for (size_t l = 0; l < row->count; l++) {
      const size_t n = now.n = row->lengths[l];
      const bitfold_tensor x = row_view(row, 0, n), y = now.is_dot ? row_view(row, 1, n) : x;
      compare(&wanted[l], &x, &y, 0, 1, row->at_end);
    }
  }
}

static void want_rows(const struct row *row, struct wanted *wanted) {
  static unsigned char copy[2][LONGEST * 8];
  for (size_t l = 0; l < row->count; l++) {
    const size_t n = row->lengths[l];
    for (int which = 0; which < 2; which++)
      for (size_t i = 0; i < n; i++) element_store(patterns[which][index_of(row, n, i)], now.size, 0, copy[which] + i * now.size);
    const bitfold_tensor x = view(copy[0], 1, 1, n, 0, (int64_t)now.size), y = view(copy[1], 1, 1, n, 0, (int64_t)now.size);
    want(&wanted[l], &x, &y, 0, 1);
  }
}

/* Every alignment of short contiguous rows; of others, one off each size of vectors. */
static void try_rows(void) {
  static struct wanted wanted[SHORT + 1];
  for (int turn = 0; turn < 4; turn++) {
    struct row row = {1, turn & 1, turn >> 1, {0, 0}, SHORT, SHORT + 1, shorts};
    want_rows(&row, wanted);
    for (; row.step <= 3; row.step++) {
      const int all = row.step == 1 && !row.backwards;
      for (size_t offset = 0; offset < ALIGNMENTS; offset = all ? offset + 1 : 2 * offset + 1) {
        row.offset[0] = offset, row.offset[1] = offset * 5 % ALIGNMENTS;
        compare_rows(&row, wanted);
      }
    }
    row = (struct row){1, 0, turn >> 1, {turn & 1, 0}, LONGEST, LONGS, longs};
    want_rows(&row, wanted);
    compare_rows(&row, wanted);
  }
}

/* ---- Tensors of two axes, dense or with a gap of a byte behind each row ---- */

static bitfold_tensor lay_tensor(int which, size_t m, size_t n, size_t gap, size_t offset, int at_end) {
  const size_t pitch = n * now.size + gap, bytes = m ? (m - 1) * pitch + n * now.size : 0;
  unsigned char *place = place_of(which ? PLACE_Y : PLACE_X),
                *data = at_end ? place + PLACE_BYTES - offset - bytes : place + offset;
  clear(which ? PLACE_Y : PLACE_X, offset, at_end, bytes);
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++) element_store(patterns[which][i * n + j], now.size, 0, data + i * pitch + j * now.size);
  place_lock(which ? PLACE_Y : PLACE_X, 1);
  place_allow(which ? PLACE_Y : PLACE_X, data, bytes);
  return view(data, 2, m, n, (int64_t)pitch, (int64_t)now.size);
}

static bitfold_tensor plain_tensor(int which, size_t m, size_t n, unsigned char *data) {
  for (size_t i = 0; i < m * n; i++) element_store(patterns[which][i], now.size, 0, data + i * now.size);
  return view(data, 2, m, n, (int64_t)(n * now.size), (int64_t)now.size);
}

static void try_tensor(size_t m, size_t n) {
  static unsigned char copy[2][LARGEST * LARGEST * 8];
  static struct wanted wanted[2];
  const size_t outputs[2] = {n, m};
  const bitfold_tensor a = plain_tensor(0, m, n, copy[0]), b = plain_tensor(1, m, n, copy[1]);
  for (int axis = 0; axis < 2; axis++) want(&wanted[axis], &a, &b, axis, outputs[axis]);
  for (int turn = 0; turn < 4; turn++) {
    const int at_end = turn & 1;
    const size_t gap = (size_t)turn >> 1, offset = 3 * gap;
    const bitfold_tensor x = lay_tensor(0, m, n, gap, offset, at_end);
    const bitfold_tensor y = now.is_dot ? lay_tensor(1, m, n, gap, offset, at_end) : x;
    now.is_row = 0, now.m = m, now.n = n, now.gap = gap, now.offset = offset, now.at_end = at_end;
    for (int i = 0; i < MACHINES_MAX && (now.machine = machines[i]); i++)
      for (int axis = 0; axis < 2; axis++) {
        now.axis = axis;
        compare(&wanted[axis], &x, &y, axis, outputs[axis], at_end);
      }
  }
}

/* ---- All contracts ---- */

static void try_contract(const char *pattern, const char *format, unsigned kind) {
  char text[96];
  const int star = (int)strcspn(pattern, "*");
  snprintf(text, sizeof text, "%.*s%s%s", star, pattern, format, pattern + star + 1);
  if (bitfold_contract_parse(text, &now.contract, NULL)) {
    skipped++; /* helia of f64 and the like */
    return;
  }
  now.text = text, now.machine = "scalar";
  now.size = bitfold_format_size(now.contract.element), now.output_size = bitfold_format_size(now.contract.output);
  now.is_dot = now.contract.operation == BITFOLD_OPERATION_DOT;
  for (int which = 0; which < 2; which++)
    hostile_elements(now.contract.element, kind + 7 * (unsigned)which, LONGEST, &seed, patterns[which]);
  if (sigsetjmp(place_fault, 1) != 0) {
    complain("a page was touched that may not be");
    return;
  }
  try_rows();
  for (size_t i = 0; i < SIDES; i++)
    for (size_t j = 0; j < SIDES; j++) try_tensor(sides[i], sides[j]);
}

struct list {
  const char *const *patterns;
  size_t count, first, end; /* formats */
};
static unsigned try_all(size_t most) {
  static const struct list lists[] = {{float_contracts, sizeof float_contracts / sizeof *float_contracts, 0, FLOATS},
                                      {integer_contracts, sizeof integer_contracts / sizeof *integer_contracts, FLOATS, INTEGERS},
                                      {code_contracts, sizeof code_contracts / sizeof *code_contracts, INTEGERS, FORMATS}};
  unsigned tried = 0;
  size_t all = 0, i = 0;
  for (int l = 0; l < 3; l++) all += lists[l].count * (lists[l].end - lists[l].first);
  for (int l = 0; l < 3; l++)
    for (size_t p = 0; p < lists[l].count; p++)
      for (size_t f = lists[l].first; f < lists[l].end; f++, i++)
        if (most >= all || i * most / all != (i + 1) * most / all) try_contract(lists[l].patterns[p], formats[f], tried++);
  return tried;
}

int main(int count, char **arguments) {
  const size_t most = count > 1 ? strtoul(arguments[1], NULL, 10) : SIZE_MAX;
  const char *given = count > 2 ? arguments[2] : getenv("BITFOLD_SEED");
  if (given) seed = strtoull(given, NULL, 10);
  for (size_t i = 0; i < MACHINES_MAX && bitfold_isa_at(i); i++) printf("%s ", machines[i] = bitfold_isa_at(i));
  printf("between fences, seed %llu\n", (unsigned long long)seed);
  for (int i = 0; i < PLACES; i++)
    if (!place_of((enum place)i)) return printf("no pages of at most %d bytes that can be protected\n", PLACE_BYTES), 77;
  for (size_t n = 0; n <= SHORT; n++) shorts[n] = n;
  place_watch(1);
  const unsigned tried = try_all(most);
  place_watch(0);
  printf("%lu calls under %u contracts, %u refused, %u failures\n", calls, tried, skipped, failures);
  return failures || !machines[0] || tried == skipped;
}
