// Functions written in C. Each calling convention has a vectorcall of its own, so that none but
// METH_VARARGS makes a tuple.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "core/builtins/exception/recursion.hpp"
#include "core/builtins/type/descriptor.hpp"
#include "core/object/object.hpp"
#include "core/object/own.hpp"
#include "core/object/take.hpp"
#include "core/object/weakref.hpp"

using namespace ouro;

namespace {

PyCFunctionObject* function(PyObject* op) {
    return reinterpret_cast<PyCFunctionObject*>(op);
}

PyTypeObject*& class_of(PyObject* op) {
    return reinterpret_cast<PyCMethodObject*>(op)->mm_class;
}

// By way of a type that fits any function: the compiler would warn of a direct cast.
template <class Function>
Function as(PyCFunction method) {
    return reinterpret_cast<Function>(reinterpret_cast<void (*)()>(method));
}

// What a function is a method of: a function of a module is nobody's.
PyObject* receiver(PyObject* op) {
    PyObject* self = function(op)->m_self;
    return self == nullptr || PyModule_Check(self) ? nullptr : self;
}

// "module.Type.name", without what is not known; of module builtins only what follows.
class FullName {
public:
    explicit FullName(PyObject* op) {
        const object::Own module(object::take([op] { return &function(op)->m_module; }, op));
        const char* prefix =
            module && PyUnicode_Check(module.get()) ? PyUnicode_AsUTF8(module.get()) : nullptr;
        if (prefix == nullptr) {
            PyErr_Clear();
        } else if (std::strcmp(prefix, "builtins") != 0) {
            append(prefix);
        }
        if (PyObject* self = receiver(op)) {
            const auto* type =
                PyType_Check(self) ? reinterpret_cast<PyTypeObject*>(self) : Py_TYPE(self);
            append(type::last_part(type->tp_name));
        }
        append(function(op)->m_ml->ml_name);
    }
    const char* text() const { return text_.data(); }

private:
    void append(const char* part) {
        const int written = std::snprintf(text_.data() + size_, text_.size() - size_, "%s%s",
                                          size_ > 0 ? "." : "", part);
        size_ = std::min(size_ + static_cast<size_t>(written), text_.size() - 1);
    }

    std::array<char, 512> text_;
    size_t size_ = 0;
};

[[gnu::noinline]] PyObject* refuse_keywords(PyObject* op) {
    return PyErr_Format(PyExc_TypeError, "%s() takes no keyword arguments", FullName(op).text());
}

[[gnu::noinline]] PyObject* refuse_count(PyObject* op, const char* takes, Py_ssize_t given) {
    return PyErr_Format(PyExc_TypeError, "%s() takes %s (%zd given)", FullName(op).text(), takes,
                        given);
}

bool has_keywords(PyObject* kwnames) {
    return kwnames != nullptr && PyTuple_GET_SIZE(kwnames) > 0;
}

PyObject* call_noargs(PyObject* op, PyObject* const*, size_t nargsf, PyObject* kwnames) {
    if (has_keywords(kwnames)) {
        return refuse_keywords(op);
    }
    const Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
    if (nargs != 0) {
        return refuse_count(op, "no arguments", nargs);
    }
    const exception::NestedCall nested;
    return nested ? PyCFunction_GET_FUNCTION(op)(PyCFunction_GET_SELF(op), nullptr) : nullptr;
}

PyObject* call_one(PyObject* op, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
    if (has_keywords(kwnames)) {
        return refuse_keywords(op);
    }
    const Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
    if (nargs != 1) {
        return refuse_count(op, "exactly one argument", nargs);
    }
    const exception::NestedCall nested;
    return nested ? PyCFunction_GET_FUNCTION(op)(PyCFunction_GET_SELF(op), args[0]) : nullptr;
}

PyObject* call_fast(PyObject* op, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
    if (has_keywords(kwnames)) {
        return refuse_keywords(op);
    }
    const exception::NestedCall nested;
    return nested ? as<PyCFunctionFast>(PyCFunction_GET_FUNCTION(op))(
                        PyCFunction_GET_SELF(op), args, PyVectorcall_NARGS(nargsf))
                  : nullptr;
}

PyObject* call_fast_keywords(PyObject* op, PyObject* const* args, size_t nargsf,
                             PyObject* kwnames) {
    const exception::NestedCall nested;
    return nested ? as<PyCFunctionFastWithKeywords>(PyCFunction_GET_FUNCTION(op))(
                        PyCFunction_GET_SELF(op), args, PyVectorcall_NARGS(nargsf), kwnames)
                  : nullptr;
}

PyObject* call_method(PyObject* op, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
    const exception::NestedCall nested;
    return nested ? as<PyCMethod>(PyCFunction_GET_FUNCTION(op))(
                        PyCFunction_GET_SELF(op), class_of(op), args,
                        static_cast<size_t>(PyVectorcall_NARGS(nargsf)), kwnames)
                  : nullptr;
}

PyObject* function_call(PyObject* op, PyObject* args, PyObject* kwargs) {
    const int flags = PyCFunction_GET_FLAGS(op);
    if ((flags & METH_VARARGS) == 0) {
        return PyVectorcall_Call(op, args, kwargs);
    }
    const PyCFunction method = PyCFunction_GET_FUNCTION(op);
    PyObject* self = PyCFunction_GET_SELF(op);
    if ((flags & METH_KEYWORDS) != 0) {
        return as<PyCFunctionWithKeywords>(method)(self, args, kwargs);
    }
    if (kwargs != nullptr && PyDict_Size(kwargs) > 0) {
        return PyErr_Format(PyExc_TypeError, "%.200s() takes no keyword arguments",
                            function(op)->m_ml->ml_name);
    }
    return method(self, args);
}

void function_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    object::clear_weak_references(op, &function(op)->m_weakreflist);
    if (Py_IS_TYPE(op, &PyCMethod_Type)) {
        Py_XDECREF(class_of(op));
    }
    Py_XDECREF(function(op)->m_self);
    Py_XDECREF(function(op)->m_module);
    Py_TYPE(op)->tp_free(op);
}

