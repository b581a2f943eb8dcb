/* finalize.not-called */
/* Rule broken: an object is finalized once; here tp_dealloc calls the finalizer by hand, also for an instance which the collector has finalized already, so it runs twice (tp_finalize; PyObject_CallFinalizerFromDealloc). */
#include <Python.h>
#include <structmember.h>

typedef struct {
    PyObject_HEAD
    PyObject* name; /* exactly str, never in a cycle */
    PyObject* item;
} Session;

static PyObject* ended; /* list of the names of the sessions that are over, zoo.ended */

static void session_finalize(PyObject* op) {
    Session* self = (Session*)op;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (self->name != NULL && PyList_Append(ended, self->name) < 0) {
        PyErr_WriteUnraisable(self->name);
    }
    PyErr_Restore(type, value, traceback);
}

static PyObject* session_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    PyObject* name = NULL;
    if (!PyArg_ParseTuple(args, "|O:Session", &name)) {
        return NULL;
    }
    if (name != NULL && !PyUnicode_CheckExact(name)) {
        PyErr_SetString(PyExc_TypeError, "the name must be a str");
        return NULL;
    }
    name = name != NULL ? Py_NewRef(name) : PyUnicode_FromString("session");
    if (name == NULL) {
        return NULL;
    }
    Session* self = (Session*)type->tp_alloc(type, 0);
    if (self == NULL) {
        Py_DECREF(name);
        return NULL;
    }
    self->name = name;
    return (PyObject*)self;
}

static int session_traverse(PyObject* op, visitproc visit, void* arg) {
    Session* self = (Session*)op;
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(self->name);
    Py_VISIT(self->item);
    return 0;
}

static int session_clear(PyObject* op) {
    Py_CLEAR(((Session*)op)->item);
    return 0;
}

static void session_dealloc(PyObject* op) {
    Session* self = (Session*)op;
    PyTypeObject* type = Py_TYPE(op);
#ifdef WRONG
    session_finalize(op);
#else
    if (PyObject_CallFinalizerFromDealloc(op) < 0) {
        return;
    }
#endif
    PyObject_GC_UnTrack(op);
    Py_CLEAR(self->item);
    Py_CLEAR(self->name);
    type->tp_free(op);
    Py_DECREF(type);
}

static PyMemberDef session_members[] = {{"name", T_OBJECT, offsetof(Session, name), READONLY, NULL},
                                        {"item", T_OBJECT, offsetof(Session, item), 0, NULL},
                                        {NULL}};

static PyType_Slot session_slots[] = {{Py_tp_new, session_new},
                                      {Py_tp_dealloc, session_dealloc},
                                      {Py_tp_finalize, session_finalize},
                                      {Py_tp_traverse, session_traverse},
                                      {Py_tp_clear, session_clear},
                                      {Py_tp_members, session_members},
                                      {0, NULL}};

static PyType_Spec session_spec = {
    .name = "zoo.Session",
    .basicsize = sizeof(Session),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = session_slots,
};

static struct PyModuleDef zoo_module = {PyModuleDef_HEAD_INIT, .m_name = "zoo", .m_size = -1};

PyMODINIT_FUNC PyInit_zoo(void) {
    PyObject* type = NULL;
    PyObject* module = PyModule_Create(&zoo_module);
    if (module == NULL) {
        return NULL;
    }
    if (ended == NULL && (ended = PyList_New(0)) == NULL) {
        goto fail;
    }
    type = PyType_FromSpec(&session_spec);
    if (type == NULL || PyModule_AddObjectRef(module, "Session", type) < 0 ||
        PyModule_AddObjectRef(module, "ended", ended) < 0) {
        goto fail;
    }
    Py_DECREF(type);
    return module;
fail:
    Py_XDECREF(type);
    Py_DECREF(module);
    return NULL;
}
