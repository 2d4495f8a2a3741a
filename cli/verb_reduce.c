/* SPDX-License-Identifier: Apache-2.0 */
/* sum, mean, dot, sumsq, sumabs, max, min, argmax, argmin: they differ by a word of the contract, and dot by a second file. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* One reduction, from its files to its result. */
typedef struct job {
  const options *o;
  input x;
  input y; /* dot only */
  int is_dot;
  bitfold_contract contract;
  result result;
  void *output;
} job;

/* The library tells us how far it is. */
static int watch(void *context, uint64_t done, uint64_t total) {
  (void)context;
  pages_tell(done);
  progress_show(done, total);
  return 0;
}

/* The policy of --over for `count` of `total` elements of an operation that clamped. */
static int events(const job *j, const input *in, const char *operation, uint64_t count, uint64_t total) {
  if (count == 0 || j->o->over == OVER_IGNORE) return STATUS_DONE;
  (void)complain(in->name, "%s %s: overflow in %llu of %llu element(s)", bitfold_format_name(in->tensor.format), operation,
                 (unsigned long long)count, (unsigned long long)total);
  return j->o->over == OVER_RAISE ? STATUS_NO : STATUS_DONE;
}

static int open_one(const job *j, const char *file, input *in) {
  int status = input_open(file, j->o->as, j->o->codes, in);
  return status ? status : events(j, in, "array", in->clamped, in->header.count);
}

static int check_pair(const input *x, const input *y) {
  char a[SHAPE_TEXT_MAX];
  char b[SHAPE_TEXT_MAX];
  (void)shape_text(x->header.rank, x->header.shape, a);
  (void)shape_text(y->header.rank, y->header.shape, b);
  if (strcmp(a, b) != 0) return complain(x->name, "shape %s, and %s has %s; dot takes two of one shape", a, y->name, b);
  if (x->tensor.format == y->tensor.format) return STATUS_DONE;
  const char *own = bitfold_format_name(x->tensor.format);
  return complain(x->name, "holds %s, and %s holds %s; --as %s makes both that", own, y->name,
                  bitfold_format_name(y->tensor.format), own);
}

/* Room for the outputs, of the shape that the axes leave. */
static int make_output(job *j) {
  bitfold_message message;
  bitfold_tensor *t = &j->result.tensor;
  if (bitfold_tensor_reduced(&j->x.tensor, j->o->all_axes ? NULL : &j->o->axes, j->o->keepdims, j->contract.output, t, &message) !=
      BITFOLD_STATUS_OK) {
    return complain(j->x.name, "%s", message.text);
  }
  j->result.count = 1;
  for (int i = 0; i < t->rank; i++) j->result.count *= (uint64_t)t->shape[i];
  j->output = calloc(j->result.count ? j->result.count : 1, bitfold_format_size(t->format));
  if (!j->output) return complain(j->x.name, "out of memory for %llu outputs", (unsigned long long)j->result.count);
  t->data = j->output;
  j->result.data = j->output;
  return STATUS_DONE;
}

static int compute(job *j) {
  const input *y = j->is_dot ? &j->y : NULL;
  const bitfold_axes *axes = j->o->all_axes ? NULL : &j->o->axes;
  bitfold_report *report = &j->result.report;
  bitfold_engine engine = {.isa = j->o->isa, .progress = watch};
  uint64_t size = bitfold_format_size(j->x.tensor.format);
  progress_start(y ? 2 * size : size);
  pages_start(&j->x, y, size, pages_along(&j->x, axes) && (!y || pages_along(y, axes)));
  bitfold_status status =
      bitfold_reduce(&j->contract, &j->x.tensor, y ? &y->tensor : NULL, axes, &j->result.tensor, &engine, report);
  pages_stop();
  progress_stop();
  if (status != BITFOLD_STATUS_OK) return complain(j->x.name, "%s", report->message.text);
  return events(j, &j->x, j->o->verb, report->clamped, report->outputs);
}

static int deliver(const job *j, store *s) {
  const options *o = j->o;
  int status = o->out ? store_commit(s, &j->result) : STATUS_DONE;
  if (status) return status;
  if (o->json) status = output_json(&j->result);
  else if (o->bits) output_bits(&j->result);
  else if (!o->out) output_text(&j->result);
  return status ? status : output_flush();
}

/* From open files to a printed result. The output file comes before the work, so that hours are not spent for a mistyped folder. */
static int run(job *j, const bitfold_contract *begun) {
  store s = {.descriptor = -1};
  int status = assemble_end(j->x.name, begun, j->x.tensor.format, &j->contract);
  if (!status && j->is_dot) status = check_pair(&j->x, &j->y);
  if (!status) status = make_output(j);
  if (!status && j->o->out) status = store_begin(&s, j->o->out);
  if (!status) status = compute(j);
  if (!status) status = deliver(j, &s);
  store_abandon(&s);
  return status;
}

static int reduce_file(const options *o, const char *const *file, const bitfold_contract *begun) {
  job j = {.o = o, .is_dot = begun->operation == BITFOLD_OPERATION_DOT};
  if (!j.is_dot && o->file_count > 1) j.result.file = file[0];
  int status = open_one(&j, file[0], &j.x);
  if (!status && j.is_dot) status = open_one(&j, file[1], &j.y);
  if (!status) status = run(&j, begun);
  input_close(&j.x);
  input_close(&j.y);
  free(j.output);
  return status;
}

static int check_options(const options *o, int is_dot) {
  static const char *const allowed[] = {"axis", "keepdims", "as",     "order", "contract", "codes", "nan", "over",
                                        "isa",  "threads",  "output", "json",  "bits",     "help",  NULL};
  int inputs = 0;
  if (options_allow(o, allowed)) return STATUS_UNUSABLE;
  for (int i = 0; i < o->file_count; i++) inputs += strcmp(o->file[i], "-") == 0;
  if (is_dot && o->file_count != 2) return complain(NULL, "dot takes two files; %d given", o->file_count);
  if (o->file_count == 0) return complain(NULL, "%s takes a .npy file, or - for standard input; none given", o->verb);
  if (inputs > 1) return complain(NULL, "standard input (-) is named %d times; it can be read once", inputs);
  if (o->out && o->file_count > 1 && !is_dot) return complain(NULL, "-o takes the result of one file; %d given", o->file_count);
  if (o->json && o->bits) return complain(NULL, "--json and --bits are both given; --json holds the bits too");
  if (o->out && strcmp(o->out, "-") == 0 && (o->json || o->bits)) {
    return complain(NULL, "-o - and --%s both write to standard output; choose one", o->json ? "json" : "bits");
  }
  return options_codes(o);
}

/* Several files are reduced one by one, as wc counts them; one that fails does not stop the next, but makes the exit status. */
int verb_reduce(const options *o) {
  bitfold_contract begun;
  int is_dot = strcmp(o->verb, "dot") == 0;
  int status = check_options(o, is_dot);
  if (!status) status = assemble_begin(o, &begun);
  if (status) return status;
  for (int i = 0; i < (is_dot ? 1 : o->file_count) && !ferror(stdout); i++) {
    int one = reduce_file(o, (const char *const *)o->file + i, &begun);
    if (one > status) status = one;
  }
  return status;
}
