#include "core/builtins/type/new_method.hpp"
#include "core/builtins/type/heap_type.hpp"

#include "core/builtins/type/slot_dispatch.hpp"
#include "core/object/own.hpp"

namespace ouro::type {
namespace {

// The first class in C among a type and its bases: objects are made as it makes them. The others call __new__.
const PyTypeObject* class_in_c(const PyTypeObject* type) {
    while (type != nullptr && type->tp_new == dispatch_new) {
        type = type->tp_base;
    }
    return type;
}

// The type that an object is asked of, if `type` may make one; nullptr with TypeError.
PyTypeObject* check_asked(PyTypeObject* type, PyObject* args) {
    const char* name = type->tp_name;
    if (PyTuple_GET_SIZE(args) < 1) {
        PyErr_Format(PyExc_TypeError, "%s.__new__(): not enough arguments", name);
        return nullptr;
    }
    PyObject* first = PyTuple_GET_ITEM(args, 0);
    if (!PyType_Check(first)) {
        PyErr_Format(PyExc_TypeError, "%s.__new__(X): X is not a type object (%s)", name,
                     Py_TYPE(first)->tp_name);
        return nullptr;
    }
    PyTypeObject* asked = as_type(first);
    if (PyType_IsSubtype(asked, type) == 0) {
        PyErr_Format(PyExc_TypeError, "%s.__new__(%s): %s is not a subtype of %s", name,
                     asked->tp_name, asked->tp_name, name);
        return nullptr;
    }
    const PyTypeObject* maker = class_in_c(asked);
    if (maker != nullptr && maker->tp_new != type->tp_new) {
        PyErr_Format(PyExc_TypeError, "%s.__new__(%s) is not safe, use %s.__new__()", name,
                     asked->tp_name, maker->tp_name);
        return nullptr;
    }
    return asked;
}

PyObject* call_new(PyObject* self, PyObject* args, PyObject* kwargs) {
    if (self == nullptr || !PyType_Check(self)) {
        PyErr_SetString(PyExc_SystemError, "__new__() called with non-type 'self'");
        return nullptr;
    }
    PyTypeObject* asked = check_asked(as_type(self), args);
    if (asked == nullptr) {
        return nullptr;
    }
    const object::Own rest(PyTuple_GetSlice(args, 1, PyTuple_GET_SIZE(args)));
    return rest ? as_type(self)->tp_new(asked, rest.get(), kwargs) : nullptr;
}

PyMethodDef new_method = {
    "__new__", _PyCFunction_CAST(call_new), METH_VARARGS | METH_KEYWORDS,
    "__new__($type, *args, **kwargs)\n--\n\n"
    "Create and return a new object.  See help(type) for accurate signature."};

}  // namespace

bool add_new_method(PyTypeObject* type) {
    PyObject* name = "__new__"_name;
    const int there = name == nullptr ? -1 : PyDict_Contains(type->tp_dict, name);
    if (there != 0) {
        return there > 0;
    }
    const object::Own method(
        PyCFunction_NewEx(&new_method, reinterpret_cast<PyObject*>(type), nullptr));
    return method && PyDict_SetItem(type->tp_dict, name, method.get()) == 0;
}

bool is_new_method(PyObject* op) {
    return PyCFunction_CheckExact(op) &&
           reinterpret_cast<PyCFunctionObject*>(op)->m_ml == &new_method;
}

}  // namespace ouro::type
