// complex: two C doubles. Source: "Complex Number Objects" in the C API documentation.
#include "core/builtins/number/complex.hpp"

#include <cmath>
#include <cstddef>

#include "core/builtins/number/float.hpp"
#include "core/builtins/number/long.hpp"
#include "core/builtins/type/special.hpp"
#include "core/object/object.hpp"

using namespace ouro;
using namespace ouro::number;
using namespace ouro::type::literals;

namespace {

PyObject* complex_repr(PyObject* op) {
    const Py_complex value = complex_of(op);
    const bool has_real = value.real != 0.0 || std::signbit(value.real);
    char* real = has_real ? PyOS_double_to_string(value.real, 'r', 0, 0, nullptr) : nullptr;
    if (has_real && real == nullptr) {
        return nullptr;
    }
    char* imag = PyOS_double_to_string(value.imag, 'r', 0, has_real ? Py_DTSF_SIGN : 0, nullptr);
    PyObject* text = imag == nullptr ? nullptr
                     : has_real      ? PyUnicode_FromFormat("(%s%sj)", real, imag)
                                     : PyUnicode_FromFormat("%sj", imag);
    PyMem_Free(imag);
    PyMem_Free(real);
    return text;
}

// A complex that equals an int or a float has the same hash.
Py_hash_t complex_hash(PyObject* op) {
    constexpr size_t kImaginary = 1000003;
    const Py_complex value = complex_of(op);
    const auto real = static_cast<size_t>(hash_of_double(value.real, op));
    const auto imag = static_cast<size_t>(hash_of_double(value.imag, op));
    const auto hash = static_cast<Py_hash_t>(real + kImaginary * imag);
    return hash == -1 ? -2 : hash;
}

PyObject* complex_richcompare(PyObject* a, PyObject* b, int operation) {
    if (operation != Py_EQ && operation != Py_NE) {
        return Py_NewRef(Py_NotImplemented);
    }
    const Py_complex value = complex_of(a);
    bool equal;
    if (PyLong_Check(b)) {
        equal = value.imag == 0.0 && object::holds(Py_EQ, compare_double_to_int(value.real, b));
    } else if (PyFloat_Check(b)) {
        equal = value.imag == 0.0 && value.real == PyFloat_AS_DOUBLE(b);
    } else if (PyComplex_Check(b)) {
        equal = value.real == complex_of(b).real && value.imag == complex_of(b).imag;
    } else {
        return Py_NewRef(Py_NotImplemented);
    }
    return PyBool_FromLong(equal == (operation == Py_EQ));
}

PyObject* conjugate(PyObject* op, PyObject*) {
    const Py_complex value = complex_of(op);
    return PyComplex_FromDoubles(value.real, -value.imag);
}

PyObject* exactly(PyObject* op, PyObject*) {
    return PyComplex_CheckExact(op) ? Py_NewRef(op) : PyComplex_FromCComplex(complex_of(op));
}

PyMethodDef methods[] = {
    {"conjugate", conjugate, METH_NOARGS, "The number with the other sign of the imaginary part."},
    {"__complex__", exactly, METH_NOARGS, "The number, exactly a complex."},
    {}};

PyMemberDef members[] = {
    {"real", Py_T_DOUBLE, offsetof(PyComplexObject, cval.real), Py_READONLY, "the real part"},
    {"imag", Py_T_DOUBLE, offsetof(PyComplexObject, cval.imag), Py_READONLY, "the imaginary part"},
    {}};

}  // namespace

PyTypeObject PyComplex_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "complex",
    .tp_basicsize = sizeof(PyComplexObject),
    .tp_repr = complex_repr,
    .tp_as_number = &complex_as_number,
    .tp_hash = complex_hash,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_richcompare = complex_richcompare,
    .tp_methods = methods,
    .tp_members = members,
    .tp_new = complex_new,
};

bool number::ask_for_complex(PyObject* op, PyObject** value) {
    *value = nullptr;
    const type::SpecialMethod method(op, "__complex__"_name);
    if (method.failed() || method.missing()) {
        return !method.failed();
    }
    PyObject* made = method.call();
    if (made != nullptr && !PyComplex_Check(made)) {
        PyErr_Format(PyExc_TypeError, "__complex__ returned non-complex (type %.200s)",
                     Py_TYPE(made)->tp_name);
        Py_CLEAR(made);
    }
    if (made != nullptr && !PyComplex_CheckExact(made) &&
        PyErr_WarnFormat(PyExc_DeprecationWarning, 1,
                         "__complex__ returned non-complex (type %.200s).  The ability to return "
                         "an instance of a strict subclass of complex is deprecated, and may be "
                         "removed in a future version of Python.",
                         Py_TYPE(made)->tp_name) < 0) {
        Py_CLEAR(made);
    }
    *value = made;
    return made != nullptr;
}

PyObject* PyComplex_FromCComplex(Py_complex value) {
    PyObject* op = object::allocate_atom(&PyComplex_Type, sizeof(PyComplexObject));
    if (op != nullptr) {
        reinterpret_cast<PyComplexObject*>(op)->cval = value;
    }
    return op;
}

PyObject* PyComplex_FromDoubles(double real, double imag) {
    return PyComplex_FromCComplex({real, imag});
}

Py_complex PyComplex_AsCComplex(PyObject* op) {
    if (PyComplex_Check(op)) {
        return complex_of(op);
    }
    PyObject* made;
    if (!ask_for_complex(op, &made)) {
        return {-1.0, 0.0};
    }
    if (made == nullptr) {
        return {PyFloat_AsDouble(op), 0.0};
    }
    const Py_complex value = complex_of(made);
    Py_DECREF(made);
    return value;
}

double PyComplex_RealAsDouble(PyObject* op) {
    return PyComplex_AsCComplex(op).real;
}

double PyComplex_ImagAsDouble(PyObject* op) {
    const Py_complex value = PyComplex_AsCComplex(op);
    return value.real == -1.0 && PyErr_Occurred() != nullptr ? -1.0 : value.imag;
}
