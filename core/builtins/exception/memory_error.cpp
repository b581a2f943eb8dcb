// Instances of MemoryError for where there is no memory for one.
//
// They are objects outside the heap, never tracked: a cycle through one lives for ever.
#include <atomic>
#include <cstddef>

#include "core/builtins/exception/exceptions.hpp"
#include "core/object/object.hpp"

namespace ouro::exception {
namespace {

struct Spare {
    PyBaseExceptionObject object;
    std::atomic<bool> is_taken;
};
constexpr size_t kSpares = 16;
constinit Spare spares[kSpares] = {};

// Immortal: for when all of them are taken.
PyBaseExceptionObject shared = {};

bool is_spare(const PyObject* op) {
    const auto* p = reinterpret_cast<const Spare*>(op);
    return p >= spares && p < spares + kSpares;
}

}  // namespace

bool is_shared_memory_error(const PyObject* op) {
    return op == reinterpret_cast<const PyObject*>(&shared);
}

PyObject* spare_memory_error() {
    auto* type = reinterpret_cast<PyTypeObject*>(PyExc_MemoryError);
    for (Spare& spare : spares) {
        // acquire: pairs with the release of who gave it back: its fields are empty.
        if (!spare.is_taken.load(std::memory_order_relaxed) &&
            !spare.is_taken.exchange(true, std::memory_order_acquire)) {
            auto* op = reinterpret_cast<PyObject*>(&spare.object);
            object::initialise(op, type);
            return op;
        }
    }
    auto* op = reinterpret_cast<PyObject*>(&shared);
    Py_SET_TYPE(op, type);
    __atomic_store_n(&op->ob_biased, OURO_BIASED_IMMORTAL, __ATOMIC_RELAXED);
    return op;
}

void memory_error_dealloc(PyObject* op) {
    if (!is_spare(op)) {
        Fields<PyBaseExceptionObject>::dealloc(op);
        return;
    }
    exception_clear(op);
    as_exception(op)->suppress_context = 0;
    // As a free slot of the heap reads: who comes too late gets no reference.
    __atomic_store_n(&op->ob_shared, OURO_SHARED_DEAD, __ATOMIC_RELAXED);
    reinterpret_cast<Spare*>(op)->is_taken.store(false, std::memory_order_release);
}

}  // namespace ouro::exception
