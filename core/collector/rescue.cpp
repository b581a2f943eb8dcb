#include "core/collector/rescue.hpp"

#include <algorithm>

#include "core/object/object.hpp"

namespace ouro::collector {
namespace {

int rescue_reached(PyObject* op, void* arg) {
    if (is_condemned(op)) {
        rescue(op, *static_cast<Candidates*>(arg));
    }
    return 0;
}

}  // namespace

void rescue(PyObject* op, Candidates& rescued) {
    acquit(op);
    rescued.push_back(op);
}

void rescue_reachable(Candidates& set, Candidates& rescued) {
    if (rescued.empty()) {
        return;
    }
    // More are appended while the loop runs.
    for (size_t i = 0; i < rescued.size(); ++i) {
        PyObject* op = rescued[i];
        // What is not tracked (a finalizer can do that) need not have valid fields.
        if (object::is_tracked(op)) {
            Py_TYPE(op)->tp_traverse(op, rescue_reached, &rescued);
        }
    }
    std::erase_if(set, [](const PyObject* op) { return !is_condemned(op); });
    std::ranges::sort(rescued);
}

}  // namespace ouro::collector
