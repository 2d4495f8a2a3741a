/* SPDX-License-Identifier: Apache-2.0 */
/* Which machine and how many threads calls use that do not say: a setting of the module. */
#include "native.h"

#include <string.h>

/* The library's own copy of a machine's name, or null with an error. */
static const char *machine_named(PyObject *object) {
  Py_ssize_t size;
  const char *name = PyUnicode_AsUTF8AndSize(object, &size);
  for (size_t i = 0; name && bitfold_isa_at(i); i++)
    if (strcmp(name, bitfold_isa_at(i)) == 0) return bitfold_isa_at(i);
  if (name) PyErr_Format(PyExc_ValueError, "there is no machine %R here; bitfold.machines() lists them", object);
  return NULL;
}

PyObject *native_engine(PyObject *module, PyObject *const *args, Py_ssize_t count) {
  state *s = state_of(module);
  const char *isa = s->isa;
  int threads = s->threads;
  if (count != 2) return PyErr_SetString(PyExc_TypeError, "engine takes a machine or None, and threads or None"), NULL;
  if (args[0] != Py_None && !(isa = machine_named(args[0]))) return NULL;
  if (args[1] != Py_None && int_from(args[1], &threads)) return NULL;
  if (threads < 1) return PyErr_Format(PyExc_ValueError, "threads=%d; it is the most threads to use, 1 or more", threads), NULL;
  s->isa = isa, s->threads = threads;
  return Py_BuildValue("(si)", isa ? isa : bitfold_isa_at(0), threads);
}

PyObject *native_machines(PyObject *module, PyObject *unused) {
  (void)module, (void)unused;
  PyObject *names = PyList_New(0), *made = NULL;
  for (size_t i = 0; names && bitfold_isa_at(i); i++) {
    PyObject *name = PyUnicode_FromString(bitfold_isa_at(i));
    const int failed = !name || PyList_Append(names, name);
    Py_XDECREF(name);
    if (failed) Py_CLEAR(names);
  }
  if (names) made = PyList_AsTuple(names);
  Py_XDECREF(names);
  return made;
}
