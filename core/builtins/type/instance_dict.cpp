#include "core/builtins/type/instance_dict.hpp"

#include "core/object/object.hpp"
#include "core/object/take.hpp"

using namespace ouro;

namespace {

// Sizes of objects are rounded so that a pointer after them is aligned.
Py_ssize_t rounded(Py_ssize_t bytes) {
    constexpr Py_ssize_t word = sizeof(PyObject*);
    return (bytes + word - 1) / word * word;
}

}  // namespace

PyObject** _PyObject_GetDictPtr(PyObject* op) {
    PyTypeObject* type = Py_TYPE(op);
    Py_ssize_t offset = type->tp_dictoffset;
    if (offset == 0) {
        return nullptr;
    }
    if ((type->tp_flags & Py_TPFLAGS_MANAGED_DICT) != 0) {
        return &object::pre_header_of(op)->dict;
    }
    if (offset < 0) {  // from the end of an object of so many items
        const Py_ssize_t items = Py_SIZE(op) < 0 ? -Py_SIZE(op) : Py_SIZE(op);
        offset += rounded(type->tp_basicsize + items * type->tp_itemsize);
    }
    return reinterpret_cast<PyObject**>(reinterpret_cast<char*>(op) + offset);
}

namespace ouro::type {

PyObject* instance_dict(PyObject* op, bool make) {
    PyObject** field = _PyObject_GetDictPtr(op);
    if (field == nullptr) {
        return nullptr;
    }
    PyObject* dict = object::take([field] { return field; }, op);
    if (dict != nullptr || !make) {
        return dict;
    }
    PyObject* made = PyDict_New();
    if (made == nullptr) {
        return nullptr;
    }
    Py_BEGIN_CRITICAL_SECTION(op);
    if (*field == nullptr) {  // another thread may have been first
        OURO_STORE_FIELD(field, Py_NewRef(made));
    }
    dict = Py_NewRef(*field);
    Py_END_CRITICAL_SECTION();
    Py_DECREF(made);
    return dict;
}

}  // namespace ouro::type

PyObject* PyObject_GenericGetDict(PyObject* op, void*) {
    if (!type::has_instance_dict(op)) {
        PyErr_SetString(PyExc_AttributeError, "This object has no __dict__");
        return nullptr;
    }
    return type::instance_dict(op, true);
}

int PyObject_GenericSetDict(PyObject* op, PyObject* value, void*) {
    PyObject** field = _PyObject_GetDictPtr(op);
    if (field == nullptr) {
        PyErr_SetString(PyExc_AttributeError, "This object has no __dict__");
        return -1;
    }
    if (value == nullptr) {
        PyErr_SetString(PyExc_TypeError, "cannot delete __dict__");
        return -1;
    }
    if (!PyDict_Check(value)) {
        PyErr_Format(PyExc_TypeError, "__dict__ must be set to a dictionary, not a '%.200s'",
                     Py_TYPE(value)->tp_name);
        return -1;
    }
    PyObject* old;
    Py_BEGIN_CRITICAL_SECTION(op);
    old = *field;
    OURO_STORE_FIELD(field, Py_NewRef(value));
    Py_END_CRITICAL_SECTION();
    Py_XDECREF(old);
    return 0;
}
