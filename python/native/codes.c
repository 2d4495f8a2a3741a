/* SPDX-License-Identifier: Apache-2.0 */
/* sum_codes, the one door to sums and dots of SuperFloat codes, and what goes with a sum: its trace, its vanished products. */
#include "native.h"

/* The arguments of sum_codes, in their sequence. */
enum { X, Y, BITS, RULE, AXES, KEEPDIMS, MEAN, ARGUMENTS };
static const char *const words[ARGUMENTS] = {"x", "y", "bits", "rule", "axes", "keepdims", "mean"};

/* Puts positional and named arguments in their places. 0 or -1. */
static int place(PyObject *const *args, Py_ssize_t count, PyObject *names, PyObject **argument) {
  const Py_ssize_t named = names ? PyTuple_Size(names) : 0;
  if (count > ARGUMENTS) return PyErr_Format(PyExc_TypeError, "sum_codes takes at most %d arguments", ARGUMENTS), -1;
  for (Py_ssize_t i = 0; i < count; i++) argument[i] = args[i];
  for (Py_ssize_t i = 0; i < named; i++) {
    PyObject *name = PyTuple_GetItem(names, i);
    int at = 0;
    while (at < ARGUMENTS && PyUnicode_CompareWithASCIIString(name, words[at]) != 0) at++;
    if (at == ARGUMENTS || argument[at])
      return PyErr_Format(PyExc_TypeError, at < ARGUMENTS ? "sum_codes got %R twice" : "sum_codes has no argument %R", name), -1;
    argument[at] = args[count + i];
  }
  if (argument[X] && argument[BITS] && argument[RULE]) return 0;
  return PyErr_SetString(PyExc_TypeError, "sum_codes needs x, bits and rule"), -1;
}

static int is_true(PyObject *argument) { return argument ? PyObject_IsTrue(argument) : 0; }

/* All of one or two rows of codes, which the shortest call of the library adds. */
enum { ROW_MAX = 1 << 20 }; /* beyond it, ^C is looked for */
static PyObject *sum_row(const state *s, const bitfold_rule *rule, const array *x, const array *y, size_t n) {
  int16_t code;
  uint64_t clamped;
  PyThreadState *thread = n > 1 << 14 ? PyEval_SaveThread() : NULL;
  bitfold_status status = bitfold_sum_codes(rule, x->tensor.format, x->tensor.data, y ? y->tensor.data : NULL, n, &code, &clamped);
  if (thread) PyEval_RestoreThread(thread);
  if (status) return refuse(s, status, NULL);
  PyObject *pair = PyTuple_New(2);
  if (!pair || PyTuple_SetItem(pair, 0, PyLong_FromLong(code)) || PyTuple_SetItem(pair, 1, PyLong_FromLong((long)clamped)))
    return Py_XDECREF(pair), NULL;
  return pair;
}

static PyObject *sum_tensor(const state *s, const bitfold_rule *rule, const array *x, const array *y, PyObject *axes, int keepdims,
                            int mean) {
  const bitfold_format format = x->tensor.format;
  bitfold_report report = {0};
  bitfold_contract contract = {.element = format, .output = format, .rule = rule};
  contract.operation = y ? BITFOLD_OPERATION_DOT : mean ? BITFOLD_OPERATION_MEAN : BITFOLD_OPERATION_SUM;
  PyObject *made = run_reduction(s, &contract, x, y, axes, keepdims, 0, &report);
  return made ? Py_BuildValue("(NK)", made, (unsigned long long)report.clamped) : NULL;
}

static size_t elements(const array *x) {
  size_t n = 1;
  for (int i = 0; i < x->tensor.rank; i++) n *= (size_t)x->tensor.shape[i];
  return n;
}

/* The code of a full reduction as an integer. */
static PyObject *as_integer(PyObject *pair) {
  PyObject *number = pair ? PyNumber_Long(PyTuple_GetItem(pair, 0)) : NULL;
  PyObject *made = number ? PyTuple_Pack(2, number, PyTuple_GetItem(pair, 1)) : NULL;
  Py_XDECREF(number);
  Py_XDECREF(pair);
  return made;
}

