#include "core/collector/legacy.hpp"

#include <algorithm>

#include "core/collector/observed.hpp"
#include "core/collector/rescue.hpp"
#include "core/include/ouroboros.h"
#include "core/object/object.hpp"

namespace ouro::collector {
namespace {

PyObject* garbage_list = nullptr;  // until the runtime ends

}  // namespace

bool has_legacy_finalizer(PyObject* op) {
    return Py_TYPE(op)->tp_del != nullptr;
}

bool is_reported(PyObject* op) {
    return has_legacy_finalizer(op) || (debug_flags() & (kDebugSaveAll | kDebugUncollectable)) != 0;
}

void keep_legacy(Candidates& condemned, Candidates& kept, Candidates& legacy) {
    if (std::ranges::none_of(condemned, has_legacy_finalizer)) {
        return;
    }
    legacy.reserve(condemned.size());
    kept.reserve(condemned.size());
    for (PyObject* op : condemned) {
        if (has_legacy_finalizer(op)) {
            rescue(op, kept);
        }
    }
    rescue_reachable(condemned, kept);
    for (PyObject* op : kept) {
        if (is_reported(op)) {
            legacy.push_back(Py_NewRef(op));
        }
    }
}

void append_to_garbage(PyObject* op) {
    PyObject* garbage = Ouro_Garbage();
    if (garbage == nullptr || PyList_Append(garbage, op) < 0) {
        PyErr_WriteUnraisable(op);
    }
}

void report_legacy(const Candidates& legacy, size_t& next) {
    const int debug = debug_flags();
    if ((debug & kDebugUncollectable) != 0 && next == 0) {
        tell_objects("uncollectable", legacy.data(), legacy.size());
    }
    while (next < legacy.size()) {
        PyObject* op = legacy[next++];
        if (has_legacy_finalizer(op) || (debug & kDebugSaveAll) != 0) {
            append_to_garbage(op);
        }
        Py_DECREF(op);
    }
}

void drop_garbage_list() {
    Py_CLEAR(garbage_list);
}

}  // namespace ouro::collector

using ouro::collector::garbage_list;

PyObject* Ouro_Garbage(void) {
    // acquire: pairs with the release of whoever made it.
    PyObject* list = __atomic_load_n(&garbage_list, __ATOMIC_ACQUIRE);
    if (list == nullptr) {
        PyObject* made = PyList_New(0);
        if (made == nullptr || __atomic_compare_exchange_n(&garbage_list, &list, made, false,
                                                           __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            return made;
        }
        Py_DECREF(made);  // another thread was first
    }
    return list;
}
