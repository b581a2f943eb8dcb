// object: what every other type derives from.
#include <cstring>

#include "core/builtins/type/lookup.hpp"
#include "core/builtins/type/names.hpp"
#include "core/object/allocate.hpp"
#include "core/object/object.hpp"
#include "core/object/own.hpp"

using namespace ouro;

namespace {

void object_dealloc(PyObject* op) {
    Py_TYPE(op)->tp_free(op);
}

Py_hash_t identity_hash(PyObject* op) {
    // Addresses are multiples of 16: rotate the zeros away.
    const auto address = reinterpret_cast<uintptr_t>(op);
    const auto hash = static_cast<Py_hash_t>(address >> 4 | address << 60);
    return hash == -1 ? -2 : hash;
}

PyObject* object_repr(PyObject* op) {
    const object::Own name(type::full_name_of(Py_TYPE(op)));
    return name ? PyUnicode_FromFormat("<%U object at %p>", name.get(), op) : nullptr;
}

PyObject* object_str(PyObject* op) {
    const reprfunc repr = Py_TYPE(op)->tp_repr;
    return repr == nullptr ? object_repr(op) : repr(op);
}

// The same object is equal to itself; not equal is the opposite of equal.
PyObject* object_richcompare(PyObject* self, PyObject* other, int operation) {
    if (operation == Py_EQ && self == other) {
        return Py_NewRef(Py_True);
    }
    const richcmpfunc compare = Py_TYPE(self)->tp_richcompare;
    if (operation != Py_NE || compare == nullptr) {
        return Py_NewRef(Py_NotImplemented);
    }
    PyObject* equal = compare(self, other, Py_EQ);
    if (equal == nullptr || equal == Py_NotImplemented) {
        return equal;
    }
    const int truth = PyObject_IsTrue(equal);
    Py_DECREF(equal);
    return truth < 0 ? nullptr : PyBool_FromLong(truth == 0);
}

bool any_arguments(PyObject* args, PyObject* kwargs) {
    return PyTuple_GET_SIZE(args) > 0 ||
           (kwargs != nullptr && PyDict_Check(kwargs) && PyDict_Size(kwargs) > 0);
}

PyObject* object_new(PyTypeObject* type, PyObject* args, PyObject* kwargs);
int object_init(PyObject* self, PyObject* args, PyObject* kwargs);

// Arguments are somebody's: of __new__ or of __init__, whichever a type has of its own.
PyObject* object_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    if (any_arguments(args, kwargs)) {
        if (type->tp_new != object_new) {
            PyErr_SetString(
                PyExc_TypeError,
                "object.__new__() takes exactly one argument (the type to instantiate)");
            return nullptr;
        }
        if (type->tp_init == object_init) {
            return PyErr_Format(PyExc_TypeError, "%.200s() takes no arguments", type->tp_name);
        }
    }
    return type->tp_alloc(type, 0);
}

int object_init(PyObject* self, PyObject* args, PyObject* kwargs) {
    if (!any_arguments(args, kwargs)) {
        return 0;
    }
    const PyTypeObject* type = Py_TYPE(self);
    if (type->tp_init != object_init) {
        PyErr_SetString(
            PyExc_TypeError,
            "object.__init__() takes exactly one argument (the instance to initialize)");
        return -1;
    }
    if (type->tp_new == object_new) {
        PyErr_Format(PyExc_TypeError,
                     "%.200s.__init__() takes exactly one argument (the instance to initialize)",
                     type->tp_name);
        return -1;
    }
    return 0;
}

// Classes that want to know of their subclasses override it.
PyObject* init_subclass(PyObject*, PyObject*) {
    Py_RETURN_NONE;
}

PyMethodDef object_methods[] = {
    {"__init_subclass__", init_subclass, METH_CLASS | METH_NOARGS,
     "__init_subclass__()\n--\n\nCalled with each new class that derives from this one."},
    {}};

// The class that gave objects of `type` their layout.
PyTypeObject* layout_of(PyTypeObject* type) {
    while (type->tp_base != nullptr && type->tp_basicsize == type->tp_base->tp_basicsize &&
           PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE) != 0) {
        type = type->tp_base;
    }
    return type;
}

