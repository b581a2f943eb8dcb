// What every object can be asked: how it is shown, compared, whether it is true, and its hash.
#include "core/builtins/exception/recursion.hpp"
#include "core/builtins/type/lookup.hpp"
#include "core/builtins/type/special.hpp"
#include "core/object/object.hpp"
#include "core/object/own.hpp"

using namespace ouro;

namespace {

constexpr int kSwapped[] = {Py_GT, Py_GE, Py_EQ, Py_NE, Py_LT, Py_LE};
constexpr const char* kSigns[] = {"<", "<=", "==", "!=", ">", ">="};

// A str from a type's own function, checked.
PyObject* text_from(reprfunc function, PyObject* op, const char* which) {
    const exception::NestedCall nested(which[2] == 'r' ? " while getting the repr of an object"
                                                       : " while getting the str of an object");
    PyObject* text = nested ? function(op) : nullptr;
    if (text != nullptr && !PyUnicode_Check(text)) {
        PyErr_Format(PyExc_TypeError, "%s returned non-string (type %.200s)", which,
                     Py_TYPE(text)->tp_name);
        Py_DECREF(text);
        return nullptr;
    }
    return text;
}

// The right operand first if its class derives from the left one's; what neither can say is an identity, or
// an error.
PyObject* compare(PyObject* x, PyObject* y, int operation) {
    PyTypeObject* left = Py_TYPE(x);
    PyTypeObject* right = Py_TYPE(y);
    bool tried_right = false;
    PyObject* result = nullptr;
    const auto ask = [&result](PyTypeObject* type, PyObject* a, PyObject* b, int op) {
        if (type->tp_richcompare == nullptr) {
            return false;
        }
        result = type->tp_richcompare(a, b, op);
        if (result != Py_NotImplemented) {
            return true;
        }
        Py_DECREF(result);
        return false;
    };
    if (left != right && PyType_IsSubtype(right, left) != 0 && right->tp_richcompare != nullptr) {
        tried_right = true;
        if (ask(right, y, x, kSwapped[operation])) {
            return result;
        }
    }
    if (ask(left, x, y, operation)) {
        return result;
    }
    if (!tried_right && ask(right, y, x, kSwapped[operation])) {
        return result;
    }
    switch (operation) {
        case Py_EQ:
            return PyBool_FromLong(x == y);
        case Py_NE:
            return PyBool_FromLong(x != y);
        default:
            return PyErr_Format(PyExc_TypeError,
                                "'%s' not supported between instances of '%.100s' and '%.100s'",
                                kSigns[operation], left->tp_name, right->tp_name);
    }
}

}  // namespace

PyObject* PyObject_Repr(PyObject* op) {
    if (op == nullptr) {
        return PyUnicode_FromString("<NULL>");
    }
    const reprfunc repr = Py_TYPE(op)->tp_repr;
    return repr == nullptr ? PyUnicode_FromFormat("<%s object at %p>", Py_TYPE(op)->tp_name, op)
                           : text_from(repr, op, "__repr__");
}

PyObject* PyObject_Str(PyObject* op) {
    if (op == nullptr) {
        return PyUnicode_FromString("<NULL>");
    }
    if (PyUnicode_CheckExact(op)) {
        return Py_NewRef(op);
    }
    const reprfunc str = Py_TYPE(op)->tp_str;
    return str == nullptr ? PyObject_Repr(op) : text_from(str, op, "__str__");
}

PyObject* PyObject_RichCompare(PyObject* x, PyObject* y, int operation) {
    if (x == nullptr || y == nullptr) {
        if (PyErr_Occurred() == nullptr) {
            PyErr_BadInternalCall();
        }
        return nullptr;
    }
    const exception::NestedCall nested(" in comparison");
    return nested ? compare(x, y, operation) : nullptr;
}

int PyObject_RichCompareBool(PyObject* x, PyObject* y, int operation) {
    if (x == y && (operation == Py_EQ || operation == Py_NE)) {
        return operation == Py_EQ;
    }
    PyObject* result = PyObject_RichCompare(x, y, operation);
    if (result == nullptr) {
        return -1;
    }
    const int truth = PyObject_IsTrue(result);
    Py_DECREF(result);
    return truth;
}

int PyObject_IsTrue(PyObject* op) {
    if (op == Py_True) {
        return 1;
    }
    if (op == Py_False || op == Py_None) {
        return 0;
    }
    const PyTypeObject* type = Py_TYPE(op);
    Py_ssize_t result = 1;
    if (type->tp_as_number != nullptr && type->tp_as_number->nb_bool != nullptr) {
        result = type->tp_as_number->nb_bool(op);
    } else if (type->tp_as_mapping != nullptr && type->tp_as_mapping->mp_length != nullptr) {
        result = type->tp_as_mapping->mp_length(op);
    } else if (type->tp_as_sequence != nullptr && type->tp_as_sequence->sq_length != nullptr) {
        result = type->tp_as_sequence->sq_length(op);
    }
    return result > 0 ? 1 : static_cast<int>(result);
}

