// Calls that count how deep they nest, and objects that are being shown.
#include "core/builtins/exception/recursion.hpp"

#include <new>

#include "core/include/Python.h"

namespace ouro::exception {

std::atomic<int> most_nested_calls{1000};
constinit thread_local int nested_calls __attribute__((tls_model("initial-exec"))) = 0;

void refuse_nested_call(const char* where) {
    PyErr_Format(PyExc_RecursionError, "maximum recursion depth exceeded%s", where);
}

}  // namespace ouro::exception

using namespace ouro;

namespace {

// The objects between Py_ReprEnter and Py_ReprLeave on this thread, the last first. Their callers hold them.
struct Shown {
    Shown* before;
    PyObject* op;
};
constinit thread_local Shown* shown __attribute__((tls_model("initial-exec"))) = nullptr;

}  // namespace

int Py_GetRecursionLimit(void) {
    return exception::most_nested_calls.load(std::memory_order_relaxed);
}

void Py_SetRecursionLimit(int value) {
    exception::most_nested_calls.store(value, std::memory_order_relaxed);
}

int Py_EnterRecursiveCall(const char* where) {
    return exception::enter_nested_call(where) ? 0 : -1;
}

void Py_LeaveRecursiveCall(void) {
    --exception::nested_calls;
}

int Py_ReprEnter(PyObject* op) {
    for (const Shown* each = shown; each != nullptr; each = each->before) {
        if (each->op == op) {
            return 1;
        }
    }
    auto* memory = PyMem_Malloc(sizeof(Shown));
    if (memory == nullptr) {
        PyErr_NoMemory();
        return -1;
    }
    shown = new (memory) Shown{shown, op};
    return 0;
}

void Py_ReprLeave(PyObject* op) {
    for (Shown** place = &shown; *place != nullptr; place = &(*place)->before) {
        if ((*place)->op == op) {
            Shown* left = *place;
            *place = left->before;
            PyMem_Free(left);
            return;
        }
    }
}
