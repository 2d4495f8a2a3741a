/* SPDX-License-Identifier: Apache-2.0 */
/* convert: what --as does to the elements of a file, as a result of its own. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* The elements of a Fortran-ordered array, which lie together, in row-major order. */
static int make_rows(const input *in, result *r) {
  const bitfold_tensor *t = &in->tensor;
  size_t size = bitfold_format_size(t->format);
  int status = deliver_room(in->name, r);
  for (uint64_t i = 0; !status && i < r->count; i++) {
    uint64_t rest = i;
    const char *from = t->data;
    for (int axis = t->rank - 1; axis >= 0; axis--) {
      from += (int64_t)(rest % (uint64_t)t->shape[axis]) * t->stride[axis];
      rest /= (uint64_t)t->shape[axis];
    }
    memcpy((char *)r->room + i * size, from, size);
  }
  return status;
}

static int make_result(const input *in, result *r) {
  bitfold_status status = bitfold_tensor_init(&r->tensor, in->tensor.format, in->tensor.data, in->tensor.rank, in->tensor.shape);
  if (status != BITFOLD_STATUS_OK) return complain(in->name, "%s", bitfold_status_text(status));
  r->data = in->tensor.data;
  r->count = in->header.count;
  r->report.clamped = in->clamped;
  r->report.outputs = in->header.count;
  return in->header.fortran && in->tensor.rank > 1 ? make_rows(in, r) : STATUS_DONE;
}

static int run(const options *o, input *in, result *r) {
  store s = {.descriptor = -1};
  int status = input_peek(o->file[0], in);
  if (!status && o->out) status = store_begin(&s, o->out);
  if (!status) status = recast(in, o->as, o->codes, 1);
  if (!status) status = deliver_events(o, in, "array", in->clamped, in->header.count);
  if (!status) status = make_result(in, r);
  if (!status) status = deliver(o, &s, r);
  store_abandon(&s);
  return status;
}

int verb_convert(const options *o) {
  input in = {0};
  result r = {.operation = o->verb};
  if (o->file_count != 1) return complain(NULL, "convert takes one file; %d given", o->file_count);
  if (o->as == BITFOLD_FORMAT_NONE) return complain(NULL, "convert needs --as, which says what the elements become");
  int status = options_streams(o);
  if (!status) status = options_codes(o);
  if (!status) status = run(o, &in, &r);
  input_close(&in);
  free(r.room);
  return status;
}
