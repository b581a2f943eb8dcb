// Types that are made at run time and die like any object.
#pragma once

#include "core/include/Python.h"

namespace ouro::type {

inline PyTypeObject* as_type(PyObject* op) {
    return reinterpret_cast<PyTypeObject*>(op);
}

inline bool is_heap_type(const PyTypeObject* type) {
    return (type->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0;
}
// Pre: is_heap_type(type).
inline PyHeapTypeObject* as_heap_type(PyTypeObject* type) {
    return reinterpret_cast<PyHeapTypeObject*>(type);
}

// A new type without bases, that is not ready: its suites are its own, and it has room for so many members and
// the zero after them. New reference, or nullptr with MemoryError.
PyHeapTypeObject* make_heap_type(PyTypeObject* metaclass, Py_ssize_t members);
// That room.
PyMemberDef* members_of(PyTypeObject* type);

// A copy in PyMem_ memory, or nullptr with MemoryError.
char* copy_text(const char* text, size_t bytes);

// The slots of `type` itself. What a static type refers to lives for ever and is no collector's.
int type_traverse(PyObject* op, visitproc visit, void* arg);
int type_clear(PyObject* op);
void type_dealloc(PyObject* op);
int type_is_gc(PyObject* op);

}  // namespace ouro::type
