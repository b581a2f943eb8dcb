// type and object, and readying a static type.
#include "core/object/object.hpp"
#include <cstring>
#include <mutex>

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

int type_traverse(PyObject*, visitproc, void*) {
    return 0;  // a static type owns nothing that the collector manages
}

template <class Slot>
void inherit(Slot& slot, Slot base) {
    if (slot == nullptr) {
        slot = base;
    }
}

void inherit_slots(PyTypeObject* type, const PyTypeObject* base) {
    inherit(type->tp_dealloc, base->tp_dealloc);
    inherit(type->tp_repr, base->tp_repr);
    inherit(type->tp_str, base->tp_str);
    inherit(type->tp_getattro, base->tp_getattro);
    inherit(type->tp_setattro, base->tp_setattro);
    inherit(type->tp_iter, base->tp_iter);
    inherit(type->tp_iternext, base->tp_iternext);
    inherit(type->tp_call, base->tp_call);
    inherit(type->tp_init, base->tp_init);
    inherit(type->tp_alloc, base->tp_alloc);
    inherit(type->tp_new, base->tp_new);
    inherit(type->tp_is_gc, base->tp_is_gc);
    inherit(type->tp_del, base->tp_del);
    inherit(type->tp_finalize, base->tp_finalize);
    if (type->tp_hash == nullptr && type->tp_richcompare == nullptr) {
        // Together or not at all: equal objects must have equal hashes.
        type->tp_hash = base->tp_hash;
        type->tp_richcompare = base->tp_richcompare;
    }
    if (type->tp_weaklistoffset == 0) {
        type->tp_weaklistoffset = base->tp_weaklistoffset;
    }
    if (type->tp_dictoffset == 0) {
        type->tp_dictoffset = base->tp_dictoffset;
    }
    constexpr unsigned long kKinds = Py_TPFLAGS_LONG_SUBCLASS | Py_TPFLAGS_LIST_SUBCLASS |
                                     Py_TPFLAGS_TUPLE_SUBCLASS | Py_TPFLAGS_BYTES_SUBCLASS |
                                     Py_TPFLAGS_UNICODE_SUBCLASS | Py_TPFLAGS_DICT_SUBCLASS |
                                     Py_TPFLAGS_BASE_EXC_SUBCLASS | Py_TPFLAGS_TYPE_SUBCLASS;
    type->tp_flags |= base->tp_flags & kKinds;
}

// The documented rule: the flag, tp_traverse and tp_clear are inherited together, and only by a type
// that has none of the three. What tp_traverse promises is its own: it goes with it.
void inherit_gc(PyTypeObject* type, const PyTypeObject* base) {
    if ((type->tp_flags & Py_TPFLAGS_HAVE_GC) == 0 && type->tp_traverse == nullptr &&
        type->tp_clear == nullptr && (base->tp_flags & Py_TPFLAGS_HAVE_GC) != 0) {
        constexpr unsigned long kPromise = OURO_TPFLAGS_CONCURRENT_TRAVERSE;
        type->tp_flags =
            (type->tp_flags & ~kPromise) | (base->tp_flags & kPromise) | Py_TPFLAGS_HAVE_GC;
        type->tp_traverse = base->tp_traverse;
        type->tp_clear = base->tp_clear;
    }
}

bool refuse(PyTypeObject* type, const char* what) {
    PyErr_Format(PyExc_SystemError, "type %s %s", type->tp_name, what);
    return false;
}

bool check_and_complete(PyTypeObject* type) {
    if (type->tp_name == nullptr) {
        PyErr_SetString(PyExc_SystemError, "Type does not define the tp_name field.");
        return false;
    }
    if (type->tp_basicsize < 0 || type->tp_itemsize < 0) {
        return refuse(type, "has a negative size");
    }
    if (type != &PyBaseObject_Type && type->tp_base == nullptr) {
        type->tp_base = &PyBaseObject_Type;
    }
    PyTypeObject* base = type->tp_base;
    if (base != nullptr) {
        if (PyType_Ready(base) < 0) {
            return false;
        }
        if (type->tp_basicsize == 0) {
            type->tp_basicsize = base->tp_basicsize;
        }
        if (type->tp_basicsize < base->tp_basicsize) {
            return refuse(type, "is smaller than its base");
        }
        if (type->tp_itemsize == 0) {
            type->tp_itemsize = base->tp_itemsize;
        }
        inherit_gc(type, base);
        inherit_slots(type, base);
    }
    const bool has_gc = (type->tp_flags & Py_TPFLAGS_HAVE_GC) != 0;
    if (has_gc && type->tp_traverse == nullptr) {
        return refuse(type, "has the Py_TPFLAGS_HAVE_GC flag but has no traverse function");
    }
    if (type->tp_free == nullptr) {
        // A base's tp_free fits only a type that is a container if and only if the base is.
        const bool fits = base != nullptr && ((base->tp_flags & Py_TPFLAGS_HAVE_GC) != 0) == has_gc;
        type->tp_free = fits ? base->tp_free : has_gc ? PyObject_GC_Del : PyObject_Free;
    }
    if (Py_TYPE(type) == nullptr) {
        Py_SET_TYPE(type, &PyType_Type);
    }
    return true;
}

}  // namespace

