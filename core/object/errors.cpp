// Exception classes and the calling thread's error indicator().
#include "core/object/errors.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "core/include/ouroboros.h"
#include "core/mutator/state.hpp"

namespace {

using ouro::mutator::Indicator;

Indicator& indicator() {
    return ouro::mutator::error;
}

constexpr unsigned long kExceptionFlags =
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_BASE_EXC_SUBCLASS;

constexpr PyTypeObject exception_class(const char* name, PyTypeObject* base) {
    return {.ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = name,
            .tp_basicsize = sizeof(PyObject),
            .tp_flags = kExceptionFlags,
            .tp_base = base};
}

const char* class_name(PyObject* type) {
    return reinterpret_cast<PyTypeObject*>(type)->tp_name;
}

void set(PyObject* type, PyObject* value) {
    Py_XINCREF(type);
    PyErr_Restore(type, value, nullptr);
}

void print(PyObject* type, PyObject* value) {
    if (value != nullptr && PyUnicode_Check(value)) {
        std::fprintf(stderr, "%s: %s\n", class_name(type), PyUnicode_AsUTF8(value));
    } else {
        std::fprintf(stderr, "%s\n", class_name(type));
    }
}

void print_unraisable(PyObject* type, PyObject* value, PyObject* op, void*) {
    if (op == nullptr) {
        std::fprintf(stderr, "Exception ignored:\n");
    } else {
        std::fprintf(stderr, "Exception ignored in: <%s object at %p>\n", Py_TYPE(op)->tp_name,
                     static_cast<void*>(op));
    }
    print(type, value);
}

OuroUnraisableHook unraisable_hook = print_unraisable;
void* unraisable_arg = nullptr;

}  // namespace

static constinit PyTypeObject BaseException_class =
    exception_class("BaseException", &PyBaseObject_Type);
PyObject* PyExc_BaseException = reinterpret_cast<PyObject*>(&BaseException_class);

#define X(name, base)                                                                   \
    static constinit PyTypeObject name##_class = exception_class(#name, &base##_class); \
    PyObject* PyExc_##name = reinterpret_cast<PyObject*>(&name##_class);
OURO_EXCEPTIONS(X)
#undef X

const char* ouro::object::error_message() {
    PyObject* value = indicator().value;
    return value != nullptr && PyUnicode_Check(value) ? PyUnicode_AsUTF8(value) : "";
}

void PyErr_Fetch(PyObject** type, PyObject** value, PyObject** traceback) {
    const Indicator taken = std::exchange(indicator(), Indicator{});
    *type = taken.type;
    *value = taken.value;
    *traceback = taken.traceback;
}

void PyErr_Restore(PyObject* type, PyObject* value, PyObject* traceback) {
    const Indicator old = std::exchange(indicator(), Indicator{type, value, traceback});
    Py_XDECREF(old.type);
    Py_XDECREF(old.value);
    Py_XDECREF(old.traceback);
}

void PyErr_SetNone(PyObject* type) {
    set(type, nullptr);
}

void PyErr_SetObject(PyObject* type, PyObject* value) {
    set(type, Py_XNewRef(value));
}

void PyErr_SetString(PyObject* type, const char* message) {
    // If there is no memory for the message, the exception is MemoryError.
    if (PyObject* text = PyUnicode_FromString(message)) {
        set(type, text);
    }
}

PyObject* PyErr_Format(PyObject* type, const char* format, ...) {
    char message[1024];
    std::va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    PyErr_SetString(type, message);
    return nullptr;
}

PyObject* PyErr_NoMemory(void) {
    PyErr_SetNone(PyExc_MemoryError);
    return nullptr;
}

void PyErr_BadInternalCall(void) {
    PyErr_SetString(PyExc_SystemError, "bad argument to internal function");
}

PyObject* PyErr_Occurred(void) {
    return indicator().type;
}

int PyErr_GivenExceptionMatches(PyObject* given, PyObject* type) {
    if (given == nullptr || type == nullptr) {
        return 0;
    }
    if (PyTuple_Check(type)) {
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(type); ++i) {
            if (PyErr_GivenExceptionMatches(given, PyTuple_GET_ITEM(type, i)) != 0) {
                return 1;
            }
        }
        return 0;
    }
    if (!PyType_Check(given)) {
        given = reinterpret_cast<PyObject*>(Py_TYPE(given));
    }
    return given == type ||
           (PyType_Check(type) && PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(given),
                                                   reinterpret_cast<PyTypeObject*>(type)));
}

int PyErr_ExceptionMatches(PyObject* type) {
    return PyErr_GivenExceptionMatches(PyErr_Occurred(), type);
}

void PyErr_Clear(void) {
    PyErr_Restore(nullptr, nullptr, nullptr);
}

void PyErr_Print(void) {
    if (indicator().type != nullptr) {
        print(indicator().type, indicator().value);
        PyErr_Clear();
    }
}

void PyErr_WriteUnraisable(PyObject* op) {
    if (indicator().type == nullptr) {
        return;
    }
    const Indicator taken = std::exchange(indicator(), Indicator{});
    unraisable_hook(taken.type, taken.value, op, unraisable_arg);
    Py_XDECREF(taken.type);
    Py_XDECREF(taken.value);
    Py_XDECREF(taken.traceback);
    PyErr_Clear();
}

void Ouro_SetUnraisableHook(OuroUnraisableHook hook, void* arg) {
    unraisable_hook = hook == nullptr ? print_unraisable : hook;
    unraisable_arg = arg;
}

void Py_FatalError(const char* message) {
    std::fprintf(stderr, "Fatal Python error: %s\n", message);
    std::fflush(stderr);
    std::abort();
}
