// int(), float() and operator.index() of any object.
#include "core/builtins/number/float.hpp"
#include "core/builtins/number/long.hpp"
#include "core/builtins/number/number_arguments.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using namespace ouro::number;

namespace {

const PyNumberMethods kNothing{};

const PyNumberMethods& methods_of(PyObject* op) {
    const PyNumberMethods* methods = Py_TYPE(op)->tp_as_number;
    return methods == nullptr ? kNothing : *methods;
}

// An int for `number`, which is stolen and may be nullptr: what `method` of an object gave.
PyObject* required_int(PyObject* number, const char* method) {
    if (number != nullptr && !PyLong_Check(number)) {
        PyErr_Format(PyExc_TypeError, "%s returned non-int (type %.200s)", method,
                     Py_TYPE(number)->tp_name);
        Py_CLEAR(number);
    }
    return number;
}

// exact_int of `number`, which is stolen and may be nullptr.
PyObject* made_exact(PyObject* number) {
    if (number == nullptr) {
        return nullptr;
    }
    PyObject* exact = exact_int(number);
    Py_DECREF(number);
    return exact;
}

}  // namespace

int PyIndex_Check(PyObject* op) {
    return op != nullptr && methods_of(op).nb_index != nullptr;
}

int PyNumber_Check(PyObject* op) {
    if (op == nullptr) {
        return 0;
    }
    const PyNumberMethods& methods = methods_of(op);
    return methods.nb_index != nullptr || methods.nb_int != nullptr ||
           methods.nb_float != nullptr || PyComplex_Check(op);
}

PyObject* number::index_of(PyObject* op) {
    if (op == nullptr) {
        return null_argument();
    }
    if (PyLong_Check(op)) {
        return Py_NewRef(op);
    }
    const unaryfunc index = methods_of(op).nb_index;
    if (index == nullptr) {
        return PyErr_Format(PyExc_TypeError, "'%.200s' object cannot be interpreted as an integer",
                            Py_TYPE(op)->tp_name);
    }
    return required_int(index(op), "__index__");
}

PyObject* PyNumber_Index(PyObject* op) {
    return made_exact(index_of(op));
}

PyObject* PyNumber_Long(PyObject* op) {
    if (op == nullptr) {
        return null_argument();
    }
    if (PyLong_CheckExact(op)) {
        return Py_NewRef(op);
    }
    if (const unaryfunc to_int = methods_of(op).nb_int) {
        return made_exact(required_int(to_int(op), "__int__"));
    }
    if (methods_of(op).nb_index != nullptr) {
        return PyNumber_Index(op);
    }
    if (PyUnicode_Check(op)) {
        return PyLong_FromUnicodeObject(op, 10);
    }
    if (PyBytes_Check(op)) {
        return parse_int({PyBytes_AS_STRING(op), static_cast<size_t>(PyBytes_GET_SIZE(op))}, 10,
                         op);
    }
    if (PyObject_CheckBuffer(op) != 0) {
        const BufferView view(op);
        if (view.is_valid()) {
            const std::string_view text = view.text();
            const object::Own bytes(
                PyBytes_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
            return bytes ? parse_int(text, 10, bytes.get()) : nullptr;
        }
    }
    return PyErr_Format(
        PyExc_TypeError,
        "int() argument must be a string, a bytes-like object or a real number, not '%.200s'",
        Py_TYPE(op)->tp_name);
}

PyObject* PyNumber_Float(PyObject* op) {
    if (op == nullptr) {
        return null_argument();
    }
    if (PyFloat_CheckExact(op)) {
        return Py_NewRef(op);
    }
    const PyNumberMethods& methods = methods_of(op);
    if (methods.nb_float == nullptr && methods.nb_index == nullptr && !PyFloat_Check(op)) {
        return PyFloat_FromString(op);
    }
    if (methods.nb_float != nullptr) {
        PyObject* real = real_of(op);
        if (real == nullptr || PyFloat_CheckExact(real)) {
            return real;
        }
        PyObject* exact = PyFloat_FromDouble(PyFloat_AS_DOUBLE(real));
        Py_DECREF(real);
        return exact;
    }
    const double value = PyFloat_AsDouble(op);
    return value == -1.0 && PyErr_Occurred() != nullptr ? nullptr : PyFloat_FromDouble(value);
}

Py_ssize_t PyNumber_AsSsize_t(PyObject* op, PyObject* error) {
    PyObject* index = index_of(op);
    if (index == nullptr) {
        return -1;
    }
    Py_ssize_t value = -1;
    if (is_small(index)) {
        value = small_value(index);
    } else if (error == nullptr) {
        value = sign_of(index) < 0 ? PY_SSIZE_T_MIN : PY_SSIZE_T_MAX;
    } else {
        PyErr_Format(error, "cannot fit '%.200s' into an index-sized integer",
                     Py_TYPE(op)->tp_name);
    }
    Py_DECREF(index);
    return value;
}

PyObject* PyNumber_ToBase(PyObject* op, int base) {
    if (base != 2 && base != 8 && base != 10 && base != 16) {
        PyErr_SetString(PyExc_SystemError, "PyNumber_ToBase: base must be 2, 8, 10 or 16");
        return nullptr;
    }
    PyObject* index = index_of(op);
    if (index == nullptr) {
        return nullptr;
    }
    PyObject* text = format_int(index, base, true);
    Py_DECREF(index);
    return text;
}
