/* SPDX-License-Identifier: Apache-2.0 */
/* explain: which contracts make exactly the bits that somebody got, how the others miss them, and what their orders look like. */
#include "explain.h"

#include <stdlib.h>
#include <string.h>

enum { FINDINGS_MAX = 8192 };

static int watch(void *context, uint64_t done, uint64_t total) {
  (void)context;
  progress_show(done, total);
  return 0;
}

static int open_files(explanation *e) {
  const options *o = e->o;
  int status = input_open(o->file[0], o->as, o->codes, &e->x);
  if (!status && e->is_pair) status = input_open(o->file[1], o->as, o->codes, &e->y);
  if (status || !e->is_pair) return status;
  char a[SHAPE_TEXT_MAX], b[SHAPE_TEXT_MAX];
  (void)shape_text(e->x.header.rank, e->x.header.shape, a);
  (void)shape_text(e->y.header.rank, e->y.header.shape, b);
  if (strcmp(a, b) != 0) return complain(e->x.name, "shape %s, and %s has %s; dot takes two of one shape", a, e->y.name, b);
  if (e->x.tensor.format == e->y.tensor.format) return STATUS_DONE;
  return complain(e->x.name, "holds %s, and %s holds %s; --as makes both one", bitfold_format_name(e->x.tensor.format), e->y.name,
                  bitfold_format_name(e->y.tensor.format));
}

/* --op, or the contract's operation, or what so many files suggest. */
static const char *operation_of(const options *o) {
  bitfold_contract alone = {0};
  if (o->operation) return o->operation;
  if (o->contract && !bitfold_contract_add(&alone, o->contract, NULL) && alone.operation)
    return bitfold_operation_name(alone.operation);
  return o->file_count == 2 ? "dot" : "sum";
}

/* What the options say of the contract, with the file's elements. */
static int ask(explanation *e) {
  const char *operation = operation_of(e->o);
  int status = assemble_begin(e->o, operation, &e->asked);
  if (status) return status;
  e->is_pair = e->asked.operation == BITFOLD_OPERATION_DOT;
  if (e->o->file_count != 1 + e->is_pair)
    return complain(NULL, "explain %s takes %s; %d given", operation, e->is_pair ? "two .npy files" : "one .npy file",
                    e->o->file_count);
  if ((status = open_files(e))) return status;
  const bitfold_format own = e->x.tensor.format;
  if (e->asked.element && e->asked.element != own)
    return complain(e->x.name, "holds %s, and the contract says %s; --as %s makes it that", bitfold_format_name(own),
                    bitfold_format_name(e->asked.element), bitfold_format_name(e->asked.element));
  e->asked.element = own;
  return STATUS_DONE;
}

/* The shape of what was got must be the one that the axes leave. */
static int check_shape(const explanation *e, const reading *r, const bitfold_axes *axes) {
  bitfold_message message;
  bitfold_tensor kept, dropped;
  char got[SHAPE_TEXT_MAX], want[SHAPE_TEXT_MAX];
  if (bitfold_tensor_reduced(&e->x.tensor, axes, 0, r->tensor.format, &dropped, &message) ||
      bitfold_tensor_reduced(&e->x.tensor, axes, 1, r->tensor.format, &kept, &message))
    return complain(e->x.name, "%s", message.text);
  (void)shape_text(r->tensor.rank, r->tensor.shape, got);
  (void)shape_text(kept.rank, kept.shape, want);
  if (strcmp(got, want) == 0) return STATUS_DONE;
  (void)shape_text(dropped.rank, dropped.shape, want);
  if (strcmp(got, want) == 0) return STATUS_DONE;
  return complain("--got", "has shape %s; %s makes %s", got, axes ? "the reduction over --axis" : "the reduction over all axes",
                  want);
}

static int is_nearer(const bitfold_trial *a, const bitfold_trial *b) {
  return a->matched != b->matched ? a->matched > b->matched : a->ulps < b->ulps;
}

/* Findings of all readings in one list; equals stay in the sequence in which they came. */
static void insert(explanation *e, const bitfold_trial *trial, const reading *r) {
  size_t at = e->count++;
  for (; at && is_nearer(trial, &e->finding[at - 1].trial); at--) e->finding[at] = e->finding[at - 1];
  e->finding[at] = (finding){*trial, r};
  if (trial->matched == trial->outputs) e->explaining++;
}

