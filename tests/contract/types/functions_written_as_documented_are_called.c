/* Functions of a module as the documentation writes them ("Extending Python with C or C++": parameters,
 * keyword parameters, building values), unchanged but for what makes them a module: they are called as a
 * program calls them, and their results and exceptions are right. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdio.h>

static int failures = 0;
#define EXPECT(condition)                                                \
    do {                                                                 \
        if (!(condition)) {                                              \
            printf("line %d: %s does not hold\n", __LINE__, #condition); \
            ++failures;                                                  \
        }                                                                \
    } while (0)

static PyObject* parrot(PyObject* self, PyObject* args, PyObject* keywds) {
    int voltage;
    const char* state = "a stiff";
    const char* action = "voom";
    const char* type = "Norwegian Blue";
    static char* kwlist[] = {(char*)"voltage", (char*)"state", (char*)"action", (char*)"type",
                             NULL};
    (void)self;
    if (!PyArg_ParseTupleAndKeywords(args, keywds, "i|sss", kwlist, &voltage, &state, &action,
                                     &type)) {
        return NULL;
    }
    return Py_BuildValue("{s:i,s:s,s:(ss)}", "voltage", voltage, "state", state, "rest", action,
                         type);
}

static PyObject* join(PyObject* self, PyObject* args) {
    const char* left;
    Py_ssize_t left_size;
    PyObject* right;
    double weight = 1;
    (void)self;
    if (!PyArg_ParseTuple(args, "s#O!|d:join", &left, &left_size, &PyUnicode_Type, &right,
                          &weight)) {
        return NULL;
    }
    return Py_BuildValue("s#Nd", left, left_size, Py_NewRef(right), weight);
}

static PyObject* count(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
    (void)self;
    (void)args;
    return PyLong_FromSsize_t(nargs);
}

static PyMethodDef methods[] = {
    {"parrot", _PyCFunction_CAST(parrot), METH_VARARGS | METH_KEYWORDS, "A documented function."},
    {"join", join, METH_VARARGS, NULL},
    {"count", _PyCFunction_CAST(count), METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL}};

static PyObject* call(PyObject* functions, const char* name, PyObject* args, PyObject* kwargs) {
    PyObject* result = PyObject_Call(PyDict_GetItemString(functions, name), args, kwargs);
    Py_DECREF(args);
    Py_XDECREF(kwargs);
    return result;
}

int main(void) {
    PyObject *functions, *result, *rest;
    PyMethodDef* method;
    Py_Initialize();
    functions = PyDict_New();
    for (method = methods; method->ml_name != NULL; ++method) {
        PyObject* function = PyCFunction_NewEx(method, NULL, NULL);
        EXPECT(PyDict_SetItemString(functions, method->ml_name, function) == 0);
        Py_DECREF(function);
    }

    result = call(functions, "parrot", Py_BuildValue("(i)", 1000),
                  Py_BuildValue("{s:s}", "action", "thump"));
    EXPECT(result != NULL && PyDict_Size(result) == 3);
    EXPECT(PyLong_AsLong(PyDict_GetItemString(result, "voltage")) == 1000);
    rest = PyDict_GetItemString(result, "rest");
    EXPECT(strcmp(PyUnicode_AsUTF8(PyTuple_GET_ITEM(rest, 0)), "thump") == 0);
    EXPECT(strcmp(PyUnicode_AsUTF8(PyTuple_GET_ITEM(rest, 1)), "Norwegian Blue") == 0);
    Py_DECREF(result);

    EXPECT(call(functions, "parrot", PyTuple_New(0), NULL) == NULL);
    EXPECT(PyErr_ExceptionMatches(PyExc_TypeError));
    PyErr_Clear();

    result = call(functions, "join", Py_BuildValue("(ss)", "a", "b"), NULL);
    EXPECT(result != NULL && PyTuple_GET_SIZE(result) == 3);
    EXPECT(PyFloat_AsDouble(PyTuple_GET_ITEM(result, 2)) == 1);
    Py_DECREF(result);
    EXPECT(call(functions, "join", Py_BuildValue("(si)", "a", 1), NULL) == NULL);
    EXPECT(PyErr_ExceptionMatches(PyExc_TypeError));
    PyErr_Clear();

    result =
        PyObject_CallFunction(PyDict_GetItemString(functions, "count"), "isO", 1, "x", Py_None);
    EXPECT(result != NULL && PyLong_AsLong(result) == 3);
    Py_DECREF(result);

    Py_DECREF(functions);
    EXPECT(PyGC_Collect() == 0);
    return Py_FinalizeEx() < 0 || failures != 0;
}
