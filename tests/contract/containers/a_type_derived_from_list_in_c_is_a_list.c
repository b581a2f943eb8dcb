/* A type derived from list, written in C as the tutorial has it: the list is embedded by value, its tp_init,
 * items, methods and iteration are inherited. Source: "Defining Extension Types: Tutorial", subclassing other
 * types. */

#include <Python.h>
#include <stdio.h>

typedef struct {
    PyListObject list;
    int state;
} SubListObject;

static PyObject* sublist_increment(PyObject* op, PyObject* Py_UNUSED(dummy)) {
    SubListObject* self = (SubListObject*)op;
    self->state++;
    return PyLong_FromLong(self->state);
}

static PyMethodDef sublist_methods[] = {
    {"increment", sublist_increment, METH_NOARGS, PyDoc_STR("increment state counter")},
    {NULL, NULL, 0, NULL},
};

static int sublist_init(PyObject* op, PyObject* args, PyObject* kwds) {
    SubListObject* self = (SubListObject*)op;
    if (PyList_Type.tp_init(op, args, kwds) < 0) {
        return -1;
    }
    self->state = 0;
    return 0;
}

static PyTypeObject SubListType = {
    .ob_base = PyVarObject_HEAD_INIT(NULL, 0).tp_name = "sublist.SubList",
    .tp_basicsize = sizeof(SubListObject),
    .tp_itemsize = 0,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_doc = PyDoc_STR("SubList objects"),
    .tp_methods = sublist_methods,
    .tp_init = sublist_init,
};

static int failures = 0;

static void expect(int holds, const char* what) {
    if (!holds) {
        fprintf(stderr, "not so: %s\n", what);
        PyErr_Print();
        failures++;
    }
}

/* Whether repr(op) is that; op is stolen. */
static int shows(PyObject* op, const char* text) {
    PyObject* shown = op == NULL ? NULL : PyObject_Repr(op);
    const char* utf8 = shown == NULL ? "(exception)" : PyUnicode_AsUTF8(shown);
    const int same = strcmp(utf8, text) == 0;
    if (!same) {
        fprintf(stderr, "%s, not %s\n", utf8, text);
    }
    Py_XDECREF(shown);
    Py_XDECREF(op);
    return same;
}

int main(void) {
    PyObject *numbers, *sub, *self, *sorted;
    Py_Initialize();
    SubListType.tp_base = &PyList_Type;
    expect(PyType_Ready(&SubListType) == 0, "the type is readied");

    numbers = Py_BuildValue("[iii]", 3, 1, 2);
    sub = PyObject_CallOneArg((PyObject*)&SubListType, numbers);
    expect(sub != NULL && PyList_Check(sub) && !PyList_CheckExact(sub), "it is a list, and more");
    expect(PyObject_GC_IsTracked(sub), "it is tracked");
    expect(shows(Py_NewRef(sub), "[3, 1, 2]"), "its items are what it was given");
    expect(PyObject_Size(sub) == 3, "len()");
    expect(shows(PyObject_CallMethod(sub, "increment", NULL), "1"), "its own method");
    expect(shows(PyObject_CallMethod(sub, "increment", NULL), "2"), "its own method again");
    expect(shows(PyObject_CallMethod(sub, "append", "i", 0), "None"), "a list's method");
    expect(PyList_Append(sub, Py_None) == 0, "a list's function");
    expect(PyObject_DelItem(sub, Py_False) == 0, "del sub[0]");
    expect(PySequence_DelItem(sub, -1) == 0, "del sub[-1]");
    expect(PyList_Sort(sub) == 0, "sort");
    expect(shows(Py_NewRef(sub), "[0, 1, 2]"), "the items in order");
    expect(PyObject_RichCompareBool(sub, numbers, Py_LT) == 1, "a list compares with it");
    expect(shows(PySequence_GetSlice(sub, 1, 3), "[1, 2]"), "a slice is a list");
    sorted = PySequence_Concat(sub, numbers);
    expect(sorted != NULL && PyList_CheckExact(sorted), "a sum is a list");
    Py_XDECREF(sorted);
    expect(shows(PySequence_Tuple(sub), "(0, 1, 2)"), "it is iterable");
    expect(((SubListObject*)sub)->state == 2, "the state is its own");
    expect(PyObject_CallMethod(sub, "__init__", "i", 5) == NULL, "a number is not iterable");
    expect(PyErr_ExceptionMatches(PyExc_TypeError), "TypeError");
    PyErr_Clear();

    /* A cycle through it is collected. */
    self = PyObject_CallNoArgs((PyObject*)&SubListType);
    expect(PyList_Append(self, self) == 0, "it holds itself");
    expect(shows(Py_NewRef(self), "[[...]]"), "shown in short");
    PyGC_Collect();
    Py_DECREF(self);
    expect(PyGC_Collect() == 1, "one object was garbage");

    Py_DECREF(sub);
    Py_DECREF(numbers);
    Py_Finalize();
    return failures;
}