static int explain_reading(explanation *e, const reading *r, const bitfold_axes *axes, bitfold_trial *trials,
                           bitfold_message *message) {
  const bitfold_engine engine = {.isa = e->o->isa, .threads = e->o->threads, .progress = watch};
  bitfold_contract asked = e->asked;
  size_t count = 0;
  asked.output = r->tensor.format;
  progress_start(0);
  const bitfold_status status = bitfold_explain(&asked, &e->x.tensor, e->is_pair ? &e->y.tensor : NULL, axes, &r->tensor, e->room,
                                                &engine, trials, FINDINGS_MAX / READINGS_MAX, &count, message);
  progress_stop();
  if (count > FINDINGS_MAX / READINGS_MAX) count = FINDINGS_MAX / READINGS_MAX;
  for (size_t i = 0; !status && i < count; i++) insert(e, &trials[i], r);
  return status != BITFOLD_STATUS_OK;
}

static int explain_all(explanation *e) {
  const bitfold_axes *axes = e->o->all_axes ? NULL : &e->o->axes;
  bitfold_message message = {""};
  int status = STATUS_DONE;
  for (int i = 0; !status && i < e->readings; i++) status = check_shape(e, &e->reading[i], axes);
  if (status) return status;
  e->outputs = 1;
  for (int i = 0; i < e->reading[0].tensor.rank; i++) e->outputs *= (uint64_t)e->reading[0].tensor.shape[i];
  e->finding = calloc(FINDINGS_MAX, sizeof *e->finding);
  e->room = calloc(e->outputs ? e->outputs : 1, sizeof(uint64_t));
  bitfold_trial *trials = calloc(FINDINGS_MAX / READINGS_MAX, sizeof *trials);
  if (!e->finding || !e->room || !trials) status = complain(e->x.name, "out of memory");
  for (int i = 0; !status && i < e->readings; i++) (void)explain_reading(e, &e->reading[i], axes, trials, &message);
  free(trials);
  if (!status && !e->count) return complain(e->x.name, "%s", message.text);
  return status;
}

/* The terms of one output. */
static uint64_t terms_of(const explanation *e) {
  uint64_t terms = 1;
  int is_reduced[BITFOLD_RANK_MAX] = {0};
  const bitfold_tensor *x = &e->x.tensor;
  for (int i = 0; i < e->o->axes.count && !e->o->all_axes; i++) {
    const int axis = e->o->axes.axis[i] < 0 ? e->o->axes.axis[i] + x->rank : e->o->axes.axis[i];
    if (axis >= 0 && axis < x->rank) is_reduced[axis] = 1;
  }
  for (int i = 0; i < x->rank; i++) terms *= e->o->all_axes || is_reduced[i] ? (uint64_t)x->shape[i] : 1;
  return terms;
}

/* --tree without --got: the order of the contract that the options name, for the file or --shape. */
static int draw_named(const options *o) {
  explanation e = {.o = o};
  bitfold_contract contract;
  uint64_t n = 1;
  int status;
  if (o->file_count) {
    status = ask(&e);
    if (!status) status = assemble_end(e.x.name, &e.asked, e.asked.element, &contract);
    n = terms_of(&e);
  } else {
    status = assemble_begin(o, operation_of(o), &contract);
    if (!status && !o->shape_rank) return complain(NULL, "--tree takes a file, or the number of terms as --shape N");
    if (!status && !contract.element) contract.element = BITFOLD_FORMAT_F32;
    if (!status) status = assemble_end("--contract", &contract, contract.element, &contract);
    for (int i = 0; i < o->shape_rank; i++) n *= (uint64_t)o->shape[i];
  }
  if (!status) status = drawing_make(&contract, n, o->tree, o->out);
  input_close(&e.x);
  input_close(&e.y);
  return status;
}

static int check(const options *o) {
  if (o->separate) return STATUS_DONE;
  if (!o->got && !o->tree) return complain(NULL, "explain takes --got BITS, a number or a .npy file: what somebody got");
  if (o->out && !o->tree) return complain(NULL, "-o goes with --tree and with --separate");
  if (o->tree && o->json) return complain(NULL, "--tree and --json are both given; choose one");
  int status = options_streams(o);
  if (!status && o->got && strcmp(o->got, "-") == 0 && o->file_count && strcmp(o->file[0], "-") == 0)
    return complain(NULL, "standard input (-) is named twice; it can be read once");
  return status ? status : options_codes(o);
}

int verb_explain(const options *o) {
  explanation e = {.o = o};
  int status = check(o);
  if (status) return status;
  if (o->separate) return probe_find(o);
  if (!o->got) return draw_named(o);
  status = ask(&e);
  if (!status) status = got_read(&e);
  if (!status) status = explain_all(&e);
  if (!status && o->tree && e.explaining) status = drawing_make(&e.finding[0].trial.contract, terms_of(&e), o->tree, o->out);
  else if (!status && o->tree) status = complain(e.x.name, "no contract explains it, so there is no order to draw");
  else if (!status) status = findings_print(&e);
  if (!status) status = output_flush();
  if (!status && !e.explaining) status = STATUS_NO;
  got_close(&e);
  free(e.finding);
  free(e.room);
  input_close(&e.x);
  input_close(&e.y);
  return status;
}
