/* SPDX-License-Identifier: Apache-2.0 */
/* bitfold_reduce over NumPy arrays: no copy of the input, no interpreter lock while it works, an end on ^C. */
#include "native.h"

/* Called by the library now and then: handlers of signals run, and one that raises stops the reduction. */
static int look_up(void *context, uint64_t done, uint64_t total) {
  PyThreadState **thread = context; /* the one that gave the lock up, and takes it back for a moment */
  (void)done, (void)total;
  PyEval_RestoreThread(*thread);
  int raised = PyErr_CheckSignals();
  *thread = PyEval_SaveThread();
  return raised;
}

enum { ALONE = 1 << 14 }; /* fewer elements are done before another thread could take the lock */

static bitfold_status reduce(const bitfold_contract *contract, const array *x, const array *y, const bitfold_axes *axes,
                             const bitfold_tensor *output, bitfold_engine engine, bitfold_report *report) {
  const bitfold_tensor *second = y ? &y->tensor : NULL;
  uint64_t elements = 1;
  for (int i = 0; i < x->tensor.rank && elements < ALONE; i++) elements *= (uint64_t)x->tensor.shape[i];
  if (elements < ALONE) return bitfold_reduce(contract, &x->tensor, second, axes, output, &engine, report);
  PyThreadState *thread = PyEval_SaveThread();
  engine.progress = look_up, engine.context = &thread;
  bitfold_status status = bitfold_reduce(contract, &x->tensor, second, axes, output, &engine, report);
  PyEval_RestoreThread(thread);
  return status;
}

PyObject *run_reduction(const state *s, const bitfold_contract *contract, const array *x, const array *y, PyObject *axes,
                        int keepdims, int threads, bitfold_report *report) {
  const bitfold_engine engine = {.isa = s->isa, .threads = threads ? threads : s->threads};
  bitfold_axes named;
  bitfold_tensor output;
  Py_buffer view = {0};
  int all;
  if (axes_from(s, axes, &named, &all)) return NULL;
  const bitfold_axes *which = all ? NULL : &named;
  bitfold_status status = bitfold_tensor_reduced(&x->tensor, which, keepdims, contract->output, &output, &report->message);
  if (status) return refuse(s, status, &report->message);
  PyObject *made = array_new(s, &output, &view);
  if (!made) return NULL;
  status = reduce(contract, x, y, which, &output, engine, report);
  PyBuffer_Release(&view);
  if (!status) return made;
  Py_DECREF(made);
  if (status == BITFOLD_STATUS_STOPPED) return NULL; /* what the signal's handler raised */
  return refuse(s, status, &report->message);
}

static PyObject *reduce_both(const state *s, const bitfold_contract *contract, PyObject *const *args, array *x, array *y) {
  bitfold_report report = {0};
  const int keepdims = PyObject_IsTrue(args[4]), dot = args[2] != Py_None;
  int threads = 0;
  if (keepdims < 0 || (args[5] && int_from(args[5], &threads)) || array_hold(x, args[1], contract->element)) return NULL;
  if (dot && (array_hold(y, args[2], contract->element) || array_broadcast(x, y))) return NULL;
  PyObject *made = run_reduction(s, contract, x, dot ? y : NULL, args[3], keepdims, threads, &report);
  if (!made) return NULL;
  return Py_BuildValue("(NKKK)", made, (unsigned long long)report.clamped, (unsigned long long)report.nan,
                       (unsigned long long)report.overflowed);
}

PyObject *native_reduce(PyObject *module, PyObject *const *args, Py_ssize_t count) {
  const state *s = state_of(module);
  array x = {0}, y = {0};
  if (count < 5 || count > 6 || !PyObject_TypeCheck(args[0], s->contract_type)) {
    PyErr_SetString(PyExc_TypeError, "reduce takes a Contract, x, y or None, axes, keepdims and perhaps threads");
    return NULL;
  }
  PyObject *const all[] = {args[0], args[1], args[2], args[3], args[4], count > 5 ? args[5] : NULL};
  PyObject *made = reduce_both(s, &((contract_object *)args[0])->contract, all, &x, &y);
  array_release(&x);
  array_release(&y);
  return made;
}
