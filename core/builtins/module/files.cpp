// Files of the C library, and lines of files that are objects. Source: "File Objects" and "Operating System Utilities".
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "core/object/own.hpp"

using namespace ouro;
using object::Own;

namespace {

// A line without the newline at its end. Steals it.
PyObject* without_newline(PyObject* line) {
    const Own held(line);
    const Py_ssize_t size = PySequence_Size(line);
    if (size <= 0) {
        PyErr_SetString(PyExc_EOFError, "EOF when reading a line");
        return nullptr;
    }
    const bool ends = PyUnicode_Check(line) ? PyUnicode_ReadChar(line, size - 1) == '\n'
                                            : PyBytes_AS_STRING(line)[size - 1] == '\n';
    return ends ? PySequence_GetSlice(line, 0, size - 1) : Py_NewRef(line);
}

}  // namespace

PyObject* PyFile_GetLine(PyObject* file, int limit) {
    if (file == nullptr) {
        PyErr_BadInternalCall();
        return nullptr;
    }
    Own line(limit > 0 ? PyObject_CallMethod(file, "readline", "i", limit)
                       : PyObject_CallMethod(file, "readline", nullptr));
    if (line && !PyUnicode_Check(line.get()) && !PyBytes_Check(line.get())) {
        PyErr_SetString(PyExc_TypeError, "object.readline() returned non-string");
        return nullptr;
    }
    return line && limit < 0 ? without_newline(line.release()) : line.release();
}

FILE* Py_fopen(PyObject* path, const char* mode) {
    PyObject* name = nullptr;
    if (PyUnicode_FSConverter(path, &name) == 0) {
        return nullptr;
    }
    const Own held(name);
    FILE* file = std::fopen(PyBytes_AS_STRING(name), mode);
    if (file == nullptr) {
        PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, path);
    }
    return file;
}

int Py_fclose(FILE* file) {
    return std::fclose(file);
}

int Py_FdIsInteractive(FILE* file, const char*) {
    return isatty(fileno(file)) != 0 ? 1 : 0;
}

void Py_Exit(int status) {
    std::exit(Py_FinalizeEx() < 0 ? 120 : status);
}

PyOS_sighandler_t PyOS_getsig(int number) {
    struct sigaction action;
    return sigaction(number, nullptr, &action) < 0 ? SIG_ERR : action.sa_handler;
}

PyOS_sighandler_t PyOS_setsig(int number, PyOS_sighandler_t handler) {
    struct sigaction action = {};
    struct sigaction before;
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    return sigaction(number, &action, &before) < 0 ? SIG_ERR : before.sa_handler;
}
