/* dealloc.no-free */
/* Breaks: the deallocator has to release the memory of the object (through tp_free, that is PyObject_GC_Del); it only drops the fields ("Supporting Cyclic Garbage Collection", rules for the deallocator). */
#include <Python.h>
#include <stddef.h>
#include <structmember.h>

typedef struct {
    PyObject_HEAD
    PyObject* kind;
    PyObject* text;
    Py_ssize_t line;
} TokenObject;

static int token_init(TokenObject* self, PyObject* args, PyObject* kwds) {
    static char* kwlist[] = {"kind", "text", "line", NULL};
    PyObject *kind = NULL, *text = NULL;

    if (!PyArg_ParseTupleAndKeywords(args, kwds, "|OOn:Token", kwlist, &kind, &text, &self->line))
        return -1;
    if (kind) {
        Py_INCREF(kind);
        Py_XSETREF(self->kind, kind);
    }
    if (text) {
        Py_INCREF(text);
        Py_XSETREF(self->text, text);
    }
    return 0;
}

static int token_traverse(TokenObject* self, visitproc visit, void* arg) {
    Py_VISIT(self->kind);
    Py_VISIT(self->text);
    return 0;
}

static int token_clear(TokenObject* self) {
    Py_CLEAR(self->kind);
    Py_CLEAR(self->text);
    return 0;
}

static void token_dealloc(TokenObject* self) {
    PyObject_GC_UnTrack(self);
    token_clear(self);
#ifndef WRONG
    Py_TYPE(self)->tp_free((PyObject*)self);
#endif
}

static PyMemberDef token_members[] = {{"kind", T_OBJECT, offsetof(TokenObject, kind), 0, NULL},
                                      {"text", T_OBJECT, offsetof(TokenObject, text), 0, NULL},
                                      {"line", T_PYSSIZET, offsetof(TokenObject, line), 0, NULL},
                                      {NULL}};

static PyTypeObject TokenType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.Token",
    .tp_basicsize = sizeof(TokenObject),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_dealloc = (destructor)token_dealloc,
    .tp_traverse = (traverseproc)token_traverse,
    .tp_clear = (inquiry)token_clear,
    .tp_members = token_members,
    .tp_init = (initproc)token_init,
    .tp_new = PyType_GenericNew,
};

static PyModuleDef zoomodule = {
    PyModuleDef_HEAD_INIT,
    .m_name = "zoo",
    .m_size = -1,
};

PyMODINIT_FUNC PyInit_zoo(void) {
    PyObject* m = PyModule_Create(&zoomodule);
    if (m == NULL)
        return NULL;
    if (PyModule_AddType(m, &TokenType) < 0) {
        Py_DECREF(m);
        return NULL;
    }
    return m;
}
