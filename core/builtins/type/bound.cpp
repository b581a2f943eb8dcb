// Callables that a class hands out in another way than functions: staticmethod, classmethod, and a function
// bound to an object.
#include "core/builtins/type/bound.hpp"

#include "core/builtins/type/lookup.hpp"
#include "core/object/object.hpp"
#include "core/object/own.hpp"
#include "core/object/weakref.hpp"

using namespace ouro;

namespace {

struct Wrapper {
    PyObject ob_base;
    PyObject* callable;
};

struct Method {
    PyObject ob_base;
    PyObject* function;
    PyObject* self;
    PyObject* weak_list;
};

PyObject*& callable_of(PyObject* op) {
    return reinterpret_cast<Wrapper*>(op)->callable;
}

Method* method(PyObject* op) {
    return reinterpret_cast<Method*>(op);
}

void wrapper_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    Py_XDECREF(callable_of(op));
    Py_TYPE(op)->tp_free(op);
}

int wrapper_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(callable_of(op));
    return 0;
}

int wrapper_clear(PyObject* op) {
    Py_CLEAR(callable_of(op));
    return 0;
}

PyObject* new_wrapper(PyTypeObject* type, PyObject* callable) {
    PyObject* op = _PyObject_GC_New(type);
    if (op != nullptr) {
        callable_of(op) = Py_NewRef(callable);
        object::track(op);
    }
    return op;
}

// Cleared by the collector, it holds nothing any more.
PyObject* uninitialised(const char* kind) {
    return PyErr_Format(PyExc_RuntimeError, "uninitialized %s object", kind);
}

PyObject* static_get(PyObject* op, PyObject*, PyObject*) {
    return callable_of(op) == nullptr ? uninitialised("staticmethod") : Py_NewRef(callable_of(op));
}

PyObject* static_call(PyObject* op, PyObject* args, PyObject* kwargs) {
    return callable_of(op) == nullptr ? uninitialised("staticmethod")
                                      : PyObject_Call(callable_of(op), args, kwargs);
}

PyObject* class_get(PyObject* op, PyObject* self, PyObject* type) {
    if (callable_of(op) == nullptr) {
        return uninitialised("classmethod");
    }
    return PyMethod_New(callable_of(op),
                        type == nullptr ? reinterpret_cast<PyObject*>(Py_TYPE(self)) : type);
}

void method_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    object::clear_weak_references(op, &method(op)->weak_list);
    Py_DECREF(method(op)->function);
    Py_DECREF(method(op)->self);
    Py_TYPE(op)->tp_free(op);
}

int method_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(method(op)->function);
    Py_VISIT(method(op)->self);
    return 0;
}

PyObject* method_call(PyObject* op, PyObject* args, PyObject* kwargs) {
    const Py_ssize_t count = PyTuple_GET_SIZE(args);
    PyObject* all = PyTuple_New(count + 1);
    if (all == nullptr) {
        return nullptr;
    }
    PyTuple_SET_ITEM(all, 0, Py_NewRef(method(op)->self));
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyTuple_SET_ITEM(all, i + 1, Py_NewRef(PyTuple_GET_ITEM(args, i)));
    }
    PyObject* result = PyObject_Call(method(op)->function, all, kwargs);
    Py_DECREF(all);
    return result;
}

PyObject* method_compare(PyObject* a, PyObject* b, int operation) {
    if ((operation != Py_EQ && operation != Py_NE) || !PyMethod_Check(a) || !PyMethod_Check(b)) {
        return Py_NewRef(Py_NotImplemented);
    }
    int equal = PyObject_RichCompareBool(method(a)->function, method(b)->function, Py_EQ);
    if (equal > 0) {
        equal = method(a)->self == method(b)->self;
    }
    return equal < 0 ? nullptr : PyBool_FromLong((equal != 0) == (operation == Py_EQ));
}

// What a method has not itself its function has.
PyObject* method_getattro(PyObject* op, PyObject* name) {
    if (!type::check_name(name)) {
        return nullptr;
    }
    PyObject* found = nullptr;
    const int is_own = type::lookup(Py_TYPE(op), name, &found);
    Py_XDECREF(found);
    if (is_own < 0) {
        return nullptr;
    }
    return is_own > 0 ? PyObject_GenericGetAttr(op, name)
                      : PyObject_GetAttr(method(op)->function, name);
}

PyObject* method_repr(PyObject* op) {
    object::Own name;
    for (const char* attribute : {"__qualname__", "__name__"}) {
        if (PyObject_GetOptionalAttrString(method(op)->function, attribute, name.out()) < 0) {
            return nullptr;
        }
        if (name) {
            break;
        }
    }
    const bool is_text = name && PyUnicode_Check(name.get());
    return PyUnicode_FromFormat("<bound method %V of %R>", is_text ? name.get() : nullptr, "?",
                                method(op)->self);
}

Py_hash_t method_hash(PyObject* op) {
    const Py_hash_t function = PyObject_Hash(method(op)->function);
    if (function == -1) {
        return -1;
    }
    const auto self = static_cast<Py_hash_t>(reinterpret_cast<uintptr_t>(method(op)->self) >> 4);
    return (function ^ self) == -1 ? -2 : function ^ self;
}

PyObject* check_method(PyObject* op, PyObject* Method::*part) {
    if (!PyMethod_Check(op)) {
        PyErr_BadInternalCall();
        return nullptr;
    }
    return method(op)->*part;
}

PyMemberDef wrapper_members[] = {
    {"__func__", _Py_T_OBJECT, offsetof(Wrapper, callable), Py_READONLY, nullptr}, {}};
