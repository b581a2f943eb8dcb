/* clear.leaves */
/* Breaks: the clear handler has to drop every reference that may be part of a cycle, whatever else is set; here all depends on one field being set ("Supporting Cyclic Garbage Collection", inquiry). */
#include <Python.h>
#include <stddef.h>
#include <structmember.h>

typedef struct {
    PyTypeObject* session_type;
} zoo_state;

typedef struct {
    PyObject_HEAD
    PyObject* owner;
    PyObject* data;
} SessionObject;

static int session_traverse(PyObject* op, visitproc visit, void* arg) {
    SessionObject* self = (SessionObject*)op;
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(self->owner);
    Py_VISIT(self->data);
    return 0;
}

static int session_clear(PyObject* op) {
    SessionObject* self = (SessionObject*)op;
#ifdef WRONG
    if (self->owner == NULL) {
        return 0;
    }
#endif
    Py_CLEAR(self->owner);
    Py_CLEAR(self->data);
    return 0;
}

static void session_dealloc(PyObject* op) {
    SessionObject* self = (SessionObject*)op;
    PyTypeObject* type = Py_TYPE(op);

    PyObject_GC_UnTrack(op);
    Py_CLEAR(self->owner);
    Py_CLEAR(self->data);
    type->tp_free(op);
    Py_DECREF(type);
}

static PyMemberDef session_members[] = {
    {"owner", T_OBJECT_EX, offsetof(SessionObject, owner), 0, NULL},
    {"data", T_OBJECT_EX, offsetof(SessionObject, data), 0, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot session_slots[] = {
    {Py_tp_dealloc, session_dealloc}, {Py_tp_traverse, session_traverse},
    {Py_tp_clear, session_clear},     {Py_tp_members, session_members},
    {Py_tp_new, PyType_GenericNew},   {0, NULL},
};

static PyType_Spec session_spec = {
    .name = "zoo.Session",
    .basicsize = sizeof(SessionObject),
    .flags =
        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = session_slots,
};

static int zoo_exec(PyObject* module) {
    zoo_state* state = PyModule_GetState(module);
    state->session_type = (PyTypeObject*)PyType_FromModuleAndSpec(module, &session_spec, NULL);
    if (state->session_type == NULL) {
        return -1;
    }
    return PyModule_AddType(module, state->session_type);
}

static int zoo_traverse(PyObject* module, visitproc visit, void* arg) {
    zoo_state* state = PyModule_GetState(module);
    Py_VISIT(state->session_type);
    return 0;
}

static int zoo_clear(PyObject* module) {
    zoo_state* state = PyModule_GetState(module);
    Py_CLEAR(state->session_type);
    return 0;
}

static void zoo_free(void* module) {
    (void)zoo_clear((PyObject*)module);
}

static PyModuleDef_Slot zoo_slots[] = {
    {Py_mod_exec, zoo_exec},
    {0, NULL},
};

static struct PyModuleDef zoo_def = {
    PyModuleDef_HEAD_INIT,       .m_name = "zoo",
    .m_size = sizeof(zoo_state), .m_slots = zoo_slots,
    .m_traverse = zoo_traverse,  .m_clear = zoo_clear,
    .m_free = zoo_free,
};

PyMODINIT_FUNC PyInit_zoo(void) {
    return PyModuleDef_Init(&zoo_def);
}
