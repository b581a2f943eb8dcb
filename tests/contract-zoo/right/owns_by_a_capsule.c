/* probable: traverse.forgets */
/* The instance contains a capsule; the capsule's struct owns the callback. The instance visits what it contains: the capsule. */
#include <Python.h>
#include <stddef.h>
typedef struct {
    PyObject* callback;
} Context;
typedef struct {
    PyObject_HEAD
    PyObject* capsule;
} Handle;
static void drop_context(PyObject* capsule) {
    Context* c = PyCapsule_GetPointer(capsule, "zoo.context");
    if (c == NULL) {
        PyErr_Clear();
        return;
    }
    Py_XDECREF(c->callback);
    PyMem_Free(c);
}
static int handle_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(((Handle*)op)->capsule);
    return 0;
}
static int handle_clear(PyObject* op) {
    Py_CLEAR(((Handle*)op)->capsule);
    return 0;
}
static void handle_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    handle_clear(op);
    Py_TYPE(op)->tp_free(op);
}
static PyObject* handle_bind(PyObject* op, PyObject* callback) {
    Handle* self = (Handle*)op;
    Context* c = PyMem_Malloc(sizeof *c);
    if (c == NULL)
        return PyErr_NoMemory();
    PyObject* capsule = PyCapsule_New(c, "zoo.context", NULL);
    if (capsule == NULL) {
        PyMem_Free(c);
        return NULL;
    }
    c->callback = Py_NewRef(callback);
    if (PyCapsule_SetDestructor(capsule, drop_context) < 0) {
        Py_DECREF(callback);
        PyMem_Free(c);
        Py_DECREF(capsule);
        return NULL;
    }
    Py_XSETREF(self->capsule, capsule);
    Py_RETURN_NONE;
}
static PyObject* handle_new(PyTypeObject* type, PyObject* a, PyObject* k) {
    (void)a;
    (void)k;
    return type->tp_alloc(type, 0);
}
static PyMethodDef methods[] = {{"bind", handle_bind, METH_O, NULL}, {0}};
static PyTypeObject handle_type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.Handle",
                                   .tp_basicsize = sizeof(Handle),
                                   .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                   .tp_traverse = handle_traverse,
                                   .tp_clear = handle_clear,
                                   .tp_dealloc = handle_dealloc,
                                   .tp_new = handle_new,
                                   .tp_methods = methods};
static struct PyModuleDef zoo_module = {PyModuleDef_HEAD_INIT, .m_name = "zoo", .m_size = -1};
PyMODINIT_FUNC PyInit_zoo(void) {
    PyObject* m = PyModule_Create(&zoo_module);
    if (m == NULL || PyModule_AddType(m, &handle_type) < 0)
        return NULL;
    return m;
}
