// Of every object: how it is shown, compared, hashed, called and made; its attributes; its end.
#include "core/builtins/type/slot_dispatch.hpp"

#include "core/builtins/type/descriptor.hpp"
#include "core/builtins/type/lookup.hpp"
#include "core/object/own.hpp"
#include "core/object/saved_error.hpp"

namespace ouro::type {
namespace {

// 0, or -1 with the exception; drops the result.
int done(PyObject* result) {
    if (result == nullptr) {
        return -1;
    }
    Py_DECREF(result);
    return 0;
}

// A hash of any size is made one that fits.
Py_hash_t hash_from(PyObject* op) {
    if (!PyLong_Check(op)) {
        PyErr_SetString(PyExc_TypeError, "__hash__ method should return an integer");
        return -1;
    }
    Py_ssize_t hash = PyLong_AsSsize_t(op);
    if (hash == -1 && PyErr_Occurred() != nullptr) {
        if (PyErr_ExceptionMatches(PyExc_OverflowError) == 0) {
            return -1;
        }
        PyErr_Clear();
        hash = PyLong_Type.tp_hash(op);
    }
    return hash == -1 ? -2 : hash;
}

// Calls with a tuple and a dict: of what is bound to its object.
PyObject* call_bound(PyObject* self, PyObject* name, PyObject* args, PyObject* kwargs) {
    PyObject* method;
    const int found = bind_special(self, name, &method);
    if (found <= 0) {
        if (found == 0) {
            PyErr_SetObject(PyExc_AttributeError, name);
        }
        return nullptr;
    }
    PyObject* result = PyObject_Call(method, args, kwargs);
    Py_DECREF(method);
    return result;
}

PyObject* comparison_name(int operation) {
    switch (operation) {
        case Py_LT:
            return "__lt__"_name;
        case Py_LE:
            return "__le__"_name;
        case Py_EQ:
            return "__eq__"_name;
        case Py_NE:
            return "__ne__"_name;
        case Py_GT:
            return "__gt__"_name;
        default:
            return "__ge__"_name;
    }
}

// What the class has for every attribute; what it has in C is called as it is.
PyObject* get_attribute(PyObject* self, PyObject* name) {
    PyObject* special = "__getattribute__"_name;
    PyObject* found = nullptr;
    if (special == nullptr || lookup(Py_TYPE(self), special, &found) < 0) {
        return nullptr;
    }
    const bool is_generic = found != nullptr && Py_IS_TYPE(found, &PyWrapperDescr_Type) &&
                            wrapped_by(found) == reinterpret_cast<void*>(PyObject_GenericGetAttr);
    Py_XDECREF(found);
    return is_generic || found == nullptr ? PyObject_GenericGetAttr(self, name)
                                          : call_special(self, special, name);
}

PyObject* refuse_iteration(PyObject* self) {
    return PyErr_Format(PyExc_TypeError, "'%.200s' object is not iterable", Py_TYPE(self)->tp_name);
}

PyObject* call_async(PyObject* self, PyObject* name, const char* text) {
    const SpecialMethod method(self, name);
    if (method.failed()) {
        return nullptr;
    }
    if (method.missing()) {
        return PyErr_Format(PyExc_AttributeError, "object %.50s does not have %s method",
                            Py_TYPE(self)->tp_name, text);
    }
    return method.call();
}

}  // namespace

PyObject* dispatch_repr(PyObject* self) {
    const SpecialMethod method(self, "__repr__"_name);
    if (method.failed()) {
        return nullptr;
    }
    return method.missing()
               ? PyUnicode_FromFormat("<%s object at %p>", Py_TYPE(self)->tp_name, self)
               : method.call();
}

PyObject* dispatch_str(PyObject* self) {
    return call_special(self, "__str__"_name);
}

Py_hash_t dispatch_hash(PyObject* self) {
    const SpecialMethod method(self, "__hash__"_name);
    if (method.failed()) {
        return -1;
    }
    if (method.missing() || method.is_none()) {
        return PyObject_HashNotImplemented(self);
    }
    PyObject* result = method.call();
    const Py_hash_t hash = result == nullptr ? -1 : hash_from(result);
    Py_XDECREF(result);
    return hash;
}

PyObject* dispatch_call(PyObject* self, PyObject* args, PyObject* kwargs) {
    return call_bound(self, "__call__"_name, args, kwargs);
}

PyObject* dispatch_getattro(PyObject* self, PyObject* name) {
    PyObject* found = get_attribute(self, name);
    if (found != nullptr || PyErr_ExceptionMatches(PyExc_AttributeError) == 0) {
        return found;
    }
    object::Own raised(PyErr_GetRaisedException());
    const SpecialMethod fallback(self, "__getattr__"_name);
    if (fallback.failed()) {
        return nullptr;
    }
    if (fallback.missing()) {
        PyErr_SetRaisedException(raised.release());
        return nullptr;
    }
    return fallback.call(name);
}

int dispatch_setattro(PyObject* self, PyObject* name, PyObject* value) {
    return done(value == nullptr ? call_special(self, "__delattr__"_name, name)
                                 : call_special(self, "__setattr__"_name, name, value));
}

PyObject* dispatch_richcompare(PyObject* self, PyObject* other, int operation) {
    return call_or_not_implemented(self, comparison_name(operation), other);
}

PyObject* dispatch_iter(PyObject* self) {
    const SpecialMethod method(self, "__iter__"_name);
    if (method.failed()) {
        return nullptr;
    }
    if (method.is_none()) {
        return refuse_iteration(self);
    }
    if (!method.missing()) {
        return method.call();
    }
    const SpecialMethod item(self, "__getitem__"_name);
    if (item.failed()) {
        return nullptr;
    }
    return item.missing() ? refuse_iteration(self) : PySeqIter_New(self);
}

PyObject* dispatch_iternext(PyObject* self) {
    return call_special(self, "__next__"_name);
}

PyObject* dispatch_descr_get(PyObject* self, PyObject* instance, PyObject* owner) {
    PyObject* name = "__get__"_name;
    PyObject* get;
    // A descriptor's own method is not looked up as a descriptor.
    const int found = name == nullptr ? -1 : lookup(Py_TYPE(self), name, &get);
    if (found <= 0) {
        return found < 0 ? nullptr : Py_NewRef(self);
    }
    PyObject* args[] = {self, instance == nullptr ? Py_None : instance,
                        owner == nullptr ? Py_None : owner};
    PyObject* result = PyObject_Vectorcall(get, args, 3, nullptr);
    Py_DECREF(get);
    return result;
}

int dispatch_descr_set(PyObject* self, PyObject* instance, PyObject* value) {
    return done(value == nullptr ? call_special(self, "__delete__"_name, instance)
                                 : call_special(self, "__set__"_name, instance, value));
}

int dispatch_init(PyObject* self, PyObject* args, PyObject* kwargs) {
    PyObject* result = call_bound(self, "__init__"_name, args, kwargs);
    if (result != nullptr && result != Py_None) {
        PyErr_Format(PyExc_TypeError, "__init__() should return None, not '%.200s'",
                     Py_TYPE(result)->tp_name);
        Py_CLEAR(result);
    }
    return done(result);
}

PyObject* dispatch_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    PyObject* name = "__new__"_name;
    auto* op = reinterpret_cast<PyObject*>(type);
    PyObject* function = name == nullptr ? nullptr : PyObject_GetAttr(op, name);
    if (function == nullptr) {
        return nullptr;
    }
    const Py_ssize_t count = PyTuple_GET_SIZE(args);
    PyObject* all = PyTuple_New(count + 1);
    if (all != nullptr) {
        PyTuple_SET_ITEM(all, 0, Py_NewRef(op));
        for (Py_ssize_t i = 0; i < count; ++i) {
            PyTuple_SET_ITEM(all, i + 1, Py_NewRef(PyTuple_GET_ITEM(args, i)));
        }
    }
    PyObject* made = all == nullptr ? nullptr : PyObject_Call(function, all, kwargs);
    Py_XDECREF(all);
    Py_DECREF(function);
    return made;
}

void dispatch_finalize(PyObject* self) {
    const object::SavedError saved;
    const SpecialMethod method(self, "__del__"_name);
    if (method.missing()) {
        return;
    }
    const object::Own result(method.failed() ? nullptr : method.call());
    if (!result) {
        PyErr_WriteUnraisable(method.failed() ? self : method.callable());
    }
}

PyObject* dispatch_await(PyObject* self) {
    return call_async(self, "__await__"_name, "__await__");
}

PyObject* dispatch_aiter(PyObject* self) {
    return call_async(self, "__aiter__"_name, "__aiter__");
}

PyObject* dispatch_anext(PyObject* self) {
    return call_async(self, "__anext__"_name, "__anext__");
}

}  // namespace ouro::type