int PyObject_Not(PyObject* op) {
    const int truth = PyObject_IsTrue(op);
    return truth < 0 ? truth : truth == 0;
}

PyObject* PyObject_Type(PyObject* op) {
    if (op == nullptr) {
        if (PyErr_Occurred() == nullptr) {
            PyErr_BadInternalCall();
        }
        return nullptr;
    }
    return Py_NewRef(Py_TYPE(op));
}

Py_hash_t PyObject_Hash(PyObject* op) {
    PyTypeObject* type = Py_TYPE(op);
    if (type->tp_hash == nullptr && PyType_Ready(type) < 0) {
        return -1;
    }
    return type->tp_hash == nullptr ? PyObject_HashNotImplemented(op) : type->tp_hash(op);
}

Py_hash_t PyObject_HashNotImplemented(PyObject* op) {
    PyErr_Format(PyExc_TypeError, "unhashable type: '%.200s'", Py_TYPE(op)->tp_name);
    return -1;
}

namespace {

using object::Own;

// Adds the keys of a dictionary to those of another.
bool add_names(PyObject* names, PyObject* dict) {
    return dict == nullptr || PyDict_Update(names, dict) == 0;
}

// The names of a class's attributes, or of an object's own and its class's.
PyObject* attribute_names(PyObject* op) {
    Own names(PyDict_New());
    PyTypeObject* type = PyType_Check(op) ? reinterpret_cast<PyTypeObject*>(op) : Py_TYPE(op);
    PyObject* order = type->tp_mro;
    for (Py_ssize_t i = 0; names && order != nullptr && i < PyTuple_GET_SIZE(order); ++i) {
        auto* base = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(order, i));
        if (!add_names(names.get(), base->tp_dict)) {
            return nullptr;
        }
    }
    Own own;
    if (!names ||
        (!PyType_Check(op) && PyObject_GetOptionalAttrString(op, "__dict__", own.out()) < 0)) {
        return nullptr;
    }
    if (own && PyDict_Check(own.get()) && !add_names(names.get(), own.get())) {
        return nullptr;
    }
    return PyDict_Keys(names.get());
}

}  // namespace

PyObject* PyObject_Dir(PyObject* op) {
    using namespace type::literals;
    if (op == nullptr) {
        PyErr_SetString(PyExc_SystemError, "frame does not exist");
        return nullptr;
    }
    const type::SpecialMethod method(op, "__dir__"_name);
    if (method.failed()) {
        return nullptr;
    }
    const Own found(method.missing() ? attribute_names(op) : method.call());
    Own list(found ? PySequence_List(found.get()) : nullptr);
    return list && PyList_Sort(list.get()) == 0 ? list.release() : nullptr;
}

PyObject* PyObject_Bytes(PyObject* op) {
    using namespace type::literals;
    if (op == nullptr) {
        return PyBytes_FromString("<NULL>");
    }
    if (PyBytes_CheckExact(op)) {
        return Py_NewRef(op);
    }
    const type::SpecialMethod method(op, "__bytes__"_name);
    if (method.failed()) {
        return nullptr;
    }
    if (method.missing()) {
        return PyBytes_FromObject(op);
    }
    Own made(method.call());
    if (made && !PyBytes_Check(made.get())) {
        return PyErr_Format(PyExc_TypeError, "__bytes__ returned non-bytes (type %.200s)",
                            Py_TYPE(made.get())->tp_name);
    }
    return made.release();
}

int PyObject_AsFileDescriptor(PyObject* op) {
    Own number(PyLong_Check(op) ? Py_NewRef(op) : nullptr);
    if (!number) {
        Own fileno;
        if (PyObject_GetOptionalAttrString(op, "fileno", fileno.out()) < 0) {
            return -1;
        }
        if (!fileno) {
            PyErr_SetString(PyExc_TypeError, "argument must be an int, or have a fileno() method.");
            return -1;
        }
        number = Own(PyObject_CallNoArgs(fileno.get()));
        if (!number) {
            return -1;
        }
        if (!PyLong_Check(number.get())) {
            PyErr_SetString(PyExc_TypeError, "fileno() returned a non-integer");
            return -1;
        }
    }
    const int descriptor = PyLong_AsInt(number.get());
    if (descriptor == -1 && PyErr_Occurred() != nullptr) {
        return -1;
    }
    if (descriptor < 0) {
        PyErr_Format(PyExc_ValueError, "file descriptor cannot be a negative integer (%i)",
                     descriptor);
        return -1;
    }
    return descriptor;
}

unsigned int PyType_ClearCache(void) {
    return 0;
}

PyObject* _PyType_Lookup(PyTypeObject* type, PyObject* name) {
    PyObject* found = nullptr;
    if (type::lookup(type, name, &found) < 0) {
        PyErr_Clear();
    }
    Py_XDECREF(found);  // the type's dictionary has it
    return found;
}
