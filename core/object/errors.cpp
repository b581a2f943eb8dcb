// Exception classes and the calling thread's error indicator.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/object/errors.hpp"

namespace {

struct Indicator {
    PyObject* type;  // borrowed: classes are immortal
    char message[ouro::object::kMessageSize];
};
thread_local Indicator indicator{};

constexpr unsigned long kExceptionFlags =
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_BASE_EXC_SUBCLASS;

PyTypeObject exception_class(const char* name, PyTypeObject* base) {
    return {.ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = name,
            .tp_basicsize = sizeof(PyObject),
            .tp_flags = kExceptionFlags,
            .tp_base = base};
}

}  // namespace

#define EXCEPTION(name, base)                                          \
    static PyTypeObject name##_class = exception_class(#name, (base)); \
    PyObject* PyExc_##name = reinterpret_cast<PyObject*>(&name##_class);

EXCEPTION(BaseException, &PyBaseObject_Type)
EXCEPTION(Exception, &BaseException_class)
EXCEPTION(ArithmeticError, &Exception_class)
EXCEPTION(LookupError, &Exception_class)
EXCEPTION(TypeError, &Exception_class)
EXCEPTION(ValueError, &Exception_class)
EXCEPTION(IndexError, &LookupError_class)
EXCEPTION(KeyError, &LookupError_class)
EXCEPTION(OverflowError, &ArithmeticError_class)
EXCEPTION(RuntimeError, &Exception_class)
EXCEPTION(SystemError, &Exception_class)
EXCEPTION(MemoryError, &Exception_class)
#undef EXCEPTION

const char* ouro::object::error_message() {
    return indicator.type == nullptr ? "" : indicator.message;
}

ouro::object::SavedError::SavedError() : type_(indicator.type) {
    std::memcpy(message_, indicator.message, sizeof message_);
    indicator.type = nullptr;
}

ouro::object::SavedError::~SavedError() {
    indicator.type = type_;
    std::memcpy(indicator.message, message_, sizeof message_);
}

void PyErr_SetString(PyObject* type, const char* message) {
    indicator.type = type;
    std::snprintf(indicator.message, sizeof indicator.message, "%s", message);
}

PyObject* PyErr_Format(PyObject* type, const char* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(indicator.message, sizeof indicator.message, format, arguments);
    va_end(arguments);
    indicator.type = type;
    return nullptr;
}

PyObject* PyErr_Occurred(void) {
    return indicator.type;
}

int PyErr_ExceptionMatches(PyObject* type) {
    return indicator.type != nullptr &&
           PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(indicator.type),
                            reinterpret_cast<PyTypeObject*>(type));
}

void PyErr_Clear(void) {
    indicator.type = nullptr;
}

PyObject* PyErr_NoMemory(void) {
    PyErr_SetString(PyExc_MemoryError, "out of memory");
    return nullptr;
}

void PyErr_Print(void) {
    if (indicator.type != nullptr) {
        std::fprintf(stderr, "%s: %s\n", reinterpret_cast<PyTypeObject*>(indicator.type)->tp_name,
                     indicator.message);
        PyErr_Clear();
    }
}

void PyErr_WriteUnraisable(PyObject* op) {
    if (indicator.type != nullptr) {
        std::fprintf(stderr, "Exception ignored in: <%s object at %p>\n",
                     op == nullptr ? "NULL" : Py_TYPE(op)->tp_name, static_cast<void*>(op));
        PyErr_Print();
    }
}

void Py_FatalError(const char* message) {
    std::fprintf(stderr, "Fatal Python error: %s\n", message);
    std::fflush(stderr);
    std::abort();
}
