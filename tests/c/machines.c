/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every machine against the machine scalar, on random reductions of hostile data in random layouts, with any number of threads and
 * in any rounding mode: outputs, events and refusals are those of each output's terms alone, in a row of their own.
 *
 * usage: machines [ROWS [SEED]]
 */
#include <fenv.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hostile.h"
#include "hostile_elements.h"
#include "machines.h"

enum { FAILURES_MAX = 10, THREADS = 5, ROW_BYTES = TERMS_MAX * 8 };

/* What the library sets and puts back; elsewhere its caller must be in the default mode. */
static const int modes[] = {FE_TONEAREST,
#if defined(__x86_64__) || defined(__SSE2__) || defined(__aarch64__) || defined(__ARM_FP) || defined(__riscv_flen)
                            FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO
#endif
};
enum { MODES = sizeof modes / sizeof *modes };

static uint64_t seed = 20240607;
static unsigned long rows = 2000000, compared, reductions, refused, threaded;
static unsigned failures;
static int64_t kept_x[OUTPUTS_MAX + 1], kept_y[OUTPUTS_MAX + 1], kept_output[OUTPUTS_MAX + 1];
static int64_t terms_x[TERMS_MAX], terms_y[TERMS_MAX];

struct reduction {
  bitfold_contract contract;
  char text[TEXT_BYTES];
  struct problem p;
  unsigned kind;
  struct array x, y, output;
  unsigned char *want; /* the bytes of output, as they should become */
  bitfold_status status;
  uint64_t clamped, nan, overflowed;
};

/* ---- Data: each row is of one kind, along its terms ---- */

/* A code that does not fit its width, if the format has one: the whole reduction is refused. */
static uint64_t bad_code(bitfold_format format, uint64_t pattern) {
  if (format < BITFOLD_FORMAT_SF2 || format == BITFOLD_FORMAT_SF8 || format == BITFOLD_FORMAT_SF16) return pattern;
  return UINT64_C(1) << (format - BITFOLD_FORMAT_SF2 + 1);
}

static void fill(uint64_t *state, const struct reduction *r, const struct array *to, const int64_t *kept, const int64_t *terms) {
  static uint64_t row[TERMS_MAX];
  const size_t size = bitfold_format_size(to->view.format);
  const int mixed = one_in(state, 4), bad = one_in(state, 60) && r->p.outputs && r->p.terms;
  const size_t at = bad ? (size_t)random_below(state, r->p.outputs) : SIZE_MAX;
  unsigned char *data = to->memory + ((const unsigned char *)to->view.data - to->memory);
  for (size_t j = 0; j < r->p.outputs; j++) {
    hostile_elements(to->view.format, mixed ? (unsigned)random_below(state, ELEMENT_KINDS) : r->kind, r->p.terms, state, row);
    if (j == at) row[random_below(state, r->p.terms)] = bad_code(to->view.format, row[0]);
    for (size_t i = 0; i < r->p.terms; i++) element_store(row[i], size, to->view.swapped, data + kept[j] + terms[i]);
  }
}

/* ---- What it must come to ---- */

/* helia as the lanes that the axes make of it. */
static bitfold_contract of_a_row(const struct reduction *r) {
  bitfold_contract contract = r->contract;
  int kept = 0, last = 1;
  if (!contract.depth || contract.level[0].order != BITFOLD_ORDER_HELIA) return contract;
  for (int i = r->p.rank - 1; i >= 0; i--) {
    if (r->p.shape[i] == 1) continue;
    if (!(r->p.reduced >> i & 1)) kept = 1;
    else if (kept) last = 0;
  }
  contract.level[0] = (bitfold_level){.order = last ? BITFOLD_ORDER_LANES : BITFOLD_ORDER_SEQUENTIAL, .size = last ? 4 : 0};
  return contract;
}

/* Terms of output j, contiguous and in the machine's byte order. */
static void gather(const struct reduction *r, const struct array *from, int64_t kept, const int64_t *terms, unsigned char *to) {
  const size_t size = bitfold_format_size(from->view.format);
  const unsigned char *data = (const unsigned char *)from->view.data + kept;
  for (size_t i = 0; i < r->p.terms; i++)
    element_store(element_load(data + terms[i], size, from->view.swapped), size, 0, to + i * size);
}

