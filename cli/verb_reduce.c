/* SPDX-License-Identifier: Apache-2.0 */
/* sum, mean, dot, matmul, sumsq, sumabs, max, min, argmax, argmin: one reduction, of contracts that differ by a word. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* One reduction, from its files to its result. */
typedef struct job {
  const options *o;
  input x;
  input y; /* of two operands */
  int is_pair;
  int is_matmul;
  bitfold_tensor a; /* the operands as they are reduced */
  bitfold_tensor b;
  const bitfold_axes *axes; /* null: all */
  bitfold_contract contract;
  result result;
} job;

/* The library tells us how far it is. */
static int watch(void *context, uint64_t done, uint64_t total) {
  const job *j = context;
  if (!j->is_matmul) pages_tell(done);
  progress_show(done, total);
  return 0;
}

static int open_one(const job *j, const char *file, input *in) {
  int status = input_open(file, j->o->as, j->o->codes, in);
  return status ? status : deliver_events(j->o, in, "array", in->clamped, in->header.count);
}

static int check_pair(const job *j) {
  char a[SHAPE_TEXT_MAX];
  char b[SHAPE_TEXT_MAX];
  const input *x = &j->x;
  const input *y = &j->y;
  (void)shape_text(x->header.rank, x->header.shape, a);
  (void)shape_text(y->header.rank, y->header.shape, b);
  if (!j->is_matmul && strcmp(a, b) != 0) {
    return complain(x->name, "shape %s, and %s has %s; dot takes two of one shape", a, y->name, b);
  }
  if (x->tensor.format == y->tensor.format) return STATUS_DONE;
  const char *own = bitfold_format_name(x->tensor.format);
  return complain(x->name, "holds %s, and %s holds %s; --as %s makes both that", own, y->name,
                  bitfold_format_name(y->tensor.format), own);
}

/* What is reduced, and over which axes. */
static int make_views(job *j) {
  static const bitfold_axes last = {.count = 1, .axis = {-1}};
  j->a = j->x.tensor;
  j->b = j->y.tensor;
  j->axes = j->o->all_axes ? NULL : &j->o->axes;
  int status = j->is_pair ? check_pair(j) : STATUS_DONE;
  if (status || !j->is_matmul) return status;
  j->axes = &last;
  return views_matmul(&j->x, &j->y, &j->a, &j->b);
}

/* Room for the outputs, of the shape that the axes leave. */
static int make_output(job *j) {
  bitfold_message message;
  if (bitfold_tensor_reduced(&j->a, j->axes, j->o->keepdims, j->contract.output, &j->result.tensor, &message) !=
      BITFOLD_STATUS_OK) {
    return complain(j->x.name, "%s", message.text);
  }
  return deliver_room(j->x.name, &j->result);
}

/* --vanished: all products together, whatever the axes. */
static int count_vanished(job *j) {
  bitfold_message message;
  bitfold_tensor total;
  int64_t count = 0;
  result *r = &j->result;
  if (!j->o->vanished) return STATUS_DONE;
  (void)bitfold_tensor_init(&total, BITFOLD_FORMAT_I64, &count, 0, NULL);
  if (bitfold_vanished_codes(j->contract.rule, &j->a, &j->b, NULL, &total, &message) != BITFOLD_STATUS_OK) {
    return complain(j->x.name, "%s", message.text);
  }
  r->has_vanished = 1;
  r->vanished = (uint64_t)count;
  r->products = 1;
  for (int i = 0; i < j->a.rank; i++) r->products *= (uint64_t)j->a.shape[i];
  return STATUS_DONE;
}

static int compute(job *j) {
  const input *y = j->is_pair ? &j->y : NULL;
  bitfold_report *report = &j->result.report;
  bitfold_engine engine = {.isa = j->o->isa, .threads = j->o->threads, .progress = watch, .context = j};
  uint64_t size = bitfold_format_size(j->a.format);
  progress_start(j->is_matmul ? 0 : y ? 2 * size : size);
  if (!j->is_matmul) pages_start(&j->x, y, size, pages_along(&j->x, j->axes) && (!y || pages_along(y, j->axes)));
  bitfold_status status = bitfold_reduce(&j->contract, &j->a, y ? &j->b : NULL, j->axes, &j->result.tensor, &engine, report);
  if (!j->is_matmul) pages_stop();
  progress_stop();
  if (status != BITFOLD_STATUS_OK) return complain(j->x.name, "%s", report->message.text);
  int told = deliver_events(j->o, &j->x, j->o->verb, report->clamped, report->outputs);
  return told ? told : count_vanished(j);
}

/* --rule and --vanished are about rules, which only sums of sfN have. */
static int check_rule(job *j) {
  const bitfold_rule *rule = j->contract.rule;
  if (j->o->has_rule) j->result.rule = rule;
  if (!j->o->vanished || rule) return STATUS_DONE;
  const char *own = bitfold_format_name(j->x.tensor.format);
  if (format_is_sf(j->x.tensor.format))
    return complain(j->x.name, "--vanished: no product vanishes from an exact sum; a rule narrows them");
  return complain(j->x.name, "holds %s; --vanished is about codes of sfN, which --as makes", own);
}

/* From open files to a printed result. The output file comes before the work, so that hours are not spent for a mistyped folder. */
static int run(job *j, const bitfold_contract *begun) {
  store s = {.descriptor = -1};
  int status = assemble_end(j->x.name, begun, j->x.tensor.format, &j->contract);
  if (!status) status = make_views(j);
  if (!status) status = check_rule(j);
  if (!status) status = make_output(j);
  if (!status && j->o->out) status = store_begin(&s, j->o->out);
  if (!status) status = compute(j);
  if (!status) status = deliver(j->o, &s, &j->result);
  store_abandon(&s);
  return status;
}

static int reduce_file(const options *o, const char *const *file, const bitfold_contract *begun) {
  job j = {.o = o, .is_pair = begun->operation == BITFOLD_OPERATION_DOT, .is_matmul = strcmp(o->verb, "matmul") == 0};
  if (!j.is_pair && o->file_count > 1) j.result.file = file[0];
  int status = open_one(&j, file[0], &j.x);
  if (!status && j.is_pair) status = open_one(&j, file[1], &j.y);
  if (!status) status = run(&j, begun);
  input_close(&j.x);
  input_close(&j.y);
  free(j.result.room);
  return status;
}

static int check_files(const options *o, int is_pair) {
  if (is_pair && o->file_count != 2) return complain(NULL, "%s takes two files; %d given", o->verb, o->file_count);
  if (o->file_count == 0) return complain(NULL, "%s takes a .npy file, or - for standard input; none given", o->verb);
  if (o->out && o->file_count > 1 && !is_pair) return complain(NULL, "-o takes the result of one file; %d given", o->file_count);
  int status = options_streams(o);
  return status ? status : options_codes(o);
}

/* Several files are reduced one by one, as wc counts them; one that fails does not stop the next, but makes the exit status. */
int verb_reduce(const options *o) {
  bitfold_contract begun;
  const char *operation = strcmp(o->verb, "matmul") == 0 ? "dot" : o->verb;
  int is_pair = strcmp(operation, "dot") == 0;
  int status = check_files(o, is_pair);
  if (!status) status = assemble_begin(o, operation, &begun);
  if (status) return status;
  for (int i = 0; i < (is_pair ? 1 : o->file_count) && !ferror(stdout); i++) {
    int one = reduce_file(o, (const char *const *)o->file + i, &begun);
    if (one > status) status = one;
  }
  return status;
}
