#include "core/object/object.hpp"

#include "core/heap/traversed.hpp"
#include "core/include/ouroboros.h"
#include "core/mutator/world.hpp"
#include "core/object/allocate.hpp"
#include "core/object/merge_queues.hpp"
#include "core/object/take.hpp"

#include <fmt/format.h>

#include "concurrency/refcount/merge.hpp"

namespace ouro::object {

namespace {

PyObject* make(void* memory, PyTypeObject* type) {
    auto* op = static_cast<PyObject*>(memory);
    if (op == nullptr) [[unlikely]] {
        return PyErr_NoMemory();
    }
    initialise(op, type);
    own_type(type);
    return op;
}

void* memory_of(const PyTypeObject* type, size_t bytes) {
    if ((type->tp_flags & kHasPreHeader) == 0) [[likely]] {
        return heap::allocate_container(bytes).memory;
    }
    void* memory = heap::allocate(heap::BlockKind::kPrefixed, bytes);
    if (memory != nullptr) {
        *pre_header_of(memory) = {};
    }
    return memory;
}

}  // namespace

void take_safepoint() {
    mutator::safepoint();
    mutator::call_if_due();
}

PyObject* allocate_atom(PyTypeObject* type, size_t bytes) {
    mutator::require_attached("allocating an object");
    if (bytes > heap::kLargestSlot) [[unlikely]] {
        mutator::reclaim_large();
    }
    return make(heap::allocate(heap::BlockKind::kAtom, bytes), type);
}

PyObject* allocate_container(PyTypeObject* type, size_t bytes) {
    before_container(bytes);
    return make(memory_of(type, bytes), type);
}

PyObject* allocate_container_at_once(PyTypeObject* type, size_t bytes) {
    mutator::require_attached("allocating an object");
    ++mutator::allocation_trigger.count;  // the next allocation with a safepoint will look
    return make(memory_of(type, bytes), type);
}

namespace {

// A count word in a stop: nobody else changes it, so it is replaced without a locked instruction.
class StoppedWord : public refcount::MemoryWord {
public:
    using MemoryWord::MemoryWord;
    bool compare_exchange(uint32_t& /*expected*/, uint32_t desired, std::memory_order /*success*/,
                          std::memory_order /*failure*/) {
        store(desired, std::memory_order_relaxed);
        return true;
    }
};

// What is left of an object that was given up while somebody had a reference to it.
PyTypeObject husk_type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "discarded object",
    .tp_basicsize = sizeof(PyVarObject),
    .tp_dealloc = [](PyObject* op) { heap::free(op); },
    .tp_flags = Py_TPFLAGS_DEFAULT | OURO_TPFLAGS_CONCURRENT_TRAVERSE,
    .tp_traverse = [](PyObject*, visitproc, void*) { return 0; },
};

}  // namespace

void discard(PyObject* op) {
    // What is no object at all is not looked at: heap::free says what it is.
    if (!heap::in_heap(op) || died_quietly(op)) [[likely]] {
        heap::free(op);
        return;
    }
    const heap::HeapView<heap::Holding> view;
    const bool held = mutator::is_free_threaded() || view.is_condemned(view.slot_of(op));
    if (!held || Py_REFCNT(op) == 0 || PyUnstable_IsImmortal(op) != 0) {
        heap::free(op);
        return;
    }
    if (heap::has_metadata(op)) {
        untrack(op);
    }
    Py_SET_TYPE(op, &husk_type);
    Py_DECREF(op);
}

void pin(PyObject* op, uint32_t stopper) {
    make_quiet(op);
    // The stopper's own stays so: it is cheaper to clear and to release.
    if (!mutator::is_free_threaded() || OURO_OWNER_OF(op->ob_biased) == OURO_OWNER_OF(stopper)) {
        refcount::incref_slow(biased_word(op), shared_word(op), stopper);
    } else {
        (void)refcount::explicit_merge(StoppedWord(&op->ob_biased), StoppedWord(&op->ob_shared), 1);
    }
}

}  // namespace ouro::object

using namespace ouro;

__thread uint32_t _Ouro_ThreadWord = OURO_OWNER_WORD(OURO_OWNER_UNATTACHED);

namespace {

// A thread that is not attached counts nothing but immortal objects.
void check_may_count(const char* function, PyObject* op) {
    if (mutator::current == nullptr && PyUnstable_IsImmortal(op) == 0) [[unlikely]] {
        Py_FatalError(
            fmt::format("{}: a reference to an object of type {} (count {}) was counted by "
                        "a thread that is not attached",
                        function, Py_TYPE(op)->tp_name, Py_REFCNT(op))
                .c_str());
    }
}

}  // namespace

void _Ouro_IncRefSlow(PyObject* op) {
    check_may_count("Py_INCREF", op);
    refcount::incref_slow(object::biased_word(op), object::shared_word(op), _Ouro_ThreadWord);
}

