// What an object with items is asked: op[key], and how many items there are.
#include "core/builtins/number/number_arguments.hpp"
#include "core/builtins/type/special.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using number::null_argument;
using object::Own;
using namespace ouro::type::literals;

namespace {

lenfunc sequence_length(PyObject* op) {
    const PySequenceMethods* methods = Py_TYPE(op)->tp_as_sequence;
    return methods == nullptr ? nullptr : methods->sq_length;
}

lenfunc mapping_length(PyObject* op) {
    const PyMappingMethods* methods = Py_TYPE(op)->tp_as_mapping;
    return methods == nullptr ? nullptr : methods->mp_length;
}

// Of a class: what its __class_getitem__ makes of the key.
PyObject* subscript_of_class(PyObject* type, PyObject* key) {
    PyObject* method;
    const int found = PyObject_GetOptionalAttrString(type, "__class_getitem__", &method);
    if (found < 0) {
        return nullptr;
    }
    if (found == 0) {
        return PyErr_Format(PyExc_TypeError, "type '%.200s' is not subscriptable",
                            reinterpret_cast<PyTypeObject*>(type)->tp_name);
    }
    const Own owned(method);
    return PyObject_CallOneArg(method, key);
}

// What an index that is an object means: -1 with IndexError where no sequence is so long.
Py_ssize_t index_of_key(PyObject* key) {
    return PyNumber_AsSsize_t(key, PyExc_IndexError);
}

PyObject* refuse_index(PyObject* key) {
    return PyErr_Format(PyExc_TypeError, "sequence index must be integer, not '%.200s'",
                        Py_TYPE(key)->tp_name);
}

// Sets an item, or deletes it (nullptr). `by_index` does so in a sequence.
template <class ByIndex>
int change_item(PyObject* op, PyObject* key, PyObject* value, ByIndex by_index, const char* what) {
    if (const PyMappingMethods* mapping = Py_TYPE(op)->tp_as_mapping;
        mapping != nullptr && mapping->mp_ass_subscript != nullptr) {
        return mapping->mp_ass_subscript(op, key, value);
    }
    if (const PySequenceMethods* sequence = Py_TYPE(op)->tp_as_sequence) {
        if (PyIndex_Check(key) != 0) {
            const Py_ssize_t index = index_of_key(key);
            return index == -1 && PyErr_Occurred() != nullptr ? -1 : by_index(index);
        }
        if (sequence->sq_ass_item != nullptr) {
            refuse_index(key);
            return -1;
        }
    }
    PyErr_Format(PyExc_TypeError, "'%.200s' object does not support item %s", Py_TYPE(op)->tp_name,
                 what);
    return -1;
}

// The hint of an object without a length; the default where it gives none.
Py_ssize_t hinted_length(PyObject* op, Py_ssize_t default_value) {
    const type::SpecialMethod method(op, "__length_hint__"_name);
    if (method.failed() || method.missing()) {
        return method.failed() ? -1 : default_value;
    }
    const Own result(method.call());
    if (!result) {
        if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) {
            return -1;
        }
        PyErr_Clear();
        return default_value;
    }
    if (result.get() == Py_NotImplemented) {
        return default_value;
    }
    if (!PyLong_Check(result.get())) {
        PyErr_Format(PyExc_TypeError, "__length_hint__ must be an integer, not %.100s",
                     Py_TYPE(result.get())->tp_name);
        return -1;
    }
    const Py_ssize_t hint = PyLong_AsSsize_t(result.get());
    if (hint < 0 && PyErr_Occurred() == nullptr) {
        PyErr_SetString(PyExc_ValueError, "__length_hint__() should return >= 0");
        return -1;
    }
    return hint;
}

}  // namespace

Py_ssize_t PyObject_Size(PyObject* op) {
    if (op == nullptr) {
        null_argument();
        return -1;
    }
    const lenfunc length = sequence_length(op);
    return length != nullptr ? length(op) : PyMapping_Size(op);
}

Py_ssize_t PyObject_Length(PyObject* op) {
    return PyObject_Size(op);
}

Py_ssize_t PyObject_LengthHint(PyObject* op, Py_ssize_t default_value) {
    if (sequence_length(op) != nullptr || mapping_length(op) != nullptr) {
        const Py_ssize_t length = PyObject_Size(op);
        if (length >= 0) {
            return length;
        }
        if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) {
            return -1;
        }
        PyErr_Clear();
    }
    return hinted_length(op, default_value);
}

PyObject* PyObject_GetItem(PyObject* op, PyObject* key) {
    if (op == nullptr || key == nullptr) {
        return null_argument();
    }
    if (const PyMappingMethods* mapping = Py_TYPE(op)->tp_as_mapping;
        mapping != nullptr && mapping->mp_subscript != nullptr) {
        return mapping->mp_subscript(op, key);
    }
    if (const PySequenceMethods* sequence = Py_TYPE(op)->tp_as_sequence;
        sequence != nullptr && sequence->sq_item != nullptr) {
        if (PyIndex_Check(key) == 0) {
            return refuse_index(key);
        }
        const Py_ssize_t index = index_of_key(key);
        return index == -1 && PyErr_Occurred() != nullptr ? nullptr : PySequence_GetItem(op, index);
    }
    if (PyType_Check(op)) {
        return subscript_of_class(op, key);
    }
    return PyErr_Format(PyExc_TypeError, "'%.200s' object is not subscriptable",
                        Py_TYPE(op)->tp_name);
}

int PyObject_SetItem(PyObject* op, PyObject* key, PyObject* value) {
    if (op == nullptr || key == nullptr || value == nullptr) {
        null_argument();
        return -1;
    }
    return change_item(
        op, key, value, [=](Py_ssize_t index) { return PySequence_SetItem(op, index, value); },
        "assignment");
}

int PyObject_DelItem(PyObject* op, PyObject* key) {
    if (op == nullptr || key == nullptr) {
        null_argument();
        return -1;
    }
    return change_item(
        op, key, nullptr, [=](Py_ssize_t index) { return PySequence_DelItem(op, index); },
        "deletion");
}

int PyObject_DelItemString(PyObject* op, const char* key) {
    if (op == nullptr || key == nullptr) {
        null_argument();
        return -1;
    }
    const Own text(PyUnicode_FromString(key));
    return text ? PyObject_DelItem(op, text.get()) : -1;
}
