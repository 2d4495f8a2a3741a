/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the extension module share: its types, and the ways from Python objects to the library's and back. */
#ifndef BITFOLD_NATIVE_H
#define BITFOLD_NATIVE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <bitfold/bitfold.h>

/* ---- module.c ---- */

/* What the module keeps: NumPy's allocator and error, and the two types. */
typedef struct state {
  PyObject *empty;      /* numpy.empty */
  PyObject *axis_error; /* numpy.exceptions.AxisError */
  PyTypeObject *rule_type;
  PyTypeObject *contract_type;
  PyObject *dtype[BITFOLD_FORMAT_SF16 + 1]; /* the name of what NumPy stores each format in */
  const char *isa;                          /* the machine to use, or null for the best one */
  int threads;                              /* the most threads to use where a call does not say */
} state;
state *state_of(PyObject *module);

/* Raises what stands for a status, with the library's message or else its clause; returns null. */
PyObject *refuse(const state *s, bitfold_status status, const bitfold_message *message);

/* Reads an integer argument into a C int. 0 or -1. */
int int_from(PyObject *object, int *value);

/* ---- rule.c, contract.c: the types ---- */

typedef struct rule_object {
  PyObject_HEAD bitfold_rule rule;
  PyObject *name; /* keeps rule.name */
} rule_object;
extern PyType_Spec rule_spec;
/* The rule of a Rule or of a name; null with an error otherwise. */
const bitfold_rule *rule_from(const state *s, PyObject *object);
PyObject *native_rule_fields(PyObject *module, PyObject *index);

typedef struct contract_object {
  PyObject_HEAD bitfold_contract contract;
  PyObject *text; /* keeps contract.tree */
  PyObject *rule; /* keeps contract.rule, or null */
} contract_object;
extern PyType_Spec contract_spec;

/* ---- buffer.c: arrays as tensors ---- */

/* An array that is held by its buffer; release it. A zeroed one holds nothing. */
typedef struct array {
  Py_buffer view;
  bitfold_tensor tensor;
} array;
/* 0, or -1 with an error: no buffer, another element than the format's, more axes than the library takes. */
int array_hold(array *a, PyObject *object, bitfold_format format);
void array_release(array *a);
int array_is_contiguous(const array *a);
/* Gives x and y one shape, NumPy's broadcast of both, by strides of 0. 0, or -1 with an error. */
int array_broadcast(array *x, array *y);
/* A new C-contiguous NumPy array of a tensor's format and shape, which the tensor then points into. */
PyObject *array_new(const state *s, bitfold_tensor *tensor, Py_buffer *view);
bitfold_format sf_from(PyObject *bits); /* sfN, or NONE with an error */
/* Axes from None (then *null becomes 1), an integer or a tuple. 0 or -1. */
int axes_from(const state *s, PyObject *object, bitfold_axes *axes, int *null);

/* ---- reduce.c ---- */

/*
 * One call of bitfold_reduce without the interpreter's lock, which ^C stops, on so many threads (0: the module's own number). Null
 * with an error, else a new array.
 */
PyObject *run_reduction(const state *s, const bitfold_contract *contract, const array *x, const array *y, PyObject *axes,
                        int keepdims, int threads, bitfold_report *report);
PyObject *native_reduce(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *native_engine(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *native_machines(PyObject *module, PyObject *unused);

/* ---- explain.c ---- */

PyObject *native_explain(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *native_separate(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *native_tree(PyObject *module, PyObject *const *args, Py_ssize_t count);

/* ---- reveal.c ---- */

PyObject *native_reveal(PyObject *module, PyObject *args);

/* ---- codes.c, elements.c: SuperFloat ---- */

PyObject *native_sum_codes(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names);
PyObject *native_trace_codes(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *native_vanished_codes(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *native_map_codes(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *native_convert(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *native_words_from_codes(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *native_codes_from_words(PyObject *module, PyObject *const *args, Py_ssize_t count);
PyObject *native_pack_sf4(PyObject *module, PyObject *codes);
PyObject *native_unpack_sf4(PyObject *module, PyObject *const *args, Py_ssize_t count);

#endif
