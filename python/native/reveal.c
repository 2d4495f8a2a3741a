/* SPDX-License-Identifier: Apache-2.0 */
/* bitfold_reveal with a Python callable as the box, which gets its rows, and gives its sum, as bytes. */
#include "native.h"

#include <string.h>

typedef struct caller {
  PyObject *call;
  size_t element, output; /* bytes */
} caller;

static int ask(void *context, const void *x, const void *y, size_t n, void *result) {
  const caller *c = context;
  const Py_ssize_t size = (Py_ssize_t)(n * c->element);
  char *bytes;
  Py_ssize_t length;
  PyObject *sum = y ? PyObject_CallFunction(c->call, "y#y#", (const char *)x, size, (const char *)y, size)
                    : PyObject_CallFunction(c->call, "y#", (const char *)x, size);
  if (!sum) return -1;
  int failed = PyBytes_AsStringAndSize(sum, &bytes, &length);
  if (!failed && length != (Py_ssize_t)c->output) {
    failed = -1;
    PyErr_Format(PyExc_ValueError, "%zd bytes instead of the %zu of a sum", length, c->output);
  }
  if (!failed) memcpy(result, bytes, c->output);
  Py_DECREF(sum);
  return failed;
}

static PyObject *others_of(const bitfold_revelation *found) {
  PyObject *others = PyTuple_New((Py_ssize_t)found->others);
  for (unsigned i = 0; others && i < found->others; i++) {
    PyObject *text = PyUnicode_FromString(found->other[i]);
    if (!text || PyTuple_SetItem(others, (Py_ssize_t)i, text)) Py_CLEAR(others);
  }
  return others;
}

static PyObject *found_of(const bitfold_revelation *r) {
  PyObject *others = others_of(r);
  if (!others) return NULL;
  return Py_BuildValue("{s:s,s:s,s:s,s:s,s:N,s:K,s:K,s:K,s:i,s:i,s:i,s:i,s:I,s:s}", "finding", bitfold_finding_name(r->finding),
                       "contract", r->contract, "tree", r->tree, "message", r->message.text, "others", others, "probes",
                       (unsigned long long)r->probes, "trials", (unsigned long long)r->trials, "agreed",
                       (unsigned long long)r->agreed, "minus_zero", r->minus_zero, "flushes", r->flushes, "saturates", r->saturates,
                       "fused", r->fused, "accumulator_bits", r->accumulator_bits, "rounding", bitfold_rounding_name(r->rounding));
}

static PyObject *reveal(const state *s, bitfold_box *box, caller *c) {
  bitfold_revelation found;
  bitfold_message message;
  c->element = bitfold_format_size(box->element), c->output = bitfold_format_size(box->output);
  box->call = ask, box->context = c;
  const size_t bytes = bitfold_reveal_bytes(box);
  void *room = PyMem_Malloc(bytes ? bytes : 1);
  if (!room) return PyErr_NoMemory();
  const bitfold_status status = bitfold_reveal(box, room, bytes, &found, &message);
  PyObject *made = NULL;
  if (!status) made = found_of(&found);
  else if (status != BITFOLD_STATUS_STOPPED) made = refuse(s, status, &message); /* else the callable has raised */
  PyMem_Free(room);
  return made;
}

PyObject *native_reveal(PyObject *module, PyObject *args) {
  bitfold_box box = {0};
  caller c = {0};
  const char *operation, *element, *output;
  Py_ssize_t n;
  unsigned long long seed;
  if (!PyArg_ParseTuple(args, "OsssnIKp:reveal", &c.call, &operation, &element, &output, &n, &box.trials, &seed, &box.bounded))
    return NULL;
  for (int o = BITFOLD_OPERATION_SUM; bitfold_operation_name((bitfold_operation)o); o++)
    if (strcmp(operation, bitfold_operation_name((bitfold_operation)o)) == 0) box.operation = (bitfold_operation)o;
  box.element = bitfold_format_named(element), box.output = bitfold_format_named(output);
  box.n = n < 0 ? 0 : (size_t)n, box.seed = seed;
  return reveal(state_of(module), &box, &c);
}
