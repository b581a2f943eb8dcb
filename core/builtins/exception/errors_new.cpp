// New classes of exceptions.
#include <cstring>

#include "core/builtins/exception/errors.hpp"
#include "core/include/Python.h"
#include "core/object/own.hpp"

using namespace ouro;

namespace {

// Stores a str under a name that the dictionary does not have yet. False with an exception.
bool add_text(PyObject* dict, const char* name, const char* text, Py_ssize_t size) {
    const int there = PyDict_ContainsString(dict, name);
    if (there != 0) {
        return there > 0;
    }
    const object::Own value(PyUnicode_FromStringAndSize(text, size));
    return value && PyDict_SetItemString(dict, name, value.get()) == 0;
}

}  // namespace

PyObject* PyErr_NewException(const char* name, PyObject* base, PyObject* dict) {
    return PyErr_NewExceptionWithDoc(name, nullptr, base, dict);
}

PyObject* PyErr_NewExceptionWithDoc(const char* name, const char* doc, PyObject* base,
                                    PyObject* dict) {
    const char* dot = std::strrchr(name, '.');
    if (dot == nullptr) {
        PyErr_SetString(PyExc_SystemError, "PyErr_NewException: name must be module.class");
        return nullptr;
    }
    const object::Own attributes(dict == nullptr ? PyDict_New() : Py_NewRef(dict));
    if (!attributes || !add_text(attributes.get(), "__module__", name, dot - name)) {
        return nullptr;
    }
    if (doc != nullptr &&
        !add_text(attributes.get(), "__doc__", doc, static_cast<Py_ssize_t>(std::strlen(doc)))) {
        return nullptr;
    }
    if (base == nullptr) {
        base = PyExc_Exception;
    }
    const object::Own bases(PyTuple_Check(base) ? Py_NewRef(base) : PyTuple_Pack(1, base));
    return bases ? PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyType_Type), "sOO", dot + 1,
                                         bases.get(), attributes.get())
                 : nullptr;
}

void exception::format_from_cause(PyObject* type, const char* format, ...) {
    PyObject* cause = PyErr_GetRaisedException();
    va_list arguments;
    va_start(arguments, format);
    PyErr_FormatV(type, format, arguments);
    va_end(arguments);
    PyObject* raised = PyErr_GetRaisedException();
    PyException_SetCause(raised, Py_NewRef(cause));
    PyException_SetContext(raised, cause);
    PyErr_SetRaisedException(raised);
}
