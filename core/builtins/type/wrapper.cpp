// Special methods in C: what a slot is called in its type's dictionary, and that bound to an object.
#include <cstddef>

#include "core/builtins/type/descriptor.hpp"
#include "core/object/object.hpp"

using namespace ouro;
using type::Descriptor;

namespace {

// A descriptor whose definition is a row of the table of slots.
struct SlotDescriptor {
    Descriptor base;
    void* wrapped;  // the function in the slot
};

struct BoundWrapper {
    PyObject ob_base;
    PyObject* descriptor;
    PyObject* self;
};

BoundWrapper* bound(PyObject* op) {
    return reinterpret_cast<BoundWrapper*>(op);
}

PyObject* call_wrapped(PyObject* op, PyObject* self, PyObject* args, PyObject* kwargs) {
    const wrapperbase* row = type::row_of(op);
    void* wrapped = type::wrapped_by(op);
    if ((row->flags & PyWrapperFlag_KEYWORDS) != 0) {
        const auto call =
            reinterpret_cast<wrapperfunc_kwds>(reinterpret_cast<void (*)()>(row->wrapper));
        return call(self, args, wrapped, kwargs);
    }
    if (kwargs != nullptr && PyDict_Size(kwargs) != 0) {
        return PyErr_Format(PyExc_TypeError, "wrapper %s() takes no keyword arguments", row->name);
    }
    return row->wrapper(self, args, wrapped);
}

PyObject* descriptor_get(PyObject* op, PyObject* self, PyObject*) {
    if (self == nullptr) {
        return Py_NewRef(op);
    }
    return type::applies(op, self) ? PyWrapper_New(op, self) : nullptr;
}

PyObject* descriptor_call(PyObject* op, PyObject* args, PyObject* kwargs) {
    const Descriptor* descriptor = type::descriptor(op);
    const Py_ssize_t count = PyTuple_GET_SIZE(args);
    if (count < 1) {
        return PyErr_Format(PyExc_TypeError, "descriptor '%U' of '%.100s' object needs an argument",
                            descriptor->name, descriptor->type->tp_name);
    }
    PyObject* self = PyTuple_GET_ITEM(args, 0);
    if (PyObject_TypeCheck(self, descriptor->type) == 0) {
        return PyErr_Format(PyExc_TypeError,
                            "descriptor '%U' requires a '%.100s' object but received a '%.100s'",
                            descriptor->name, descriptor->type->tp_name, Py_TYPE(self)->tp_name);
    }
    PyObject* rest = PyTuple_GetSlice(args, 1, count);
    PyObject* result = rest == nullptr ? nullptr : call_wrapped(op, self, rest, kwargs);
    Py_XDECREF(rest);
    return result;
}

PyObject* descriptor_repr(PyObject* op) {
    return PyUnicode_FromFormat("<slot wrapper '%U' of '%s' objects>", type::descriptor(op)->name,
                                type::descriptor(op)->type->tp_name);
}

void bound_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    Py_XDECREF(bound(op)->descriptor);
    Py_XDECREF(bound(op)->self);
    Py_TYPE(op)->tp_free(op);
}

int bound_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(bound(op)->descriptor);
    Py_VISIT(bound(op)->self);
    return 0;
}

PyObject* bound_call(PyObject* op, PyObject* args, PyObject* kwargs) {
    return call_wrapped(bound(op)->descriptor, bound(op)->self, args, kwargs);
}

PyObject* bound_repr(PyObject* op) {
    PyObject* self = bound(op)->self;
    return PyUnicode_FromFormat("<method-wrapper '%s' of %s object at %p>",
                                type::row_of(bound(op)->descriptor)->name, Py_TYPE(self)->tp_name,
                                self);
}

// Two are equal that are the same method of the same object.
PyObject* bound_compare(PyObject* a, PyObject* b, int operation) {
    if ((operation != Py_EQ && operation != Py_NE) || !Py_IS_TYPE(a, &_PyMethodWrapper_Type) ||
        !Py_IS_TYPE(b, &_PyMethodWrapper_Type)) {
        return Py_NewRef(Py_NotImplemented);
    }
    const bool equal =
        bound(a)->descriptor == bound(b)->descriptor && bound(a)->self == bound(b)->self;
    return PyBool_FromLong(equal == (operation == Py_EQ));
}

