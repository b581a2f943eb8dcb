/* No container: it owns a number alone. A finalizer closes it; tp_dealloc calls it, as C API tp_finalize says. */
#include <Python.h>
#include <stddef.h>
typedef struct {
    PyObject_HEAD
    long fd;
} File;
static long closed;
static void file_finalize(PyObject* op) {
    File* self = (File*)op;
    if (self->fd > 0) {
        self->fd = 0;
        ++closed;
    }
}
static void file_dealloc(PyObject* op) {
    PyTypeObject* type = Py_TYPE(op);
    if (PyObject_CallFinalizerFromDealloc(op) < 0)
        return;
    type->tp_free(op);
    Py_DECREF(type);
}
static PyObject* file_new(PyTypeObject* type, PyObject* a, PyObject* k) {
    (void)a;
    (void)k;
    File* self = (File*)type->tp_alloc(type, 0);
    if (self)
        self->fd = 3;
    return (PyObject*)self;
}
static PyType_Slot slots[] = {{Py_tp_dealloc, file_dealloc},
                              {Py_tp_finalize, file_finalize},
                              {Py_tp_new, file_new},
                              {0, NULL}};
static PyType_Spec spec = {"zoo.File", sizeof(File), 0, Py_TPFLAGS_DEFAULT, slots};
static int zoo_exec(PyObject* m) {
    PyObject* t = PyType_FromModuleAndSpec(m, &spec, NULL);
    if (!t)
        return -1;
    int r = PyModule_AddObjectRef(m, "File", t);
    Py_DECREF(t);
    return r;
}
static PyModuleDef_Slot ms[] = {{Py_mod_exec, zoo_exec}, {0, NULL}};
static struct PyModuleDef zoo_module = {PyModuleDef_HEAD_INIT, .m_name = "zoo", .m_slots = ms};
PyMODINIT_FUNC PyInit_zoo(void) {
    return PyModuleDef_Init(&zoo_module);
}
