// What the sources of memoryview share. Source: "memoryview" in "Built-in Types".
//
// What an exporter gave is one object, the shared buffer, which all views that were made of it refer to. It is released
// when the last of them is, or dies. A function that reads or writes the memory has it held for so long, so that no
// other thread, and no code that it runs, releases it meanwhile.
#pragma once

#include <string_view>

#include "core/include/Python.h"
#include "core/object/own.hpp"

namespace ouro::container {

inline PyMemoryViewObject* memoryview(PyObject* op) {
    return reinterpret_cast<PyMemoryViewObject*>(op);
}
inline const Py_buffer& view_of(PyObject* op) {
    return memoryview(op)->view;
}

// The memory of a memoryview, held for as long as this lives.
class Held {
public:
    explicit Held(PyObject* op);
    ~Held();
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;

    // False: the memoryview was released, and ValueError is set.
    explicit operator bool() const { return static_cast<bool>(shared_); }
    // Whether it was not released.
    static bool is_possible(PyObject* op);

private:
    object::Own shared_;
};

// Another view of the memory of op, which is held, that is changed before anybody sees it, and then completed by
// take_length if its shape was changed. New reference, or nullptr with MemoryError.
PyObject* another_view(PyObject* op, int ndim);
// Its `len`, of its shape.
void take_length(PyObject* op);

// tp_as_mapping, tp_as_sequence and the like.
PyObject* memoryview_item(PyObject* op, Py_ssize_t index);
PyObject* memoryview_subscript(PyObject* op, PyObject* key);
int memoryview_ass_subscript(PyObject* op, PyObject* key, PyObject* value);
Py_ssize_t memoryview_length(PyObject* op);
PyObject* memoryview_iterate(PyObject* op);
PyObject* memoryview_richcompare(PyObject* a, PyObject* b, int operation);
Py_hash_t memoryview_hash(PyObject* op);
// The items, in lists of lists.
PyObject* memoryview_tolist(PyObject* op, PyObject*);
// All bytes in that order: 'C', 'F' or 'A'.
PyObject* bytes_in_order(PyObject* op, char order);
PyObject* memoryview_release(PyObject* op, PyObject*);

// What an exporter gave; and iterators.
extern PyTypeObject SharedBufferType, MemoryIteratorType;

extern PyMethodDef memoryview_methods[];
extern PyGetSetDef memoryview_getset[];

}  // namespace ouro::container