/* Where the layout matters, as to all imitations from numpy on: all rows as they lie, by the machine scalar on one thread. */
static int want_as_it_lies(struct reduction *r) {
  static const bitfold_engine scalar = {.isa = "scalar"};
  const bitfold_order order = r->contract.depth ? r->contract.level[0].order : BITFOLD_ORDER_NONE;
  bitfold_tensor to = r->output.view;
  bitfold_axes axes = {0};
  bitfold_report report;
  if (order < BITFOLD_ORDER_NUMPY) return 0;
  for (int i = 0; i < r->p.rank; i++)
    if (r->p.reduced >> i & 1) axes.axis[axes.count++] = i;
  to.data = r->want + ((const unsigned char *)to.data - r->output.memory);
  const bitfold_tensor *y = r->contract.operation == BITFOLD_OPERATION_DOT ? &r->y.view : NULL;
  r->status = bitfold_reduce(&r->contract, &r->x.view, y, &axes, &to, &scalar, &report);
  if (!r->status) r->clamped = report.clamped, r->nan = report.nan, r->overflowed = report.overflowed;
  return 1;
}

static void want(struct reduction *r) {
  static unsigned char row[2][ROW_BYTES];
  static const bitfold_engine scalar = {.isa = "scalar"};
  const bitfold_contract contract = of_a_row(r);
  const size_t size = bitfold_format_size(contract.output);
  const int64_t n = (int64_t)r->p.terms;
  const int dot = contract.operation == BITFOLD_OPERATION_DOT;
  const ptrdiff_t first = (const unsigned char *)r->output.view.data - r->output.memory;
  uint64_t value;
  bitfold_tensor x, y, to;
  bitfold_tensor_init(&x, contract.element, row[0], 1, &n), bitfold_tensor_init(&y, contract.element, row[1], 1, &n);
  bitfold_tensor_init(&to, contract.output, &value, 0, NULL);
  for (size_t j = 0; j < r->p.outputs; j++) {
    bitfold_report report;
    gather(r, &r->x, kept_x[j], terms_x, row[0]);
    if (dot) gather(r, &r->y, kept_y[j], terms_y, row[1]);
    const bitfold_status status = bitfold_reduce(&contract, &x, dot ? &y : NULL, NULL, &to, &scalar, &report);
    if (status) r->status = status;
    if (status) break;
    r->clamped += report.clamped, r->nan += report.nan, r->overflowed += report.overflowed;
    element_store(element_load(&value, size, 0), size, r->output.view.swapped, r->want + first + kept_output[j]);
  }
  if (r->status) memset(r->want, UNTOUCHED, r->output.bytes);
}

/* ---- What each machine makes of it ---- */

static void describe(const struct reduction *r, const char *machine, int threads, uint64_t state, const char *what) {
  if (failures++ >= FAILURES_MAX) return;
  printf("FAIL  %s on %s, %d threads: %s\n      %zu outputs of %zu terms, kind %u; shape", r->text, machine, threads, what,
         r->p.outputs, r->p.terms, r->kind);
  for (int i = 0; i < r->p.rank; i++)
    printf(" %" PRId64 "%s(%" PRId64 ")", r->p.shape[i], r->p.reduced >> i & 1 ? "*" : "", r->x.view.stride[i]);
  printf("; again: machines 1 %" PRIu64 "\n", state);
}

/* The axes to reduce, in any sequence, counted from either end. */
static bitfold_axes axes_of(uint64_t *state, const struct problem *p) {
  bitfold_axes axes = {0};
  for (int i = 0; i < p->rank; i++) {
    if (!(p->reduced >> i & 1)) continue;
    const int at = (int)random_below(state, (uint64_t)axes.count + 1);
    axes.axis[axes.count++] = axes.axis[at];
    axes.axis[at] = one_in(state, 2) ? i : i - p->rank;
  }
  return axes;
}

