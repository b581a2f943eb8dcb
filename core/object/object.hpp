// What every object needs: birth, death, and its state byte.
#pragma once

#include <cstddef>

#include "concurrency/refcount/slow_path.hpp"
#include "core/heap/view.hpp"
#include "core/include/Python.h"
#include "core/mutator/allocation_trigger.hpp"

namespace ouro::object {

// Makes memory an object with one reference, the caller's. A thread that owns nothing (policy
// atomic) makes it merged.
inline void initialise(PyObject* op, PyTypeObject* type) {
    // Atomic, because somebody may still try to take a reference to what was here before; it fails, or
    // is given back.
    const uint32_t word = _Ouro_ThreadWord;
    const bool owned = OURO_OWNER_OF(word) != OURO_OWNER_UNATTACHED;
    __atomic_store_n(&op->ob_biased, owned ? word | 1 : OURO_OWNER_WORD(OURO_OWNER_NONE),
                     __ATOMIC_RELAXED);
    __atomic_store_n(&op->ob_shared, owned ? 0 : OURO_SHARED_ONE | OURO_SHARED_MERGED,
                     __ATOMIC_RELAXED);
    Py_SET_TYPE(op, type);
}

// An object owns a reference to its type, if that is one that can die. Whoever frees the object drops it.
inline void own_type(PyTypeObject* type) {
    if ((type->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0) [[unlikely]] {
        Py_INCREF(type);
    }
}

// What lies before an object whose type has one of these flags; the fields of a type without the other
// stay NULL.
struct PreHeader {
    PyObject* dict;
    PyObject* weak_list;
};
static_assert(sizeof(PreHeader) == heap::kPrefix);
inline constexpr unsigned long kHasPreHeader = Py_TPFLAGS_MANAGED_DICT | Py_TPFLAGS_MANAGED_WEAKREF;
inline constexpr Py_ssize_t kManagedWeakList =
    static_cast<Py_ssize_t>(offsetof(PreHeader, weak_list)) - Py_ssize_t{sizeof(PreHeader)};

inline PreHeader* pre_header_of(void* op) {
    return static_cast<PreHeader*>(op) - 1;
}

// For a concurrent traversal.
inline PyTypeObject* type_of(const PyObject* op) {
    return __atomic_load_n(&op->ob_type, __ATOMIC_RELAXED);
}

// New objects, the memory after the header not initialised; nullptr with MemoryError. A container
// is not tracked.
PyObject* allocate_atom(PyTypeObject* type, size_t bytes);
PyObject* allocate_container(PyTypeObject* type, size_t bytes);
// The same without a safepoint: what is set while no other code may run.
PyObject* allocate_container_at_once(PyTypeObject* type, size_t bytes);

// References to op that are not the collector's own: in a finalizer, op may be condemned and held.
inline Py_ssize_t references(PyObject* op) {
    const heap::HeapView<heap::Holding> view;
    return Py_REFCNT(op) - (view.is_condemned(view.slot_of(op)) ? 1 : 0);
}

// The state byte of a container in the heap.
inline uint8_t* state_of(const void* op) {
    const heap::HeapView<heap::Holding> view;
    return view.state(view.slot_of(op));
}
// The same, for what is known to be in the heap.
inline uint8_t* state_of_container(const void* op) {
    const heap::HeapView<heap::Holding> view;
    return view.state(view.slot_in_heap(op));
}
inline uint8_t load_state(const void* op) {
    return __atomic_load_n(state_of(op), __ATOMIC_RELAXED);
}

// False for what has no state byte: atoms, and objects outside the heap. What is frozen is tracked.
inline bool is_tracked(const void* op) {
    return (load_state(op) & (heap::kTracked | heap::kFrozen)) != 0;
}

// Changes bits of the state byte to `bits`; returns what it was. Two threads that have references may do
// so at once: who has the only one, or is deallocating, need not be atomic.
inline uint8_t change_state(PyObject* op, uint8_t mask, uint8_t bits, int order) {
    uint8_t* state = state_of(op);
    uint8_t old = __atomic_load_n(state, __ATOMIC_RELAXED);
    if (Py_REFCNT(op) <= 1) {
        __atomic_store_n(state, static_cast<uint8_t>((old & ~mask) | bits), order);
        return old;
    }
    while (!__atomic_compare_exchange_n(state, &old, static_cast<uint8_t>((old & ~mask) | bits),
                                        true, order, __ATOMIC_RELAXED)) {
    }
    return old;
}

// Pre: op is a container in the heap, valid and untracked. release: a traversal on another thread
// that sees the bit sees the fields.
inline void track(PyObject* op) {
    change_state(op, heap::kTracked, heap::kTracked, __ATOMIC_RELEASE);
}
// The same for an object that nobody else knows.
inline void track_new(PyObject* op) {
    __atomic_store_n(state_of(op), uint8_t{heap::kAllocated | heap::kTracked}, __ATOMIC_RELEASE);
}
inline void untrack(PyObject* op) {
    change_state(op, heap::kTracked | heap::kFrozen, 0, __ATOMIC_RELAXED);
}

inline refcount::MemoryWord biased_word(PyObject* op) {
    return refcount::MemoryWord(&op->ob_biased);
}
inline refcount::MemoryWord shared_word(PyObject* op) {
    return refcount::MemoryWord(&op->ob_shared);
}

// Noisy or quiet (mutator/suspects.hpp). In a stop. What is immortal stays quiet.
inline void make_noisy(PyObject* op) {
    const uint32_t biased = OURO_LOAD_BIASED(op);
    if (OURO_OWNER_OF(biased) != OURO_OWNER_IMMORTAL && (biased & OURO_NOISY) == 0) {
        __atomic_store_n(&op->ob_biased, biased | OURO_NOISY, __ATOMIC_RELAXED);
    }
}
inline void make_quiet(PyObject* op) {
    const uint32_t biased = OURO_LOAD_BIASED(op);
    if (OURO_OWNER_OF(biased) != OURO_OWNER_IMMORTAL && (biased & OURO_NOISY) != 0) {
        __atomic_store_n(&op->ob_biased, biased & ~OURO_NOISY, __ATOMIC_RELAXED);
    }
}

// Pins op: takes the collector's reference to it, in the stop of the thread whose word is `stopper`. With that an object
// of another thread becomes nobody's, so that whoever drops the last reference can end it and need not leave it to its
// owner. Any thread that works in that stop.
void pin(PyObject* op, uint32_t stopper);

// Drops a reference, and does not deallocate if it was the last one: true then.
bool drop_last_reference(PyObject* op);

// Calls the type's tp_dealloc, now or, deep inside other deallocations, soon (trashcan.cpp). Pre: the
// caller was told, by the counting functions, that op is dead.
void deallocate(PyObject* op);

// Frees the memory of an object that its maker gives up with its one reference. Who looked without a
// lock at what the slot held before may have taken a reference to this one by mistake, and be about to
// give it back: then that frees it.
void discard(PyObject* op);
// Whether nobody can have done so: op is dead, and no other thread ever had a reference
// (inv.count.quiet-death).
inline bool died_quietly(PyObject* op) {
    return OURO_BIASED_COUNT(OURO_LOAD_BIASED(op)) == 0 &&
           __atomic_load_n(&op->ob_shared, __ATOMIC_RELAXED) == 0;
}

// The size of an instance with `items` items in bytes; false if it does not fit a Py_ssize_t.
inline bool instance_size(const PyTypeObject* type, Py_ssize_t items, size_t* bytes) {
    size_t item_bytes;
    return items >= 0 &&
           !__builtin_mul_overflow(static_cast<size_t>(items),
                                   static_cast<size_t>(type->tp_itemsize), &item_bytes) &&
           !__builtin_add_overflow(item_bytes, static_cast<size_t>(type->tp_basicsize), bytes) &&
           *bytes <= static_cast<size_t>(PY_SSIZE_T_MAX);
}

}  // namespace ouro::object
