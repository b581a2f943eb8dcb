// What complex() makes of numbers and of text.
#include <new>
#include <string>
#include <string_view>

#include "core/builtins/call/new_arguments.hpp"
#include "core/builtins/number/complex.hpp"
#include "core/builtins/number/float.hpp"
#include "core/builtins/number/number_arguments.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using namespace ouro::number;

namespace {

PyObject* make(PyTypeObject* type, Py_complex value) {
    if (type == &PyComplex_Type) {
        return PyComplex_FromCComplex(value);
    }
    PyObject* op = type->tp_alloc(type, 0);
    if (op != nullptr) {
        reinterpret_cast<PyComplexObject*>(op)->cval = value;
    }
    return op;
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_sign(char c) {
    return c == '+' || c == '-';
}

// Whether each underscore separates two digits.
bool has_good_underscores(std::string_view text) {
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '_' &&
            (i == 0 || i + 1 == text.size() || !is_digit(text[i - 1]) || !is_digit(text[i + 1]))) {
            return false;
        }
    }
    return true;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_space(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && is_space(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

// The text before j: a number, or a sign, or nothing, for one.
bool read_imaginary(std::string_view text, double* value) {
    if (text.empty() || text == "+" || text == "-") {
        *value = text == "-" ? -1.0 : 1.0;
        return true;
    }
    return read_number(text, value);
}

// Where the imaginary part begins: at the last sign that is not an exponent's.
size_t start_of_imaginary(std::string_view text) {
    for (size_t i = text.size(); i-- > 1;) {
        if (is_sign(text[i]) && text[i - 1] != 'e' && text[i - 1] != 'E') {
            return i;
        }
    }
    return 0;
}

// [number] [+|-] [number] j, or a number; perhaps in parentheses. False if it is neither. Throws
// std::bad_alloc.
bool read_complex(std::string_view text, Py_complex* value) {
    text = trimmed(text);
    if (text.starts_with('(')) {
        if (!text.ends_with(')')) {
            return false;
        }
        text = trimmed(text.substr(1, text.size() - 2));
    }
    *value = {0.0, 0.0};
    if (!text.ends_with('j') && !text.ends_with('J')) {
        return read_number(text, &value->real);
    }
    text.remove_suffix(1);
    const size_t split = start_of_imaginary(text);
    return (split == 0 || read_number(text.substr(0, split), &value->real)) &&
           read_imaginary(text.substr(split), &value->imag);
}

PyObject* from_text(PyTypeObject* type, PyObject* source) {
    Py_ssize_t size;
    const char* utf8 = PyUnicode_AsUTF8AndSize(source, &size);
    if (utf8 == nullptr) {
        return nullptr;
    }
    try {
        const std::string text = ascii_of({utf8, static_cast<size_t>(size)});
        Py_complex value;
        if (!has_good_underscores(text)) {
            return PyErr_Format(PyExc_ValueError, "could not convert string to complex: %R",
                                source);
        }
        if (!read_complex(text, &value)) {
            PyErr_SetString(PyExc_ValueError, "complex() arg is a malformed string");
            return nullptr;
        }
        return make(type, value);
    } catch (const std::bad_alloc&) {
        return PyErr_NoMemory();
    }
}

bool is_number(PyObject* op) {
    const PyNumberMethods* methods = Py_TYPE(op)->tp_as_number;
    return PyComplex_Check(op) ||
           (methods != nullptr && (methods->nb_float != nullptr || methods->nb_index != nullptr));
}

// False with an exception. Pre: it is a number.
bool read_part(PyObject* op, Py_complex* value) {
    if (PyComplex_Check(op)) {
        *value = complex_of(op);
        return true;
    }
    const object::Own real(PyNumber_Float(op));
    if (!real) {
        return false;
    }
    *value = {PyFloat_AS_DOUBLE(real.get()), 0.0};
    return true;
}

bool require_number(PyObject* op, const char* message) {
    if (!is_number(op)) {
        PyErr_Format(PyExc_TypeError, message, Py_TYPE(op)->tp_name);
        return false;
    }
    return true;
}

// real + imag * 1j. Parts that are complex themselves count with both of theirs; a zero that nobody gave is
// not added, for it would lose the sign of another.
PyObject* from_numbers(PyTypeObject* type, PyObject* real, PyObject* imag) {
    PyObject* asked;
    if (!ask_for_complex(real, &asked)) {
        return nullptr;
    }
    const object::Own first(asked == nullptr ? Py_NewRef(real) : asked);
    if (!require_number(first.get(), "complex() first argument must be a string or a number, "
                                     "not '%.200s'") ||
        (imag != nullptr &&
         !require_number(imag, "complex() second argument must be a number, not '%.200s'"))) {
        return nullptr;
    }
    Py_complex a;
    if (!read_part(first.get(), &a)) {
        return nullptr;
    }
    if (imag == nullptr) {
        return make(type, a);
    }
    Py_complex b;
    if (!read_part(imag, &b)) {
        return nullptr;
    }
    Py_complex value{a.real, b.real};
    if (PyComplex_Check(imag)) {
        value.real -= b.imag;
    }
    if (PyComplex_Check(first.get())) {
        value.imag += a.imag;
    }
    return make(type, value);
}

}  // namespace

PyObject* number::complex_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    PyObject* given[2] = {};
    if (!call::take_arguments("complex", {"real", "imag"}, args, kwargs, given)) {
        return nullptr;
    }
    PyObject* const real = given[0];
    PyObject* const imag = given[1];
    if (real != nullptr && PyUnicode_Check(real)) {
        if (imag != nullptr) {
            PyErr_SetString(PyExc_TypeError,
                            "complex() can't take second arg if first is a string");
            return nullptr;
        }
        return from_text(type, real);
    }
    if (imag != nullptr && PyUnicode_Check(imag)) {
        PyErr_SetString(PyExc_TypeError, "complex() second arg can't be a string");
        return nullptr;
    }
    if (real == nullptr) {
        const object::Own zero(PyFloat_FromDouble(0.0));
        return zero ? from_numbers(type, zero.get(), imag) : nullptr;
    }
    if (PyComplex_CheckExact(real) && imag == nullptr && type == &PyComplex_Type) {
        return Py_NewRef(real);
    }
    return from_numbers(type, real, imag);
}
