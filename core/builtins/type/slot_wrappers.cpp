#include "core/builtins/type/slot_wrappers.hpp"

#include "core/builtins/type/slot_dispatch.hpp"

namespace ouro::type {
namespace {

template <class Function>
Function as(void* wrapped) {
    return reinterpret_cast<Function>(wrapped);
}

bool takes(PyObject* args, Py_ssize_t wanted) {
    const Py_ssize_t given = PyTuple_GET_SIZE(args);
    if (given == wanted) {
        return true;
    }
    PyErr_Format(PyExc_TypeError, "expected %zd argument%s, got %zd", wanted,
                 wanted == 1 ? "" : "s", given);
    return false;
}

PyObject* argument(PyObject* args, Py_ssize_t i) {
    return PyTuple_GET_ITEM(args, i);
}

PyObject* none_or_error(int result) {
    return result < 0 ? nullptr : Py_NewRef(Py_None);
}

PyObject* bool_or_error(int result) {
    return result == -1 && PyErr_Occurred() != nullptr ? nullptr : PyBool_FromLong(result);
}

PyObject* int_or_error(Py_ssize_t result) {
    return result == -1 && PyErr_Occurred() != nullptr ? nullptr : PyLong_FromSsize_t(result);
}

bool index_of(PyObject* op, Py_ssize_t* index) {
    *index = PyNumber_AsSsize_t(op, PyExc_OverflowError);
    return *index != -1 || PyErr_Occurred() == nullptr;
}

bool index_in(PyObject* self, PyObject* op, Py_ssize_t* index) {
    if (!index_of(op, index)) {
        return false;
    }
    const PySequenceMethods* methods = Py_TYPE(self)->tp_as_sequence;
    if (*index < 0 && methods != nullptr && methods->sq_length != nullptr) {
        const Py_ssize_t length = methods->sq_length(self);
        if (length < 0) {
            return false;
        }
        *index += length;
    }
    return true;
}

PyObject* compare(PyObject* self, PyObject* args, void* wrapped, int operation) {
    return takes(args, 1) ? as<richcmpfunc>(wrapped)(self, argument(args, 0), operation) : nullptr;
}

// Whether `function` may change attributes of `self`: no class in C that derives from the one whose function
// it is has another.
bool may_set_attribute(PyObject* self, setattrofunc function, const char* name) {
    const PyTypeObject* type = Py_TYPE(self);
    // Classes not in C have no function of their own.
    const PyTypeObject* definer = type;
    for (Py_ssize_t i = PyTuple_GET_SIZE(type->tp_mro) - 1; i >= 0; --i) {
        const auto* base = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(type->tp_mro, i));
        if (base->tp_setattro != dispatch_setattro && base->tp_setattro == type->tp_setattro) {
            definer = base;
            break;
        }
    }
    for (const PyTypeObject* base = definer; base != nullptr; base = base->tp_base) {
        if (base->tp_setattro == function) {
            return true;
        }
        if (base->tp_setattro != dispatch_setattro) {
            PyErr_Format(PyExc_TypeError, "can't apply this %s to %s object", name, type->tp_name);
            return false;
        }
    }
    return true;
}

}  // namespace

PyObject* wrap_unary(PyObject* self, PyObject* args, void* wrapped) {
    return takes(args, 0) ? as<unaryfunc>(wrapped)(self) : nullptr;
}

PyObject* wrap_binary(PyObject* self, PyObject* args, void* wrapped) {
    return takes(args, 1) ? as<binaryfunc>(wrapped)(self, argument(args, 0)) : nullptr;
}

PyObject* wrap_binary_left(PyObject* self, PyObject* args, void* wrapped) {
    return wrap_binary(self, args, wrapped);
}

PyObject* wrap_binary_right(PyObject* self, PyObject* args, void* wrapped) {
    return takes(args, 1) ? as<binaryfunc>(wrapped)(argument(args, 0), self) : nullptr;
}

PyObject* wrap_ternary(PyObject* self, PyObject* args, void* wrapped) {
    PyObject* other;
    PyObject* third = Py_None;
    return PyArg_UnpackTuple(args, "", 1, 2, &other, &third) != 0
               ? as<ternaryfunc>(wrapped)(self, other, third)
               : nullptr;
}

PyObject* wrap_ternary_right(PyObject* self, PyObject* args, void* wrapped) {
    PyObject* other;
    PyObject* third = Py_None;
    return PyArg_UnpackTuple(args, "", 1, 2, &other, &third) != 0
               ? as<ternaryfunc>(wrapped)(other, self, third)
               : nullptr;
}

PyObject* wrap_inquiry(PyObject* self, PyObject* args, void* wrapped) {
    return takes(args, 0) ? bool_or_error(as<inquiry>(wrapped)(self)) : nullptr;
}

PyObject* wrap_length(PyObject* self, PyObject* args, void* wrapped) {
    return takes(args, 0) ? int_or_error(as<lenfunc>(wrapped)(self)) : nullptr;
}

PyObject* wrap_hash(PyObject* self, PyObject* args, void* wrapped) {
    return takes(args, 0) ? int_or_error(as<hashfunc>(wrapped)(self)) : nullptr;
}

PyObject* wrap_contains(PyObject* self, PyObject* args, void* wrapped) {
    return takes(args, 1) ? bool_or_error(as<objobjproc>(wrapped)(self, argument(args, 0)))
                          : nullptr;
}

PyObject* wrap_set_key(PyObject* self, PyObject* args, void* wrapped) {
    PyObject *key, *value;
    return PyArg_UnpackTuple(args, "", 2, 2, &key, &value) != 0
               ? none_or_error(as<objobjargproc>(wrapped)(self, key, value))
               : nullptr;
}