PyTypeObject PyBaseObject_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "object",
    .tp_basicsize = sizeof(PyObject),
    .tp_dealloc = object_dealloc,
    .tp_hash = identity_hash,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_alloc = PyType_GenericAlloc,
    .tp_new = PyType_GenericNew,
};

PyTypeObject PyType_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "type",
    .tp_basicsize = sizeof(PyTypeObject),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC |
                OURO_TPFLAGS_CONCURRENT_TRAVERSE | Py_TPFLAGS_TYPE_SUBCLASS,
    .tp_traverse = type_traverse,
};

int PyType_Ready(PyTypeObject* type) {
    // acquire: pairs with the release below; who finds it ready finds it complete.
    const auto is_ready = [type] {
        return (__atomic_load_n(&type->tp_flags, __ATOMIC_ACQUIRE) & Py_TPFLAGS_READY) != 0;
    };
    if (is_ready()) {
        return 0;
    }
    static std::recursive_mutex mutex;  // for its base too
    const std::lock_guard guard(mutex);
    if (is_ready()) {
        return 0;
    }
    if (!check_and_complete(type)) {
        return -1;
    }
    __atomic_store_n(&type->tp_flags, type->tp_flags | Py_TPFLAGS_READY, __ATOMIC_RELEASE);
    return 0;
}

int PyType_IsSubtype(PyTypeObject* a, PyTypeObject* b) {
    for (; a != nullptr; a = a->tp_base) {
        if (a == b) {
            return 1;
        }
    }
    return b == &PyBaseObject_Type;
}

PyObject* PyType_GenericAlloc(PyTypeObject* type, Py_ssize_t nitems) {
    size_t bytes;
    if (!object::instance_size(type, nitems, &bytes)) {
        return PyErr_NoMemory();
    }
    const bool is_container = PyType_HasFeature(type, Py_TPFLAGS_HAVE_GC);
    PyObject* op =
        is_container ? object::allocate_container(type, bytes) : object::allocate_atom(type, bytes);
    if (op == nullptr) {
        return nullptr;
    }
    std::memset(op + 1, 0, bytes - sizeof(PyObject));
    if (type->tp_itemsize != 0) {
        Py_SET_SIZE(op, nitems);
    }
    if (is_container) {
        object::track(op);
    }
    return op;
}

PyObject* PyType_GenericNew(PyTypeObject* type, PyObject*, PyObject*) {
    return type->tp_alloc(type, 0);
}

Py_hash_t PyObject_Hash(PyObject* op) {
    if (const hashfunc hash = Py_TYPE(op)->tp_hash) {
        return hash(op);
    }
    return PyObject_HashNotImplemented(op);
}

Py_hash_t PyObject_HashNotImplemented(PyObject* op) {
    PyErr_Format(PyExc_TypeError, "unhashable type: '%s'", Py_TYPE(op)->tp_name);
    return -1;
}

int PyObject_RichCompareBool(PyObject* x, PyObject* y, int operation) {
    if (x == y && (operation == Py_EQ || operation == Py_NE)) {
        return operation == Py_EQ;
    }
    const auto compare = [](PyObject* a, PyObject* b, int op) -> PyObject* {
        const richcmpfunc function = Py_TYPE(a)->tp_richcompare;
        return function == nullptr ? Py_NewRef(Py_NotImplemented) : function(a, b, op);
    };
    PyObject* result = compare(x, y, operation);
    if (result == Py_NotImplemented) {
        constexpr int kSwapped[] = {Py_GT, Py_GE, Py_EQ, Py_NE, Py_LT, Py_LE};
        Py_DECREF(result);
        result = compare(y, x, kSwapped[operation]);
    }
    if (result == nullptr) {
        return -1;
    }
    // True and False are ints; whatever else a comparison returns is true unless it is zero or None.
    int truth = result != Py_None && !(PyLong_Check(result) && PyLong_AsLong(result) == 0);
    if (result == Py_NotImplemented) {
        if (operation != Py_EQ && operation != Py_NE) {
            PyErr_Format(PyExc_TypeError, "'%s' and '%s' have no order", Py_TYPE(x)->tp_name,
                         Py_TYPE(y)->tp_name);
            truth = -1;
        } else {
            truth = operation == Py_NE;
        }
    }
    Py_DECREF(result);
    return truth;
}
