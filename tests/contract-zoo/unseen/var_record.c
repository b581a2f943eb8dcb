/* objects.tracked-early */
/* Rule broken: PyObject_GC_Track may be called only once the fields are initialised; here the record is tracked while its items are still raw memory and Python code runs to make them (Supporting Cyclic Garbage Collection, rules for constructors). */
#include <Python.h>
#include <stddef.h>

typedef struct {
    PyObject_VAR_HEAD
    PyObject* items[1];
} Record;

/* Record(fields=(), convert=None): the fields, each passed through convert. */
static PyObject* Record_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    static char* names[] = {"fields", "convert", NULL};
    PyObject *fields = NULL, *convert = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OO:Record", names, &fields, &convert)) {
        return NULL;
    }
    fields = fields != NULL ? PySequence_Tuple(fields) : PyTuple_New(0);
    if (fields == NULL) {
        return NULL;
    }
    Py_ssize_t n = PyTuple_GET_SIZE(fields);
    Record* self = PyObject_GC_NewVar(Record, type, n);
    if (self == NULL) {
        Py_DECREF(fields);
        return NULL;
    }
#ifdef WRONG
    PyObject_GC_Track((PyObject*)self);
#endif
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject* field = PyTuple_GET_ITEM(fields, i);
        field = convert == Py_None ? Py_NewRef(field) : PyObject_CallOneArg(convert, field);
        if (field == NULL) {
            for (; i < n; i++) {
                self->items[i] = NULL;
            }
            Py_DECREF(fields);
            Py_DECREF(self);
            return NULL;
        }
        self->items[i] = field;
    }
    Py_DECREF(fields);
#ifndef WRONG
    PyObject_GC_Track((PyObject*)self);
#endif
    return (PyObject*)self;
}

static int Record_traverse(PyObject* op, visitproc visit, void* arg) {
    Record* self = (Record*)op;
    for (Py_ssize_t i = 0; i < Py_SIZE(self); i++) {
        Py_VISIT(self->items[i]);
    }
    return 0;
}

static int Record_clear(PyObject* op) {
    Record* self = (Record*)op;
    for (Py_ssize_t i = 0; i < Py_SIZE(self); i++) {
        Py_CLEAR(self->items[i]);
    }
    return 0;
}

static void Record_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    Record_clear(op);
    Py_TYPE(op)->tp_free(op);
}

static Py_ssize_t Record_length(PyObject* op) {
    return Py_SIZE(op);
}

static PyObject* Record_item(PyObject* op, Py_ssize_t i) {
    if (i < 0 || i >= Py_SIZE(op)) {
        PyErr_SetString(PyExc_IndexError, "record index out of range");
        return NULL;
    }
    PyObject* item = ((Record*)op)->items[i];
    return Py_NewRef(item != NULL ? item : Py_None);
}

static int Record_ass_item(PyObject* op, Py_ssize_t i, PyObject* value) {
    if (i < 0 || i >= Py_SIZE(op)) {
        PyErr_SetString(PyExc_IndexError, "record index out of range");
        return -1;
    }
    if (value == NULL) {
        PyErr_SetString(PyExc_TypeError, "fields of a record cannot be deleted");
        return -1;
    }
    Py_XSETREF(((Record*)op)->items[i], Py_NewRef(value));
    return 0;
}

static PySequenceMethods Record_as_sequence = {
    .sq_length = Record_length,
    .sq_item = Record_item,
    .sq_ass_item = Record_ass_item,
};

static PyTypeObject Record_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.Record",
    .tp_basicsize = offsetof(Record, items),
    .tp_itemsize = sizeof(PyObject*),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = Record_new,
    .tp_dealloc = Record_dealloc,
    .tp_traverse = Record_traverse,
    .tp_clear = Record_clear,
    .tp_as_sequence = &Record_as_sequence,
};

static struct PyModuleDef zoo_module = {PyModuleDef_HEAD_INIT, .m_name = "zoo", .m_size = -1};

PyMODINIT_FUNC PyInit_zoo(void) {
    if (PyType_Ready(&Record_Type) < 0) {
        return NULL;
    }
    PyObject* m = PyModule_Create(&zoo_module);
    if (m == NULL) {
        return NULL;
    }
    if (PyModule_AddObjectRef(m, "Record", (PyObject*)&Record_Type) < 0) {
        Py_DECREF(m);
        return NULL;
    }
    return m;
}
