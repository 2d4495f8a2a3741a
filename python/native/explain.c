/* SPDX-License-Identifier: Apache-2.0 */
/* Explanations: trials of all usual contracts as tuples, inputs that separate two contracts, orders as the text of a tree. */
#include "native.h"

#include <string.h>

enum { CANDIDATES_MAX = 4096, TERMS_MAX = 65536 };

static int look_up(void *context, uint64_t done, uint64_t total) {
  PyThreadState **thread = context;
  (void)done, (void)total;
  PyEval_RestoreThread(*thread);
  int raised = PyErr_CheckSignals();
  *thread = PyEval_SaveThread();
  return raised;
}

static PyObject *text_of(const bitfold_contract *contract) {
  const size_t length = bitfold_contract_print(contract, NULL, 0);
  char *text = PyMem_Malloc(length + 1);
  if (!text) return PyErr_NoMemory();
  (void)bitfold_contract_print(contract, text, length + 1);
  PyObject *made = PyUnicode_FromStringAndSize(text, (Py_ssize_t)length);
  PyMem_Free(text);
  return made;
}

static PyObject *list_of(const bitfold_trial *trials, size_t count) {
  PyObject *list = PyList_New(0);
  for (size_t i = 0; list && i < count; i++) {
    const bitfold_trial *t = &trials[i];
    PyObject *text = text_of(&t->contract);
    PyObject *entry = text ? Py_BuildValue("(NKKKK)", text, (unsigned long long)t->matched, (unsigned long long)t->first,
                                           (unsigned long long)t->ulps, (unsigned long long)t->hash)
                           : NULL;
    if (!entry || PyList_Append(list, entry)) Py_CLEAR(list);
    Py_XDECREF(entry);
  }
  return list;
}

static PyObject *explain(const state *s, const bitfold_contract *asked, PyObject *const *args, array *x, array *y, array *got) {
  const int dot = args[2] != Py_None;
  bitfold_axes named;
  bitfold_message message;
  int all, threads;
  size_t count = 0, outputs = 1;
  if (int_from(args[5], &threads) || array_hold(x, args[1], asked->element) || array_hold(got, args[4], asked->output)) return NULL;
  if (dot && (array_hold(y, args[2], asked->element) || array_broadcast(x, y))) return NULL;
  if (axes_from(s, args[3], &named, &all)) return NULL;
  for (int i = 0; i < got->tensor.rank; i++) outputs *= (size_t)got->tensor.shape[i];
  void *room = PyMem_Calloc(outputs ? outputs : 1, sizeof(uint64_t));
  bitfold_trial *trials = PyMem_Calloc(CANDIDATES_MAX, sizeof *trials);
  PyObject *made = NULL;
  if (room && trials) {
    PyThreadState *thread = PyEval_SaveThread();
    const bitfold_engine engine = {
        .isa = s->isa, .threads = threads ? threads : s->threads, .progress = look_up, .context = &thread};
    const bitfold_status status = bitfold_explain(asked, &x->tensor, dot ? &y->tensor : NULL, all ? NULL : &named, &got->tensor,
                                                  room, &engine, trials, CANDIDATES_MAX, &count, &message);
    PyEval_RestoreThread(thread);
    if (!status) made = list_of(trials, count < CANDIDATES_MAX ? count : CANDIDATES_MAX);
    else if (status != BITFOLD_STATUS_STOPPED) refuse(s, status, &message);
  } else {
    PyErr_NoMemory();
  }
  PyMem_Free(room);
  PyMem_Free(trials);
  return made;
}

PyObject *native_explain(PyObject *module, PyObject *const *args, Py_ssize_t count) {
  const state *s = state_of(module);
  array x = {0}, y = {0}, got = {0};
  bitfold_contract asked = {0};
  bitfold_message message;
  if (count != 6) {
    PyErr_SetString(PyExc_TypeError, "explain takes parts of a contract, x, y or None, axes, the result and threads");
    return NULL;
  }
  const char *text = PyUnicode_AsUTF8AndSize(args[0], NULL);
  if (!text) return NULL;
  const bitfold_status status = bitfold_contract_add(&asked, text, &message);
  if (status) return refuse(s, status, &message);
  PyObject *made = explain(s, &asked, args, &x, &y, &got);
  array_release(&x);
  array_release(&y);
  array_release(&got);
  return made;
}

/* The first n elements of a row as a new array. */
static PyObject *row_of(const state *s, bitfold_format format, const void *data, size_t n) {
  const int64_t extent = (int64_t)n;
  bitfold_tensor tensor;
  Py_buffer view = {0};
  if (bitfold_tensor_init(&tensor, format, NULL, 1, &extent)) return PyErr_NoMemory();
  PyObject *made = array_new(s, &tensor, &view);
  if (!made) return NULL;
  memcpy(view.buf, data, n * bitfold_format_size(format));
  PyBuffer_Release(&view);
  return made;
}

