/* SPDX-License-Identifier: Apache-2.0 */
/* NumPy arrays, or whatever else has a buffer, as strided tensors; new arrays for results. */
#include "native.h"

#include <string.h>

/* The buffer protocol's letters for what a format is stored in. */
static const char *letters(bitfold_format format) {
  switch (format) {
  case BITFOLD_FORMAT_F16: return "eH";
  case BITFOLD_FORMAT_BF16: return "H";
  case BITFOLD_FORMAT_F32: return "f";
  case BITFOLD_FORMAT_F64: return "d";
  default: return "bhilq";
  }
}

static int is_big(void) {
  const uint16_t one = 1;
  return *(const unsigned char *)&one == 0;
}

/* Whether the elements are the format's; *swapped says that their bytes are in the other order. */
static int holds(const Py_buffer *view, bitfold_format format, int *swapped) {
  const char *letter = view->format ? view->format : "B";
  *swapped = is_big() ? *letter == '<' : *letter == '>' || *letter == '!';
  if (strchr("@=<>!", *letter)) letter++;
  return strlen(letter) == 1 && strchr(letters(format), *letter) && (size_t)view->itemsize == bitfold_format_size(format);
}

void array_release(array *a) {
  if (a->view.obj) PyBuffer_Release(&a->view);
}

int array_hold(array *a, PyObject *object, bitfold_format format) {
  bitfold_tensor *t = &a->tensor;
  if (PyObject_GetBuffer(object, &a->view, PyBUF_RECORDS_RO)) return a->view.obj = NULL, -1;
  if (!holds(&a->view, format, &t->swapped)) {
    PyErr_Format(PyExc_TypeError, "the elements are '%s', %zd bytes each; %s is stored in %zu bytes of '%s'",
                 a->view.format ? a->view.format : "B", a->view.itemsize, bitfold_format_name(format), bitfold_format_size(format),
                 letters(format));
    return array_release(a), -1;
  }
  if (a->view.ndim > BITFOLD_RANK_MAX) {
    PyErr_Format(PyExc_ValueError, "an array of %d axes; at most %d are reduced in one call", a->view.ndim, BITFOLD_RANK_MAX);
    return array_release(a), -1;
  }
  t->data = a->view.buf;
  t->format = format;
  t->rank = a->view.ndim;
  int64_t step = (int64_t)a->view.itemsize;
  for (int i = t->rank - 1; i >= 0; step *= t->shape[i--]) { /* some exporters give no strides where elements are contiguous */
    t->shape[i] = a->view.shape[i];
    t->stride[i] = a->view.strides ? a->view.strides[i] : step;
  }
  return 0;
}

int array_is_contiguous(const array *a) {
  const bitfold_tensor *t = &a->tensor;
  int64_t step = (int64_t)a->view.itemsize;
  for (int i = t->rank - 1; i >= 0; step *= t->shape[i--])
    if (t->shape[i] != 1 && t->stride[i] != step) return 0;
  return !t->swapped && (uintptr_t)t->data % (size_t)a->view.itemsize == 0;
}

/* Extent i of a tensor that is led by axes of extent 1 up to rank. */
static int64_t extent(const bitfold_tensor *t, int rank, int i) { return i < rank - t->rank ? 1 : t->shape[i - (rank - t->rank)]; }

static void stretch(bitfold_tensor *t, int rank, const int64_t *shape) {
  const bitfold_tensor old = *t;
  for (int i = 0; i < rank; i++) {
    int from = i - (rank - old.rank);
    t->stride[i] = from < 0 || (old.shape[from] == 1 && shape[i] != 1) ? 0 : old.stride[from];
    t->shape[i] = shape[i];
  }
  t->rank = rank;
}

/* "(2, 3)", as Python writes it. */
static PyObject *shape_text(const bitfold_tensor *t) {
  PyObject *shape = PyTuple_New(t->rank), *text = NULL;
  for (int i = 0; shape && i < t->rank; i++) {
    PyObject *number = PyLong_FromLongLong(t->shape[i]);
    if (!number || PyTuple_SetItem(shape, i, number)) Py_CLEAR(shape);
  }
  if (shape) text = PyObject_Repr(shape);
  Py_XDECREF(shape);
  return text;
}

int array_broadcast(array *x, array *y) {
  bitfold_tensor *a = &x->tensor, *b = &y->tensor;
  const int rank = a->rank > b->rank ? a->rank : b->rank;
  int64_t shape[BITFOLD_RANK_MAX];
  for (int i = 0; i < rank; i++) {
    int64_t m = extent(a, rank, i), n = extent(b, rank, i);
    if (m != n && m != 1 && n != 1) {
      PyObject *left = shape_text(a), *right = shape_text(b);
      if (left && right) PyErr_Format(PyExc_ValueError, "shapes %U and %U cannot be broadcast together", left, right);
      Py_XDECREF(left);
      Py_XDECREF(right);
      return -1;
    }
    shape[i] = m == 1 ? n : m;
  }
  stretch(a, rank, shape);
  stretch(b, rank, shape);
  return 0;
}

PyObject *array_new(const state *s, bitfold_tensor *tensor, Py_buffer *view) {
  PyObject *shape = PyTuple_New(tensor->rank), *made = NULL;
  for (int i = 0; shape && i < tensor->rank; i++) {
    PyObject *number = PyLong_FromLongLong(tensor->shape[i]);
    if (!number || PyTuple_SetItem(shape, i, number)) Py_CLEAR(shape);
  }
  if (shape) made = PyObject_CallFunctionObjArgs(s->empty, shape, s->dtype[tensor->format], NULL);
  Py_XDECREF(shape);
  if (!made) return NULL;
  if (PyObject_GetBuffer(made, view, PyBUF_CONTIG)) return view->obj = NULL, Py_DECREF(made), NULL;
  tensor->data = view->buf;
  return made;
}

bitfold_format sf_from(PyObject *bits) {
  int n;
  if (int_from(bits, &n)) return BITFOLD_FORMAT_NONE;
  if (n >= 2 && n <= 16) return (bitfold_format)(BITFOLD_FORMAT_SF2 + n - 2);
  PyErr_Format(PyExc_ValueError, "SuperFloat has 2 to 16 bits, not %d", n);
  return BITFOLD_FORMAT_NONE;
}

int axes_from(const state *s, PyObject *object, bitfold_axes *axes, int *null) {
  *null = object == Py_None;
  if (*null) return 0;
  if (!PyTuple_Check(object)) {
    axes->count = 1;
    return int_from(object, axes->axis);
  }
  Py_ssize_t count = PyTuple_Size(object);
  if (count > BITFOLD_RANK_MAX) {
    PyErr_Format(s->axis_error, "%zd axes are named; an array has at most %d", count, BITFOLD_RANK_MAX);
    return -1;
  }
  axes->count = (int)count;
  for (int i = 0; i < axes->count; i++)
    if (int_from(PyTuple_GetItem(object, i), &axes->axis[i])) return -1;
  return 0;
}
