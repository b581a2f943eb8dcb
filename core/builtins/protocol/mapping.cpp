// The mapping protocol: items by key, in any type.
#include "core/builtins/number/number_arguments.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using number::null_argument;
using object::Own;

namespace {

// A list of what a method of that name gives, which is an iterable.
PyObject* list_from_method(PyObject* op, const char* name) {
    const Own method(PyObject_GetAttrString(op, name));
    const Own output(method ? PyObject_CallNoArgs(method.get()) : nullptr);
    if (!output) {
        return nullptr;
    }
    const Own iterator(PyObject_GetIter(output.get()));
    if (!iterator) {
        if (PyErr_ExceptionMatches(PyExc_TypeError) != 0) {
            PyErr_Format(PyExc_TypeError, "%.200s.%s() returned a non-iterable (type %.200s)",
                         Py_TYPE(op)->tp_name, name, Py_TYPE(output.get())->tp_name);
        }
        return nullptr;
    }
    return PySequence_List(iterator.get());
}

// For functions that cannot fail: what went wrong is told to the unraisable hook.
int zero_and_tell(const char* function, const char* others) {
    PyErr_FormatUnraisable("Exception ignored in %s(); consider using %s", function, others);
    return 0;
}

}  // namespace

int PyMapping_Check(PyObject* op) {
    return op != nullptr && Py_TYPE(op)->tp_as_mapping != nullptr &&
           Py_TYPE(op)->tp_as_mapping->mp_subscript != nullptr;
}

Py_ssize_t PyMapping_Size(PyObject* op) {
    if (op == nullptr) {
        null_argument();
        return -1;
    }
    const PyTypeObject* type = Py_TYPE(op);
    if (type->tp_as_mapping != nullptr && type->tp_as_mapping->mp_length != nullptr) {
        return type->tp_as_mapping->mp_length(op);
    }
    const bool is_sequence =
        type->tp_as_sequence != nullptr && type->tp_as_sequence->sq_length != nullptr;
    PyErr_Format(PyExc_TypeError,
                 is_sequence ? "%.200s is not a mapping" : "object of type '%.200s' has no len()",
                 type->tp_name);
    return -1;
}

Py_ssize_t PyMapping_Length(PyObject* op) {
    return PyMapping_Size(op);
}

PyObject* PyMapping_Keys(PyObject* op) {
    if (op == nullptr) {
        return null_argument();
    }
    return PyDict_CheckExact(op) ? PyDict_Keys(op) : list_from_method(op, "keys");
}

PyObject* PyMapping_Values(PyObject* op) {
    if (op == nullptr) {
        return null_argument();
    }
    return PyDict_CheckExact(op) ? PyDict_Values(op) : list_from_method(op, "values");
}

PyObject* PyMapping_Items(PyObject* op) {
    if (op == nullptr) {
        return null_argument();
    }
    return PyDict_CheckExact(op) ? PyDict_Items(op) : list_from_method(op, "items");
}

PyObject* PyMapping_GetItemString(PyObject* op, const char* key) {
    if (key == nullptr) {
        return null_argument();
    }
    const Own text(PyUnicode_FromString(key));
    return text ? PyObject_GetItem(op, text.get()) : nullptr;
}

int PyMapping_SetItemString(PyObject* op, const char* key, PyObject* value) {
    if (key == nullptr) {
        null_argument();
        return -1;
    }
    const Own text(PyUnicode_FromString(key));
    return text ? PyObject_SetItem(op, text.get(), value) : -1;
}

int PyMapping_GetOptionalItem(PyObject* op, PyObject* key, PyObject** result) {
    if (op != nullptr && PyDict_CheckExact(op)) {
        return PyDict_GetItemRef(op, key, result);
    }
    *result = PyObject_GetItem(op, key);
    if (*result != nullptr) {
        return 1;
    }
    if (PyErr_ExceptionMatches(PyExc_KeyError) == 0) {
        return -1;
    }
    PyErr_Clear();
    return 0;
}

int PyMapping_GetOptionalItemString(PyObject* op, const char* key, PyObject** result) {
    if (key == nullptr) {
        *result = null_argument();
        return -1;
    }
    const Own text(PyUnicode_FromString(key));
    if (!text) {
        *result = nullptr;
        return -1;
    }
    return PyMapping_GetOptionalItem(op, text.get(), result);
}

int PyMapping_HasKeyWithError(PyObject* op, PyObject* key) {
    PyObject* value;
    const int found = PyMapping_GetOptionalItem(op, key, &value);
    Py_XDECREF(value);
    return found;
}

int PyMapping_HasKeyStringWithError(PyObject* op, const char* key) {
    PyObject* value;
    const int found = PyMapping_GetOptionalItemString(op, key, &value);
    Py_XDECREF(value);
    return found;
}

int PyMapping_HasKey(PyObject* op, PyObject* key) {
    const int found = PyMapping_HasKeyWithError(op, key);
    return found >= 0 ? found
                      : zero_and_tell("PyMapping_HasKey",
                                      "PyMapping_HasKeyWithError(), PyMapping_GetOptionalItem() "
                                      "or PyObject_GetItem()");
}

int PyMapping_HasKeyString(PyObject* op, const char* key) {
    const int found = PyMapping_HasKeyStringWithError(op, key);
    return found >= 0
               ? found
               : zero_and_tell("PyMapping_HasKeyString",
                               "PyMapping_HasKeyStringWithError(), "
                               "PyMapping_GetOptionalItemString() or PyMapping_GetItemString()");
}
