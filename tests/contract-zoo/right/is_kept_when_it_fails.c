/* The module has a list of the last 64 tasks that were begun. A task is in it before it is complete, and stays, marked as
 * failed, if it cannot be completed. */
#include <Python.h>
typedef struct {
    PyObject* type;
    PyObject* tasks;
} State;
typedef struct {
    PyObject_HEAD
    PyObject* queue;
    int failed;
} Task;
static PyModuleDef def;
static int t_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(((Task*)op)->queue);
    return 0;
}
static int t_clear(PyObject* op) {
    Py_CLEAR(((Task*)op)->queue);
    return 0;
}
static void t_dealloc(PyObject* op) {
    PyTypeObject* t = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    t_clear(op);
    t->tp_free(op);
    Py_DECREF(t);
}
static PyObject* t_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    (void)kwargs;
    if (!PyArg_ParseTuple(args, ""))
        return NULL;
    PyObject* m = PyType_GetModuleByDef(type, &def);
    State* st = m ? PyModule_GetState(m) : NULL;
    if (!st)
        return NULL;
    if (!st->tasks) {
        PyErr_SetString(PyExc_RuntimeError, "closed");
        return NULL;
    }
    Task* self = (Task*)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    if (PyList_Append(st->tasks, (PyObject*)self) < 0) {
        Py_DECREF(self);
        return NULL;
    }
    if (PyList_GET_SIZE(st->tasks) > 64 && PyList_SetSlice(st->tasks, 0, 1, NULL) < 0) {
        Py_DECREF(self);
        return NULL;
    }
    if (!(self->queue = PyList_New(0))) {
        self->failed = 1;
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject*)self;
}
static PyObject* t_failed(PyObject* op, void* c) {
    (void)c;
    return PyBool_FromLong(((Task*)op)->failed);
}
static PyGetSetDef gs[] = {{"failed", t_failed, NULL, NULL, NULL}, {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot slots[] = {{Py_tp_new, t_new},           {Py_tp_dealloc, t_dealloc},
                              {Py_tp_traverse, t_traverse}, {Py_tp_clear, t_clear},
                              {Py_tp_getset, gs},           {0, NULL}};
static PyType_Spec spec = {"zoo.Task", sizeof(Task), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                           slots};
static PyObject* tasks(PyObject* m, PyObject* none) {
    (void)none;
    State* st = PyModule_GetState(m);
    return st->tasks ? PySequence_List(st->tasks) : PyList_New(0);
}
static PyMethodDef methods[] = {{"tasks", tasks, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};
static int zoo_exec(PyObject* m) {
    State* st = PyModule_GetState(m);
    st->type = PyType_FromModuleAndSpec(m, &spec, NULL);
    st->tasks = PyList_New(0);
    return st->type && st->tasks ? PyModule_AddObjectRef(m, "Task", st->type) : -1;
}
static int m_traverse(PyObject* m, visitproc visit, void* arg) {
    State* st = PyModule_GetState(m);
    Py_VISIT(st->type);
    Py_VISIT(st->tasks);
    return 0;
}
static int m_clear(PyObject* m) {
    State* st = PyModule_GetState(m);
    Py_CLEAR(st->type);
    Py_CLEAR(st->tasks);
    return 0;
}
static void m_free(void* m) {
    m_clear((PyObject*)m);
}
static PyModuleDef_Slot mslots[] = {{Py_mod_exec, zoo_exec}, {0, NULL}};
static PyModuleDef def = {PyModuleDef_HEAD_INIT, .m_name = "zoo",   .m_size = sizeof(State),
                          .m_methods = methods,  .m_slots = mslots, .m_traverse = m_traverse,
                          .m_clear = m_clear,    .m_free = m_free};
PyMODINIT_FUNC PyInit_zoo(void) {
    return PyModuleDef_Init(&def);
}