bool have_the_same_layout(PyTypeObject* a, PyTypeObject* b) {
    constexpr unsigned long kLayoutFlags =
        Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_MANAGED_DICT | Py_TPFLAGS_MANAGED_WEAKREF;
    return layout_of(a) == layout_of(b) && a->tp_basicsize == b->tp_basicsize &&
           a->tp_itemsize == b->tp_itemsize && a->tp_dictoffset == b->tp_dictoffset &&
           a->tp_weaklistoffset == b->tp_weaklistoffset && a->tp_dealloc == b->tp_dealloc &&
           ((a->tp_flags ^ b->tp_flags) & kLayoutFlags) == 0;
}

// An object's class may be another one of the same layout.
int set_class(PyObject* op, PyObject* value, void*) {
    if (value == nullptr) {
        PyErr_SetString(PyExc_TypeError, "can't delete __class__ attribute");
        return -1;
    }
    if (!PyType_Check(value)) {
        PyErr_Format(PyExc_TypeError, "__class__ must be set to a class, not '%s' object",
                     Py_TYPE(value)->tp_name);
        return -1;
    }
    auto* wanted = reinterpret_cast<PyTypeObject*>(value);
    PyTypeObject* present = Py_TYPE(op);
    const auto can_change = [](PyTypeObject* type) {
        return PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE) != 0 &&
               PyType_HasFeature(type, Py_TPFLAGS_IMMUTABLETYPE) == 0;
    };
    if (!can_change(present) || !can_change(wanted)) {
        PyErr_SetString(
            PyExc_TypeError,
            "__class__ assignment only supported for mutable types or ModuleType subclasses");
        return -1;
    }
    if (!have_the_same_layout(present, wanted)) {
        PyErr_Format(PyExc_TypeError, "__class__ assignment: '%s' object layout differs from '%s'",
                     wanted->tp_name, present->tp_name);
        return -1;
    }
    Py_INCREF(wanted);
    Py_SET_TYPE(op, wanted);
    Py_DECREF(present);
    return 0;
}

PyGetSetDef object_getset[] = {{"__class__",
                                [](PyObject* op, void*) { return Py_NewRef(Py_TYPE(op)); },
                                set_class, "the object's class", nullptr},
                               {}};

}  // namespace

PyTypeObject PyBaseObject_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "object",
    .tp_basicsize = sizeof(PyObject),
    .tp_dealloc = object_dealloc,
    .tp_repr = object_repr,
    .tp_hash = identity_hash,
    .tp_str = object_str,
    .tp_getattro = PyObject_GenericGetAttr,
    .tp_setattro = PyObject_GenericSetAttr,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_doc = "object()\n--\n\nWhat every class derives from; takes no arguments.",
    .tp_richcompare = object_richcompare,
    .tp_methods = object_methods,
    .tp_getset = object_getset,
    .tp_init = object_init,
    .tp_alloc = PyType_GenericAlloc,
    .tp_new = object_new,
    .tp_free = PyObject_Free,
};

PyObject* PyType_GenericAlloc(PyTypeObject* type, Py_ssize_t nitems) {
    size_t bytes;
    if (!object::instance_size(type, nitems, &bytes)) {
        return PyErr_NoMemory();
    }
    const bool is_container = PyType_HasFeature(type, Py_TPFLAGS_HAVE_GC);
    const object::NewContainer made =
        is_container ? object::new_instance(type, bytes)
                     : object::NewContainer{object::allocate_atom(type, bytes), nullptr};
    if (made.op == nullptr) {
        return nullptr;
    }
    std::memset(made.op + 1, 0, bytes - sizeof(PyObject));
    if (type->tp_itemsize != 0) {
        Py_SET_SIZE(made.op, nitems);
    }
    if (is_container) {
        made.track();
    }
    return made.op;
}

PyObject* PyType_GenericNew(PyTypeObject* type, PyObject*, PyObject*) {
    return type->tp_alloc(type, 0);
}

Py_hash_t Py_HashPointer(const void* pointer) {
    const auto address = reinterpret_cast<uintptr_t>(pointer);
    const auto hash = static_cast<Py_hash_t>(address >> 4 | address << 60);
    return hash == -1 ? -2 : hash;
}

Py_hash_t PyObject_GenericHash(PyObject* op) {
    return Py_HashPointer(op);
}
