/* SPDX-License-Identifier: Apache-2.0 */
/* The type Rule: a bitfold_rule as an immutable object. */
#include "native.h"

#include <string.h>

static PyObject *rule_new(PyTypeObject *type, PyObject *args, PyObject *named) {
  static char *words[] = {"name",      "product",       "minus_one_is_zero", "accumulator_bits",   "overflow", "full_range",
                          "sum_extra", "product_extra", "readout",           "readout_full_range", NULL};
  PyObject *name;
  bitfold_rule rule = {.accumulator_bits = BITFOLD_BITS_DATA};
  int product = 0, overflow = 0, readout = 0;
  if (!PyArg_ParseTupleAndKeywords(args, named, "U|ipiipiiip:Rule", words, &name, &product, &rule.minus_one_is_zero,
                                   &rule.accumulator_bits, &overflow, &rule.full_range, &rule.sum_extra, &rule.product_extra,
                                   &readout, &rule.readout_full_range))
    return NULL;
  rule.product = (bitfold_product)product, rule.overflow = (bitfold_overflow)overflow, rule.readout = (bitfold_readout)readout;
  if (!(rule.name = PyUnicode_AsUTF8AndSize(name, NULL))) return NULL;
  allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  rule_object *self = (rule_object *)allocate(type, 0);
  if (!self) return NULL;
  Py_INCREF(name);
  self->name = name;
  self->rule = rule;
  return (PyObject *)self;
}

static void rule_dealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  Py_XDECREF(((rule_object *)self)->name);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static PyObject *rule_fields(PyObject *self, PyObject *unused) {
  const bitfold_rule *r = &((rule_object *)self)->rule;
  (void)unused;
  return Py_BuildValue("(siOiiOiiiO)", r->name, (int)r->product, r->minus_one_is_zero ? Py_True : Py_False, r->accumulator_bits,
                       (int)r->overflow, r->full_range ? Py_True : Py_False, r->sum_extra, r->product_extra, (int)r->readout,
                       r->readout_full_range ? Py_True : Py_False);
}

/* Whether codes of the width can be added by the rule: the library is asked for a sum of nothing. */
static PyObject *rule_fits(PyObject *self, PyObject *bits) {
  int16_t code;
  bitfold_format format = sf_from(bits);
  if (!format) return NULL;
  return PyBool_FromLong(bitfold_sum_codes(&((rule_object *)self)->rule, format, NULL, NULL, 0, &code, NULL) == BITFOLD_STATUS_OK);
}

static PyMethodDef methods[] = {
    {"_fields", rule_fields, METH_NOARGS, "The arguments that make an equal rule."},
    {"_fits", rule_fits, METH_O, "Whether the rule can add codes of that many bits."},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot slots[] = {
    {Py_tp_doc, "An accumulation rule as the C library takes it; sf.Rule is its face."},
    {Py_tp_new, rule_new},
    {Py_tp_dealloc, rule_dealloc},
    {Py_tp_methods, methods},
    {0, NULL},
};
PyType_Spec rule_spec = {"bitfold.Rule", sizeof(rule_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

const bitfold_rule *rule_from(const state *s, PyObject *object) {
  const bitfold_rule *rule = NULL;
  if (PyObject_TypeCheck(object, s->rule_type)) return &((rule_object *)object)->rule;
  if (!PyUnicode_Check(object)) {
    PyObject *name = PyType_GetName(Py_TYPE(object));
    if (name) PyErr_Format(PyExc_TypeError, "a rule is an sf.Rule or a name, not %U", name);
    Py_XDECREF(name);
    return NULL;
  }
  const char *name = PyUnicode_AsUTF8AndSize(object, NULL);
  if (name && !(rule = bitfold_rule_named(name))) PyErr_Format(PyExc_ValueError, "there is no rule %R", object);
  return rule;
}

PyObject *native_rule_fields(PyObject *module, PyObject *index) {
  int i;
  if (int_from(index, &i)) return NULL;
  const bitfold_rule *rule = i < 0 ? NULL : bitfold_rule_at((size_t)i);
  (void)module;
  if (!rule) Py_RETURN_NONE;
  rule_object view = {.rule = *rule};
  return rule_fields((PyObject *)&view, NULL);
}
