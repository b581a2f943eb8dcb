// What a type's dictionary holds of its C definitions.
#pragma once

#include "core/builtins/type/names.hpp"
#include "core/include/Python.h"

namespace ouro::type {

// Of PyMethodDescr_Type, PyClassMethodDescr_Type, PyMemberDescr_Type, PyGetSetDescr_Type and, with one more
// field, PyWrapperDescr_Type.
struct Descriptor {
    PyObject ob_base;
    PyTypeObject* type;  // whose attribute it is
    PyObject* name;
    void* definition;  // PyMethodDef, PyMemberDef, PyGetSetDef, wrapperbase
};

inline Descriptor* descriptor(PyObject* op) {
    return reinterpret_cast<Descriptor*>(op);
}

template <class Definition>
Definition* definition(PyObject* op) {
    return static_cast<Definition*>(descriptor(op)->definition);
}

// A new descriptor of that kind, tracked: new reference.
PyObject* new_descriptor(PyTypeObject* kind, PyTypeObject* type, const char* name, void* what);
void descriptor_dealloc(PyObject* op);
int descriptor_traverse(PyObject* op, visitproc visit, void* arg);

// Whether an object is one that the descriptor is for; TypeError if not.
bool applies(PyObject* op, PyObject* self);

// Calls a method descriptor with the object before its other arguments, without binding it where the function's
// calling convention allows. As a vectorcall; nargs is at least 1.
PyObject* call_method(PyObject* op, PyObject* const* args, size_t nargsf, PyObject* kwnames);

// Of a wrapper descriptor: its row of the table of slots, and the function in the slot.
inline wrapperbase* row_of(PyObject* op) {
    return definition<wrapperbase>(op);
}
void* wrapped_by(PyObject* op);

// A str for a name of an attribute, one and the same for equal names. New reference.
PyObject* name_of_attribute(const char* name);

// The part of a doc string after a signature for inspection ("name(...)\n--\n\n"), if it has one.
const char* doc_of(const char* text);

// As strs, or None: that part, and the signature without the name. New references.
PyObject* doc_or_none(const char* text);
PyObject* signature_or_none(const char* text);

// Attributes of all descriptors.
extern PyMemberDef descriptor_members[3];
PyObject* qualified_name(PyObject* op, void*);

template <class Definition, const char* Definition::*doc>
inline PyGetSetDef descriptor_getset[] = {
    {"__doc__", [](PyObject* op, void*) { return doc_or_none(definition<Definition>(op)->*doc); },
     nullptr, nullptr, nullptr},
    {"__text_signature__",
     [](PyObject* op, void*) { return signature_or_none(definition<Definition>(op)->*doc); },
     nullptr, nullptr, nullptr},
    {"__qualname__", qualified_name, nullptr, nullptr, nullptr},
    {}};

}  // namespace ouro::type
