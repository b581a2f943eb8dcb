// Finalizers, and the end of an object's life.
#include "core/object/object.hpp"
#include "core/object/saved_error.hpp"

using namespace ouro;

bool object::drop_last_reference(PyObject* op) {
    int done;
    refcount::MemoryWord biased = biased_word(op);
    const auto store = [&](uint32_t value) { biased.store(value, std::memory_order_relaxed); };
    OURO_TRY_DECREF(biased.load(std::memory_order_relaxed), store, _Ouro_ThreadWord, done);
    return done == 0 && refcount::decref_slow(biased, shared_word(op), _Ouro_ThreadWord) ==
                            refcount::Outcome::kDead;
}

void PyObject_CallFinalizer(PyObject* op) {
    const destructor finalizer = Py_TYPE(op)->tp_finalize;
    if (finalizer == nullptr) {
        return;
    }
    if (heap::has_metadata(op)) {
        const uint8_t before =
            object::change_state(op, heap::kFinalized, heap::kFinalized, __ATOMIC_RELAXED);
        if ((before & heap::kFinalized) != 0) {
            return;
        }
    }
    const object::SavedError saved;
    finalizer(op);
    if (PyErr_Occurred() != nullptr) {
        PyErr_WriteUnraisable(op);
    }
}

int PyObject_CallFinalizerFromDealloc(PyObject* op) {
    if (Py_REFCNT(op) != 0) {
        Py_FatalError(
            "PyObject_CallFinalizerFromDealloc called on object with a non-zero refcount");
    }
    Py_INCREF(op);  // alive for the finalizer
    PyObject_CallFinalizer(op);
    return object::drop_last_reference(op) ? 0 : -1;
}
