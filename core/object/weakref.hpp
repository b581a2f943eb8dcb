// Weak references as the collector sees them.
#pragma once

#include "core/heap/pages.hpp"
#include "core/include/Python.h"

namespace ouro::object {

using WeakReferences = heap::PageVector<PyObject*>;

// Where the list of op's weak references hangs; nullptr if its type does not allow any.
inline PyWeakReference** weak_list_of(PyObject* op) {
    const Py_ssize_t offset = Py_TYPE(op)->tp_weaklistoffset;
    return offset != 0 ? reinterpret_cast<PyWeakReference**>(reinterpret_cast<char*>(op) + offset)
                       : nullptr;
}

// What the deallocation of an object whose `list`, a field of its own, has its weak references does about them.
inline void clear_weak_references(PyObject* op, PyObject* const* list) {
    // acquire: pairs with store_head (weakref.cpp): another thread that took the last one out looks at
    // op no more.
    if (__atomic_load_n(list, __ATOMIC_ACQUIRE) != nullptr) {
        PyObject_ClearWeakRefs(op);
    }
}

// What all types of weak references have in common.
inline constexpr unsigned long kWeakFlags =
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | OURO_TPFLAGS_CONCURRENT_TRAVERSE;
void weak_dealloc(PyObject* op);
int weak_traverse(PyObject* op, visitproc visit, void* arg);
int weak_clear(PyObject* op);

// The weak references to op: how many, and a new list of them, or nullptr with MemoryError.
Py_ssize_t count_weak_references(PyObject* op);
PyObject* list_weak_references(PyObject* op);

// Kills a weak reference without calling its callback. It keeps the callback, which will not run.
void kill_weak_reference(PyWeakReference* reference);

// Calls the callback of a dead weak reference, if it has one, and drops the callback. What it raises
// goes to the unraisable hook.
void call_weak_callback(PyWeakReference* reference);

}  // namespace ouro::object