static PyObject *sum(const state *s, PyObject *const *argument, array *x, array *y) {
  const bitfold_format format = sf_from(argument[BITS]);
  const bitfold_rule *rule = format ? rule_from(s, argument[RULE]) : NULL;
  PyObject *axes = argument[AXES] ? argument[AXES] : Py_None;
  const int dot = argument[Y] && argument[Y] != Py_None, keepdims = is_true(argument[KEEPDIMS]), mean = is_true(argument[MEAN]);
  if (!rule || keepdims < 0 || mean < 0 || array_hold(x, argument[X], format)) return NULL;
  if (dot && (array_hold(y, argument[Y], format) || array_broadcast(x, y))) return NULL;
  if (dot && mean) return PyErr_SetString(PyExc_ValueError, "a mean is of one array"), NULL;
  const int full = axes == Py_None && !keepdims;
  if (full && !mean && !s->isa && array_is_contiguous(x) && (!dot || array_is_contiguous(y)) &&
      elements(x) <= ROW_MAX) /* which knows no machine */
    return sum_row(s, rule, x, dot ? y : NULL, elements(x));
  PyObject *made = sum_tensor(s, rule, x, dot ? y : NULL, axes, keepdims, mean);
  return full ? as_integer(made) : made;
}

PyObject *native_sum_codes(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names) {
  PyObject *argument[ARGUMENTS] = {NULL}, *made = NULL;
  array x = {0}, y = {0};
  if (!place(args, count, names, argument)) made = sum(state_of(module), argument, &x, &y);
  array_release(&x);
  array_release(&y);
  return made;
}

/* ---- trace ---- */

static PyObject *trace(const state *s, PyObject *const *args, array *x, array *y) {
  const bitfold_format format = sf_from(args[2]);
  const bitfold_rule *rule = format ? rule_from(s, args[3]) : NULL;
  const int dot = args[1] != Py_None;
  bitfold_tensor output;
  Py_buffer view = {0};
  uint64_t clamped;
  if (!rule || array_hold(x, args[0], format) || (dot && array_hold(y, args[1], format))) return NULL;
  const int64_t n = x->tensor.rank == 1 ? x->tensor.shape[0] : -1;
  if (n < 0 || !array_is_contiguous(x) || (dot && (!array_is_contiguous(y) || y->tensor.rank != 1 || y->tensor.shape[0] != n)))
    return PyErr_SetString(PyExc_ValueError, "trace_codes takes one or two contiguous rows of one length"), NULL;
  (void)bitfold_tensor_init(&output, BITFOLD_FORMAT_I16, NULL, 1, &n);
  PyObject *made = array_new(s, &output, &view);
  if (!made) return NULL;
  bitfold_status status =
      bitfold_trace_codes(rule, format, x->tensor.data, dot ? y->tensor.data : NULL, (size_t)n, view.buf, &clamped);
  PyBuffer_Release(&view);
  if (!status) return Py_BuildValue("(NK)", made, (unsigned long long)clamped);
  Py_DECREF(made);
  return refuse(s, status, NULL);
}

PyObject *native_trace_codes(PyObject *module, PyObject *const *args, Py_ssize_t count) {
  array x = {0}, y = {0};
  if (count != 4) return PyErr_SetString(PyExc_TypeError, "trace_codes takes x, y or None, bits and rule"), NULL;
  PyObject *made = trace(state_of(module), args, &x, &y);
  array_release(&x);
  array_release(&y);
  return made;
}

/* ---- vanished products ---- */

static PyObject *vanished(const state *s, PyObject *const *args, array *x, array *y) {
  const bitfold_format format = sf_from(args[2]);
  const bitfold_rule *rule = format ? rule_from(s, args[3]) : NULL;
  bitfold_axes named;
  bitfold_tensor output;
  bitfold_message message;
  Py_buffer view = {0};
  int all;
  if (!rule || array_hold(x, args[0], format) || array_hold(y, args[1], format)) return NULL;
  if (array_broadcast(x, y) || axes_from(s, args[4], &named, &all)) return NULL;
  const bitfold_axes *axes = all ? NULL : &named;
  bitfold_status status = bitfold_tensor_reduced(&x->tensor, axes, 0, BITFOLD_FORMAT_I64, &output, &message);
  if (status) return refuse(s, status, &message);
  PyObject *made = array_new(s, &output, &view);
  if (!made) return NULL;
  PyThreadState *thread = PyEval_SaveThread();
  status = bitfold_vanished_codes(rule, &x->tensor, &y->tensor, axes, &output, &message);
  PyEval_RestoreThread(thread);
  PyBuffer_Release(&view);
  if (!status) return made;
  Py_DECREF(made);
  return refuse(s, status, &message);
}

PyObject *native_vanished_codes(PyObject *module, PyObject *const *args, Py_ssize_t count) {
  array x = {0}, y = {0};
  if (count != 5) return PyErr_SetString(PyExc_TypeError, "vanished_codes takes x, y, bits, rule and axes"), NULL;
  PyObject *made = vanished(state_of(module), args, &x, &y);
  array_release(&x);
  array_release(&y);
  return made;
}
