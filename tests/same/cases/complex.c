/* complex: numbers of two parts, what is computed of them, and the unit D of formats. */
#include "tests/same/same.h"

#include <math.h>

static PyObject* new_complex(double real, double imag) {
    return T(PyComplex_FromDoubles(real, imag));
}

static const Py_complex values[] = {
    {0.0, 0.0},      {-0.0, 0.0},        {0.0, -0.0},       {-0.0, -0.0},    {1.0, 0.0},
    {0.0, 1.0},      {0.0, -1.0},        {1.5, -2.5},       {-3.0, 4.0},     {1e16, 1e-5},
    {1e200, 1e200},  {123456789.0, 0.1}, {1e300, 0.0},      {INFINITY, 0.0}, {0.0, NAN},
    {NAN, INFINITY}, {2.0, 3.0},         {-INFINITY, -1.0}, {-2.0, 0.0},     {1e-320, 2.2e-308},
};
enum { kValues = sizeof values / sizeof values[0] };

CASE(a_complex_shows_itself) {
    size_t i;
    for (i = 0; i < kValues; ++i) {
        PyObject* op = T(PyComplex_FromCComplex(values[i]));
        see("repr", op);
        see_text("str", op);
        got("real", PyObject_GetAttrString(op, "real"));
        got("imag", PyObject_GetAttrString(op, "imag"));
        got("conjugate", PyObject_CallMethod(op, "conjugate", NULL));
        done("true", PyObject_IsTrue(op));
        got("negative", PyNumber_Negative(op));
        got("positive", PyNumber_Positive(op));
        got("absolute", PyNumber_Absolute(op));
    }
}

CASE(operations_on_complex) {
    size_t i, j;
    for (i = 0; i < kValues; ++i) {
        for (j = 0; j < kValues; ++j) {
            PyObject* a = T(PyComplex_FromCComplex(values[i]));
            PyObject* b = T(PyComplex_FromCComplex(values[j]));
            say("%zu and %zu", i, j);
            got("+", PyNumber_Add(a, b));
            got("-", PyNumber_Subtract(a, b));
            got("*", PyNumber_Multiply(a, b));
            got("/", PyNumber_TrueDivide(a, b));
            got("==", PyObject_RichCompare(a, b, Py_EQ));
            got("!=", PyObject_RichCompare(a, b, Py_NE));
        }
    }
}

CASE(powers_of_complex) {
    const Py_complex exponents[] = {
        {0.0, 0.0},   {1.0, 0.0},   {2.0, 0.0}, {3.0, 0.0},  {-1.0, 0.0},     {-2.0, 0.0},
        {100.0, 0.0}, {101.0, 0.0}, {0.5, 0.0}, {0.0, 1.0},  {1.0, 2.0},      {-100.0, 0.0},
        {1e300, 0.0}, {-0.5, 0.0},  {7.0, 0.0}, {-3.0, 2.0}, {INFINITY, 0.0},
    };
    size_t i, j;
    for (i = 0; i < kValues; ++i) {
        for (j = 0; j < sizeof exponents / sizeof exponents[0]; ++j) {
            char label[32];
            snprintf(label, sizeof label, "%zu ** %zu", i, j);
            got(label, PyNumber_Power(T(PyComplex_FromCComplex(values[i])),
                                      T(PyComplex_FromCComplex(exponents[j])), Py_None));
        }
    }
    got("modulo", PyNumber_Power(new_complex(1, 2), I(2), I(3)));
    got("a negative float", PyNumber_Power(F(-8.0), F(0.5), Py_None));
    got("a negative int", PyNumber_Power(I(-8), F(0.5), Py_None));
    got("an int to a complex", PyNumber_Power(I(2), new_complex(0, 1), Py_None));
    got("a float to a complex", PyNumber_Power(F(2.5), new_complex(1, 1), Py_None));
}

