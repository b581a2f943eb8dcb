// Deallocating nested containers without nesting calls. Source: CPython's trashcan; since 3.14 it is
// part of every container's deallocation, as here, and needs nothing of the type.
//
// The deallocation of a container that is reached through many others is put off: the object goes on
// a stack of the thread's own, and is deallocated when the outermost call is back. Meanwhile it is
// dead (its count is zero) and untracked.
#include <algorithm>
#include <cstdlib>

#include "core/heap/fault.hpp"
#include "core/object/object.hpp"

namespace ouro::object {
namespace {

// CPython's limit; a frame of a tp_dealloc and what it calls is about 200 bytes.
constexpr unsigned kDeepest = 50;

// There is always room for so many: without memory for more, a chain still needs no deep stack.
constexpr size_t kFirst = 16;

struct Trashcan {
    unsigned depth;
    size_t size;
    size_t larger;            // room in `items`, if there are any
    uintptr_t* items;         // addresses of objects; bit 0: it was tracked
    uintptr_t first[kFirst];  // instead of `items`

    size_t capacity() const { return items == nullptr ? kFirst : larger; }
    uintptr_t* begin() { return items == nullptr ? first : items; }

    bool has_room() { return size < capacity() || grow(); }
    bool grow() {
        const size_t wanted = capacity() * 4;
        auto* moved =
            heap::allocation_fails()
                ? nullptr
                : static_cast<uintptr_t*>(std::realloc(items, wanted * sizeof(uintptr_t)));
        if (moved == nullptr) {
            return false;
        }
        if (items == nullptr) {
            std::copy_n(first, size, moved);
        }
        items = moved;
        larger = wanted;
        return true;
    }
    void push(uintptr_t item) { begin()[size++] = item; }
    uintptr_t pop() { return begin()[--size]; }
};

constinit thread_local Trashcan trashcan __attribute__((tls_model("initial-exec"))){};

void deallocate_last() {
    const uintptr_t item = trashcan.pop();
    auto* op = reinterpret_cast<PyObject*>(item & ~uintptr_t{1});
    if ((item & 1) != 0) {
        heap::make_young(op);
        track(op);  // as its tp_dealloc, and a finalizer that revives it, expect
    }
    Py_TYPE(op)->tp_dealloc(op);
}

[[gnu::noinline]] void put_off(PyObject* op) {
    const bool was_tracked = is_tracked(op);
    if (was_tracked) {
        untrack(op);
    }
    while (!trashcan.has_room()) {
        deallocate_last();  // what it refers to takes its place
    }
    trashcan.push(reinterpret_cast<uintptr_t>(op) | (was_tracked ? 1 : 0));
}

[[gnu::noinline]] void empty_trashcan() {
    while (trashcan.size > 0) {
        deallocate_last();
    }
    std::free(trashcan.items);
    trashcan.items = nullptr;
}

}  // namespace

void deallocate(PyObject* op) {
    PyTypeObject* type = Py_TYPE(op);
    if (!PyType_HasFeature(type, Py_TPFLAGS_HAVE_GC)) {
        type->tp_dealloc(op);
        return;
    }
    if (trashcan.depth >= kDeepest) {
        put_off(op);
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
