/* counts.kept */
/* Rule broken: whoever replaces a reference it owns must release the old one; here storing under a key that is there already leaks the former value (C API reference counts; the tutorial's attribute setters). */
#include <Python.h>

#define BUCKETS 16

typedef struct entry {
    struct entry* next;
    Py_hash_t hash;
    PyObject* key; /* exactly str */
    PyObject* value;
} Entry;

typedef struct {
    PyObject_HEAD
    Entry* buckets[BUCKETS];
    Py_ssize_t used;
} Table;

static int table_traverse(PyObject* op, visitproc visit, void* arg) {
    Table* self = (Table*)op;
    Py_VISIT(Py_TYPE(op));
    for (int i = 0; i < BUCKETS; i++) {
        for (Entry* e = self->buckets[i]; e != NULL; e = e->next) {
            Py_VISIT(e->key);
            Py_VISIT(e->value);
        }
    }
    return 0;
}

static int table_clear(PyObject* op) {
    Table* self = (Table*)op;
    Entry* old[BUCKETS];
    memcpy(old, self->buckets, sizeof(old));
    memset(self->buckets, 0, sizeof(self->buckets));
    self->used = 0;
    for (int i = 0; i < BUCKETS; i++) {
        Entry* e = old[i];
        while (e != NULL) {
            Entry* next = e->next;
            Py_DECREF(e->key);
            Py_DECREF(e->value);
            PyMem_Free(e);
            e = next;
        }
    }
    return 0;
}

static void table_dealloc(PyObject* op) {
    PyTypeObject* type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    table_clear(op);
    type->tp_free(op);
    Py_DECREF(type);
}

/* The link that points to the entry of key, or to the NULL that ends its chain; NULL with an exception for a bad key. */
static Entry** table_find(Table* self, PyObject* key, Py_hash_t* hash) {
    if (!PyUnicode_CheckExact(key)) {
        PyErr_SetString(PyExc_TypeError, "keys must be str");
        return NULL;
    }
    *hash = PyObject_Hash(key);
    if (*hash == -1) {
        return NULL;
    }
    Entry** link = &self->buckets[(size_t)*hash % BUCKETS];
    while (*link != NULL) {
        if ((*link)->hash == *hash && PyUnicode_Compare((*link)->key, key) == 0) {
            break;
        }
        link = &(*link)->next;
    }
    return link;
}

static PyObject* table_take(Table* self, Entry** link) {
    Entry* e = *link;
    PyObject* value = e->value;
    *link = e->next;
    self->used--;
    Py_DECREF(e->key);
    PyMem_Free(e);
    return value;
}

static PyObject* table_subscript(PyObject* op, PyObject* key) {
    Py_hash_t hash;
    Entry** link = table_find((Table*)op, key, &hash);
    if (link == NULL) {
        return NULL;
    }
    if (*link == NULL) {
        PyErr_SetObject(PyExc_KeyError, key);
        return NULL;
    }
    return Py_NewRef((*link)->value);
}

static int table_ass_subscript(PyObject* op, PyObject* key, PyObject* value) {
    Table* self = (Table*)op;
    Py_hash_t hash;
    Entry** link = table_find(self, key, &hash);
    if (link == NULL) {
        return -1;
    }
    if (value == NULL) {
        if (*link == NULL) {
            PyErr_SetObject(PyExc_KeyError, key);
            return -1;
        }
        Py_DECREF(table_take(self, link));
        return 0;
    }
    if (*link != NULL) {
        Entry* e = *link;
#ifdef WRONG
        e->value = Py_NewRef(value);
#else
        Py_SETREF(e->value, Py_NewRef(value));
#endif
        return 0;
    }
    Entry* e = PyMem_Malloc(sizeof(Entry));
    if (e == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    e->next = NULL;
    e->hash = hash;
    e->key = Py_NewRef(key);
    e->value = Py_NewRef(value);
    *link = e;
    self->used++;
    return 0;
}

static Py_ssize_t table_length(PyObject* op) {
    return ((Table*)op)->used;
}

static PyObject* table_pop(PyObject* op, PyObject* key) {
    Py_hash_t hash;
    Entry** link = table_find((Table*)op, key, &hash);
    if (link == NULL) {
        return NULL;
    }
    if (*link == NULL) {
        PyErr_SetObject(PyExc_KeyError, key);
        return NULL;
    }
    return table_take((Table*)op, link);
}

static PyObject* table_clear_method(PyObject* op, PyObject* Py_UNUSED(ignored)) {
    table_clear(op);
    Py_RETURN_NONE;
}

static PyMethodDef table_methods[] = {{"pop", table_pop, METH_O, NULL},
                                      {"clear", table_clear_method, METH_NOARGS, NULL},
                                      {NULL, NULL, 0, NULL}};

static PyType_Slot table_slots[] = {{Py_tp_new, PyType_GenericNew},
                                    {Py_tp_dealloc, table_dealloc},
                                    {Py_tp_traverse, table_traverse},
                                    {Py_tp_clear, table_clear},
                                    {Py_tp_methods, table_methods},
                                    {Py_mp_length, table_length},
                                    {Py_mp_subscript, table_subscript},
                                    {Py_mp_ass_subscript, table_ass_subscript},
                                    {0, NULL}};

static PyType_Spec table_spec = {
    .name = "zoo.Table",
    .basicsize = sizeof(Table),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = table_slots,
};

static struct PyModuleDef zoo_module = {PyModuleDef_HEAD_INIT, .m_name = "zoo", .m_size = -1};

PyMODINIT_FUNC PyInit_zoo(void) {
    PyObject* module = PyModule_Create(&zoo_module);
    if (module == NULL) {
        return NULL;
    }
    PyObject* type = PyType_FromSpec(&table_spec);
    if (type == NULL || PyModule_AddObjectRef(module, "Table", type) < 0) {
        Py_XDECREF(type);
        Py_DECREF(module);
        return NULL;
    }
    Py_DECREF(type);
    return module;
}
