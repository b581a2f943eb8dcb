// Making containers of the runtime's own types, whose flags are known: without looking at the type.
#pragma once

#include "core/mutator/allocation_trigger.hpp"
#include "core/mutator/misuse.hpp"
#include "core/mutator/state.hpp"
#include "core/object/object.hpp"

namespace ouro::object {

// The safepoint of an allocation, taken: arbitrary code may run.
void take_safepoint();

// What comes before the memory of each container: the calling thread is attached (fatal error if not), the
// allocation is counted, and the safepoint is taken if one is due.
inline void before_container(size_t bytes) {
    mutator::require_attached("allocating an object");
    if (++mutator::allocation_trigger.count > mutator::allocation_trigger.limit ||
        mutator::poll() || bytes > heap::kLargestSlot) [[unlikely]] {
        take_safepoint();
    }
}

// A new container that nobody else knows, and its state byte.
struct NewContainer {
    PyObject* op;  // nullptr with MemoryError
    uint8_t* state;

    // Its fields are valid.
    void track() const {
        // release: a traversal on another thread that sees the bit sees the fields.
        __atomic_store_n(state, uint8_t{heap::kAllocated | heap::kTracked}, __ATOMIC_RELEASE);
    }
};
// As allocate_container, for a type that has no pre-header and never dies.
inline NewContainer new_container(PyTypeObject* type, size_t bytes) {
    before_container(bytes);
    const heap::Container found = heap::allocate_container(bytes);
    auto* op = static_cast<PyObject*>(found.memory);
    if (op == nullptr) [[unlikely]] {
        return {PyErr_NoMemory(), nullptr};
    }
    initialise(op, type);
    return {op, found.state};
}

// As allocate_container, with its state byte, for any type.
inline NewContainer new_instance(PyTypeObject* type, size_t bytes) {
    if ((type->tp_flags & kHasPreHeader) != 0) [[unlikely]] {
        PyObject* op = allocate_container(type, bytes);
        return {op, op == nullptr ? nullptr : state_of_container(op)};
    }
    const NewContainer made = new_container(type, bytes);
    if (made.op != nullptr) [[likely]] {
        own_type(type);
    }
    return made;
}

// How the tp_dealloc of a type of the runtime's own begins and ends, which may be another type's that
// derives from it.
class Deallocation {
public:
    // Untracks: nobody else writes the state of what is dying.
    explicit Deallocation(PyObject* op)
        : op_(op), block_(heap::block_of(op)),
          state_(heap::HeapView<heap::Holding>().state(heap::slot_in_block(block_, op))) {
        const uint8_t old = __atomic_load_n(state_, __ATOMIC_RELAXED);
        __atomic_store_n(state_, static_cast<uint8_t>(old & ~(heap::kTracked | heap::kFrozen)),
                         __ATOMIC_RELAXED);
    }
    void free(const PyTypeObject* own) const {
        if (Py_TYPE(op_) != own) [[unlikely]] {
            Py_TYPE(op_)->tp_free(op_);
            return;
        }
        mutator::allocation_trigger.note_deallocation();
        if (died_quietly(op_)) [[likely]] {
            heap::free_container(block_, op_, state_);
        } else {
            discard(op_);
        }
    }

private:
    PyObject* const op_;
    heap::Block* const block_;
    uint8_t* const state_;
};

}  // namespace ouro::object
