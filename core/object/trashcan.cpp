// Deallocating nested containers without nesting calls. Source: CPython's trashcan; since 3.14 it is
// part of every container's deallocation, as here, and needs nothing of the type.
//
// The deallocation of a container that is reached through many others is put off: the object goes on
// a stack of the thread's own, and is deallocated when the outermost call is back. Meanwhile it is
// dead (its count is zero) and untracked.
#include <cstdlib>

#include "core/heap/fault.hpp"
#include "core/object/object.hpp"

namespace ouro::object {
namespace {

// CPython's limit; a frame of a tp_dealloc and what it calls is about 200 bytes.
constexpr unsigned kDeepest = 50;

struct Trashcan {
    unsigned depth;
    uintptr_t* items;  // addresses of objects; bit 0: it was tracked
    size_t size;
    size_t capacity;

    // False if there is no memory for one more.
    bool push(uintptr_t item) {
        if (size == capacity) {
            const size_t larger = capacity == 0 ? 256 : capacity * 2;
            void* moved = heap::allocation_fails()
                              ? nullptr
                              : std::realloc(items, larger * sizeof(uintptr_t));
            if (moved == nullptr) {
                return false;
            }
            items = static_cast<uintptr_t*>(moved);
            capacity = larger;
        }
        items[size++] = item;
        return true;
    }
};

constinit thread_local Trashcan trashcan __attribute__((tls_model("initial-exec"))){};

[[gnu::noinline]] bool put_off(PyObject* op) {
    const bool was_tracked = is_tracked(op);
    if (!trashcan.push(reinterpret_cast<uintptr_t>(op) | (was_tracked ? 1 : 0))) {
        return false;  // better a deep stack than an object that never dies
    }
    if (was_tracked) {
        untrack(op);
    }
    return true;
}

[[gnu::noinline]] void empty_trashcan() {
    while (trashcan.size > 0) {
        const uintptr_t item = trashcan.items[--trashcan.size];
        auto* op = reinterpret_cast<PyObject*>(item & ~uintptr_t{1});
        if ((item & 1) != 0) {
            heap::make_young(op);
            track(op);  // as its tp_dealloc, and a finalizer that revives it, expect
        }
        Py_TYPE(op)->tp_dealloc(op);
    }
    std::free(trashcan.items);
    trashcan.items = nullptr;
    trashcan.capacity = 0;
}

}  // namespace

void deallocate(PyObject* op) {
    PyTypeObject* type = Py_TYPE(op);
    if (!PyType_HasFeature(type, Py_TPFLAGS_HAVE_GC)) {
        type->tp_dealloc(op);
        return;
    }
    if (trashcan.depth >= kDeepest && put_off(op)) {
        return;
    }
    ++trashcan.depth;
    type->tp_dealloc(op);
    if (trashcan.depth == 1 && trashcan.size > 0) [[unlikely]] {
        empty_trashcan();
    }
    --trashcan.depth;
}

}  // namespace ouro::object