PyMemberDef method_members[] = {
    {"__func__", _Py_T_OBJECT, offsetof(Method, function), Py_READONLY, nullptr},
    {"__self__", _Py_T_OBJECT, offsetof(Method, self), Py_READONLY, nullptr},
    {}};

PyObject* instance_method_get(PyObject* op, PyObject* self, PyObject*) {
    if (callable_of(op) == nullptr) {
        return uninitialised("instancemethod");
    }
    return self == nullptr ? Py_NewRef(callable_of(op)) : PyMethod_New(callable_of(op), self);
}

PyObject* instance_method_call(PyObject* op, PyObject* args, PyObject* kwargs) {
    return callable_of(op) == nullptr ? uninitialised("instancemethod")
                                      : PyObject_Call(callable_of(op), args, kwargs);
}

PyObject* instance_method_compare(PyObject* a, PyObject* b, int operation) {
    if ((operation != Py_EQ && operation != Py_NE) || !PyInstanceMethod_Check(a) ||
        !PyInstanceMethod_Check(b)) {
        return Py_NewRef(Py_NotImplemented);
    }
    return PyObject_RichCompare(callable_of(a), callable_of(b), operation);
}

PyObject* instance_method_new(PyTypeObject*, PyObject* args, PyObject* kwargs) {
    PyObject* function;
    if (kwargs != nullptr && PyDict_Size(kwargs) > 0) {
        PyErr_SetString(PyExc_TypeError, "instancemethod() takes no keyword arguments");
        return nullptr;
    }
    if (PyArg_UnpackTuple(args, "instancemethod", 1, 1, &function) == 0) {
        return nullptr;
    }
    if (PyCallable_Check(function) == 0) {
        PyErr_SetString(PyExc_TypeError, "first argument must be callable");
        return nullptr;
    }
    return PyInstanceMethod_New(function);
}

constexpr unsigned long kFlags =
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | OURO_TPFLAGS_CONCURRENT_TRAVERSE;

}  // namespace

PyTypeObject PyStaticMethod_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "staticmethod",
    .tp_basicsize = sizeof(Wrapper),
    .tp_dealloc = wrapper_dealloc,
    .tp_repr =
        [](PyObject* op) { return PyUnicode_FromFormat("<staticmethod(%R)>", callable_of(op)); },
    .tp_call = static_call,
    .tp_flags = kFlags | Py_TPFLAGS_BASETYPE,
    .tp_traverse = wrapper_traverse,
    .tp_clear = wrapper_clear,
    .tp_members = wrapper_members,
    .tp_descr_get = static_get,
};

PyTypeObject PyClassMethod_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "classmethod",
    .tp_basicsize = sizeof(Wrapper),
    .tp_dealloc = wrapper_dealloc,
    .tp_repr =
        [](PyObject* op) { return PyUnicode_FromFormat("<classmethod(%R)>", callable_of(op)); },
    .tp_flags = kFlags | Py_TPFLAGS_BASETYPE,
    .tp_traverse = wrapper_traverse,
    .tp_clear = wrapper_clear,
    .tp_members = wrapper_members,
    .tp_descr_get = class_get,
};

PyTypeObject PyMethod_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "method",
    .tp_basicsize = sizeof(Method),
    .tp_dealloc = method_dealloc,
    .tp_repr = method_repr,
    .tp_hash = method_hash,
    .tp_call = method_call,
    .tp_getattro = method_getattro,
    .tp_flags = kFlags,
    .tp_traverse = method_traverse,
    .tp_richcompare = method_compare,
    .tp_weaklistoffset = offsetof(Method, weak_list),
    .tp_members = method_members,
};

PyTypeObject PyInstanceMethod_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "instancemethod",
    .tp_basicsize = sizeof(Wrapper),
    .tp_dealloc = wrapper_dealloc,
    .tp_hash = PyObject_HashNotImplemented,
    .tp_call = instance_method_call,
    .tp_flags = kFlags,
    .tp_traverse = wrapper_traverse,
    .tp_clear = wrapper_clear,
    .tp_richcompare = instance_method_compare,
    .tp_members = wrapper_members,
    .tp_descr_get = instance_method_get,
    .tp_new = instance_method_new,
};

PyObject* type::callable_of_static_method(PyObject* op) {
    return callable_of(op);
}

PyObject* PyStaticMethod_New(PyObject* callable) {
    return new_wrapper(&PyStaticMethod_Type, callable);
}

PyObject* PyClassMethod_New(PyObject* callable) {
    return new_wrapper(&PyClassMethod_Type, callable);
}

PyObject* PyInstanceMethod_New(PyObject* function) {
    return new_wrapper(&PyInstanceMethod_Type, function);
}

PyObject* PyInstanceMethod_Function(PyObject* op) {
    if (!PyInstanceMethod_Check(op)) {
        PyErr_BadInternalCall();
        return nullptr;
    }
    return callable_of(op);
}

PyObject* PyMethod_New(PyObject* function, PyObject* self) {
    if (self == nullptr) {
        PyErr_BadInternalCall();
        return nullptr;
    }
    PyObject* op = _PyObject_GC_New(&PyMethod_Type);
    if (op != nullptr) {
        method(op)->function = Py_NewRef(function);
        method(op)->self = Py_NewRef(self);
        method(op)->weak_list = nullptr;
        object::track(op);
    }
    return op;
}

PyObject* PyMethod_Function(PyObject* op) {
    return check_method(op, &Method::function);
}

PyObject* PyMethod_Self(PyObject* op) {
    return check_method(op, &Method::self);
}
