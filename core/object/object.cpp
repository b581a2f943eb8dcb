#include "core/object/object.hpp"

#include <fmt/format.h>

namespace ouro::object {

constinit AllocationTrigger allocation_trigger{0, SIZE_MAX, nullptr};

namespace {

void check_attached() {
    if (!heap::thread_is_attached()) [[unlikely]] {
        Py_FatalError("an object was requested by a thread that is not attached: call "
                      "Py_Initialize first");
    }
}

PyObject* make(void* memory, PyTypeObject* type) {
    auto* op = static_cast<PyObject*>(memory);
    if (op == nullptr) [[unlikely]] {
        return PyErr_NoMemory();
    }
    initialise(op, type);
    return op;
}

}  // namespace

PyObject* allocate_atom(PyTypeObject* type, size_t bytes) {
    check_attached();
    return make(heap::allocate(heap::BlockKind::kAtom, bytes), type);
}

void* allocate_container_memory(size_t bytes) {
    check_attached();
    if (++allocation_trigger.count > allocation_trigger.limit) [[unlikely]] {
        allocation_trigger.due();
    }
    return heap::allocate(heap::BlockKind::kContainer, bytes);
}

PyObject* allocate_container(PyTypeObject* type, size_t bytes) {
    return make(allocate_container_memory(bytes), type);
}

bool instance_size(const PyTypeObject* type, Py_ssize_t items, size_t* bytes) {
    size_t item_bytes;
    return items >= 0 &&
           !__builtin_mul_overflow(static_cast<size_t>(items),
                                   static_cast<size_t>(type->tp_itemsize), &item_bytes) &&
           !__builtin_add_overflow(item_bytes, static_cast<size_t>(type->tp_basicsize), bytes) &&
           *bytes <= static_cast<size_t>(PY_SSIZE_T_MAX);
}

}  // namespace ouro::object

using namespace ouro;

__thread uint32_t _Ouro_ThreadWord = OURO_OWNER_WORD(OURO_OWNER_UNATTACHED);

void _Ouro_IncRefSlow(PyObject* op) {
    refcount::incref_slow(object::biased_word(op), object::shared_word(op), _Ouro_ThreadWord);
}

void _Ouro_DecRefSlow(PyObject* op) {
    switch (
        refcount::decref_slow(object::biased_word(op), object::shared_word(op), _Ouro_ThreadWord)) {
        case refcount::Outcome::kAlive:
            return;
        case refcount::Outcome::kDead:
            object::deallocate(op);
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

void _Ouro_SetRefCount(PyObject* op, Py_ssize_t count) {
    const uint32_t biased = OURO_LOAD_BIASED(op);
    if (OURO_OWNER_OF(biased) == OURO_OWNER_IMMORTAL) {
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
    return OURO_OWNER_OF(OURO_LOAD_BIASED(op)) == OURO_OWNER_IMMORTAL;
}

int PyUnstable_Object_IsUniquelyReferenced(PyObject* op) {
    return Py_REFCNT(op) == 1;
}

int PyUnstable_SetImmortal(PyObject* op) {
    if (!PyUnstable_Object_IsUniquelyReferenced(op)) {
        return 0;
    }
    __atomic_store_n(&op->ob_biased, OURO_BIASED_IMMORTAL, __ATOMIC_RELAXED);
    return 1;
}

void Py_IncRef(PyObject* op) {
    Py_XINCREF(op);
}

void Py_DecRef(PyObject* op) {
    Py_XDECREF(op);
}
