/* A type of numbers written in C as the documentation has it: its slots compute with what the macros and
 * functions of int, bool and float give. Source: "Type Object Structures", number structure; "Number
 * Protocol"; "Boolean Objects"; "Floating-Point Objects". */

#include <Python.h>
#include <stdio.h>

/* So many halves. */
typedef struct {
    PyObject_HEAD
    long halves;
} Half;

static PyTypeObject Half_Type = {
    .ob_base = PyVarObject_HEAD_INIT(NULL, 0).tp_name = "example.Half",
    .tp_basicsize = sizeof(Half),
    .tp_flags = Py_TPFLAGS_DEFAULT,
};

static PyObject* half_from_long(long halves) {
    Half* self = PyObject_New(Half, &Half_Type);
    if (self != NULL) {
        self->halves = halves;
    }
    return (PyObject*)self;
}

static int take(PyObject* op, long* halves) {
    if (Py_IS_TYPE(op, &Half_Type)) {
        *halves = ((Half*)op)->halves;
        return 1;
    }
    if (PyFloat_CheckExact(op)) {
        *halves = (long)(2 * PyFloat_AS_DOUBLE(op));
        return 1;
    }
    if (PyLong_Check(op)) {
        *halves = 2 * PyLong_AsLong(op);
        return 1;
    }
    return 0;
}

static PyObject* half_add(PyObject* x, PyObject* y) {
    long a, b;
    if (!take(x, &a) || !take(y, &b)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    return half_from_long(a + b);
}

static int half_bool(PyObject* self) {
    return ((Half*)self)->halves != 0;
}

static PyObject* half_float(PyObject* self) {
    return PyFloat_FromDouble((double)((Half*)self)->halves / 2);
}

static PyObject* half_is_whole(PyObject* self) {
    if (((Half*)self)->halves % 2 == 0) {
        Py_RETURN_TRUE;
    }
    Py_RETURN_FALSE;
}

static PyNumberMethods half_as_number = {
    .nb_add = half_add,
    .nb_positive = half_is_whole,
    .nb_bool = half_bool,
    .nb_float = half_float,
};

static void half_dealloc(PyObject* self) {
    PyObject_Free(self);
}

static int failures = 0;

static void expect(int condition, const char* what) {
    if (!condition) {
        fprintf(stderr, "not so: %s\n", what);
        ++failures;
    }
}

/* Takes the reference to what must be worth that. */
static void expect_worth(PyObject* op, double value, const char* what) {
    expect(op != NULL && PyFloat_AsDouble(op) == value && PyErr_Occurred() == NULL, what);
    Py_XDECREF(op);
}

int main(void) {
    PyObject *three, *text, *truth;
    Py_Initialize();
    Half_Type.tp_dealloc = half_dealloc;
    Half_Type.tp_as_number = &half_as_number;
    expect(PyType_Ready(&Half_Type) == 0, "the type is ready");

    three = half_from_long(3);
    expect_worth(PyNumber_Add(three, three), 3.0, "1.5 + 1.5");
    expect_worth(PyNumber_Add(three, Py_True), 2.5, "1.5 + True");
    expect_worth(PyNumber_Add(Py_True, three), 2.5, "True + 1.5");
    expect_worth(PyNumber_InPlaceAdd(three, three), 3.0, "1.5 += 1.5");
    expect_worth(PyNumber_Float(three), 1.5, "float(1.5)");
    expect(PyNumber_Check(three) && !PyIndex_Check(three), "it is a number and no index");

    truth = PyNumber_Positive(three);
    expect(Py_IsFalse(truth) && !Py_IsTrue(truth) && !Py_IsNone(truth), "1.5 is not whole");
    expect(PyBool_Check(truth) && !PyBool_Check(three), "a bool is a bool");
    Py_XDECREF(truth);

    text = PyUnicode_FromString("x");
    expect(PyNumber_Add(three, text) == NULL && PyErr_ExceptionMatches(PyExc_TypeError),
           "a half and a str have no sum");
    PyErr_Clear();
    Py_XDECREF(text);
    Py_XDECREF(three);

    expect(Py_IS_NAN(Py_NAN) && Py_IS_INFINITY(Py_HUGE_VAL) && Py_IS_FINITE(Py_MATH_PI),
           "what is finite");
    return Py_FinalizeEx() < 0 || failures != 0;
}
