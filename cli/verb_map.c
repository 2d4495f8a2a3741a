/* SPDX-License-Identifier: Apache-2.0 */
/* add, subtract, multiply, negative, absolute: element by element on sfN codes, as the accumulation rule does it. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* The operations, by their place in bitfold_elementwise. */
static const char *const operations[] = {
    [BITFOLD_ELEMENTWISE_ADD] = "add",           [BITFOLD_ELEMENTWISE_SUBTRACT] = "subtract",
    [BITFOLD_ELEMENTWISE_MULTIPLY] = "multiply", [BITFOLD_ELEMENTWISE_NEGATIVE] = "negative",
    [BITFOLD_ELEMENTWISE_ABSOLUTE] = "absolute",
};

/* From the files to the result. */
typedef struct job {
  const options *o;
  bitfold_elementwise operation;
  const bitfold_rule *rule;
  input in[2];
  int count; /* of operands */
  result result;
} job;

static int open_operand(job *j, int i) {
  input *in = &j->in[i];
  int status = input_open(j->o->file[i], j->o->as, j->o->codes, in);
  if (status) return status;
  const char *own = bitfold_format_name(in->tensor.format);
  const input *first = &j->in[0];
  if (!format_is_sf(in->tensor.format)) {
    return complain(in->name, "holds %s; %s takes codes of sfN: --as sf16 makes them", own, j->o->verb);
  }
  if (in->tensor.format != first->tensor.format) {
    const char *other = bitfold_format_name(first->tensor.format);
    return complain(first->name, "holds %s, and %s holds %s; --as %s makes both that", other, in->name, own, other);
  }
  status = rule_check(in->name, j->rule, in->tensor.format);
  return status ? status : deliver_events(j->o, in, "array", in->clamped, in->header.count);
}

/* The operands as views of one shape, and room for a result of that shape. */
static int make_output(job *j, bitfold_tensor *x, bitfold_tensor *y) {
  char a[SHAPE_TEXT_MAX];
  char b[SHAPE_TEXT_MAX];
  const char *name = j->in[0].name;
  *x = j->in[0].tensor;
  *y = j->count == 2 ? j->in[1].tensor : *x;
  if (!views_broadcast(x, y)) {
    return complain(name, "shape %s, and %s has %s; extents must be equal, or 1, counted from the last",
                    shape_text(j->in[0].header.rank, j->in[0].header.shape, a), j->in[1].name,
                    shape_text(j->in[1].header.rank, j->in[1].header.shape, b));
  }
  bitfold_status status = bitfold_tensor_init(&j->result.tensor, x->format, NULL, x->rank, x->shape);
  if (status != BITFOLD_STATUS_OK) return complain(name, "%s", bitfold_status_text(status));
  return deliver_room(name, &j->result);
}

/* Some rows of the outermost axis that has several. */
static bitfold_tensor cut(const bitfold_tensor *whole, int axis, int64_t first, int64_t rows) {
  bitfold_tensor part = *whole;
  if (part.rank == 0) return part;
  part.data = (const char *)whole->data + first * whole->stride[axis];
  part.shape[axis] = rows;
  return part;
}

/* Piece by piece, so that it can be told how far the work is. */
static int compute(job *j, const bitfold_tensor *x, const bitfold_tensor *y) {
  const uint64_t at_once = 1 << 20; /* elements */
  bitfold_message message;
  const bitfold_tensor *out = &j->result.tensor;
  bitfold_report *report = &j->result.report;
  uint64_t count = j->result.count;
  int axis = 0;
  while (axis + 1 < out->rank && out->shape[axis] == 1) axis++;
  int64_t extent = out->rank ? out->shape[axis] : 1;
  uint64_t row = extent ? count / (uint64_t)extent : 0;
  int64_t step = count <= at_once ? extent : row && row < at_once ? (int64_t)(at_once / row) : 1;
  report->outputs = count;
  progress_start((uint64_t)j->count * bitfold_format_size(out->format));
  for (int64_t first = 0; first < extent; first += step) {
    int64_t rows = extent - first < step ? extent - first : step;
    bitfold_tensor a = cut(x, axis, first, rows);
    bitfold_tensor b = cut(y, axis, first, rows);
    bitfold_tensor part = cut(out, axis, first, rows);
    uint64_t clamped = 0;
    bitfold_status status = bitfold_map_codes(j->operation, j->rule, &a, j->count == 2 ? &b : NULL, &part, &clamped, &message);
    if (status != BITFOLD_STATUS_OK) return complain(j->in[0].name, "%s", message.text);
    report->clamped += clamped;
    progress_show((uint64_t)(first + rows) * row, count);
  }
  progress_stop();
  return deliver_events(j->o, &j->in[0], j->o->verb, report->clamped, report->outputs);
}

static int run(job *j) {
  bitfold_tensor x;
  bitfold_tensor y;
  store s = {.descriptor = -1};
  int status = STATUS_DONE;
  for (int i = 0; !status && i < j->count; i++) status = open_operand(j, i);
  if (!status) status = make_output(j, &x, &y);
  if (!status && j->o->out) status = store_begin(&s, j->o->out);
  if (!status) status = compute(j, &x, &y);
  if (!status) status = deliver(j->o, &s, &j->result);
  store_abandon(&s);
  return status;
}

/* --order names a rule here, and --rule makes one. */
static int find_rule(const options *o, const bitfold_rule **rule) {
  const char *known[32] = {NULL};
  for (size_t i = 0; i < 31 && bitfold_rule_at(i); i++) known[i] = bitfold_rule_at(i)->name;
  if (o->order && o->has_rule) return complain(NULL, "--order and --rule are both given; choose one");
  *rule = o->has_rule ? &o->rule.rule : bitfold_rule_named(o->order ? o->order : known[0]);
  if (*rule) return STATUS_DONE;
  return complain("--order", "%s is not a rule; nearest is %s, and bitfold info lists them", o->order, nearest(o->order, known));
}

int verb_map(const options *o) {
  job j = {.o = o, .count = 2, .result = {.operation = o->verb}};
  while (strcmp(operations[j.operation], o->verb) != 0) j.operation++;
  if (j.operation >= BITFOLD_ELEMENTWISE_NEGATIVE) j.count = 1;
  if (o->file_count != j.count) {
    return complain(NULL, "%s takes %s; %d given", o->verb, j.count == 2 ? "two files" : "one file", o->file_count);
  }
  int status = options_streams(o);
  if (!status) status = options_codes(o);
  if (!status) status = find_rule(o, &j.rule);
  j.result.rule = j.rule;
  if (!status) status = run(&j);
  input_close(&j.in[0]);
  input_close(&j.in[1]);
  free(j.result.room);
  return status;
}
