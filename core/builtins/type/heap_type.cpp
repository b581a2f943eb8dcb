#include "core/builtins/type/heap_type.hpp"

#include <cstring>
#include <string>
#include <utility>

#include "core/builtins/type/subclasses.hpp"
#include "core/builtins/type/type_lock.hpp"
#include "core/object/weakref.hpp"

namespace ouro::type {
namespace {

void drop(PyObject*& field) {
    Py_XDECREF(std::exchange(field, nullptr));
}

}  // namespace

PyHeapTypeObject* make_heap_type(PyTypeObject* metaclass, Py_ssize_t members) {
    PyObject* op = metaclass->tp_alloc(metaclass, members + 1);
    if (op == nullptr) {
        return nullptr;
    }
    auto* type = reinterpret_cast<PyHeapTypeObject*>(op);
    PyTypeObject& plain = type->ht_type;
    plain.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HEAPTYPE;
    plain.tp_as_async = &type->as_async;
    plain.tp_as_number = &type->as_number;
    plain.tp_as_mapping = &type->as_mapping;
    plain.tp_as_sequence = &type->as_sequence;
    plain.tp_as_buffer = &type->as_buffer;
    Py_SET_SIZE(op, members);
    return type;
}

PyMemberDef* members_of(PyTypeObject* type) {
    return reinterpret_cast<PyMemberDef*>(reinterpret_cast<char*>(type) +
                                          Py_TYPE(type)->tp_basicsize);
}

char* copy_text(const char* text, size_t bytes) {
    auto* copy = static_cast<char*>(PyMem_Malloc(bytes + 1));
    if (copy == nullptr) {
        PyErr_NoMemory();
        return nullptr;
    }
    std::memcpy(copy, text, bytes);
    copy[bytes] = '\0';
    return copy;
}

// The names are left out: strs refer to nothing.
int type_traverse(PyObject* op, visitproc visit, void* arg) {
    PyTypeObject* type = as_type(op);
    if (!is_heap_type(type)) {
        return 0;
    }
    Py_VISIT(type->tp_dict);
    Py_VISIT(type->tp_mro);
    Py_VISIT(type->tp_bases);
    Py_VISIT(type->tp_base);
    Py_VISIT(as_heap_type(type)->ht_module);
    return 0;
}

// The bases stay: whoever still has an instance asks them. The order of search refers to the type itself.
int type_clear(PyObject* op) {
    PyTypeObject* type = as_type(op);
    PyType_Modified(type);
    if (type->tp_dict != nullptr) {
        PyDict_Clear(type->tp_dict);
    }
    Py_CLEAR(as_heap_type(type)->ht_module);
    Py_CLEAR(type->tp_mro);
    PyType_Modified(type);  // somebody may have looked meanwhile
    return 0;
}

void type_dealloc(PyObject* op) {
    PyTypeObject* type = as_type(op);
    if (!is_heap_type(type)) {
        Py_FatalError(
            (std::string("the last reference to the static type ") + type->tp_name + " was dropped")
                .c_str());
    }
    PyObject_GC_UnTrack(op);
    leave_bases(type);
    PyObject_ClearWeakRefs(op);
    PyHeapTypeObject* heap_type = as_heap_type(type);
    Py_XDECREF(std::exchange(type->tp_base, nullptr));
    drop(type->tp_dict);
    drop(type->tp_bases);
    drop(type->tp_mro);
    drop(heap_type->ht_name);
    drop(heap_type->ht_qualname);
    drop(heap_type->ht_slots);
    drop(heap_type->ht_module);
    PyMem_Free(const_cast<char*>(type->tp_doc));
    PyMem_Free(heap_type->_ht_tpname);
    Py_TYPE(op)->tp_free(op);
}

int type_is_gc(PyObject* op) {
    return is_heap_type(as_type(op));
}

}  // namespace ouro::type
