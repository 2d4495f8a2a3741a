/* SPDX-License-Identifier: Apache-2.0 */
/* --separate A B: a small input on which two contracts differ, found by search, written to a file, with both results. */
#include "explain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY = 1 << 15, TRIALS = 20000, SEED = 1 };

/* "sequential" as well as "sum:f32:sequential": the operation and the element may be left to --op and --as. */
static int read_contract(const options *o, const char *text, bitfold_contract *contract) {
  bitfold_message message;
  *contract = (bitfold_contract){0};
  bitfold_status status = bitfold_contract_add(contract, text, &message);
  if (!status && !contract->operation) status = bitfold_contract_add(contract, o->operation ? o->operation : "sum", &message);
  if (!status && !contract->element) contract->element = o->as ? o->as : BITFOLD_FORMAT_F32;
  if (!status) status = bitfold_contract_complete(contract, &message);
  return status ? complain("--separate", "%s: %s", text, message.text) : STATUS_DONE;
}

static int write_row(const char *file, bitfold_format format, void *data, size_t n) {
  store s = {.descriptor = -1};
  result r = {.data = data, .count = n};
  const int64_t shape[1] = {(int64_t)n};
  (void)bitfold_tensor_init(&r.tensor, format, data, 1, shape);
  int status = store_begin(&s, file);
  if (!status) status = store_commit(&s, &r);
  store_abandon(&s);
  return status;
}

static void print_result(const bitfold_contract *c, const void *x, const void *y, size_t n) {
  char text[512], bits[NUMBER_MAX], value[NUMBER_MAX];
  bitfold_tensor a, b, out;
  uint64_t output = 0;
  const int64_t shape[1] = {(int64_t)n};
  bitfold_report report;
  (void)bitfold_tensor_init(&a, c->element, x, 1, shape);
  (void)bitfold_tensor_init(&b, c->element, y, 1, shape);
  (void)bitfold_tensor_init(&out, c->output, &output, 0, NULL);
  if (bitfold_reduce(c, &a, y ? &b : NULL, NULL, &out, NULL, &report) != BITFOLD_STATUS_OK) return;
  (void)bitfold_contract_print(c, text, sizeof text);
  (void)number_bits(c->output, &output, 0, bits);
  (void)printf("%s  %-24s  %s\n", bits, number_text(c->output, &output, 0, 1, value), text);
}

static void print_row(const char *name, bitfold_format format, const void *data, size_t n) {
  char text[NUMBER_MAX];
  (void)printf("%s = [", name);
  for (size_t i = 0; i < n; i++) (void)printf("%s%s", i ? ", " : "", number_text(format, data, i, 0, text));
  (void)puts("]");
}

/* The second row of a dot goes beside the first: probe.npy and probe_y.npy. */
static int write_rows(const options *o, const bitfold_contract *c, void *x, void *y, size_t n) {
  char other[4096];
  const char *file = o->out;
  if (!file) return STATUS_DONE;
  int status = write_row(file, c->element, x, n);
  if (status || !y) return status;
  const size_t length = strlen(file), stem = length > 4 && strcmp(file + length - 4, ".npy") == 0 ? length - 4 : length;
  (void)snprintf(other, sizeof other, "%.*s_y%s", (int)stem, file, file + stem);
  return write_row(other, c->element, y, n);
}

int probe_find(const options *o) {
  enum { FEW = 16 };
  bitfold_contract a, b;
  bitfold_message message;
  size_t n = 0;
  uint64_t tried = 0;
  if (o->file_count != 1) return complain(NULL, "--separate takes two contracts: --separate sequential 'lanes(4)' -o probe.npy");
  if (o->got || o->tree || o->json) return complain(NULL, "--separate goes with -o, --op and --as alone");
  int status = read_contract(o, o->separate, &a);
  if (!status) status = read_contract(o, o->file[0], &b);
  if (status) return status;
  const int is_pair = a.operation == BITFOLD_OPERATION_DOT;
  void *x = calloc(CAPACITY, sizeof(uint64_t)), *y = is_pair ? calloc(CAPACITY, sizeof(uint64_t)) : NULL;
  if (!x || (is_pair && !y)) status = complain(NULL, "out of memory");
  if (!status && bitfold_separate(&a, &b, SEED, TRIALS, x, y, CAPACITY, &n, &tried, &message) != BITFOLD_STATUS_OK)
    status = complain("--separate", "%s", message.text);
  if (!status && !n) {
    (void)printf("no difference found in %" PRIu64 " trials; they may be the same order\n", tried);
    status = output_flush() ? STATUS_UNUSABLE : STATUS_NO;
  } else if (!status) {
    status = write_rows(o, &a, x, y, n);
    if (!status && n <= FEW) print_row("x", a.element, x, n);
    if (!status && n <= FEW && y) print_row("y", a.element, y, n);
    if (!status && n > FEW) (void)printf("x has %zu elements\n", n);
    if (!status) print_result(&a, x, y, n), print_result(&b, x, y, n);
    if (!status) status = output_flush();
  }
  free(x);
  free(y);
  return status;
}
