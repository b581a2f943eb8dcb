/* counts.given-away */
/* Rule broken: a method must return a new reference; here a hit in the second place hands out the instance's own count (C API, ownership of returned references). */
#include <Python.h>

typedef struct {
    PyObject* key;
    PyObject* value;
} LruEntry;

/* The two pairs used last; keys are compared by identity. */
typedef struct {
    PyObject_HEAD
    LruEntry entries[2];
} LruPair;

static int lru_traverse(PyObject* op, visitproc visit, void* arg) {
    LruPair* self = (LruPair*)op;
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(self->entries[0].key);
    Py_VISIT(self->entries[0].value);
    Py_VISIT(self->entries[1].key);
    Py_VISIT(self->entries[1].value);
    return 0;
}

static int lru_clear(PyObject* op) {
    LruPair* self = (LruPair*)op;
    Py_CLEAR(self->entries[0].key);
    Py_CLEAR(self->entries[0].value);
    Py_CLEAR(self->entries[1].key);
    Py_CLEAR(self->entries[1].value);
    return 0;
}

static void lru_dealloc(PyObject* op) {
    PyTypeObject* type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    lru_clear(op);
    type->tp_free(op);
    Py_DECREF(type);
}

static PyObject* lru_put(PyObject* op, PyObject* args) {
    LruPair* self = (LruPair*)op;
    LruEntry fresh, dropped;
    if (!PyArg_ParseTuple(args, "OO:put", &fresh.key, &fresh.value))
        return NULL;
    Py_INCREF(fresh.key);
    Py_INCREF(fresh.value);
    if (self->entries[0].key == fresh.key) {
        dropped = self->entries[0];
    } else {
        dropped = self->entries[1];
        self->entries[1] = self->entries[0];
    }
    self->entries[0] = fresh;
    Py_XDECREF(dropped.key);
    Py_XDECREF(dropped.value);
    Py_RETURN_NONE;
}

static PyObject* lru_get(PyObject* op, PyObject* key) {
    LruPair* self = (LruPair*)op;
    if (self->entries[0].key == key && self->entries[0].value != NULL)
        return Py_NewRef(self->entries[0].value);
    if (self->entries[1].key == key && self->entries[1].value != NULL) {
        LruEntry hit = self->entries[1];
        self->entries[1] = self->entries[0];
        self->entries[0] = hit;
#ifdef WRONG
        return hit.value;
#else
        return Py_NewRef(hit.value);
#endif
    }
    PyErr_SetObject(PyExc_KeyError, key);
    return NULL;
}

static PyMethodDef lru_methods[] = {
    {"put", lru_put, METH_VARARGS, "put(key, value)"},
    {"get", lru_get, METH_O, "get(key) -> value, which is then the one used last"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot lru_slots[] = {
    {Py_tp_new, PyType_GenericNew}, {Py_tp_dealloc, lru_dealloc}, {Py_tp_traverse, lru_traverse},
    {Py_tp_clear, lru_clear},       {Py_tp_methods, lru_methods}, {0, NULL},
};

static PyType_Spec lru_spec = {
    "zoo.LruPair",
    sizeof(LruPair),
    0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    lru_slots,
};

static struct PyModuleDef zoo_module = {PyModuleDef_HEAD_INIT, "zoo", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_zoo(void) {
    PyObject* module = PyModule_Create(&zoo_module);
    PyObject* type = NULL;
    if (module == NULL)
        return NULL;
    type = PyType_FromSpec(&lru_spec);
    if (type == NULL || PyModule_AddObjectRef(module, "LruPair", type) < 0)
        Py_CLEAR(module);
    Py_XDECREF(type);
    return module;
}
