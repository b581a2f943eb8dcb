// What the files about classes of exceptions share: making instances, and the slots that classes with
// fields of their own build on.
#pragma once

#include "core/include/Python.h"

namespace ouro::exception {

inline PyBaseExceptionObject* as_exception(PyObject* op) {
    return reinterpret_cast<PyBaseExceptionObject*>(op);
}

// A tuple of one, made without a safepoint. New reference, or nullptr with MemoryError.
PyObject* pack_argument(PyObject* op);

// An instance of a class of exceptions, made by its tp_new and tp_init. `args` is a tuple, kwargs may be
// nullptr. New reference, or nullptr with an exception. Pre: nothing is set.
PyObject* call_exception(PyObject* type, PyObject* args, PyObject* kwargs);

// Sets that instance, with the exception that is being handled as its context. Steals.
void raise(PyObject* instance);

// The slots of BaseException.
PyObject* exception_new(PyTypeObject* type, PyObject* args, PyObject* kwargs);
int exception_init(PyObject* op, PyObject* args, PyObject* kwargs);
int exception_traverse(PyObject* op, visitproc visit, void* arg);
int exception_clear(PyObject* op);
PyObject* exception_str(PyObject* op);

// What classes with fields have instead of them.
int system_exit_init(PyObject* op, PyObject* args, PyObject* kwargs);
int stop_iteration_init(PyObject* op, PyObject* args, PyObject* kwargs);
int import_error_init(PyObject* op, PyObject* args, PyObject* kwargs);
PyObject* import_error_str(PyObject* op);
int attribute_error_init(PyObject* op, PyObject* args, PyObject* kwargs);
int name_error_init(PyObject* op, PyObject* args, PyObject* kwargs);
PyObject* key_error_str(PyObject* op);
PyObject* os_error_new(PyTypeObject* type, PyObject* args, PyObject* kwargs);
int os_error_init(PyObject* op, PyObject* args, PyObject* kwargs);
PyObject* os_error_str(PyObject* op);
int unicode_encode_error_init(PyObject* op, PyObject* args, PyObject* kwargs);
PyObject* unicode_encode_error_str(PyObject* op);
int unicode_decode_error_init(PyObject* op, PyObject* args, PyObject* kwargs);
PyObject* unicode_decode_error_str(PyObject* op);
int unicode_translate_error_init(PyObject* op, PyObject* args, PyObject* kwargs);
PyObject* unicode_translate_error_str(PyObject* op);

// What their instances show as attributes (exception_attributes.cpp).
extern PyGetSetDef exception_getset[], os_error_getset[];
extern PyMemberDef exception_members[], system_exit_members[], stop_iteration_members[],
    import_error_members[], attribute_error_members[], name_error_members[], os_error_members[],
    unicode_error_members[];

// An instance of MemoryError that needs no memory. New reference.
PyObject* spare_memory_error();
void memory_error_dealloc(PyObject* op);
// Whether it is the one that everybody shares and that therefore keeps nothing.
bool is_shared_memory_error(const PyObject* op);

// Stores in a field, which may have other readers and writers; drops what it held. Steals.
void replace(PyObject* op, PyObject** field, PyObject* value);

inline int visit_field(PyObject* const& field, visitproc visit, void* arg) {
    Py_VISIT(field);
    return 0;
}

inline void clear_field(PyObject*& field) {
    Py_CLEAR(field);
}

// Traversal, clearing and death of the instances of a class with fields of its own.
template <class Object, PyObject* Object::*... fields>
struct Fields {
    static int traverse(PyObject* op, visitproc visit, void* arg) {
        [[maybe_unused]] auto* self = reinterpret_cast<Object*>(op);
        int result = 0;
        (void)((result = visit_field(self->*fields, visit, arg)) || ...);
        return result != 0 ? result : exception_traverse(op, visit, arg);
    }

    static int clear(PyObject* op) {
        [[maybe_unused]] auto* self = reinterpret_cast<Object*>(op);
        (clear_field(self->*fields), ...);
        return exception_clear(op);
    }

    static void dealloc(PyObject* op) {
        PyObject_GC_UnTrack(op);
        clear(op);
        Py_TYPE(op)->tp_free(op);
    }
};

}  // namespace ouro::exception
