// Audit events: who is told of them. Source: "System Functions" in the C API documentation.
#include <atomic>
#include <cstdarg>

#include "core/object/own.hpp"

using namespace ouro;
using object::Own;

namespace {

struct Hook {
    Py_AuditHookFunction function;
    void* data;
};
constexpr int kMost = 16;
Hook hooks[kMost];
std::atomic<int> claimed{0};  // places that somebody writes or has written
std::atomic<int> added{0};    // those that are written, the first ones

int tell(const char* event, PyObject* arguments) {
    // acquire: pairs with the release in PySys_AddAuditHook.
    const int many = added.load(std::memory_order_acquire);
    for (int i = 0; i < many; ++i) {
        if (hooks[i].function(event, arguments, hooks[i].data) < 0) {
            return -1;
        }
    }
    return 0;
}

}  // namespace

int PySys_AddAuditHook(Py_AuditHookFunction hook, void* data) {
    const int place = claimed.fetch_add(1, std::memory_order_relaxed);
    if (place >= kMost) {
        claimed.store(kMost, std::memory_order_relaxed);
        return -1;
    }
    hooks[place] = {hook, data};
    int expected = place;
    // release: whoever counts it sees it. Those with a place before this one come first.
    while (!added.compare_exchange_weak(expected, place + 1, std::memory_order_release,
                                        std::memory_order_relaxed)) {
        expected = place;
    }
    return 0;
}

int PySys_AuditTuple(const char* event, PyObject* arguments) {
    if (arguments != nullptr && !PyTuple_Check(arguments)) {
        PyErr_Format(PyExc_TypeError, "args must be tuple, got %.200s",
                     Py_TYPE(arguments)->tp_name);
        return -1;
    }
    if (added.load(std::memory_order_acquire) == 0) {
        return 0;
    }
    const Own none(arguments == nullptr ? PyTuple_New(0) : Py_NewRef(arguments));
    return none ? tell(event, none.get()) : -1;
}

int PySys_Audit(const char* event, const char* format, ...) {
    if (added.load(std::memory_order_acquire) == 0) {
        return 0;
    }
    Own arguments;
    if (format != nullptr && format[0] != '\0') {
        va_list values;
        va_start(values, format);
        arguments.reset(Py_VaBuildValue(format, values));
        va_end(values);
        if (!arguments) {
            return -1;
        }
        if (!PyTuple_Check(arguments.get())) {
            arguments.reset(PyTuple_Pack(1, arguments.get()));
        }
    } else {
        arguments.reset(PyTuple_New(0));
    }
    return arguments ? tell(event, arguments.get()) : -1;
}