Py_hash_t bound_hash(PyObject* op) {
    const auto scatter = [](PyObject* pointer) {
        const auto address = reinterpret_cast<uintptr_t>(pointer);
        return address >> 4 | address << 60;
    };
    const auto hash =
        static_cast<Py_hash_t>(scatter(bound(op)->self) ^ scatter(bound(op)->descriptor));
    return hash == -1 ? -2 : hash;
}

PyGetSetDef bound_getset[] = {
    {"__objclass__",
     [](PyObject* op, void*) { return Py_NewRef(type::descriptor(bound(op)->descriptor)->type); },
     nullptr, nullptr, nullptr},
    {"__name__",
     [](PyObject* op, void*) { return Py_NewRef(type::descriptor(bound(op)->descriptor)->name); },
     nullptr, nullptr, nullptr},
    {"__qualname__",
     [](PyObject* op, void*) { return type::qualified_name(bound(op)->descriptor, nullptr); },
     nullptr, nullptr, nullptr},
    {"__doc__",
     [](PyObject* op, void*) {
         return type::doc_or_none(type::row_of(bound(op)->descriptor)->doc);
     },
     nullptr, nullptr, nullptr},
    {"__text_signature__",
     [](PyObject* op, void*) {
         return type::signature_or_none(type::row_of(bound(op)->descriptor)->doc);
     },
     nullptr, nullptr, nullptr},
    {}};

PyMemberDef bound_members[] = {
    {"__self__", _Py_T_OBJECT, offsetof(BoundWrapper, self), Py_READONLY, nullptr}, {}};

constexpr unsigned long kFlags =
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | OURO_TPFLAGS_CONCURRENT_TRAVERSE;

}  // namespace

void* type::wrapped_by(PyObject* op) {
    return reinterpret_cast<SlotDescriptor*>(op)->wrapped;
}

PyTypeObject PyWrapperDescr_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "wrapper_descriptor",
    .tp_basicsize = sizeof(SlotDescriptor),
    .tp_dealloc = type::descriptor_dealloc,
    .tp_repr = descriptor_repr,
    .tp_call = descriptor_call,
    .tp_getattro = PyObject_GenericGetAttr,
    .tp_flags = kFlags | Py_TPFLAGS_METHOD_DESCRIPTOR,
    .tp_traverse = type::descriptor_traverse,
    .tp_members = type::descriptor_members,
    .tp_getset = type::descriptor_getset<wrapperbase, &wrapperbase::doc>,
    .tp_descr_get = descriptor_get,
};

PyTypeObject _PyMethodWrapper_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "method-wrapper",
    .tp_basicsize = sizeof(BoundWrapper),
    .tp_dealloc = bound_dealloc,
    .tp_repr = bound_repr,
    .tp_hash = bound_hash,
    .tp_call = bound_call,
    .tp_getattro = PyObject_GenericGetAttr,
    .tp_flags = kFlags,
    .tp_traverse = bound_traverse,
    .tp_richcompare = bound_compare,
    .tp_members = bound_members,
    .tp_getset = bound_getset,
};

PyObject* PyDescr_NewWrapper(PyTypeObject* type, wrapperbase* base, void* wrapped) {
    PyObject* op = type::new_descriptor(&PyWrapperDescr_Type, type, base->name, base);
    if (op != nullptr) {
        reinterpret_cast<SlotDescriptor*>(op)->wrapped = wrapped;
    }
    return op;
}

PyObject* PyWrapper_New(PyObject* descriptor, PyObject* self) {
    PyObject* op = _PyObject_GC_New(&_PyMethodWrapper_Type);
    if (op != nullptr) {
        bound(op)->descriptor = Py_NewRef(descriptor);
        bound(op)->self = Py_NewRef(self);
        object::track(op);
    }
    return op;
}