int function_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(function(op)->m_self);
    Py_VISIT(function(op)->m_module);
    return 0;
}

int method_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(class_of(op));
    return function_traverse(op, visit, arg);
}

PyObject* function_repr(PyObject* op) {
    std::array<char, 512> text;
    const char* name = function(op)->m_ml->ml_name;
    if (PyObject* self = receiver(op)) {
        std::snprintf(text.data(), text.size(), "<built-in method %s of %s object at %p>", name,
                      Py_TYPE(self)->tp_name, static_cast<void*>(self));
    } else {
        std::snprintf(text.data(), text.size(), "<built-in function %s>", name);
    }
    return PyUnicode_FromString(text.data());
}

// Two functions are equal that call the same code for the same object.
PyObject* function_compare(PyObject* a, PyObject* b, int operation) {
    if ((operation != Py_EQ && operation != Py_NE) || !PyCFunction_Check(a) ||
        !PyCFunction_Check(b)) {
        return Py_NewRef(Py_NotImplemented);
    }
    const bool equal = function(a)->m_self == function(b)->m_self &&
                       PyCFunction_GET_FUNCTION(a) == PyCFunction_GET_FUNCTION(b);
    return PyBool_FromLong(equal == (operation == Py_EQ));
}

Py_hash_t function_hash(PyObject* op) {
    const auto scatter = [](auto pointer) {
        const auto address = reinterpret_cast<uintptr_t>(pointer);
        return address >> 4 | address << 60;
    };
    const auto hash = static_cast<Py_hash_t>(scatter(function(op)->m_self) ^
                                             scatter(PyCFunction_GET_FUNCTION(op)));
    return hash == -1 ? -2 : hash;
}

PyObject* function_name(PyObject* op, void*) {
    return PyUnicode_FromString(function(op)->m_ml->ml_name);
}

// With the class that it is a method of, or of whose objects.
PyObject* function_qualified_name(PyObject* op, void*) {
    PyObject* self = receiver(op);
    if (self == nullptr) {
        return function_name(op, nullptr);
    }
    PyObject* type = PyType_Check(self) ? self : reinterpret_cast<PyObject*>(Py_TYPE(self));
    const object::Own owner(PyObject_GetAttrString(type, "__qualname__"));
    if (!owner) {
        return nullptr;
    }
    if (!PyUnicode_Check(owner.get())) {
        PyErr_SetString(PyExc_TypeError, "<method>.__class__.__qualname__ is not a unicode object");
        return nullptr;
    }
    return PyUnicode_FromFormat("%S.%s", owner.get(), function(op)->m_ml->ml_name);
}

PyObject* function_self(PyObject* op, void*) {
    PyObject* self = PyCFunction_GET_SELF(op);
    return Py_NewRef(self == nullptr ? Py_None : self);
}

PyGetSetDef function_getset[] = {
    {"__name__", function_name, nullptr, nullptr, nullptr},
    {"__qualname__", function_qualified_name, nullptr, nullptr, nullptr},
    {"__self__", function_self, nullptr, nullptr, nullptr},
    {"__doc__", [](PyObject* op, void*) { return type::doc_or_none(function(op)->m_ml->ml_doc); },
     nullptr, nullptr, nullptr},
    {"__text_signature__",
     [](PyObject* op, void*) { return type::signature_or_none(function(op)->m_ml->ml_doc); },
     nullptr, nullptr, nullptr},
    {}};

