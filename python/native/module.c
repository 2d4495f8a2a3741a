/* SPDX-License-Identifier: Apache-2.0 */
/* bitfold._native: the C library as one extension module, for the packages bitfold and sf. No arithmetic is done here. */
#include "native.h"

state *state_of(PyObject *module) { return PyModule_GetState(module); }

PyObject *refuse(const state *s, bitfold_status status, const bitfold_message *message) {
  const char *text = message && message->text[0] ? message->text : bitfold_status_text(status);
  PyErr_SetString(status == BITFOLD_STATUS_AXIS ? s->axis_error : PyExc_ValueError, text);
  return NULL;
}

int int_from(PyObject *object, int *value) {
  Py_ssize_t size = PyNumber_AsSsize_t(object, NULL); /* clips */
  if (size == -1 && PyErr_Occurred()) return -1;
  *value = size > INT_MAX ? INT_MAX : size < INT_MIN ? INT_MIN : (int)size;
  return 0;
}

static PyMethodDef methods[] = {
    {"reduce", (PyCFunction)(void (*)(void))native_reduce, METH_FASTCALL,
     "reduce(contract, x, y, axes, keepdims, threads=0, /) -> (outputs, clamped, nan, overflowed): bitfold_reduce."},
    {"engine", (PyCFunction)(void (*)(void))native_engine, METH_FASTCALL,
     "engine(isa, threads, /) -> (isa, threads): what calls use from now on; None leaves one as it is."},
    {"machines", native_machines, METH_NOARGS, "machines() -> the names of the machines of this build that run here, best first."},
    {"reveal", native_reveal, METH_VARARGS,
     "reveal(call, operation, element, output, n, trials, seed, bounded, /) -> dict: bitfold_reveal; call takes and gives bytes."},
    {"explain", (PyCFunction)(void (*)(void))native_explain, METH_FASTCALL,
     "explain(parts, x, y, axes, got, threads, /) -> [(contract, matched, first, ulps, hash), ...]: bitfold_explain."},
    {"separate", (PyCFunction)(void (*)(void))native_separate, METH_FASTCALL,
     "separate(a, b, trials, longest, /) -> (x, y, tried): bitfold_separate; x is None where nothing was found."},
    {"tree", (PyCFunction)(void (*)(void))native_tree, METH_FASTCALL,
     "tree(contract, n, /) -> str: the order as an explicit tree."},
    {"sum_codes", (PyCFunction)(void (*)(void))native_sum_codes, METH_FASTCALL | METH_KEYWORDS,
     "sum_codes(x, y=None, bits, rule, axes=None, keepdims=False, mean=False) -> (codes, clamped)\n--\n\n"
     "Add SuperFloat codes in sequence, each step by the rule: x, or the products of x and y.\n\n"
     "x and y are integer arrays of codes of `bits` bits (int8 up to 8, int16 above) and are broadcast against each other. Over\n"
     "all axes codes is an int, else an array; with mean, it is the accumulator over the count, rounded once. clamped is the\n"
     "number of outputs for which a step or the read-out clamped (S14)."},
    {"trace_codes", (PyCFunction)(void (*)(void))native_trace_codes, METH_FASTCALL,
     "trace_codes(x, y, bits, rule, /) -> (codes, clamped): what sum_codes would return for each prefix."},
    {"vanished_codes", (PyCFunction)(void (*)(void))native_vanished_codes, METH_FASTCALL,
     "vanished_codes(x, y, bits, rule, axes, /) -> counts: products of a dot that come out 0 although no operand is."},
    {"map_codes", (PyCFunction)(void (*)(void))native_map_codes, METH_FASTCALL,
     "map_codes(operation, x, y, bits, rule, /) -> (codes, clamped): + - * negative absolute, by number."},
    {"convert", (PyCFunction)(void (*)(void))native_convert, METH_FASTCALL,
     "convert(x, source, target, /) -> (array, clamped): each value rounded once, ties to even."},
    {"words_from_codes", (PyCFunction)(void (*)(void))native_words_from_codes, METH_FASTCALL,
     "words_from_codes(encoding, bits, codes, /) -> words"},
    {"codes_from_words", (PyCFunction)(void (*)(void))native_codes_from_words, METH_FASTCALL,
     "codes_from_words(encoding, bits, words, /) -> codes"},
    {"pack_sf4", native_pack_sf4, METH_O, "pack_sf4(codes, /) -> bytes: two codes a byte, the first in the low nibble."},
    {"unpack_sf4", (PyCFunction)(void (*)(void))native_unpack_sf4, METH_FASTCALL, "unpack_sf4(bytes, n, /) -> codes"},
    {"rule_fields", native_rule_fields, METH_O, "rule_fields(i, /): the arguments of Rule for rule i of the library, or None."},
    {NULL, NULL, 0, NULL},
};

