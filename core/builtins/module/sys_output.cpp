// Writing to files that are objects, and to the standard ones.
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "core/builtins/module/sys_dict.hpp"
#include "core/object/own.hpp"
#include "core/object/saved_error.hpp"

using namespace ouro;
using object::Own;

namespace {

// What printf makes of a format is cut off here, as in CPython.
constexpr size_t kMost = 1000;

void write_or(const char* name, FILE* otherwise, const char* text) {
    const Own file(module::sys_attribute(name));
    if (!file || PyFile_WriteString(text, file.get()) < 0) {
        PyErr_Clear();
        std::fputs(text, otherwise);
    }
}

void write_printf(const char* name, FILE* otherwise, const char* format, va_list arguments) {
    char text[kMost + 1];
    const object::SavedError saved;
    const int wanted = std::vsnprintf(text, sizeof text, format, arguments);
    write_or(name, otherwise, text);
    if (wanted < 0 || static_cast<size_t>(wanted) > kMost) {
        write_or(name, otherwise, "... truncated");
    }
}

void write_format(const char* name, FILE* otherwise, const char* format, va_list arguments) {
    const object::SavedError saved;
    const Own text(PyUnicode_FromFormatV(format, arguments));
    if (text) {
        const Own file(module::sys_attribute(name));
        if (!file || PyFile_WriteObject(text.get(), file.get(), Py_PRINT_RAW) < 0) {
            PyErr_Clear();
            if (const char* bytes = PyUnicode_AsUTF8(text.get())) {
                std::fputs(bytes, otherwise);
            }
        }
    }
    PyErr_Clear();
}

}  // namespace

int PyFile_WriteObject(PyObject* op, PyObject* file, int flags) {
    if (file == nullptr) {
        PyErr_SetString(PyExc_TypeError, "writeobject with NULL file");
        return -1;
    }
    const Own write(PyObject_GetAttrString(file, "write"));
    if (!write) {
        return -1;
    }
    const Own text((flags & Py_PRINT_RAW) != 0 ? PyObject_Str(op) : PyObject_Repr(op));
    return text && Own(PyObject_CallOneArg(write.get(), text.get())) ? 0 : -1;
}

int PyFile_WriteString(const char* text, PyObject* file) {
    if (file == nullptr) {
        if (PyErr_Occurred() == nullptr) {
            PyErr_SetString(PyExc_SystemError, "null file for PyFile_WriteString");
        }
        return -1;
    }
    if (PyErr_Occurred() != nullptr) {
        return -1;
    }
    const Own string(PyUnicode_FromString(text));
    return string ? PyFile_WriteObject(string.get(), file, Py_PRINT_RAW) : -1;
}

void PySys_WriteStdout(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    write_printf("stdout", stdout, format, arguments);
    va_end(arguments);
}

void PySys_WriteStderr(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    write_printf("stderr", stderr, format, arguments);
    va_end(arguments);
}

void PySys_FormatStdout(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    write_format("stdout", stdout, format, arguments);
    va_end(arguments);
}

void PySys_FormatStderr(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    write_format("stderr", stderr, format, arguments);
    va_end(arguments);
}

int PyObject_Print(PyObject* op, FILE* file, int flags) {
    const Own text((flags & Py_PRINT_RAW) != 0 ? PyObject_Str(op) : PyObject_Repr(op));
    const Own bytes(text ? PyUnicode_AsEncodedString(text.get(), "utf-8", "backslashreplace")
                         : nullptr);
    if (!bytes) {
        return -1;
    }
    const auto size = static_cast<size_t>(PyBytes_GET_SIZE(bytes.get()));
    if (std::fwrite(PyBytes_AS_STRING(bytes.get()), 1, size, file) != size) {
        PyErr_SetFromErrno(PyExc_OSError);
        std::clearerr(file);
        return -1;
    }
    return 0;
}
