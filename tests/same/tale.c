/* A container that tells of its life, for the cases about lifetimes. */
#include "tests/same/same.h"

int tales_finalized;
int tales_finalized_at_clear = -1;

static int Tale_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(((Tale*)op)->held);
    return 0;
}

static int Tale_clear(PyObject* op) {
    Tale* self = (Tale*)op;
    if (tales_finalized_at_clear < 0) {
        tales_finalized_at_clear = tales_finalized;
    }
    if (!self->quiet) {
        say("clear %s", self->name);
    }
    Py_CLEAR(self->held);
    return 0;
}

static void Tale_finalize(PyObject* op) {
    Tale* self = (Tale*)op;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    ++tales_finalized;
    if (!self->quiet) {
        say("finalize %s", self->name);
    }
    if (self->on_finalize != NULL) {
        self->on_finalize(op);
    }
    PyErr_Restore(type, value, traceback);
}

static void Tale_dealloc(PyObject* op) {
    Tale* self = (Tale*)op;
    if (PyObject_CallFinalizerFromDealloc(op) < 0) {
        return;
    }
    PyObject_GC_UnTrack(op);
    if (self->weak_list != NULL) {
        PyObject_ClearWeakRefs(op);
    }
    if (!self->quiet) {
        say("deallocate %s", self->name);
    }
    Py_CLEAR(self->held);
    Py_TYPE(op)->tp_free(op);
}

static PyMemberDef Tale_members[] = {
    {"held", Py_T_OBJECT_EX, offsetof(Tale, held), 0, NULL},
    {NULL, 0, 0, 0, NULL},
};

PyTypeObject Tale_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "same.Tale",
    .tp_basicsize = sizeof(Tale),
    .tp_dealloc = Tale_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = Tale_traverse,
    .tp_clear = Tale_clear,
    .tp_weaklistoffset = offsetof(Tale, weak_list),
    .tp_members = Tale_members,
    .tp_finalize = Tale_finalize,
    .tp_new = PyType_GenericNew,
};

Tale* tale(const char* name, PyObject* held) {
    Tale* self = (Tale*)Tale_Type.tp_alloc(&Tale_Type, 0);
    if (self == NULL) {
        abort();
    }
    self->name = name;
    self->held = Py_XNewRef(held);
    return self;
}

void tale_hold(Tale* self, PyObject* held) {
    PyObject* before = self->held;
    self->held = Py_XNewRef(held);
    Py_XDECREF(before);
}