/* What NumPy stores an element in. bfloat16 is made of uint16 by the caller. */
static const char *stored(bitfold_format format) {
  static const char *const names[] = {"", "float16", "uint16", "float32", "float64", "int8", "int16", "int32", "int64"};
  if (format <= BITFOLD_FORMAT_I64) return names[format];
  return bitfold_format_size(format) == 1 ? "int8" : "int16";
}

static PyTypeObject *add_type(PyObject *module, PyType_Spec *spec) {
  PyTypeObject *type = (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL);
  if (type && PyModule_AddType(module, type)) Py_CLEAR(type);
  return type;
}

/* numpy.exceptions is there since 1.25; before, the error lay in numpy. */
static PyObject *find_axis_error(PyObject *numpy) {
  PyObject *exceptions = PyObject_GetAttrString(numpy, "exceptions"), *error;
  if (!exceptions) PyErr_Clear();
  error = PyObject_GetAttrString(exceptions ? exceptions : numpy, "AxisError");
  Py_XDECREF(exceptions);
  return error;
}

static int module_exec(PyObject *module) {
  state *s = state_of(module);
  s->threads = 1;
  PyObject *numpy = PyImport_ImportModule("numpy");
  if (!numpy) return -1;
  s->empty = PyObject_GetAttrString(numpy, "empty");
  s->axis_error = find_axis_error(numpy);
  Py_DECREF(numpy);
  if (!s->empty || !s->axis_error) return -1;
  for (int f = BITFOLD_FORMAT_F16; f <= BITFOLD_FORMAT_SF16; f++)
    if (!(s->dtype[f] = PyUnicode_InternFromString(stored((bitfold_format)f)))) return -1;
  if (!(s->rule_type = add_type(module, &rule_spec)) || !(s->contract_type = add_type(module, &contract_spec))) return -1;
  return PyModule_AddStringConstant(module, "version", bitfold_version());
}

static int module_traverse(PyObject *module, visitproc visit, void *arg) {
  state *s = state_of(module);
  Py_VISIT(s->empty);
  Py_VISIT(s->axis_error);
  Py_VISIT(s->rule_type);
  Py_VISIT(s->contract_type);
  return 0;
}

static int module_clear(PyObject *module) {
  state *s = state_of(module);
  Py_CLEAR(s->empty);
  Py_CLEAR(s->axis_error);
  Py_CLEAR(s->rule_type);
  Py_CLEAR(s->contract_type);
  for (int f = 0; f <= BITFOLD_FORMAT_SF16; f++) Py_CLEAR(s->dtype[f]);
  return 0;
}

static void module_free(void *module) { (void)module_clear(module); }

static PyModuleDef_Slot slots[] = {{Py_mod_exec, module_exec}, {0, NULL}};
static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "bitfold._native",
    .m_doc = "The bitfold C library. The packages bitfold and sf are its documented faces; this module may change.",
    .m_size = sizeof(state),
    .m_methods = methods,
    .m_slots = slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
    .m_free = module_free,
};

PyMODINIT_FUNC PyInit__native(void); /* the name that the interpreter looks for */
PyMODINIT_FUNC PyInit__native(void) { return PyModuleDef_Init(&definition); }