PyObject* wrap_delete_key(PyObject* self, PyObject* args, void* wrapped) {
    return takes(args, 1)
               ? none_or_error(as<objobjargproc>(wrapped)(self, argument(args, 0), nullptr))
               : nullptr;
}

PyObject* wrap_repeat(PyObject* self, PyObject* args, void* wrapped) {
    PyObject* times;
    Py_ssize_t count;
    return PyArg_UnpackTuple(args, "", 1, 1, &times) != 0 && index_of(times, &count)
               ? as<ssizeargfunc>(wrapped)(self, count)
               : nullptr;
}

PyObject* wrap_item(PyObject* self, PyObject* args, void* wrapped) {
    Py_ssize_t index;
    return takes(args, 1) && index_in(self, argument(args, 0), &index)
               ? as<ssizeargfunc>(wrapped)(self, index)
               : nullptr;
}

PyObject* wrap_set_item(PyObject* self, PyObject* args, void* wrapped) {
    PyObject *key, *value;
    Py_ssize_t index;
    return PyArg_UnpackTuple(args, "", 2, 2, &key, &value) != 0 && index_in(self, key, &index)
               ? none_or_error(as<ssizeobjargproc>(wrapped)(self, index, value))
               : nullptr;
}

PyObject* wrap_delete_item(PyObject* self, PyObject* args, void* wrapped) {
    Py_ssize_t index;
    return takes(args, 1) && index_in(self, argument(args, 0), &index)
               ? none_or_error(as<ssizeobjargproc>(wrapped)(self, index, nullptr))
               : nullptr;
}

PyObject* wrap_less(PyObject* self, PyObject* args, void* wrapped) {
    return compare(self, args, wrapped, Py_LT);
}
PyObject* wrap_less_equal(PyObject* self, PyObject* args, void* wrapped) {
    return compare(self, args, wrapped, Py_LE);
}
PyObject* wrap_equal(PyObject* self, PyObject* args, void* wrapped) {
    return compare(self, args, wrapped, Py_EQ);
}
PyObject* wrap_not_equal(PyObject* self, PyObject* args, void* wrapped) {
    return compare(self, args, wrapped, Py_NE);
}
PyObject* wrap_greater(PyObject* self, PyObject* args, void* wrapped) {
    return compare(self, args, wrapped, Py_GT);
}
PyObject* wrap_greater_equal(PyObject* self, PyObject* args, void* wrapped) {
    return compare(self, args, wrapped, Py_GE);
}

PyObject* wrap_set_attribute(PyObject* self, PyObject* args, void* wrapped) {
    PyObject *name, *value;
    return PyArg_UnpackTuple(args, "", 2, 2, &name, &value) != 0 &&
                   may_set_attribute(self, as<setattrofunc>(wrapped), "__setattr__")
               ? none_or_error(as<setattrofunc>(wrapped)(self, name, value))
               : nullptr;
}

PyObject* wrap_delete_attribute(PyObject* self, PyObject* args, void* wrapped) {
    return takes(args, 1) && may_set_attribute(self, as<setattrofunc>(wrapped), "__delattr__")
               ? none_or_error(as<setattrofunc>(wrapped)(self, argument(args, 0), nullptr))
               : nullptr;
}

PyObject* wrap_get(PyObject* self, PyObject* args, void* wrapped) {
    PyObject* instance;
    PyObject* owner = nullptr;
    if (PyArg_UnpackTuple(args, "", 1, 2, &instance, &owner) == 0) {
        return nullptr;
    }
    instance = instance == Py_None ? nullptr : instance;
    owner = owner == Py_None ? nullptr : owner;
    if (instance == nullptr && owner == nullptr) {
        PyErr_SetString(PyExc_TypeError, "__get__(None, None) is invalid");
        return nullptr;
    }
    return as<descrgetfunc>(wrapped)(self, instance, owner);
}

PyObject* wrap_set(PyObject* self, PyObject* args, void* wrapped) {
    PyObject *instance, *value;
    return PyArg_UnpackTuple(args, "", 2, 2, &instance, &value) != 0
               ? none_or_error(as<descrsetfunc>(wrapped)(self, instance, value))
               : nullptr;
}

PyObject* wrap_delete(PyObject* self, PyObject* args, void* wrapped) {
    return takes(args, 1)
               ? none_or_error(as<descrsetfunc>(wrapped)(self, argument(args, 0), nullptr))
               : nullptr;
}

PyObject* wrap_next(PyObject* self, PyObject* args, void* wrapped) {
    if (!takes(args, 0)) {
        return nullptr;
    }
    PyObject* next = as<iternextfunc>(wrapped)(self);
    if (next == nullptr && PyErr_Occurred() == nullptr) {
        PyErr_SetNone(PyExc_StopIteration);
    }
    return next;
}

PyObject* wrap_finalize(PyObject* self, PyObject* args, void* wrapped) {
    if (!takes(args, 0)) {
        return nullptr;
    }
    as<destructor>(wrapped)(self);
    return Py_NewRef(Py_None);
}

PyObject* wrap_call(PyObject* self, PyObject* args, void* wrapped, PyObject* kwargs) {
    return as<ternaryfunc>(wrapped)(self, args, kwargs);
}

PyObject* wrap_init(PyObject* self, PyObject* args, void* wrapped, PyObject* kwargs) {
    return none_or_error(as<initproc>(wrapped)(self, args, kwargs));
}

}  // namespace ouro::type