CASE(complex_and_other_numbers) {
    PyObject* c = new_complex(1.5, -2.0);
    PyObject* others = V("[idOOs]", 3, 0.5, Py_True, Py_None, "text");
    Py_ssize_t i;
    for (i = 0; i < PyList_Size(others); ++i) {
        PyObject* other = PyList_GetItem(others, i);
        got("+", PyNumber_Add(c, other));
        got("reflected +", PyNumber_Add(other, c));
        got("-", PyNumber_Subtract(c, other));
        got("reflected -", PyNumber_Subtract(other, c));
        got("*", PyNumber_Multiply(c, other));
        got("/", PyNumber_TrueDivide(c, other));
        got("reflected /", PyNumber_TrueDivide(other, c));
        got("==", PyObject_RichCompare(c, other, Py_EQ));
        got("<", PyObject_RichCompare(c, other, Py_LT));
        got("in place", PyNumber_InPlaceAdd(c, other));
    }
    got("//", PyNumber_FloorDivide(c, I(1)));
    got("%", PyNumber_Remainder(c, I(1)));
    got("divmod", PyNumber_Divmod(c, I(1)));
    got("~", PyNumber_Invert(c));
    got("int", PyNumber_Long(c));
    got("float", PyNumber_Float(c));
    got("index", PyNumber_Index(c));
    done("is a number", PyNumber_Check(c));
    got("too large an int", PyNumber_Add(c, T(PyNumber_Lshift(I(1), I(2000)))));
    got("by zero", PyNumber_TrueDivide(c, I(0)));
    got("<", PyObject_RichCompare(c, c, Py_LT));
    got(">=", PyObject_RichCompare(c, new_complex(0, 0), Py_GE));
}

CASE(complex_equals_what_it_is) {
    PyObject* large = T(PyNumber_Lshift(I(1), I(60)));
    PyObject* larger = T(PyNumber_Add(large, I(1)));
    got("int", PyObject_RichCompare(new_complex(3, 0), I(3), Py_EQ));
    got("int", PyObject_RichCompare(I(3), new_complex(3, 0), Py_EQ));
    got("int", PyObject_RichCompare(new_complex(3, 1), I(3), Py_NE));
    got("large", PyObject_RichCompare(new_complex(ldexp(1, 60), 0), large, Py_EQ));
    got("larger", PyObject_RichCompare(new_complex(ldexp(1, 60), 0), larger, Py_EQ));
    got("float", PyObject_RichCompare(F(2.5), new_complex(2.5, 0), Py_EQ));
    got("float", PyObject_RichCompare(F(2.5), new_complex(2.5, 1), Py_EQ));
    got("float", PyObject_RichCompare(F(2.5), new_complex(2.5, 1), Py_LT));
}

CASE(hashes_of_complex) {
    size_t i;
    for (i = 0; i < kValues; ++i) {
        if (!isnan(values[i].real) && !isnan(values[i].imag)) {
            done("hash", PyObject_Hash(T(PyComplex_FromCComplex(values[i]))));
        }
    }
    done("as an int's", PyObject_Hash(new_complex(-1, 0)) == PyObject_Hash(I(-1)));
    done("as a float's", PyObject_Hash(new_complex(2.5, 0)) == PyObject_Hash(F(2.5)));
}

static PyObject* call(PyObject* real, PyObject* imag) {
    PyObject* type = (PyObject*)&PyComplex_Type;
    return imag == NULL ? PyObject_CallFunctionObjArgs(type, real, NULL)
                        : PyObject_CallFunctionObjArgs(type, real, imag, NULL);
}

