/* SPDX-License-Identifier: Apache-2.0 */
/* The type Contract: a whole contract as an immutable object. */
#include "native.h"

#include <string.h>

/* Reads the text, with the rule put in where there is one. */
static bitfold_status make(bitfold_contract *c, const char *text, const bitfold_rule *rule, bitfold_message *message) {
  if (!rule) return bitfold_contract_parse(text, c, message);
  *c = (bitfold_contract){0};
  bitfold_status status = bitfold_contract_add(c, text, message);
  if (status) return status;
  c->rule = rule;
  return bitfold_contract_complete(c, message);
}

static PyObject *contract_new(PyTypeObject *type, PyObject *args, PyObject *named) {
  static char *words[] = {"text", "rule", NULL};
  PyObject *text, *rule = Py_None, *module = PyType_GetModule(type);
  if (!module || !PyArg_ParseTupleAndKeywords(args, named, "U|O:Contract", words, &text, &rule)) return NULL;
  const state *s = state_of(module);
  Py_ssize_t length = 0;
  const char *utf8 = PyUnicode_AsUTF8AndSize(text, &length);
  const bitfold_rule *own = NULL;
  bitfold_contract contract;
  bitfold_message message;
  if (!utf8 || (rule != Py_None && !(own = rule_from(s, rule)))) return NULL;
  if ((size_t)length != strlen(utf8)) return PyErr_SetString(PyExc_ValueError, "a contract has no NUL character"), NULL;
  bitfold_status status = make(&contract, utf8, own, &message);
  if (status) return refuse(s, status, &message);
  contract_object *self = (contract_object *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (!self) return NULL;
  Py_INCREF(text);
  Py_INCREF(rule);
  self->contract = contract, self->text = text, self->rule = rule;
  return (PyObject *)self;
}

static void contract_dealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  Py_XDECREF(((contract_object *)self)->text);
  Py_XDECREF(((contract_object *)self)->rule);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static PyObject *contract_str(PyObject *self) {
  const bitfold_contract *c = &((contract_object *)self)->contract;
  size_t length = bitfold_contract_print(c, NULL, 0);
  char *text = PyMem_Malloc(length + 1);
  if (!text) return PyErr_NoMemory();
  bitfold_contract_print(c, text, length + 1);
  PyObject *made = PyUnicode_FromStringAndSize(text, (Py_ssize_t)length);
  PyMem_Free(text);
  return made;
}

static PyObject *contract_repr(PyObject *self) {
  PyObject *text = contract_str(self), *repr = text ? PyUnicode_FromFormat("bitfold.contract(%R)", text) : NULL;
  Py_XDECREF(text);
  return repr;
}

static PyObject *contract_compare(PyObject *a, PyObject *b, int how) {
  if (Py_TYPE(a) != Py_TYPE(b) || (how != Py_EQ && how != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  int equal = bitfold_contract_equal(&((contract_object *)a)->contract, &((contract_object *)b)->contract);
  return PyBool_FromLong(how == Py_EQ ? equal : !equal);
}

static Py_hash_t contract_hash(PyObject *self) {
  PyObject *text = contract_str(self);
  Py_hash_t hash = text ? PyObject_Hash(text) : -1;
  Py_XDECREF(text);
  return hash;
}

static PyObject *contract_reduce(PyObject *self, PyObject *unused) {
  const contract_object *c = (const contract_object *)self;
  PyObject *text = c->rule == Py_None ? contract_str(self) : Py_NewRef(c->text);
  (void)unused;
  return text ? Py_BuildValue("(O(NO))", Py_TYPE(self), text, c->rule) : NULL;
}

static PyObject *name_or_none(const char *name) {
  if (name) return PyUnicode_FromString(name);
  Py_RETURN_NONE;
}
static PyObject *get_operation(PyObject *self, void *unused) {
  (void)unused;
  return name_or_none(bitfold_operation_name(((contract_object *)self)->contract.operation));
}
static PyObject *get_element(PyObject *self, void *unused) {
  (void)unused;
  return name_or_none(bitfold_format_name(((contract_object *)self)->contract.element));
}
static PyObject *get_accumulator(PyObject *self, void *unused) {
  (void)unused;
  return name_or_none(bitfold_format_name(((contract_object *)self)->contract.accumulator));
}
static PyObject *get_output(PyObject *self, void *unused) {
  (void)unused;
  return name_or_none(bitfold_format_name(((contract_object *)self)->contract.output));
}

static PyGetSetDef getset[] = {
    {"operation", get_operation, NULL, "\"sum\", \"mean\", \"dot\", ...", NULL},
    {"element", get_element, NULL, "The format of the elements: \"f32\", \"sf16\", ...", NULL},
    {"accumulator", get_accumulator, NULL, "The format that floats are added in, or None.", NULL},
    {"output", get_output, NULL, "The format of the result.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyMethodDef methods[] = {
    {"__reduce__", contract_reduce, METH_NOARGS, "A contract is pickled as its text."},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot slots[] = {
    {Py_tp_doc, "All that the bits of a reduction depend on. str() of it is its one-line text, which makes an equal one."},
    {Py_tp_new, contract_new},
    {Py_tp_dealloc, contract_dealloc},
    {Py_tp_str, contract_str},
    {Py_tp_repr, contract_repr},
    {Py_tp_richcompare, contract_compare},
    {Py_tp_hash, contract_hash},
    {Py_tp_methods, methods},
    {Py_tp_getset, getset},
    {0, NULL},
};
PyType_Spec contract_spec = {"bitfold.Contract", sizeof(contract_object), 0, Py_TPFLAGS_DEFAULT, slots};
