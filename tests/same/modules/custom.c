/* The tutorial's first module: a type without data. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#ifndef MODULE
#define MODULE custom
#endif

typedef struct {
    PyObject_HEAD
    /* Type-specific fields go here. */
} CustomObject;

static PyTypeObject CustomType = {
    .ob_base = PyVarObject_HEAD_INIT(NULL, 0).tp_name = "custom.Custom",
    .tp_doc = PyDoc_STR("Custom objects"),
    .tp_basicsize = sizeof(CustomObject),
    .tp_itemsize = 0,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
};

#define TYPE CustomType
#define TYPE_NAME "Custom"
#include "tests/same/modules/ending.h"