PyMemberDef function_members[] = {
    {"__module__", _Py_T_OBJECT, offsetof(PyCFunctionObject, m_module), 0, nullptr}, {}};

constexpr int kConventions =
    METH_VARARGS | METH_KEYWORDS | METH_NOARGS | METH_O | METH_FASTCALL | METH_METHOD;

// False for flags that contradict each other.
bool find_vectorcall(int flags, vectorcallfunc* vectorcall) {
    switch (flags & kConventions) {
        case METH_VARARGS:
        case METH_VARARGS | METH_KEYWORDS:
            *vectorcall = nullptr;  // a caller's tuple is handed on as it is
            return true;
        case METH_NOARGS:
            *vectorcall = call_noargs;
            return true;
        case METH_O:
            *vectorcall = call_one;
            return true;
        case METH_FASTCALL:
            *vectorcall = call_fast;
            return true;
        case METH_FASTCALL | METH_KEYWORDS:
            *vectorcall = call_fast_keywords;
            return true;
        case METH_METHOD | METH_FASTCALL | METH_KEYWORDS:
            *vectorcall = call_method;
            return true;
        default:
            return false;
    }
}

}  // namespace

PyTypeObject PyCFunction_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "builtin_function_or_method",
    .tp_basicsize = sizeof(PyCFunctionObject),
    .tp_dealloc = function_dealloc,
    .tp_vectorcall_offset = offsetof(PyCFunctionObject, vectorcall),
    .tp_repr = function_repr,
    .tp_hash = function_hash,
    .tp_call = function_call,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                OURO_TPFLAGS_CONCURRENT_TRAVERSE,
    .tp_traverse = function_traverse,
    .tp_richcompare = function_compare,
    .tp_weaklistoffset = offsetof(PyCFunctionObject, m_weakreflist),
    .tp_members = function_members,
    .tp_getset = function_getset,
};

PyTypeObject PyCMethod_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "builtin_method",
    .tp_basicsize = sizeof(PyCMethodObject),
    .tp_vectorcall_offset = offsetof(PyCFunctionObject, vectorcall),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                OURO_TPFLAGS_CONCURRENT_TRAVERSE,
    .tp_traverse = method_traverse,
    .tp_base = &PyCFunction_Type,
};

PyObject* PyCMethod_New(PyMethodDef* method, PyObject* self, PyObject* module, PyTypeObject* type) {
    vectorcallfunc vectorcall;
    if (!find_vectorcall(method->ml_flags, &vectorcall)) {
        return PyErr_Format(PyExc_SystemError, "%s() method: bad call flags", method->ml_name);
    }
    const bool has_class = (method->ml_flags & METH_METHOD) != 0;
    if (has_class != (type != nullptr)) {
        PyErr_SetString(
            PyExc_SystemError,
            has_class ? "attempting to create PyCMethod with a METH_METHOD flag but no class"
                      : "attempting to create PyCFunction with class but no METH_METHOD flag");
        return nullptr;
    }
    PyObject* op = _PyObject_GC_New(has_class ? &PyCMethod_Type : &PyCFunction_Type);
    if (op == nullptr) {
        return nullptr;
    }
    function(op)->m_ml = method;
    function(op)->m_self = Py_XNewRef(self);
    function(op)->m_module = Py_XNewRef(module);
    function(op)->m_weakreflist = nullptr;
    function(op)->vectorcall = vectorcall;
    if (has_class) {
        Py_INCREF(type);
        class_of(op) = type;
    }
    object::track(op);
    return op;
}

PyObject* PyCFunction_NewEx(PyMethodDef* method, PyObject* self, PyObject* module) {
    return PyCMethod_New(method, self, module, nullptr);
}

PyObject* PyCFunction_New(PyMethodDef* method, PyObject* self) {
    return PyCMethod_New(method, self, nullptr, nullptr);
}

PyCFunction PyCFunction_GetFunction(PyObject* op) {
    if (!PyCFunction_Check(op)) {
        PyErr_BadInternalCall();
        return nullptr;
    }
    return PyCFunction_GET_FUNCTION(op);
}

PyObject* PyCFunction_GetSelf(PyObject* op) {
    if (!PyCFunction_Check(op)) {
        PyErr_BadInternalCall();
        return nullptr;
    }
    return PyCFunction_GET_SELF(op);
}

int PyCFunction_GetFlags(PyObject* op) {
    if (!PyCFunction_Check(op)) {
        PyErr_BadInternalCall();
        return -1;
    }
    return PyCFunction_GET_FLAGS(op);
}

PyObject* PyCFunction_Call(PyObject* callable, PyObject* args, PyObject* kwargs) {
    return PyObject_Call(callable, args, kwargs);
}