CASE(complex_of_texts) {
    static const char* const texts[] = {
        "1",
        "1.5",
        "-2",
        "1j",
        "-1j",
        "j",
        "+j",
        "-J",
        "1+2j",
        "1-2J",
        " 1+2j ",
        "(1+2j)",
        " ( 1+2j ) ",
        "(1)",
        "( j )",
        "1e5",
        "1e+5",
        "1e+5j",
        "1e-5-2e+3j",
        "inf",
        "nan",
        "inf+nanj",
        "-infinity-infj",
        "nan+j",
        "1_0+2_0j",
        ".5j",
        "1.+.5j",
        "\xd9\xa1+\xd9\xa2j",
        "",
        " ",
        "()",
        "(",
        "(1",
        "1)",
        "1+",
        "1+2",
        "1 + 2j",
        "1+ 2j",
        "1 j",
        "--1j",
        "1+-2j",
        "1+2j3",
        "1+2+3j",
        "jj",
        "x",
        "1__0",
        "_1",
        "1_",
        "1_+2j",
        "1+_2j",
        "1e_5",
        "1j+2",
        "e+5j",
        "((1))",
        "1,2",
        "j1",
        "1e400",
        "1e400j",
        "0x10",
        "+-1",
        "+1+2j",
        "1+2 j",
        "\t1\n",
    };
    size_t i;
    for (i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        got(texts[i], call(S(texts[i]), NULL));
    }
    got("zero inside", call(V("s#", "1\0", (Py_ssize_t)2), NULL));
}

CASE(complex_of_numbers) {
    got("nothing", PyObject_CallNoArgs((PyObject*)&PyComplex_Type));
    got("int", call(I(3), NULL));
    got("two", call(I(3), F(-4.5)));
    got("-0", call(F(-0.0), F(-0.0)));
    got("complex", call(new_complex(1, 2), NULL));
    got("two complex", call(new_complex(1, 2), new_complex(3, 4)));
    got("real and complex", call(I(1), new_complex(3, 4)));
    got("complex and real", call(new_complex(1, 2), I(3)));
    got("-0 of a complex", call(new_complex(0.0, -0.0), NULL));
    got("real=", PyObject_Call((PyObject*)&PyComplex_Type, V("()"), V("{si}", "real", 5)));
    got("imag=", PyObject_Call((PyObject*)&PyComplex_Type, V("()"), V("{si}", "imag", 5)));
    got("None", call(Py_None, NULL));
    got("bytes", call(V("y", "1"), NULL));
    got("a list", call(V("[]"), NULL));
    got("text and int", call(S("1"), I(1)));
    got("int and text", call(I(1), S("1")));
    got("int and None", call(I(1), Py_None));
    got("too large", call(T(PyNumber_Lshift(I(1), I(2000))), NULL));
    got("three", PyObject_CallFunction((PyObject*)&PyComplex_Type, "iii", 1, 2, 3));
}

static PyObject* answer;
static PyObject* give(PyObject* self, PyObject* args) {
    if (answer == NULL) {
        PyErr_SetString(PyExc_KeyError, "no answer");
        return NULL;
    }
    return Py_NewRef(answer);
}
static PyMethodDef give_definition = {"__complex__", give, METH_NOARGS, NULL};

/* An instance of a class with __complex__. */
static PyObject* asked(void) {
    PyObject* method = T(method_of(&give_definition));
    PyObject* type = T(derive("Asked", OBJECT_TYPE, V("{sO}", "__complex__", method)));
    return T(PyObject_CallNoArgs(type));
}

static void see_complex(const char* label, PyObject* op) {
    const Py_complex value = PyComplex_AsCComplex(op);
    raised(label);
    say("%g %g", value.real, value.imag);
}

