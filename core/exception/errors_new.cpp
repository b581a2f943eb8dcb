// New classes of exceptions.
#include <cstring>
#include <string_view>

#include "core/exception/exceptions.hpp"

using namespace ouro;

namespace {

// A class that a program made and its name, in memory of their own; they live for ever.
struct NewClass {
    PyTypeObject type;
    NewClass* next;
    char name[1];
};
NewClass* newest = nullptr;

// So that no tool takes them for lost.
void remember(NewClass* made) {
    made->next = __atomic_load_n(&newest, __ATOMIC_RELAXED);
    // release: whoever walks the list finds each complete.
    while (!__atomic_compare_exchange_n(&newest, &made->next, made, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED)) {
    }
}

// A new class of that one base. Its attributes are `dict`, which may be nullptr and which it keeps. New
// reference.
PyObject* make_class(std::string_view name, PyTypeObject* base, PyObject* dict, const char* doc) {
    const std::string_view text = doc == nullptr ? std::string_view() : doc;
    auto* made = static_cast<NewClass*>(
        PyMem_RawCalloc(1, sizeof(NewClass) + name.size() + 1 + text.size() + 1));
    if (made == nullptr) {
        return PyErr_NoMemory();
    }
    std::memcpy(made->name, name.data(), name.size());
    char* kept_doc = nullptr;
    if (doc != nullptr) {
        kept_doc = made->name + name.size() + 1;
        std::memcpy(kept_doc, text.data(), text.size());
    }
    made->type = {.ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = made->name,
                  .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                  .tp_doc = kept_doc,
                  .tp_base = base,
                  .tp_dict = Py_XNewRef(dict)};
    if (PyType_Ready(&made->type) < 0) {
        Py_XDECREF(dict);
        PyMem_RawFree(made);
        return nullptr;
    }
    remember(made);
    return Py_NewRef(&made->type);
}

// The one base that is given: borrowed, or nullptr with TypeError.
PyTypeObject* base_of(PyObject* base) {
    if (base == nullptr) {
        base = PyExc_Exception;
    } else if (PyTuple_Check(base) && PyTuple_GET_SIZE(base) == 1) {
        base = PyTuple_GET_ITEM(base, 0);
    }
    if (!PyExceptionClass_Check(base)) {
        PyErr_SetString(PyExc_TypeError, "an exception class has one base, a class of exceptions");
        return nullptr;
    }
    return reinterpret_cast<PyTypeObject*>(base);
}

}  // namespace

PyObject* PyErr_NewExceptionWithDoc(const char* name, const char* doc, PyObject* base,
                                    PyObject* dict) {
    const std::string_view full = name;
    if (full.find('.') == full.npos) {
        PyErr_SetString(PyExc_SystemError, "PyErr_NewException: name must be module.class");
        return nullptr;
    }
    PyTypeObject* single = base_of(base);
    return single == nullptr ? nullptr : make_class(full, single, dict, doc);
}

PyObject* PyErr_NewException(const char* name, PyObject* base, PyObject* dict) {
    return PyErr_NewExceptionWithDoc(name, nullptr, base, dict);
}
