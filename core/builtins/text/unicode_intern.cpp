// Interned strs. The table has no reference to those that are interned weakly: who deallocates one
// takes it out first, under the table's lock, so what is found under the lock is memory of a str,
// perhaps of one that is dying, to which no reference can be had any more.
#include <cstdint>
#include <mutex>
#include <new>
#include <unordered_set>

#include "core/builtins/text/unicode.hpp"
#include "core/heap/fault.hpp"
#include "core/include/ouroboros.h"
#include "core/object/object.hpp"
#include "core/object/take.hpp"

using namespace ouro;
using text::text_in;
using text::unicode;

namespace {

constexpr uint8_t kWeakly = 1;
constexpr uint8_t kForEver = 2;

struct Hash {
    size_t operator()(PyObject* op) const { return static_cast<size_t>(PyObject_Hash(op)); }
};
struct Equal {
    bool operator()(PyObject* a, PyObject* b) const { return text_in(a) == text_in(b); }
};

// Its lock is held only where nothing is allocated from the heap and no safepoint is reached.
struct Table {
    std::mutex mutex;
    std::unordered_set<PyObject*, Hash, Equal> strs;
};

Table& table() {
    // Never destroyed: strs die until the process ends.
    static auto* const only = new Table;
    return *only;
}

// A reference to a str of the table; false if it is dying.
bool take(PyObject* op) {
    if (mutator::is_free_threaded()) {
        return object::try_incref(op);
    }
    Py_INCREF(op);
    return true;
}

// The interned str that equals op, exactly a str: op itself, now interned, if there is none. New
// reference; nullptr, without an exception, where memory is out.
PyObject* interned(PyObject* op, uint8_t how) {
    Table& known = table();
    const std::lock_guard guard(known.mutex);
    const auto found = known.strs.find(op);
    if (found != known.strs.end()) {
        PyObject* there = *found;
        if (take(there)) {
            return there;
        }
        known.strs.erase(found);
    }
    if (heap::allocation_fails()) {
        return nullptr;
    }
    try {
        known.strs.insert(op);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
    if (how == kForEver) {
        PyUnstable_SetImmortal(op);
    } else {
        PyUnstable_EnableTryIncRef(op);
    }
    __atomic_store_n(&unicode(op)->interned, how, __ATOMIC_RELAXED);
    return Py_NewRef(op);
}

}  // namespace

void text::forget_interned(PyObject* op) {
    Table& known = table();
    const std::lock_guard guard(known.mutex);
    const auto found = known.strs.find(op);
    if (found != known.strs.end() && *found == op) {
        known.strs.erase(found);
    }
}

void PyUnicode_InternInPlace(PyObject** op) {
    PyObject* old = *op;
    if (old == nullptr || !PyUnicode_CheckExact(old) ||
        __atomic_load_n(&unicode(old)->interned, __ATOMIC_RELAXED) != 0) {
        return;
    }
    if (PyObject* same = interned(old, kWeakly)) {
        *op = same;
        Py_DECREF(old);
    }
}

PyObject* PyUnicode_InternFromString(const char* text) {
    PyObject* made = PyUnicode_FromString(text);
    PyObject* same = made == nullptr ? nullptr : interned(made, kForEver);
    if (same == nullptr) {
        return made;
    }
    Py_DECREF(made);
    return same;
}
