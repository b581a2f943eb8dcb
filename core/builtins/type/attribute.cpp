// Attributes of objects.
#include "core/builtins/type/descriptor.hpp"
#include "core/builtins/type/instance_dict.hpp"
#include "core/builtins/type/lookup.hpp"
#include "core/object/object.hpp"

using namespace ouro;

namespace {

// A str for a C function's name of an attribute, which is dropped at the end.
class Name {
public:
    explicit Name(const char* text) : op_(type::name_of_attribute(text)) {}
    ~Name() { Py_XDECREF(op_); }
    Name(const Name&) = delete;
    Name& operator=(const Name&) = delete;
    PyObject* get() const { return op_; }

private:
    PyObject* const op_;
};

PyObject* no_such_attribute(PyObject* op, PyObject* name) {
    return PyErr_Format(PyExc_AttributeError, "'%.100s' object has no attribute '%U'",
                        Py_TYPE(op)->tp_name, name);
}

// AttributeError is no answer; anything else stays.
int forgive_missing() {
    if (PyErr_ExceptionMatches(PyExc_AttributeError) == 0) {
        return -1;
    }
    PyErr_Clear();
    return 0;
}

int refuse_to_set(PyObject* op, PyObject* name, PyObject* descriptor) {
    if (descriptor == nullptr) {
        no_such_attribute(op, name);
    } else {
        PyErr_Format(PyExc_AttributeError, "'%.100s' object attribute '%U' is read-only",
                     Py_TYPE(op)->tp_name, name);
    }
    return -1;
}

// In the object's own dictionary.
int store_own(PyObject* op, PyObject* name, PyObject* value, PyObject* descriptor) {
    if (!type::has_instance_dict(op)) {
        return refuse_to_set(op, name, descriptor);
    }
    PyObject* dict = type::instance_dict(op, value != nullptr);
    if (dict == nullptr) {
        if (PyErr_Occurred() == nullptr) {
            no_such_attribute(op, name);
        }
        return -1;
    }
    int result = value != nullptr ? PyDict_SetItem(dict, name, value) : PyDict_DelItem(dict, name);
    if (result < 0 && PyErr_ExceptionMatches(PyExc_KeyError) != 0) {
        PyErr_Clear();
        no_such_attribute(op, name);
    }
    Py_DECREF(dict);
    return result;
}

}  // namespace

PyObject* PyObject_GenericGetAttr(PyObject* op, PyObject* name) {
    if (!type::check_name(name)) {
        return nullptr;
    }
    PyTypeObject* type = Py_TYPE(op);
    PyObject* descriptor = nullptr;
    if (type::lookup(type, name, &descriptor) < 0) {
        return nullptr;
    }
    const descrgetfunc get = descriptor == nullptr ? nullptr : Py_TYPE(descriptor)->tp_descr_get;
    PyObject* owner = reinterpret_cast<PyObject*>(type);
    PyObject* result = nullptr;
    if (get != nullptr && Py_TYPE(descriptor)->tp_descr_set != nullptr) {
        result = get(descriptor, op, owner);
        Py_DECREF(descriptor);
        return result;
    }
    if (type::has_instance_dict(op)) {
        if (PyObject* dict = type::instance_dict(op, false)) {
            const int found = PyDict_GetItemRef(dict, name, &result);
            Py_DECREF(dict);
            if (found != 0) {
                Py_XDECREF(descriptor);
                return result;
            }
        } else if (PyErr_Occurred() != nullptr) {
            Py_XDECREF(descriptor);
            return nullptr;
        }
    }
    if (descriptor == nullptr) {
        return no_such_attribute(op, name);
    }
    if (get == nullptr) {
        return descriptor;
    }
    result = get(descriptor, op, owner);
    Py_DECREF(descriptor);
    return result;
}

int PyObject_GenericSetAttr(PyObject* op, PyObject* name, PyObject* value) {
    if (!type::check_name(name)) {
        return -1;
    }
    PyObject* descriptor = nullptr;
    if (type::lookup(Py_TYPE(op), name, &descriptor) < 0) {
        return -1;
    }
    const descrsetfunc set = descriptor == nullptr ? nullptr : Py_TYPE(descriptor)->tp_descr_set;
    const int result =
        set != nullptr ? set(descriptor, op, value) : store_own(op, name, value, descriptor);
    Py_XDECREF(descriptor);
    return result;
}

