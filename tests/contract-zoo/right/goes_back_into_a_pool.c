/* A connection that dies goes back to the pool once: its finalizer ends its session, and gives a reference to the pool. */
#include <Python.h>
#include <stddef.h>
typedef struct {
    PyObject_HEAD
    PyObject* peer;
} Session;
typedef struct {
    PyObject_HEAD
    PyObject* session;
    PyObject* item;
    PyObject* weaklist;
} Connection;
static PyTypeObject session_type;
static PyObject* idle;
static int session_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(((Session*)op)->peer);
    return 0;
}
static int session_clear(PyObject* op) {
    Py_CLEAR(((Session*)op)->peer);
    return 0;
}
static void session_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    session_clear(op);
    Py_TYPE(op)->tp_free(op);
}
static PyTypeObject session_type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.Session",
                                    .tp_basicsize = sizeof(Session),
                                    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                                                Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                    .tp_traverse = session_traverse,
                                    .tp_clear = session_clear,
                                    .tp_dealloc = session_dealloc};
static int connection_traverse(PyObject* op, visitproc visit, void* arg) {
    Connection* self = (Connection*)op;
    Py_VISIT(self->session);
    Py_VISIT(self->item);
    return 0;
}
static int connection_clear(PyObject* op) {
    Connection* self = (Connection*)op;
    Py_CLEAR(self->session);
    Py_CLEAR(self->item);
    return 0;
}
static void connection_finalize(PyObject* op) {
    Connection* self = (Connection*)op;
    PyObject* raised = PyErr_GetRaisedException();
    Py_CLEAR(self->session);
    if (PyList_GET_SIZE(idle) < 4 && PyList_Append(idle, op) < 0)
        PyErr_WriteUnraisable(op);
    PyErr_SetRaisedException(raised);
}
static void connection_dealloc(PyObject* op) {
    if (PyObject_CallFinalizerFromDealloc(op) < 0)
        return;
    PyObject_GC_UnTrack(op);
    PyObject_ClearWeakRefs(op);
    connection_clear(op);
    Py_TYPE(op)->tp_free(op);
}
static PyObject* connection_new(PyTypeObject* type, PyObject* a, PyObject* k) {
    (void)a;
    (void)k;
    Connection* self = (Connection*)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->session = session_type.tp_alloc(&session_type, 0);
    if (self->session == NULL) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject*)self;
}
static PyMemberDef members[] = {{"item", _Py_T_OBJECT, offsetof(Connection, item), 0, NULL}, {0}};
static PyTypeObject connection_type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.Connection",
                                       .tp_basicsize = sizeof(Connection),
                                       .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                       .tp_traverse = connection_traverse,
                                       .tp_clear = connection_clear,
                                       .tp_dealloc = connection_dealloc,
                                       .tp_new = connection_new,
                                       .tp_members = members,
                                       .tp_finalize = connection_finalize,
                                       .tp_weaklistoffset = offsetof(Connection, weaklist)};
static PyObject* wait_idle(PyObject* m, PyObject* n) {
    (void)m;
    (void)n;
    return PyLong_FromSsize_t(PyList_GET_SIZE(idle));
}
static PyMethodDef functions[] = {{"idle", wait_idle, METH_NOARGS, NULL}, {0}};
static int init(PyObject* m) {
    idle = PyList_New(0);
    if (idle == NULL || PyModule_AddType(m, &session_type) < 0)
        return -1;
    return PyModule_AddType(m, &connection_type);
}
#define ZOO_METHODS functions
#define ZOO_INIT init
static struct PyModuleDef zoo_module = {PyModuleDef_HEAD_INIT, .m_name = "zoo", .m_size = -1,
                                        .m_methods = ZOO_METHODS};
PyMODINIT_FUNC PyInit_zoo(void) {
    PyObject* m = PyModule_Create(&zoo_module);
    if (m == NULL || ZOO_INIT(m) < 0)
        return NULL;
    return m;
}
