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

void Py_IncRef(PyObject* op) {
    Py_XINCREF(op);
}

void Py_DecRef(PyObject* op) {
    Py_XDECREF(op);
}