PyObject* PyObject_GetAttr(PyObject* op, PyObject* name) {
    if (!type::check_name(name)) {
        return nullptr;
    }
    PyTypeObject* type = Py_TYPE(op);
    if (type->tp_getattro != nullptr) {
        return type->tp_getattro(op, name);
    }
    if (type->tp_getattr != nullptr) {
        const char* text = PyUnicode_AsUTF8(name);
        return text == nullptr ? nullptr : type->tp_getattr(op, const_cast<char*>(text));
    }
    return no_such_attribute(op, name);
}

PyObject* PyObject_GetAttrString(PyObject* op, const char* name) {
    if (Py_TYPE(op)->tp_getattr != nullptr && Py_TYPE(op)->tp_getattro == nullptr) {
        return Py_TYPE(op)->tp_getattr(op, const_cast<char*>(name));
    }
    const Name text(name);
    return text.get() == nullptr ? nullptr : PyObject_GetAttr(op, text.get());
}

int PyObject_GetOptionalAttr(PyObject* op, PyObject* name, PyObject** result) {
    *result = PyObject_GetAttr(op, name);
    return *result != nullptr ? 1 : forgive_missing();
}

int PyObject_GetOptionalAttrString(PyObject* op, const char* name, PyObject** result) {
    *result = PyObject_GetAttrString(op, name);
    return *result != nullptr ? 1 : forgive_missing();
}

int PyObject_HasAttrWithError(PyObject* op, PyObject* name) {
    PyObject* value;
    const int found = PyObject_GetOptionalAttr(op, name, &value);
    Py_XDECREF(value);
    return found;
}

int PyObject_HasAttrStringWithError(PyObject* op, const char* name) {
    const Name text(name);
    return text.get() == nullptr ? -1 : PyObject_HasAttrWithError(op, text.get());
}

int PyObject_HasAttr(PyObject* op, PyObject* name) {
    const int found = PyObject_HasAttrWithError(op, name);
    if (found < 0) {
        PyErr_WriteUnraisable(op);
    }
    return found > 0;
}

int PyObject_HasAttrString(PyObject* op, const char* name) {
    const int found = PyObject_HasAttrStringWithError(op, name);
    if (found < 0) {
        PyErr_WriteUnraisable(op);
    }
    return found > 0;
}

int PyObject_SetAttr(PyObject* op, PyObject* name, PyObject* value) {
    if (!type::check_name(name)) {
        return -1;
    }
    PyTypeObject* type = Py_TYPE(op);
    if (type->tp_setattro != nullptr) {
        return type->tp_setattro(op, name, value);
    }
    if (type->tp_setattr != nullptr) {
        const char* text = PyUnicode_AsUTF8(name);
        return text == nullptr ? -1 : type->tp_setattr(op, const_cast<char*>(text), value);
    }
    const bool none_at_all = type->tp_getattr == nullptr && type->tp_getattro == nullptr;
    PyErr_Format(PyExc_TypeError,
                 none_at_all ? "'%.100s' object has no attributes (%s .%U)"
                             : "'%.100s' object has only read-only attributes (%s .%U)",
                 type->tp_name, value == nullptr ? "del" : "assign to", name);
    return -1;
}

int PyObject_SetAttrString(PyObject* op, const char* name, PyObject* value) {
    if (Py_TYPE(op)->tp_setattr != nullptr && Py_TYPE(op)->tp_setattro == nullptr) {
        return Py_TYPE(op)->tp_setattr(op, const_cast<char*>(name), value);
    }
    const Name text(name);
    return text.get() == nullptr ? -1 : PyObject_SetAttr(op, text.get(), value);
}

int PyObject_DelAttr(PyObject* op, PyObject* name) {
    return PyObject_SetAttr(op, name, nullptr);
}

int PyObject_DelAttrString(PyObject* op, const char* name) {
    return PyObject_SetAttrString(op, name, nullptr);
}
