// The memory families and objects that are not containers.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "core/heap/fault.hpp"
#include "core/heap/traversed.hpp"
#include "core/mutator/misuse.hpp"
#include "core/object/object.hpp"

using namespace ouro;

void* PyMem_Malloc(size_t size) {
    if (size > static_cast<size_t>(PY_SSIZE_T_MAX)) {
        return nullptr;
    }
    if (!heap::thread_is_attached()) [[unlikely]] {
        mutator::refuse_unattached("allocating memory (PyMem_Malloc)");
    }
    return heap::allocate(heap::BlockKind::kBuffer, size);
}

void* PyMem_Calloc(size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        return nullptr;
    }
    void* p = PyMem_Malloc(bytes);
    if (p != nullptr) {
        std::memset(p, 0, bytes);
    }
    return p;
}

void* PyMem_Realloc(void* p, size_t size) {
    if (p == nullptr) {
        return PyMem_Malloc(size);
    }
    const size_t usable = heap::usable_size(p);
    // Nothing grows in place that is traversed concurrently with mutators: a reader who finds the pointer unchanged
    // may take the count that it read with it for this array's.
    if (size <= usable && size >= usable / 2 && !heap::is_traversed()) {
        return p;
    }
    void* moved = PyMem_Malloc(size);
    if (moved == nullptr) {
        return size <= usable ? p : nullptr;  // what only shrinks can stay where it is
    }
    std::memcpy(moved, p, std::min(size, usable));
    heap::free_moved(p);
    return moved;
}

void PyMem_Free(void* p) {
    if (p != nullptr) {
        heap::free(p);
    }
}

void* PyObject_Malloc(size_t size) {
    return PyMem_Malloc(size);
}

void* PyObject_Calloc(size_t count, size_t size) {
    return PyMem_Calloc(count, size);
}

void* PyObject_Realloc(void* p, size_t size) {
    return PyMem_Realloc(p, size);
}

void PyObject_Free(void* p) {
    if (p != nullptr && heap::in_heap(p) && heap::block_of(p)->kind == heap::BlockKind::kAtom) {
        object::discard(static_cast<PyObject*>(p));
    } else {
        PyMem_Free(p);
    }
}

void* PyMem_RawMalloc(size_t size) {
    return heap::allocation_fails() ? nullptr : std::malloc(std::max(size, size_t{1}));
}

void* PyMem_RawCalloc(size_t count, size_t size) {
    return heap::allocation_fails()
               ? nullptr
               : std::calloc(std::max(count, size_t{1}), std::max(size, size_t{1}));
}

void* PyMem_RawRealloc(void* p, size_t size) {
    return heap::allocation_fails() ? nullptr : std::realloc(p, std::max(size, size_t{1}));
}

void PyMem_RawFree(void* p) {
    std::free(p);
}

PyObject* PyObject_Init(PyObject* op, PyTypeObject* type) {
    object::initialise(op, type);
    object::own_type(type);
    return op;
}

PyVarObject* PyObject_InitVar(PyVarObject* op, PyTypeObject* type, Py_ssize_t size) {
    PyObject_Init(&op->ob_base, type);
    op->ob_size = size;
    return op;
}

PyObject* _PyObject_New(PyTypeObject* type) {
    return object::allocate_atom(type, static_cast<size_t>(type->tp_basicsize));
}

PyVarObject* _PyObject_NewVar(PyTypeObject* type, Py_ssize_t nitems) {
    size_t bytes;
    if (!object::instance_size(type, nitems, &bytes)) {
        PyErr_NoMemory();
        return nullptr;
    }
    auto* op = reinterpret_cast<PyVarObject*>(object::allocate_atom(type, bytes));
    if (op != nullptr) {
        op->ob_size = nitems;
    }
    return op;
}

int PyTraceMalloc_Track(unsigned int, uintptr_t, size_t) {
    return -2;
}

int PyTraceMalloc_Untrack(unsigned int, uintptr_t) {
    return -2;
}
