/* counts.given-away */
/* Breaks: an error path may give up a reference only once; a value whose key is refused is decremented where the error is found and again at the common exit ("Adding data and methods to the Basic example", reference counts on error). */
#include <Python.h>
#include <stddef.h>
#include <structmember.h>

typedef struct {
    PyObject_HEAD
    PyObject* table;   /* dict */
    PyObject* convert; /* called on each new value, if set */
} Registry;

static PyObject* Registry_new(PyTypeObject* type, PyObject* args, PyObject* kwds) {
    Registry* self = (Registry*)type->tp_alloc(type, 0);

    if (self != NULL) {
        self->table = PyDict_New();
        if (self->table == NULL) {
            Py_DECREF(self);
            return NULL;
        }
    }
    return (PyObject*)self;
}

static PyObject* Registry_register(Registry* self, PyObject* args) {
    PyObject *key, *value;

    if (!PyArg_ParseTuple(args, "OO:register", &key, &value)) {
        return NULL;
    }
    if (self->table == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "registry is gone");
        return NULL;
    }
    if (self->convert != NULL && self->convert != Py_None) {
        PyObject* convert = Py_NewRef(self->convert);
        value = PyObject_CallOneArg(convert, value);
        Py_DECREF(convert);
        if (value == NULL) {
            return NULL;
        }
        if (self->table == NULL) {
            PyErr_SetString(PyExc_RuntimeError, "registry is gone");
            goto error;
        }
    } else {
        Py_INCREF(value);
    }
    if (PyDict_SetItem(self->table, key, value) < 0) {
#ifdef WRONG
        Py_DECREF(value);
#endif
        goto error;
    }
    Py_DECREF(value);
    Py_RETURN_NONE;

error:
    Py_DECREF(value);
    return NULL;
}

static PyObject* Registry_lookup(Registry* self, PyObject* key) {
    PyObject* value = self->table ? PyDict_GetItemWithError(self->table, key) : NULL;

    if (value == NULL) {
        if (!PyErr_Occurred()) {
            PyErr_SetObject(PyExc_KeyError, key);
        }
        return NULL;
    }
    return Py_NewRef(value);
}

static int Registry_traverse(Registry* self, visitproc visit, void* arg) {
    Py_VISIT(self->table);
    Py_VISIT(self->convert);
    return 0;
}

static int Registry_clear(Registry* self) {
    Py_CLEAR(self->table);
    Py_CLEAR(self->convert);
    return 0;
}

static void Registry_dealloc(Registry* self) {
    PyObject_GC_UnTrack(self);
    Registry_clear(self);
    Py_TYPE(self)->tp_free((PyObject*)self);
}

static PyMethodDef Registry_methods[] = {
    {"register", (PyCFunction)Registry_register, METH_VARARGS, "register(key, value)"},
    {"lookup", (PyCFunction)Registry_lookup, METH_O, "lookup(key) -> value"},
    {NULL}};

static PyMemberDef Registry_members[] = {
    {"convert", T_OBJECT, offsetof(Registry, convert), 0, NULL}, {NULL}};

static PyTypeObject RegistryType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.Registry",
    .tp_basicsize = sizeof(Registry),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_new = Registry_new,
    .tp_dealloc = (destructor)Registry_dealloc,
    .tp_traverse = (traverseproc)Registry_traverse,
    .tp_clear = (inquiry)Registry_clear,
    .tp_methods = Registry_methods,
    .tp_members = Registry_members,
};

static struct PyModuleDef zoomodule = {
    PyModuleDef_HEAD_INIT,
    .m_name = "zoo",
    .m_size = -1,
};

PyMODINIT_FUNC PyInit_zoo(void) {
    PyObject* m;

    if (PyType_Ready(&RegistryType) < 0)
        return NULL;
    m = PyModule_Create(&zoomodule);
    if (m == NULL)
        return NULL;
    if (PyModule_AddObjectRef(m, "Registry", (PyObject*)&RegistryType) < 0) {
        Py_DECREF(m);
        return NULL;
    }
    return m;
}
