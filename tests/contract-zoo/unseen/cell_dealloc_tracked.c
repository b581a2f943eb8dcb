/* objects.freed-tracked */
/* Breaks: the deallocator must take the object off the collector's list before fields used by traverse become invalid; it never does ("Supporting Cyclic Garbage Collection", rules for the deallocator, PyObject_GC_UnTrack). */
#include <Python.h>

typedef struct {
    PyObject_HEAD
    PyObject* content;
    PyObject* watchers; /* a list, made on first use */
} Cell;

static PyObject* Cell_get_content(Cell* self, void* closure) {
    if (self->content == NULL) {
        PyErr_SetString(PyExc_ValueError, "cell is empty");
        return NULL;
    }
    return Py_NewRef(self->content);
}

static int Cell_set_content(Cell* self, PyObject* value, void* closure) {
    PyObject* old = self->content;
    self->content = Py_XNewRef(value);
    Py_XDECREF(old);
    return 0;
}

static PyObject* Cell_watch(Cell* self, PyObject* watcher) {
    if (self->watchers == NULL) {
        self->watchers = PyList_New(0);
        if (self->watchers == NULL)
            return NULL;
    }
    if (PyList_Append(self->watchers, watcher) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static int Cell_traverse(Cell* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self->content);
    Py_VISIT(self->watchers);
    return 0;
}

static int Cell_clear(Cell* self) {
    Py_CLEAR(self->content);
    Py_CLEAR(self->watchers);
    return 0;
}

static void Cell_dealloc(Cell* self) {
    PyTypeObject* tp = Py_TYPE(self);
#ifndef WRONG
    PyObject_GC_UnTrack(self);
#endif
    Cell_clear(self);
    tp->tp_free((PyObject*)self);
    Py_DECREF(tp);
}

static PyMethodDef Cell_methods[] = {{"watch", (PyCFunction)Cell_watch, METH_O, "Add a watcher."},
                                     {NULL}};

static PyGetSetDef Cell_getset[] = {
    {"content", (getter)Cell_get_content, (setter)Cell_set_content, NULL, NULL}, {NULL}};

static PyType_Slot Cell_slots[] = {{Py_tp_new, PyType_GenericNew},
                                   {Py_tp_dealloc, Cell_dealloc},
                                   {Py_tp_traverse, Cell_traverse},
                                   {Py_tp_clear, Cell_clear},
                                   {Py_tp_methods, Cell_methods},
                                   {Py_tp_getset, Cell_getset},
                                   {0, 0}};

static PyType_Spec Cell_spec = {"zoo.Cell", sizeof(Cell), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, Cell_slots};

static int exec_zoo(PyObject* m) {
    PyObject* cell = PyType_FromSpec(&Cell_spec);
    int r = PyModule_AddObjectRef(m, "Cell", cell);
    Py_XDECREF(cell);
    return r;
}

static PyModuleDef_Slot m_slots[] = {{Py_mod_exec, exec_zoo}, {0, NULL}};
static PyModuleDef def = {PyModuleDef_HEAD_INIT, .m_name = "zoo", .m_slots = m_slots};

PyMODINIT_FUNC PyInit_zoo(void) {
    return PyModuleDef_Init(&def);
}
