#include "core/collector/finalize.hpp"

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

#include "core/collector/condemn.hpp"
#include "core/mutator/critical_section.hpp"
#include "core/object/object.hpp"

namespace ouro::collector {
namespace {

// Whether only the collector's pin refers to op. Where other threads count at the same time this may be wrong: it is a
// hint.
bool is_fallen(PyObject* op) {
    return Py_REFCNT(op) == kPins;
}

bool is_due(PyObject* op) {
    return Py_TYPE(op)->tp_finalize != nullptr &&
           (object::load_state(op) & (heap::kTracked | heap::kFinalized)) == heap::kTracked;
}

// An unpinned object stays in the list, in its place, as a number that is no object's address.
constexpr uintptr_t kGone = 1;

uintptr_t number_of(const PyObject* entry) {
    return reinterpret_cast<uintptr_t>(entry) & ~kGone;
}
bool is_gone(const PyObject* entry) {
    return (reinterpret_cast<uintptr_t>(entry) & kGone) != 0;
}

int list_condemned(PyObject* op, void* arg) {
    if (op == nullptr || !is_condemned(op)) {
        return 0;
    }
    auto& list = *static_cast<Candidates*>(arg);
    try {
        if (list.size() == list.capacity()) {
            list.reserve(std::max(2 * list.size(), heap::kPage / sizeof op));
        }
        list.push_back(op);
    } catch (const std::bad_alloc&) {
        return -1;  // what is not listed is found by another look
    }
    return 0;
}

}  // namespace

bool have_finalizers(std::span<PyObject* const> objects) {
    return std::ranges::any_of(objects,
                               [](PyObject* op) { return Py_TYPE(op)->tp_finalize != nullptr; });
}

bool Finalization::run(Deadline& deadline) {
    do {
        if (!follow_fallen(deadline)) {
            return false;
        }
        if (const PyObject* op = std::exchange(finalized_, nullptr)) {
            const size_t at = find(op);
            if (is_fallen(condemned_[at])) {
                let_go(at);
            }
            continue;
        }
        if (next_ == condemned_.size()) {
            if (!code_ran() || (looks_again_ && let_go_ == let_go_before_)) {
                if (let_go_ > 0) {
                    std::erase_if(condemned_, is_gone);
                }
                return true;
            }
            // An object checked before a finalizer ran may have lost its last reference since; and unpinning an object
            // runs code that may break the remaining cycles.
            looks_again_ = true;
            let_go_before_ = let_go_;
            next_ = 0;
        } else {
            visit(next_++);
        }
    } while (!deadline.has_passed(std::exchange(work_, 1)));
    return false;
}

void Finalization::visit(size_t at) {
    PyObject* op = condemned_[at];
    if (is_gone(op)) {
        return;
    }
    const bool falls = is_fallen(op);
    if (!falls && (looks_again_ || !is_due(op))) {
        return;
    }
    if (!sorted_) {
        sort();
        at = find(op);
    }
    if (falls) {
        let_go(at);
        return;
    }
    list_referents(op);
    ++called_;  // first: the thread may not come back, and another goes on from here
    PyObject_CallFinalizer(op);
    finalized_ = op;
    work_ = kCodeUnits;
}

// The objects that referred to these have been unpinned, or finalized.
bool Finalization::follow_fallen(Deadline& deadline) {
    while (!fallen_.empty()) {
        const PyObject* op = fallen_.back();
        fallen_.pop_back();
        // Not the object that is being finalized: its turn comes next.
        const size_t at = op == finalized_ ? condemned_.size() : find(op);
        if (at < condemned_.size() && is_fallen(condemned_[at])) {
            let_go(at);
        }
        if (deadline.has_passed(std::exchange(work_, 1))) {
            return false;
        }
    }
    return true;
}

void Finalization::let_go(size_t at) {
    PyObject* op = condemned_[at];
    condemned_[at] = reinterpret_cast<PyObject*>(number_of(op) | kGone);
    ++let_go_;
    work_ = kCodeUnits;
    list_referents(op);
    // Atomic: if it is not the last reference after all, others may look at the object.
    acquit(op);
    Py_DECREF(op);
    if (PyErr_Occurred() != nullptr) [[unlikely]] {
        // Raised by a tp_dealloc: op may be gone.
        PyErr_FormatUnraisable("Exception ignored in tp_dealloc");
    }
}

// The world runs, and a finalizer may have given op to another thread: so under its lock.
void Finalization::list_referents(PyObject* op) {
    if (!object::is_tracked(op)) {
        return;
    }
    const size_t before = fallen_.size();
    {
        const mutator::Guard guard(op);
        Py_TYPE(op)->tp_traverse(op, list_condemned, &fallen_);
    }
    // The first one dies first, and what it referred to with it, as where none is pinned.
    std::reverse(fallen_.begin() + static_cast<std::ptrdiff_t>(before), fallen_.end());
}

// What was passed and what is to come, each for itself.
void Finalization::sort() {
    sorted_ = true;
    sorted_apart_ = next_;
    const auto apart = condemned_.begin() + static_cast<std::ptrdiff_t>(sorted_apart_);
    for (const auto& [begin, end] :
         {std::pair(condemned_.begin(), apart), std::pair(apart, condemned_.end())}) {
        if (!std::is_sorted(begin, end)) {
            std::sort(begin, end);
        }
    }
}

// Where in the list, which is sorted; its end if it is not there, or no more.
size_t Finalization::find(const PyObject* op) const {
    const auto apart = condemned_.begin() + static_cast<std::ptrdiff_t>(sorted_apart_);
    for (const auto& [begin, end] :
         {std::pair(condemned_.begin(), apart), std::pair(apart, condemned_.end())}) {
        const auto found = std::ranges::lower_bound(begin, end, number_of(op), {}, number_of);
        if (found != end && *found == op) {
            return static_cast<size_t>(found - condemned_.begin());
        }
    }
    return condemned_.size();
}

}  // namespace ouro::collector
