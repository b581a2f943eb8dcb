// The API of the oldest document, over today's.
#include "core/include/ouroboros/legacy_gc.h"

#include <algorithm>
#include <cstring>

#include "core/object/allocate.hpp"

using namespace ouro;

namespace {

bool is_container_type(const PyTypeObject* type) {
    return (type->tp_flags & Py_TPFLAGS_HAVE_GC) != 0;
}

PyObject* allocate(PyTypeObject* type, Py_ssize_t nitems) {
    if (PyType_Ready(type) < 0) {
        return nullptr;
    }
    size_t bytes;
    if (!object::instance_size(type, nitems, &bytes)) {
        return PyErr_NoMemory();
    }
    return is_container_type(type) ? object::allocate_container(type, bytes)
                                   : object::allocate_atom(type, bytes);
}

}  // namespace

PyObject* Ouro_LegacyNew(PyTypeObject* type) {
    return allocate(type, 0);
}

PyVarObject* Ouro_LegacyVarNew(PyTypeObject* type, Py_ssize_t nitems) {
    PyObject* op = allocate(type, nitems);
    if (op != nullptr) {
        Py_SET_SIZE(op, nitems);
    }
    return reinterpret_cast<PyVarObject*>(op);
}

void* Ouro_LegacyMalloc(size_t size) {
    const size_t bytes = std::max(size, sizeof(PyObject));
    object::before_container(bytes);
    return heap::allocate_container(bytes).memory;
}

void* Ouro_LegacyRealloc(void* memory, size_t size) {
    if (memory == nullptr) {
        return Ouro_LegacyMalloc(size);
    }
    const size_t usable = heap::usable_size(memory);
    if (size <= usable) {
        return memory;
    }
    void* moved = heap::allocate(heap::BlockKind::kContainer, size);
    if (moved != nullptr) {
        std::memcpy(moved, memory, usable);
        heap::free(memory);
    }
    return moved;
}

void Ouro_LegacyFree(void* memory) {
    if (memory != nullptr) {
        if (heap::has_metadata(memory)) {
            mutator::allocation_trigger.note_deallocation();
        }
        heap::free(memory);
    }
}

PyObject* Ouro_LegacyInit(PyObject* op, PyTypeObject* type) {
    return PyType_Ready(type) < 0 ? nullptr : PyObject_Init(op, type);
}
