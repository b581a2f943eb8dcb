#include "core/collector/reclaim.hpp"

#include <algorithm>

#include "core/collector/condemn.hpp"
#include "core/collector/legacy.hpp"
#include "core/object/object.hpp"

namespace ouro::collector {
namespace {

// tp_clear drops references to objects all over the heap; their count words are fetched while
// the objects before this one are cleared. A small set is in the cache since it was counted: to
// traverse it for that once more took half of the time of clearing 2,000 young objects.
constexpr size_t kAhead = 8;
constexpr size_t kCachedObjects = 8192;

int prefetch_count_words(PyObject* op, void*) {
    __builtin_prefetch(op, 1);
    return 0;
}

}  // namespace

bool clear(std::span<PyObject* const> condemned, size_t& next, Deadline& deadline) {
    const size_t size = condemned.size();
    while (next < size) {
        const size_t i = next++;
        if (size > kCachedObjects && i + kAhead < size) {
            PyObject* later = condemned[i + kAhead];
            if (object::is_tracked(later)) {
                Py_TYPE(later)->tp_traverse(later, prefetch_count_words, nullptr);
            }
        }
        PyObject* op = condemned[i];
        const inquiry clear = Py_TYPE(op)->tp_clear;
        // A finalizer or another object's tp_clear may have untracked it; then it is not ours.
        if (clear != nullptr && object::is_tracked(op)) {
            clear(op);
            if (PyErr_Occurred() != nullptr) [[unlikely]] {
                PyErr_WriteUnraisable(op);
            }
        }
        if (deadline.has_passed(kCodeUnits)) {
            break;
        }
    }
    return next == size;
}

bool save(const Candidates& condemned, size_t& next, Deadline& deadline) {
    while (next < condemned.size()) {
        append_to_garbage(condemned[next++]);
        if (deadline.has_passed(kCodeUnits)) {
            break;
        }
    }
    return next == condemned.size();
}

size_t release(std::span<PyObject* const> objects, size_t& next, Deadline& deadline) {
    size_t died = 0;
    while (next < objects.size()) {
        PyObject* op = objects[next++];
        // Atomic: others who have references to what lives on may look at it.
        acquit(op);
        died += Py_REFCNT(op) == kPins ? 1 : 0;
        Py_DECREF(op);
        if (PyErr_Occurred() != nullptr) [[unlikely]] {
            // Raised by a tp_dealloc: op may be gone.
            PyErr_FormatUnraisable("Exception ignored in tp_dealloc");
        }
        if (deadline.has_passed(kCodeUnits)) {
            break;
        }
    }
    return died;
}

}  // namespace ouro::collector
