// What every object needs: birth, death, and its state byte.
#pragma once

#include "concurrency/refcount/slow_path.hpp"
#include "core/heap/heap.hpp"
#include "core/include/Python.h"

namespace ouro::object {

// Makes memory an object with one reference, the caller's. A thread that owns nothing (policy
// atomic) makes it merged.
inline void initialise(PyObject* op, PyTypeObject* type) {
    const uint32_t word = _Ouro_ThreadWord;
    if (OURO_OWNER_OF(word) != OURO_OWNER_UNATTACHED) {
        op->ob_biased = word | 1;
        op->ob_shared = 0;
    } else {
        op->ob_biased = OURO_OWNER_WORD(OURO_OWNER_NONE);
        op->ob_shared = OURO_SHARED_ONE | OURO_SHARED_MERGED;
    }
    op->ob_type = type;
}

// New objects, the memory after the header not initialised; nullptr with MemoryError. A container
// is not tracked.
PyObject* allocate_atom(PyTypeObject* type, size_t bytes);
PyObject* allocate_container(PyTypeObject* type, size_t bytes);
// The memory of one, for `initialise`; nullptr, without an exception, when there is none.
void* allocate_container_memory(size_t bytes);

// Containers allocated, less those deallocated, since the collector last reset the count. When an
// allocation takes it over the limit, `due` is called before the memory is taken: a safepoint, where
// arbitrary code may run.
struct AllocationTrigger {
    size_t count;
    size_t limit;
    void (*due)();

    void note_deallocation() {
        if (count > 0) {
            --count;
        }
    }
};
extern AllocationTrigger allocation_trigger;

// References to op that are not the collector's own: in a finalizer, op may be condemned and held.
inline Py_ssize_t references(PyObject* op) {
    return Py_REFCNT(op) - ((heap::tables.mark[heap::slot_of(op)] & heap::kCondemned) != 0 ? 1 : 0);
}

// The state byte of a container in the heap.
inline uint8_t* state_of(const void* op) {
    return &heap::tables.state[heap::slot_of(op)];
}
inline uint8_t load_state(const void* op) {
    return __atomic_load_n(state_of(op), __ATOMIC_RELAXED);
}

// False for what has no state byte: atoms, and objects outside the heap.
inline bool is_tracked(const void* op) {
    return (load_state(op) & heap::kTracked) != 0;
}

// Pre: op is a container in the heap, valid and untracked. release: a traversal on another thread
// that sees the bit sees the fields.
inline void track(PyObject* op) {
    uint8_t* state = state_of(op);
    __atomic_store_n(state, static_cast<uint8_t>(*state | heap::kTracked), __ATOMIC_RELEASE);
}
inline void untrack(PyObject* op) {
    uint8_t* state = state_of(op);
    __atomic_store_n(state, static_cast<uint8_t>(*state & ~heap::kTracked), __ATOMIC_RELAXED);
}

inline refcount::MemoryWord biased_word(PyObject* op) {
    return refcount::MemoryWord(&op->ob_biased);
}
inline refcount::MemoryWord shared_word(PyObject* op) {
    return refcount::MemoryWord(&op->ob_shared);
}

// Calls the type's tp_dealloc, now or, deep inside other deallocations, soon (trashcan.cpp). Pre: the
// caller was told, by the counting functions, that op is dead.
void deallocate(PyObject* op);

// The size of an instance with `items` items in bytes; false if it does not fit a Py_ssize_t.
bool instance_size(const PyTypeObject* type, Py_ssize_t items, size_t* bytes);

}  // namespace ouro::object