namespace {

// The owner will drop the reference, in the next stop at the latest.
[[gnu::noinline]] void give_to_owner(uint32_t owner, PyObject* op) {
    if ((OURO_LOAD_BIASED(op) & OURO_NOISY) != 0) {
        mutator::note_suspect(op);
    }
    object::queue_to_owner(owner, op);
}

[[gnu::noinline]] void drop_reference(PyObject* op) {
    check_may_count("Py_DECREF", op);
    const refcount::Release release =
        refcount::decref_slow(object::biased_word(op), object::shared_word(op), _Ouro_ThreadWord);
    switch (release.outcome) {
        case refcount::Outcome::kAlive:
            return;
        case refcount::Outcome::kSuspect:
            mutator::note_suspect(op);
            return;
        case refcount::Outcome::kDead:
            object::deallocate(op);
            return;
        case refcount::Outcome::kQueue:
            give_to_owner(release.owner, op);
            return;
        case refcount::Outcome::kMisuse:
            Py_FatalError(
                fmt::format("a reference to an object of type {} was dropped that nobody owns "
                            "(count {}, by a thread that is {})",
                            Py_TYPE(op)->tp_name, Py_REFCNT(op),
                            heap::thread_is_attached() ? "attached" : "not attached")
                    .c_str());
    }
}

}  // namespace

void _Ouro_DecRefSlow(PyObject* op) {
    if (refcount::try_release_unshared(object::biased_word(op), object::shared_word(op),
                                       _Ouro_ThreadWord)) [[likely]] {
        object::deallocate(op);
    } else {
        drop_reference(op);
    }
}

void _Ouro_SetRefCount(PyObject* op, Py_ssize_t count) {
    const uint32_t biased = OURO_LOAD_BIASED(op);
    if (PyUnstable_IsImmortal(op)) {
        return;
    }
    if (count < 0 || count > OURO_SHARED_LIMIT) {
        Py_FatalError(
            fmt::format("Py_SET_REFCNT: found {}; allowed: 0 to {}", count, OURO_SHARED_LIMIT)
                .c_str());
    }
    const bool owned = OURO_OWNER_OF(biased) == OURO_OWNER_OF(_Ouro_ThreadWord);
    const auto whole = static_cast<uint32_t>(count);
    const uint32_t flags =
        __atomic_load_n(&op->ob_shared, __ATOMIC_RELAXED) & OURO_SHARED_MAYBE_WEAKREF;
    if (owned && whole <= OURO_BIASED_MAX) {
        __atomic_store_n(&op->ob_shared, flags, __ATOMIC_RELAXED);
        __atomic_store_n(&op->ob_biased, _Ouro_ThreadWord | whole, __ATOMIC_RELAXED);
    } else {
        __atomic_store_n(&op->ob_biased, OURO_OWNER_WORD(OURO_OWNER_NONE), __ATOMIC_RELAXED);
        __atomic_store_n(&op->ob_shared, whole * OURO_SHARED_ONE | flags | OURO_SHARED_MERGED,
                         __ATOMIC_RELAXED);
    }
}

int PyUnstable_IsImmortal(PyObject* op) {
    return OURO_IS_IMMORTAL(OURO_LOAD_BIASED(op),
                            __atomic_load_n(&op->ob_shared, __ATOMIC_RELAXED));
}

// Of an object that another thread owns the two halves of the count cannot be read at one moment, so no
// sum of them proves anything.
int PyUnstable_Object_IsUniquelyReferenced(PyObject* op) {
    return mutator::is_free_threaded()
               ? refcount::is_unique(object::biased_word(op), object::shared_word(op),
                                     _Ouro_ThreadWord)
               : Py_REFCNT(op) == 1;
}

void PyUnstable_EnableTryIncRef(PyObject* op) {
    refcount::set_maybe_weakref(object::shared_word(op));
}

int PyUnstable_TryIncRef(PyObject* op) {
    // inv.exact.refuse: condemned in a stop, which no call of this spans: its mark is seen here.
    return !heap::HeapView<heap::Holding>().is_condemned(heap::container_at(op)) &&
           object::try_incref(op);
}

int PyUnstable_Object_EnableDeferredRefcount(PyObject*) {
    return 0;
}

int PyUnstable_SetImmortal(PyObject* op) {
    if (!PyUnstable_Object_IsUniquelyReferenced(op)) {
        return 0;
    }
    __atomic_store_n(&op->ob_biased, OURO_BIASED_IMMORTAL, __ATOMIC_RELAXED);
    return 1;
}

void _Py_SetImmortal(PyObject* op) {
    (void)PyUnstable_SetImmortal(op);
}

void Py_IncRef(PyObject* op) {
    Py_XINCREF(op);
}

void Py_DecRef(PyObject* op) {
    Py_XDECREF(op);
}
