/* The state has a malloc'ed table of the types that it has made. */
#include <Python.h>
#define KINDS 3
typedef struct {
    PyObject** types;
    Py_ssize_t count;
} State;
typedef struct {
    PyObject_HEAD
    PyObject* item;
} Thing;
static int t_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(((Thing*)op)->item);
    return 0;
}
static int t_clear(PyObject* op) {
    Py_CLEAR(((Thing*)op)->item);
    return 0;
}
static void t_dealloc(PyObject* op) {
    PyTypeObject* t = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    t_clear(op);
    t->tp_free(op);
    Py_DECREF(t);
}
static PyType_Slot slots[] = {
    {Py_tp_dealloc, t_dealloc}, {Py_tp_traverse, t_traverse}, {Py_tp_clear, t_clear}, {0, NULL}};
static PyType_Spec specs[KINDS] = {
    {"zoo.A", sizeof(Thing), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots},
    {"zoo.B", sizeof(Thing), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots},
    {"zoo.C", sizeof(Thing), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots}};
static int zoo_exec(PyObject* m) {
    State* st = PyModule_GetState(m);
    if (!(st->types = PyMem_Calloc(KINDS, sizeof *st->types))) {
        PyErr_NoMemory();
        return -1;
    }
    for (; st->count < KINDS; ++st->count) {
        PyObject* t = PyType_FromModuleAndSpec(m, &specs[st->count], NULL);
        if (!t)
            return -1;
        st->types[st->count] = t;
        if (PyModule_AddType(m, (PyTypeObject*)t) < 0) {
            ++st->count;
            return -1;
        }
    }
    return 0;
}
static int m_traverse(PyObject* m, visitproc visit, void* arg) {
    State* st = PyModule_GetState(m);
    for (Py_ssize_t i = 0; i < st->count; ++i)
        Py_VISIT(st->types[i]);
    return 0;
}
static int m_clear(PyObject* m) {
    State* st = PyModule_GetState(m);
    while (st->count > 0) {
        --st->count;
        Py_CLEAR(st->types[st->count]);
    }
    return 0;
}
static void m_free(void* m) {
    State* st = PyModule_GetState((PyObject*)m);
    m_clear((PyObject*)m);
    PyMem_Free(st->types);
    st->types = NULL;
}
static PyModuleDef_Slot mslots[] = {{Py_mod_exec, zoo_exec}, {0, NULL}};
static PyModuleDef def = {PyModuleDef_HEAD_INIT, .m_name = "zoo",          .m_size = sizeof(State),
                          .m_slots = mslots,     .m_traverse = m_traverse, .m_clear = m_clear,
                          .m_free = m_free};
PyMODINIT_FUNC PyInit_zoo(void) {
    return PyModuleDef_Init(&def);
}
