/* A constructor that makes a method bound to the new instance (a cycle), and fails later: the instance is left to the
 * collector. */
#include <Python.h>
typedef struct {
    PyObject_HEAD
    PyObject* bound;
    PyObject* items;
} Task;
static PyObject* task_size(PyObject* op, PyObject* none) {
    Task* self = (Task*)op;
    (void)none;
    return PyLong_FromSsize_t(self->items ? PyList_GET_SIZE(self->items) : 0);
}
static PyMethodDef run_def = {"run", task_size, METH_NOARGS, NULL};
static int task_traverse(PyObject* op, visitproc visit, void* arg) {
    Task* self = (Task*)op;
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(self->bound);
    Py_VISIT(self->items);
    return 0;
}
static int task_clear(PyObject* op) {
    Task* self = (Task*)op;
    Py_CLEAR(self->bound);
    Py_CLEAR(self->items);
    return 0;
}
static void task_dealloc(PyObject* op) {
    PyTypeObject* type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    task_clear(op);
    type->tp_free(op);
    Py_DECREF(type);
}
static PyObject* task_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    (void)kwargs;
    if (!PyArg_ParseTuple(args, ""))
        return NULL;
    Task* self = (Task*)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->bound = PyCFunction_New(&run_def, (PyObject*)self);
    if (!self->bound) {
        Py_DECREF(self);
        return NULL;
    }
    self->items = PyList_New(0);
    if (!self->items) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject*)self;
}
static PyMethodDef methods[] = {{"size", task_size, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};
static PyType_Slot slots[] = {{Py_tp_new, task_new},           {Py_tp_dealloc, task_dealloc},
                              {Py_tp_traverse, task_traverse}, {Py_tp_clear, task_clear},
                              {Py_tp_methods, methods},        {0, NULL}};
static PyType_Spec spec = {"zoo.Task", sizeof(Task), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                           slots};
static int zoo_exec(PyObject* m) {
    PyObject* t = PyType_FromModuleAndSpec(m, &spec, NULL);
    if (!t)
        return -1;
    int r = PyModule_AddObjectRef(m, "Task", t);
    Py_DECREF(t);
    return r;
}
static PyModuleDef_Slot mslots[] = {{Py_mod_exec, zoo_exec}, {0, NULL}};
static PyModuleDef def = {PyModuleDef_HEAD_INIT, .m_name = "zoo", .m_slots = mslots};
PyMODINIT_FUNC PyInit_zoo(void) {
    return PyModuleDef_Init(&def);
}
