/* What the documents call types of functions takes functions written as they say, and the members of a type that they
 * name are there. Source: "Supporting Cyclic Garbage Collection"; "Type Objects"; "Defining Extension Types". */
#include <Python.h>

#include <stdio.h>

static int visits = 0;

static int visit_one(PyObject* object, void* arg) {
    visits += object == (PyObject*)arg;
    return 0;
}

static int traverse_one(PyObject* self, visitproc visit, void* arg) {
    return visit(self, arg);
}

static int clear_nothing(PyObject* Py_UNUSED(self)) {
    return 0;
}

static int show_one(PyObject* object, void* arg) {
    return visit_one(object, arg) + 1;
}

static int init_nothing(PyObject* Py_UNUSED(self), PyObject* Py_UNUSED(args),
                        PyObject* Py_UNUSED(kwargs)) {
    return 0;
}

PyMODINIT_FUNC PyInit_documented(void);
PyMODINIT_FUNC PyInit_documented(void) {
    return PyList_New(0);
}

int main(void) {
    const traverseproc traverse = traverse_one;
    const visitproc visit = visit_one;
    const inquiry clear = clear_nothing;
    const gcvisitobjects_t show = show_one;
    const initproc init = init_nothing;
    int failures = 0;
    Py_Initialize();
    PyObject* list = PyInit_documented();
    failures += traverse(list, visit, list) != 0 || visits != 1;
    failures += clear(list) != 0 || init(list, NULL, NULL) != 0;
    PyUnstable_GC_VisitObjects(show, list);
    failures += visits != 2;
    failures += PyList_Type.tp_weaklist != NULL || PyList_Type.tp_base != &PyBaseObject_Type;
    Py_DECREF(list);
    Py_Finalize();
    printf("%d failures\n", failures);
    return failures != 0;
}
