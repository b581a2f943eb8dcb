// Calls that count how deep they nest.
#include <atomic>

#include "core/include/Python.h"

namespace {

std::atomic<int> limit{1000};
constinit thread_local int depth __attribute__((tls_model("initial-exec"))) = 0;

}  // namespace

int Py_GetRecursionLimit(void) {
    return limit.load(std::memory_order_relaxed);
}

void Py_SetRecursionLimit(int value) {
    limit.store(value, std::memory_order_relaxed);
}

int Py_EnterRecursiveCall(const char* where) {
    if (depth >= limit.load(std::memory_order_relaxed)) {
        PyErr_Format(PyExc_RecursionError, "maximum recursion depth exceeded%s", where);
        return -1;
    }
    ++depth;
    return 0;
}

void Py_LeaveRecursiveCall(void) {
    --depth;
}
