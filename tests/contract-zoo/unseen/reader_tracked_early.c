/* objects.tracked-early */
/* Breaks: PyObject_GC_Track may be called only once all the fields that traverse follows are valid; it is called right after the allocation, before any of them is set ("Supporting Cyclic Garbage Collection", rules for constructors). */
#include <Python.h>
#include <stddef.h>
#include <structmember.h>

typedef struct {
    PyObject_HEAD
    PyObject* source;
    PyObject* lines;
    PyObject* pending;
} ReaderObject;

static PyObject* reader_new(PyTypeObject* type, PyObject* args, PyObject* kwds) {
    static char* kwlist[] = {"source", NULL};
    PyObject* source = NULL;
    ReaderObject* self;

    if (!PyArg_ParseTupleAndKeywords(args, kwds, "|O:Reader", kwlist, &source)) {
        return NULL;
    }
    self = PyObject_GC_New(ReaderObject, type);
    if (self == NULL) {
        return NULL;
    }
#ifdef WRONG
    PyObject_GC_Track((PyObject*)self);
#endif
    self->lines = source ? PySequence_List(source) : PyList_New(0);
    self->source = Py_XNewRef(source);
    self->pending = NULL;
#ifndef WRONG
    PyObject_GC_Track((PyObject*)self);
#endif
    if (self->lines == NULL) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject*)self;
}

static int reader_traverse(ReaderObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self->source);
    Py_VISIT(self->lines);
    Py_VISIT(self->pending);
    return 0;
}

static int reader_clear(ReaderObject* self) {
    Py_CLEAR(self->source);
    Py_CLEAR(self->lines);
    Py_CLEAR(self->pending);
    return 0;
}

static void reader_dealloc(ReaderObject* self) {
    PyTypeObject* type = Py_TYPE(self);

    PyObject_GC_UnTrack(self);
    reader_clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMemberDef reader_members[] = {
    {"source", T_OBJECT, offsetof(ReaderObject, source), 0, NULL},
    {"lines", T_OBJECT, offsetof(ReaderObject, lines), 0, NULL},
    {"pending", T_OBJECT, offsetof(ReaderObject, pending), 0, NULL},
    {NULL}};

static PyType_Slot reader_slots[] = {
    {Py_tp_new, reader_new},     {Py_tp_dealloc, reader_dealloc}, {Py_tp_traverse, reader_traverse},
    {Py_tp_clear, reader_clear}, {Py_tp_members, reader_members}, {0, NULL}};

static PyType_Spec reader_spec = {
    .name = "zoo.Reader",
    .basicsize = sizeof(ReaderObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = reader_slots,
};

static int zoo_exec(PyObject* m) {
    PyObject* type = PyType_FromModuleAndSpec(m, &reader_spec, NULL);
    if (type == NULL) {
        return -1;
    }
    if (PyModule_AddType(m, (PyTypeObject*)type) < 0) {
        Py_DECREF(type);
        return -1;
    }
    Py_DECREF(type);
    return 0;
}

static PyModuleDef_Slot zoo_slots[] = {{Py_mod_exec, zoo_exec}, {0, NULL}};

static struct PyModuleDef zoo_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "zoo",
    .m_size = 0,
    .m_slots = zoo_slots,
};

PyMODINIT_FUNC PyInit_zoo(void) {
    return PyModuleDef_Init(&zoo_module);
}