CASE(what_has_a_complex_value) {
    PyObject* op = asked();
    PyObject* type = T(derive("Derived", (PyObject*)&PyComplex_Type, NULL));
    PyObject* derived = T(PyObject_CallFunction(type, "ii", 5, 6));
    see_complex("complex", new_complex(1, 2));
    see_complex("derived", derived);
    see_complex("int", I(3));
    see_complex("float", F(2.5));
    see_complex("None", Py_None);
    see_complex("text", S("1"));
    answer = new_complex(7, 8);
    see_complex("asked", op);
    got("complex()", call(op, NULL));
    got("complex()", call(op, I(1)));
    answer = I(7);
    see_complex("an int is the answer", op);
    got("complex()", call(op, NULL));
    answer = NULL;
    see_complex("no answer", op);
    got("complex()", call(op, NULL));
    done("check", PyComplex_Check(derived));
    done("exactly", PyComplex_CheckExact(derived));
    done("an int", PyComplex_Check(I(1)));
    say("%g %g", PyComplex_RealAsDouble(derived), PyComplex_ImagAsDouble(derived));
    say("%g %g", PyComplex_RealAsDouble(F(2.5)), PyComplex_ImagAsDouble(F(2.5)));
    say("%g", PyComplex_RealAsDouble(Py_None));
    raised("real of None");
}

CASE_LEFT_OUT(complex_of_unknown_names, "3.13 says it otherwise") {
    got("unknown", PyObject_Call((PyObject*)&PyComplex_Type, V("()"), V("{si}", "no", 5)));
}

CASE_LEFT_OUT(a_derived_complex_is_the_answer, "which warnings are shown is a program's choice") {
    PyObject* type = T(derive("Derived", (PyObject*)&PyComplex_Type, NULL));
    answer = T(PyObject_CallFunction(type, "ii", 5, 6));
    capture_begin();
    see_complex("asked", asked());
    capture_end();
    answer = NULL;
}

CASE_LEFT_OUT(parts_of_what_is_asked, "3.11 asks neither for __complex__ nor what the object is") {
    PyObject* op = asked();
    answer = new_complex(7, 8);
    say("%g %g", PyComplex_RealAsDouble(op), PyComplex_ImagAsDouble(op));
    raised("parts");
    say("%g", PyComplex_ImagAsDouble(Py_None));
    raised("imag of None");
    answer = NULL;
}

CASE(types_derived_from_complex) {
    PyObject* type = T(derive("Derived", (PyObject*)&PyComplex_Type, NULL));
    PyObject* op = T(PyObject_CallFunction(type, "s", "1+2j"));
    see("op", op);
    see("type", (PyObject*)Py_TYPE(op));
    got("positive", PyNumber_Positive(op));
    done("the same", T(PyNumber_Positive(op)) == op);
    got("sum", PyNumber_Add(op, op));
    got("exactly", PyObject_CallMethod(op, "__complex__", NULL));
    done("set", PyObject_SetAttrString(op, "x", I(1)));
    done("real", PyObject_SetAttrString(op, "real", I(1)));
    done("real of a complex", PyObject_SetAttrString(new_complex(1, 2), "imag", I(1)));
}

CASE(unit_D) {
    PyObject* all = V("[idsOyNN]", 7, 2.5, "text", Py_None, "bytes", PyComplex_FromDoubles(1, -2),
                      PyNumber_Lshift(I(1), I(2000)));
    static char* names[] = {"a", "b", NULL};
    Py_complex value = {5, 6};
    int number = 0;
    Py_ssize_t i;
    for (i = 0; i < PyList_Size(all); ++i) {
        done("D", PyArg_ParseTuple(T(PyTuple_Pack(1, PyList_GetItem(all, i))), "D:f", &value));
        say("%g %g", value.real, value.imag);
    }
    done("passed over",
         PyArg_ParseTupleAndKeywords(V("()"), V("{si}", "b", 3), "|Di:f", names, &value, &number));
    say("%g %g %d", value.real, value.imag, number);
    got("built", Py_BuildValue("D", &value));
    got("built", Py_BuildValue("(iDi)", 1, &values[7], 2));
}

CASE(complex_is_a_builtin) {
    PyObject* builtins = T(PyImport_ImportModule("builtins"));
    PyObject* type = T(PyObject_GetAttrString(builtins, "complex"));
    done("the type", type == (PyObject*)&PyComplex_Type);
    see("type", type);
    got("a format", PyObject_Format(new_complex(1, 2), NULL));
}