static void run(uint64_t *state, const struct reduction *r, const char *machine, uint64_t again) {
  const bitfold_engine engine = {.isa = machine, .threads = (int)random_below(state, THREADS + 1)};
  const bitfold_axes axes = axes_of(state, &r->p);
  const int all = axes.count == r->p.rank && one_in(state, 2), mode = modes[random_below(state, MODES)];
  bitfold_report report = {0};
  memset(r->output.memory, UNTOUCHED, r->output.bytes);
  fesetround(mode);
  const bitfold_status status =
      bitfold_reduce(&r->contract, &r->x.view, r->contract.operation == BITFOLD_OPERATION_DOT ? &r->y.view : NULL,
                     all ? NULL : &axes, &r->output.view, &engine, &report);
  const int left = fegetround();
  fesetround(FE_TONEAREST);
  const char *what = status != r->status                                                    ? bitfold_status_text(status)
                     : memcmp(r->output.memory, r->want, r->output.bytes) != 0              ? "other bits"
                     : left != mode                                                         ? "another rounding mode is left"
                     : status                                                               ? NULL
                     : strcmp(report.isa, machine) != 0                                     ? "another machine ran"
                     : report.clamped != r->clamped || report.nan != r->nan                 ? "other events"
                     : report.overflowed != r->overflowed || report.outputs != r->p.outputs ? "other overflows"
                                                                                            : NULL;
  if (what) describe(r, machine, engine.threads, again, what);
  reductions++, refused += status != BITFOLD_STATUS_OK, threaded += report.threads > 1;
}

/* The output's own axes, reduced ones as extents of 1 or left out. */
static void make_output(uint64_t *state, struct reduction *r) {
  const int keepdims = one_in(state, 3);
  int64_t extents[BITFOLD_RANK_MAX] = {0};
  int rank = 0;
  for (int i = 0; i < r->p.rank; i++)
    if (keepdims || !(r->p.reduced >> i & 1)) extents[rank++] = r->p.reduced >> i & 1 ? 1 : r->p.shape[i];
  random_array(state, r->contract.output, rank, extents, 0, &r->output);
  positions(&r->output.view, (1u << rank) - 1, kept_output);
}

static void try_one(uint64_t again) {
  static struct reduction r;
  uint64_t state = again;
  memset(&r, 0, sizeof r);
  random_problem(&state, &r.p);
  random_contract(&state, r.p.terms, &r.contract, r.text);
  r.kind = (unsigned)random_below(&state, ELEMENT_KINDS);
  const unsigned kept = ((1u << r.p.rank) - 1) & ~r.p.reduced;
  random_array(&state, r.contract.element, r.p.rank, r.p.shape, 1, &r.x);
  positions(&r.x.view, kept, kept_x), positions(&r.x.view, r.p.reduced, terms_x);
  fill(&state, &r, &r.x, kept_x, terms_x);
  random_array(&state, r.contract.element, r.p.rank, r.p.shape, 1, &r.y);
  positions(&r.y.view, kept, kept_y), positions(&r.y.view, r.p.reduced, terms_y);
  if (r.contract.operation == BITFOLD_OPERATION_DOT) fill(&state, &r, &r.y, kept_y, terms_y);
  make_output(&state, &r);
  r.want = malloc(r.output.bytes);
  if (!r.want) abort();
  memset(r.want, UNTOUCHED, r.output.bytes);
  if (!want_as_it_lies(&r)) want(&r);
  for (size_t i = 0; bitfold_isa_at(i); i++) run(&state, &r, bitfold_isa_at(i), again);
  compared += r.p.outputs;
  free(r.x.memory), free(r.y.memory), free(r.output.memory), free(r.want);
}

int main(int count, char **arguments) {
  const char *given = count > 2 ? arguments[2] : getenv("BITFOLD_SEED");
  if (count > 1) rows = strtoul(arguments[1], NULL, 10);
  if (given) seed = strtoull(given, NULL, 10);
  for (size_t i = 0; bitfold_isa_at(i); i++) printf("%s ", bitfold_isa_at(i));
  printf("on %lu rows, seed %" PRIu64 "\n", rows, seed);
  uint64_t turn = seed, again = seed;
  for (; compared < rows && bitfold_isa_at(0); again = hostile_next(&turn)) try_one(again);
  printf("%lu rows, %lu reductions of them, %lu refused, %lu on threads: %u failures\n", compared, reductions, refused, threaded,
         failures);
  return failures || !compared;
}