PyObject *native_separate(PyObject *module, PyObject *const *args, Py_ssize_t count) {
  const state *s = state_of(module);
  bitfold_message message;
  int trials, capacity;
  size_t n = 0;
  uint64_t tried = 0;
  if (count != 4 || !PyObject_TypeCheck(args[0], s->contract_type) || !PyObject_TypeCheck(args[1], s->contract_type)) {
    PyErr_SetString(PyExc_TypeError, "separate takes two Contracts, a number of trials and the longest row");
    return NULL;
  }
  const bitfold_contract *a = &((contract_object *)args[0])->contract, *b = &((contract_object *)args[1])->contract;
  if (int_from(args[2], &trials) || int_from(args[3], &capacity)) return NULL;
  if (trials < 1 || capacity < 1) return PyErr_SetString(PyExc_ValueError, "trials and the longest row are 1 or more"), NULL;
  void *x = PyMem_Calloc((size_t)capacity, sizeof(uint64_t)), *y = PyMem_Calloc((size_t)capacity, sizeof(uint64_t));
  PyObject *made = NULL, *second = NULL;
  if (x && y) {
    PyThreadState *thread = PyEval_SaveThread();
    const bitfold_status status = bitfold_separate(a, b, 1, (uint64_t)trials, x, y, (size_t)capacity, &n, &tried, &message);
    PyEval_RestoreThread(thread);
    if (status) refuse(s, status, &message);
    else if (!n) made = Py_BuildValue("(OOK)", Py_None, Py_None, (unsigned long long)tried);
    else if (a->operation != BITFOLD_OPERATION_DOT) second = Py_NewRef(Py_None);
    else second = row_of(s, a->element, y, n);
    PyObject *first = second ? row_of(s, a->element, x, n) : NULL;
    if (first) made = Py_BuildValue("(NOK)", first, second, (unsigned long long)tried);
    Py_XDECREF(second);
  } else {
    PyErr_NoMemory();
  }
  PyMem_Free(x);
  PyMem_Free(y);
  return made;
}

/* ---- trees: sums are written as soon as they are whole, as slices of one text of operands ---- */

typedef struct writer {
  PyObject **sum; /* the text of each */
  uint64_t count, room;
  int stopped;
} writer;

static uint64_t keep(writer *w, PyObject *text) {
  if (w->count == w->room) {
    const uint64_t room = w->room ? 2 * w->room : 1024;
    PyObject **more = PyMem_Realloc(w->sum, room * sizeof *more);
    if (more) w->sum = more, w->room = room;
    else PyErr_NoMemory();
  }
  if (!text || w->count == w->room) {
    Py_XDECREF(text);
    w->stopped = 1;
    return 0;
  }
  w->sum[w->count] = text;
  return w->count++;
}

static uint64_t term(void *context, uint64_t i) { return keep(context, PyUnicode_FromFormat("%llu", (unsigned long long)i)); }

/* Texts that went into a longer one are let go, so a long order keeps no more than it is long. */
static uint64_t sum(void *context, const uint64_t *operands, size_t n) {
  writer *w = context;
  if (w->stopped) return 0;
  if (n == 2 && !operands[0]) return operands[1];
  if (n == 2 && !operands[1]) return operands[0];
  PyObject *parts = PyList_New(0), *plus = PyUnicode_FromString("+"), *joined = NULL, *made = NULL;
  for (size_t i = 0; parts && i < n; i++)
    if (PyList_Append(parts, w->sum[operands[i]])) Py_CLEAR(parts);
  if (parts && plus) joined = PyUnicode_Join(plus, parts);
  if (joined) made = PyUnicode_FromFormat("(%U)", joined);
  Py_XDECREF(parts);
  Py_XDECREF(plus);
  Py_XDECREF(joined);
  for (size_t i = 0; i < n; i++) Py_CLEAR(w->sum[operands[i]]);
  return keep(w, made);
}

static uint64_t exact(void *context, uint64_t first, uint64_t n) {
  writer *w = context;
  uint64_t *operands = PyMem_Calloc(n ? n : 1, sizeof *operands);
  if (!operands) PyErr_NoMemory(), w->stopped = 1;
  for (uint64_t i = 0; i < n && !w->stopped; i++) operands[i] = term(w, first + i);
  const uint64_t made = w->stopped || !n ? 0 : n == 1 ? operands[0] : sum(w, operands, (size_t)n);
  PyMem_Free(operands);
  return made;
}

PyObject *native_tree(PyObject *module, PyObject *const *args, Py_ssize_t count) {
  const state *s = state_of(module);
  writer w = {0};
  const bitfold_visitor visitor = {&w, 0, term, sum, exact, &w.stopped};
  bitfold_message message;
  uint64_t root = 0;
  int n;
  if (count != 2 || !PyObject_TypeCheck(args[0], s->contract_type)) {
    PyErr_SetString(PyExc_TypeError, "tree takes a Contract and a number of terms");
    return NULL;
  }
  if (int_from(args[1], &n)) return NULL;
  if (n < 1 || n > TERMS_MAX) return PyErr_Format(PyExc_ValueError, "a tree has 1 to %d terms, not %d", TERMS_MAX, n);
  (void)keep(&w, PyUnicode_FromString("0"));
  const bitfold_status status =
      w.stopped ? BITFOLD_STATUS_STOPPED
                : bitfold_order_walk(&((contract_object *)args[0])->contract, (uint64_t)n, &visitor, &root, &message);
  PyObject *made = status ? NULL : Py_NewRef(w.sum[root]);
  if (status && status != BITFOLD_STATUS_STOPPED) refuse(s, status, &message);
  for (uint64_t i = 0; i < w.count; i++) Py_XDECREF(w.sum[i]);
  PyMem_Free(w.sum);
  return made;
}
