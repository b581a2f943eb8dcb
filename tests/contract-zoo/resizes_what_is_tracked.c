/* objects.resized-tracked */
#include <Python.h>

typedef struct {
    PyObject_VAR_HEAD
    PyObject* items[1];
} Array;

static int array_traverse(PyObject* op, visitproc visit, void* arg) {
    for (Py_ssize_t i = 0; i < Py_SIZE(op); ++i) {
        Py_VISIT(((Array*)op)->items[i]);
    }
    return 0;
}

static void array_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    for (Py_ssize_t i = 0; i < Py_SIZE(op); ++i) {
        Py_CLEAR(((Array*)op)->items[i]);
    }
    Py_TYPE(op)->tp_free(op);
}

static PyObject* array_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    Array* made = PyObject_GC_NewVar(Array, type, 1);
    (void)args, (void)kwargs;
    if (made == NULL) {
        return NULL;
    }
    if ((made->items[0] = PyList_New(0)) == NULL) {
        Py_DECREF(made);
        return NULL;
    }
#ifdef WRONG
    PyObject_GC_Track(made);
#endif
    Array* larger = PyObject_GC_Resize(Array, made, 1);
#ifndef WRONG
    if (larger != NULL) {
        PyObject_GC_Track(larger);
    } else {
        Py_DECREF(made);
    }
#endif
    return (PyObject*)larger;
}

static PyTypeObject array_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.Array",
    .tp_basicsize = offsetof(Array, items),
    .tp_itemsize = sizeof(PyObject*),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = array_traverse,
    .tp_dealloc = array_dealloc,
    .tp_new = array_new,
};

static struct PyModuleDef zoo_module = {PyModuleDef_HEAD_INIT, .m_name = "zoo", .m_size = -1};

PyMODINIT_FUNC PyInit_zoo(void) {
    PyObject* module = PyModule_Create(&zoo_module);
    return module == NULL || PyModule_AddType(module, &array_type) < 0 ? NULL : module;
}
