#include "core/builtins/module/sys_dict.hpp"

#include "core/object/own.hpp"
#include "core/object/saved_error.hpp"

namespace ouro::module {
namespace {

PyObject* dict = nullptr;  // until the runtime ends

}  // namespace

PyObject* sys_dict() {
    // acquire: pairs with the release of the thread that imported sys.
    return __atomic_load_n(&dict, __ATOMIC_ACQUIRE);
}

void adopt_sys_dict(PyObject* made) {
    PyObject* none = nullptr;
    if (!__atomic_compare_exchange_n(&dict, &none, Py_NewRef(made), false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED)) {
        Py_DECREF(made);  // imported twice: the first stays
    }
}

void drop_sys_dict() {
    Py_CLEAR(dict);
}

PyObject* sys_attribute(const char* name) {
    PyObject* value = nullptr;
    if (PyObject* attributes = sys_dict()) {
        const object::SavedError saved;
        (void)PyDict_GetItemStringRef(attributes, name, &value);
        PyErr_Clear();
    }
    return value;
}

}  // namespace ouro::module

using namespace ouro;

namespace {

// The dictionary of sys, which is imported if it was not yet; nullptr with an exception.
PyObject* imported_sys_dict() {
    PyObject* attributes = module::sys_dict();
    if (attributes == nullptr) {
        const object::Own sys(PyImport_ImportModule("sys"));
        attributes = module::sys_dict();
        if (sys && attributes == nullptr) {
            PyErr_SetString(PyExc_RuntimeError, "lost sys");
        }
    }
    return attributes;
}

}  // namespace

PyObject* PySys_GetObject(const char* name) {
    const object::SavedError saved;
    PyObject* attributes = imported_sys_dict();
    PyObject* value = attributes == nullptr ? nullptr : PyDict_GetItemString(attributes, name);
    PyErr_Clear();
    return value;
}

int PySys_SetObject(const char* name, PyObject* value) {
    PyObject* attributes = imported_sys_dict();
    if (attributes == nullptr) {
        return -1;
    }
    if (value != nullptr) {
        return PyDict_SetItemString(attributes, name, value);
    }
    return PyDict_PopString(attributes, name, nullptr) < 0 ? -1 : 0;
}
