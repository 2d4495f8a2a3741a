/* SPDX-License-Identifier: Apache-2.0 */
/* info: what this build is and can run, its default contracts, and what files hold. */
#include "cli.h"

#include <string.h>

static void print_defaults(void) {
  static const char *const some[] = {"sum:f16",   "sum:bf16",   "sum:f32",     "sum:f64",   "sum:i8",     "sum:i16",
                                     "sum:i32",   "sum:i64",    "sum:sf8",     "sum:sf16",  "mean:f32",   "mean:i32",
                                     "mean:sf16", "dot:f32",    "dot:sf16",    "sumsq:f32", "sumabs:f32", "max:f32",
                                     "max:i8",    "argmax:f32", "argmax:sf16", NULL};
  for (size_t i = 0; some[i]; i++) {
    bitfold_contract contract;
    char text[128];
    if (bitfold_contract_parse(some[i], &contract, NULL) != BITFOLD_STATUS_OK) continue;
    (void)bitfold_contract_print(&contract, text, sizeof text);
    (void)printf("  %-12s %s\n", some[i], text);
  }
}

static int describe_build(void) {
  (void)printf("bitfold %s\nmachines here, best first:", bitfold_version());
  for (size_t i = 0; bitfold_isa_at(i); i++) (void)printf(" %s", bitfold_isa_at(i));
  (void)printf("\nrules:");
  for (size_t i = 0; bitfold_rule_at(i); i++) (void)printf(" %s", bitfold_rule_at(i)->name);
  (void)printf("\ndefault contracts:\n");
  print_defaults();
  return output_flush();
}

static const char *use_of(const npy *header, char text[64]) {
  bitfold_format format = npy_format(header);
  if (format == BITFOLD_FORMAT_NONE && dtype_is_word(header->descr)) return "needs --codes --as bf16 or f16";
  if (format == BITFOLD_FORMAT_NONE) return "not accepted";
  if (dtype_is_word(header->descr)) return "needs --as i32, or --codes --as bf16 or f16";
  (void)snprintf(text, 64, "%s %s", dtype_is_widened(header->descr) ? "becomes" : "is", bitfold_format_name(format));
  return text;
}

static int describe_file(const char *file) {
  input in;
  char dtype[DTYPE_MAX];
  char use[64];
  char shape[SHAPE_TEXT_MAX];
  int status = input_peek(file, &in);
  if (!status) {
    const npy *h = &in.header;
    (void)printf("%s: %s %s, %s order, %s-endian, %llu bytes (%llu of header), %s\n", in.name, npy_dtype(h, dtype),
                 shape_text(h->rank, h->shape, shape), h->fortran ? "Fortran" : "C", dtype_is_big(h->descr) ? "big" : "little",
                 (unsigned long long)in.file_size, (unsigned long long)h->offset, use_of(h, use));
    status = output_flush();
  }
  input_close(&in);
  return status;
}

/* Nothing is read, so the data may be anything. */
static int print_plan(const options *o, const char *name, const bitfold_contract *contract, int rank, const int64_t *shape) {
  static const uint64_t nothing = 0;
  const int is_dot = contract->operation == BITFOLD_OPERATION_DOT;
  const bitfold_engine engine = {.isa = o->isa, .threads = o->threads};
  const bitfold_axes *axes = o->all_axes ? NULL : &o->axes;
  bitfold_tensor x, y;
  bitfold_plan plan;
  bitfold_message message;
  char text[256];
  if (bitfold_tensor_init(&x, contract->element, &nothing, rank, shape)) return complain(name, "the shape is too large");
  bitfold_status status = bitfold_tensor_reduced(&x, axes, 0, contract->output, &y, &message);
  y.data = &nothing;
  if (!status) status = bitfold_reduce_plan(contract, &x, is_dot ? &x : NULL, axes, &y, &engine, &plan, &message);
  if (status) return complain(name, "%s", message.text);
  (void)bitfold_contract_print(contract, text, sizeof text);
  (void)printf("%s, shape %s: %llu output(s) of %llu term(s)\n", text, shape_text(rank, shape, (char[SHAPE_TEXT_MAX]){0}),
               (unsigned long long)plan.outputs, (unsigned long long)plan.terms);
  (void)printf("  machine  %s\n  act      %s, %llu output(s) at a time\n", plan.isa, plan.act, (unsigned long long)plan.width);
  if (plan.pieces > 1) (void)printf("  threads  %d, each row in %llu pieces\n", o->threads, (unsigned long long)plan.pieces);
  else if (plan.shares > 1) (void)printf("  threads  %d, outputs in %llu shares\n", o->threads, (unsigned long long)plan.shares);
  else (void)printf("  threads  1\n");
  return output_flush();
}

static int describe_plan(const options *o) {
  bitfold_contract contract;
  bitfold_message message;
  input in;
  if (bitfold_contract_parse(o->plan, &contract, &message)) return complain("--plan", "%s", message.text);
  if (o->file_count == 0) return print_plan(o, "--shape", &contract, o->shape_rank, o->shape);
  if (o->file_count > 1 || o->shape_rank) return complain(NULL, "--plan is for one FILE or one --shape");
  int status = input_peek(o->file[0], &in);
  if (!status) status = print_plan(o, in.name, &contract, in.header.rank, in.header.shape);
  input_close(&in);
  return status;
}

int verb_info(const options *o) {
  int status = STATUS_DONE;
  if (o->plan) return describe_plan(o);
  if (o->shape_rank || !o->all_axes) return complain(NULL, "info takes --shape and --axis with --plan CONTRACT alone");
  if (o->file_count == 0) return describe_build();
  for (int i = 0; i < o->file_count; i++) {
    int one = describe_file(o->file[i]);
    if (one > status) status = one;
  }
  return status;
}
