// None, NotImplemented and Ellipsis: one immortal object each, outside the heap.
#include "core/include/Python.h"

static PyNumberMethods none_as_number = {.nb_bool = [](PyObject*) { return 0; }};

static PyTypeObject none_type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "NoneType",
    .tp_basicsize = sizeof(PyObject),
    .tp_repr = [](PyObject*) { return PyUnicode_FromString("None"); },
    .tp_as_number = &none_as_number,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_base = &PyBaseObject_Type,
};

static PyTypeObject not_implemented_type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "NotImplementedType",
    .tp_basicsize = sizeof(PyObject),
    .tp_repr = [](PyObject*) { return PyUnicode_FromString("NotImplemented"); },
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_base = &PyBaseObject_Type,
};

PyTypeObject PyEllipsis_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "ellipsis",
    .tp_basicsize = sizeof(PyObject),
    .tp_repr = [](PyObject*) { return PyUnicode_FromString("Ellipsis"); },
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_base = &PyBaseObject_Type,
};

PyObject _Py_NoneStruct = {OURO_BIASED_IMMORTAL, 0, &none_type};
PyObject _Py_NotImplementedStruct = {OURO_BIASED_IMMORTAL, 0, &not_implemented_type};
PyObject _Py_EllipsisObject = {OURO_BIASED_IMMORTAL, 0, &PyEllipsis_Type};
