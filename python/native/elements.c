/* SPDX-License-Identifier: Apache-2.0 */
/* What is done to each element by itself: conversions, + - *, device words, packed sf4. */
#include "native.h"

/* ---- conversion ---- */

static bitfold_format format_from(PyObject *name) {
  const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
  bitfold_format format = text ? bitfold_format_named(text) : BITFOLD_FORMAT_NONE;
  if (text && !format) PyErr_Format(PyExc_ValueError, "there is no format %R", name);
  return format;
}

/* A new array of x's shape in another format, filled by the caller from contiguous x. */
static PyObject *likeness(const state *s, const array *x, bitfold_format format, Py_buffer *view, size_t *n) {
  bitfold_tensor output;
  *n = 1;
  for (int i = 0; i < x->tensor.rank; i++) *n *= (size_t)x->tensor.shape[i];
  if (!array_is_contiguous(x)) return PyErr_SetString(PyExc_ValueError, "the array is not contiguous"), NULL;
  bitfold_status status = bitfold_tensor_init(&output, format, NULL, x->tensor.rank, x->tensor.shape);
  return status ? refuse(s, status, NULL) : array_new(s, &output, view);
}

/* Ends a function that filled `made`: the array itself, or an error in its place. */
static PyObject *finish(const state *s, PyObject *made, Py_buffer *view, bitfold_status status) {
  PyBuffer_Release(view);
  if (!status) return made;
  Py_DECREF(made);
  return refuse(s, status, NULL);
}

PyObject *native_convert(PyObject *module, PyObject *const *args, Py_ssize_t count) {
  const state *s = state_of(module);
  array x = {0};
  Py_buffer view = {0};
  uint64_t clamped = 0;
  size_t n;
  if (count != 3) return PyErr_SetString(PyExc_TypeError, "convert takes x, the format it has and the one it gets"), NULL;
  const bitfold_format from = format_from(args[1]), to = from ? format_from(args[2]) : BITFOLD_FORMAT_NONE;
  if (!to || array_hold(&x, args[0], from)) return NULL;
  PyObject *made = likeness(s, &x, to, &view, &n);
  if (made) {
    PyThreadState *thread = n > 1 << 14 ? PyEval_SaveThread() : NULL;
    bitfold_status status = bitfold_convert(from, x.tensor.data, to, view.buf, n, &clamped);
    if (thread) PyEval_RestoreThread(thread);
    made = finish(s, made, &view, status);
  }
  array_release(&x);
  return made ? Py_BuildValue("(NK)", made, (unsigned long long)clamped) : NULL;
}

/* ---- elementwise ---- */

static PyObject *map(const state *s, PyObject *const *args, array *x, array *y) {
  int operation, unary = args[2] == Py_None;
  const bitfold_format format = sf_from(args[3]);
  const bitfold_rule *rule = format ? rule_from(s, args[4]) : NULL;
  bitfold_tensor output;
  bitfold_message message;
  Py_buffer view = {0};
  uint64_t clamped;
  if (!rule || int_from(args[0], &operation) || array_hold(x, args[1], format)) return NULL;
  if (!unary && (array_hold(y, args[2], format) || array_broadcast(x, y))) return NULL;
  bitfold_status status = bitfold_tensor_init(&output, format, NULL, x->tensor.rank, x->tensor.shape);
  if (status) return refuse(s, status, NULL);
  PyObject *made = array_new(s, &output, &view);
  if (!made) return NULL;
  PyThreadState *thread = PyEval_SaveThread();
  status =
      bitfold_map_codes((bitfold_elementwise)operation, rule, &x->tensor, unary ? NULL : &y->tensor, &output, &clamped, &message);
  PyEval_RestoreThread(thread);
  PyBuffer_Release(&view);
  if (!status) return Py_BuildValue("(NK)", made, (unsigned long long)clamped);
  Py_DECREF(made);
  return refuse(s, status, &message);
}

PyObject *native_map_codes(PyObject *module, PyObject *const *args, Py_ssize_t count) {
  array x = {0}, y = {0};
  if (count != 5) return PyErr_SetString(PyExc_TypeError, "map_codes takes an operation, x, y or None, bits and rule"), NULL;
  PyObject *made = map(state_of(module), args, &x, &y);
  array_release(&x);
  array_release(&y);
  return made;
}

/* ---- device words ---- */

/* Both directions: what is read and what is made are integers of the codes' size, signed and unsigned. */
typedef bitfold_status words_fn(bitfold_encoding encoding, bitfold_format format, const void *from, void *to, size_t n);

static PyObject *recode(const state *s, PyObject *const *args, Py_ssize_t count, words_fn *call) {
  array x = {0};
  Py_buffer view = {0};
  int encoding;
  size_t n;
  if (count != 3) return PyErr_SetString(PyExc_TypeError, "the arguments are an encoding, the bits and an array"), NULL;
  const bitfold_format format = sf_from(args[1]);
  if (!format || int_from(args[0], &encoding) || array_hold(&x, args[2], format)) return NULL;
  PyObject *made = likeness(s, &x, format, &view, &n);
  if (made) made = finish(s, made, &view, call((bitfold_encoding)encoding, format, x.tensor.data, view.buf, n));
  array_release(&x);
  return made;
}

PyObject *native_words_from_codes(PyObject *module, PyObject *const *args, Py_ssize_t count) {
  return recode(state_of(module), args, count, bitfold_words_from_codes);
}
PyObject *native_codes_from_words(PyObject *module, PyObject *const *args, Py_ssize_t count) {
  return recode(state_of(module), args, count, bitfold_codes_from_words);
}

/* ---- packed sf4 ---- */

PyObject *native_pack_sf4(PyObject *module, PyObject *codes) {
  array x = {0};
  PyObject *made = NULL;
  if (array_hold(&x, codes, BITFOLD_FORMAT_SF4)) return NULL;
  if (x.tensor.rank != 1 || !array_is_contiguous(&x)) PyErr_SetString(PyExc_ValueError, "pack_sf4 takes one contiguous row");
  else made = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)((x.tensor.shape[0] + 1) / 2));
  if (made) {
    bitfold_status status = bitfold_pack_sf4(x.tensor.data, (size_t)x.tensor.shape[0], (uint8_t *)PyBytes_AsString(made));
    if (status) {
      Py_CLEAR(made);
      refuse(state_of(module), status, NULL);
    }
  }
  array_release(&x);
  return made;
}

PyObject *native_unpack_sf4(PyObject *module, PyObject *const *args, Py_ssize_t count) {
  const state *s = state_of(module);
  bitfold_tensor output;
  Py_buffer view = {0}, bytes;
  PyObject *made = NULL;
  if (count != 2) return PyErr_SetString(PyExc_TypeError, "unpack_sf4 takes bytes and how many codes they hold"), NULL;
  const int64_t n = (int64_t)PyLong_AsSsize_t(args[1]);
  if ((n == -1 && PyErr_Occurred()) || PyObject_GetBuffer(args[0], &bytes, PyBUF_SIMPLE)) return NULL;
  if (n < 0 || bytes.len != n / 2 + n % 2)
    PyErr_Format(PyExc_ValueError, "%zd bytes do not hold %R codes of sf4, which are packed two a byte", bytes.len, args[1]);
  else if (!bitfold_tensor_init(&output, BITFOLD_FORMAT_SF4, NULL, 1, &n)) made = array_new(s, &output, &view);
  if (made) made = finish(s, made, &view, bitfold_unpack_sf4(bytes.buf, (size_t)n, view.buf));
  PyBuffer_Release(&bytes);
  return made;
}
