/* traverse.forgets */
/* Breaks: traverse must visit each object directly contained; of each key/value entry only the key is visited ("Traversal", traverseproc). */
#include <Python.h>

typedef struct {
    PyObject* key;
    PyObject* value;
} idmap_entry;

typedef struct {
    PyObject_HEAD
    idmap_entry* entries;
    Py_ssize_t used;
    Py_ssize_t allocated;
} IdMap;

static Py_ssize_t idmap_find(IdMap* self, PyObject* key) {
    for (Py_ssize_t i = 0; i < self->used; i++) {
        if (self->entries[i].key == key) {
            return i;
        }
    }
    return -1;
}

static Py_ssize_t idmap_len(PyObject* op) {
    return ((IdMap*)op)->used;
}

static PyObject* idmap_getitem(PyObject* op, PyObject* key) {
    IdMap* self = (IdMap*)op;
    Py_ssize_t i = idmap_find(self, key);
    if (i < 0) {
        PyErr_SetObject(PyExc_KeyError, key);
        return NULL;
    }
    return Py_NewRef(self->entries[i].value);
}

static int idmap_setitem(PyObject* op, PyObject* key, PyObject* value) {
    IdMap* self = (IdMap*)op;
    Py_ssize_t i = idmap_find(self, key);

    if (value == NULL) {
        if (i < 0) {
            PyErr_SetObject(PyExc_KeyError, key);
            return -1;
        }
        idmap_entry gone = self->entries[i];
        self->entries[i] = self->entries[--self->used];
        Py_DECREF(gone.key);
        Py_DECREF(gone.value);
        return 0;
    }
    if (i >= 0) {
        PyObject* old = self->entries[i].value;
        self->entries[i].value = Py_NewRef(value);
        Py_DECREF(old);
        return 0;
    }
    if (self->used == self->allocated) {
        Py_ssize_t more = self->allocated ? self->allocated * 2 : 4;
        idmap_entry* bigger = PyMem_Realloc(self->entries, (size_t)more * sizeof(idmap_entry));
        if (bigger == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        self->entries = bigger;
        self->allocated = more;
    }
    self->entries[self->used].key = Py_NewRef(key);
    self->entries[self->used].value = Py_NewRef(value);
    self->used++;
    return 0;
}

static int idmap_traverse(PyObject* op, visitproc visit, void* arg) {
    IdMap* self = (IdMap*)op;

    Py_VISIT(Py_TYPE(op));
    for (Py_ssize_t i = 0; i < self->used; i++) {
        Py_VISIT(self->entries[i].key);
#ifndef WRONG
        Py_VISIT(self->entries[i].value);
#endif
    }
    return 0;
}

static int idmap_clear(PyObject* op) {
    IdMap* self = (IdMap*)op;
    idmap_entry* entries = self->entries;
    Py_ssize_t n = self->used;

    self->entries = NULL;
    self->used = self->allocated = 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        Py_DECREF(entries[i].key);
        Py_DECREF(entries[i].value);
    }
    PyMem_Free(entries);
    return 0;
}

static void idmap_dealloc(PyObject* op) {
    PyTypeObject* type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    idmap_clear(op);
    type->tp_free(op);
    Py_DECREF(type);
}

static PyType_Slot idmap_slots[] = {
    {Py_tp_doc, "A map that compares keys by identity."},
    {Py_tp_new, PyType_GenericNew},
    {Py_tp_dealloc, idmap_dealloc},
    {Py_tp_traverse, idmap_traverse},
    {Py_tp_clear, idmap_clear},
    {Py_mp_length, idmap_len},
    {Py_mp_subscript, idmap_getitem},
    {Py_mp_ass_subscript, idmap_setitem},
    {0, NULL},
};

static PyType_Spec idmap_spec = {
    "zoo.IdMap", sizeof(IdMap), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, idmap_slots,
};

static int zoo_exec(PyObject* module) {
    PyObject* type = PyType_FromModuleAndSpec(module, &idmap_spec, NULL);
    if (type == NULL) {
        return -1;
    }
    int rc = PyModule_AddType(module, (PyTypeObject*)type);
    Py_DECREF(type);
    return rc;
}

static PyModuleDef_Slot zoo_slots[] = {
    {Py_mod_exec, zoo_exec},
    {0, NULL},
};

static PyModuleDef zoo_def = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "zoo",
    .m_slots = zoo_slots,
};

PyMODINIT_FUNC PyInit_zoo(void) {
    return PyModuleDef_Init(&zoo_def);
}
