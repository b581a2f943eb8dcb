// type: the type of types. Calling one makes an object; its attributes are its own and its bases'.
#include <cstring>

#include "core/builtins/type/descriptor.hpp"
#include "core/builtins/type/heap_type.hpp"
#include "core/builtins/type/lookup.hpp"
#include "core/builtins/type/new_type.hpp"
#include "core/builtins/type/ready.hpp"
#include "core/builtins/type/type_attributes.hpp"
#include "core/mutator/state.hpp"
#include "core/object/object.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using type::as_type;

namespace {

PyObject* type_call(PyObject* op, PyObject* args, PyObject* kwargs) {
    PyTypeObject* type = as_type(op);
    const Py_ssize_t count = PyTuple_GET_SIZE(args);
    const bool has_keywords = kwargs != nullptr && PyDict_Size(kwargs) > 0;
    if (type == &PyType_Type) {
        if (count == 1 && !has_keywords) {
            return Py_NewRef(Py_TYPE(PyTuple_GET_ITEM(args, 0)));
        }
        if (count != 3) {
            PyErr_SetString(PyExc_TypeError, "type() takes 1 or 3 arguments");
            return nullptr;
        }
    }
    if (!type::is_ready(type) && PyType_Ready(type) < 0) {
        return nullptr;
    }
    if (type->tp_new == nullptr) {
        return PyErr_Format(PyExc_TypeError, "cannot create '%s' instances", type->tp_name);
    }
    PyObject* made = type->tp_new(type, args, kwargs);
    if ((made == nullptr) != (mutator::error.raised != nullptr)) [[unlikely]] {
        const char* wrong = made == nullptr ? "returned NULL without setting an exception"
                                            : "returned a result with an exception set";
        Py_XDECREF(made);
        return PyErr_Format(PyExc_SystemError, "<class '%s'> %s", type->tp_name, wrong);
    }
    // What is of another kind is its maker's affair.
    if (made == nullptr || PyObject_TypeCheck(made, type) == 0) {
        return made;
    }
    const initproc init = Py_TYPE(made)->tp_init;
    if (init == PyBaseObject_Type.tp_init && count == 0 && !has_keywords) {
        return made;  // object's own would find that nothing was given
    }
    if (init != nullptr && init(made, args, kwargs) < 0) {
        Py_DECREF(made);
        return nullptr;
    }
    return made;
}

PyObject* type_getattro(PyObject* op, PyObject* name) {
    if (!type::check_name(name)) {
        return nullptr;
    }
    PyTypeObject* type = as_type(op);
    PyTypeObject* meta = Py_TYPE(op);
    PyObject* descriptor = nullptr;
    if (type::lookup(meta, name, &descriptor) < 0) {
        return nullptr;
    }
    const descrgetfunc get = descriptor == nullptr ? nullptr : Py_TYPE(descriptor)->tp_descr_get;
    PyObject* result = nullptr;
    if (get != nullptr && PyDescr_IsData(descriptor) != 0) {
        result = get(descriptor, op, reinterpret_cast<PyObject*>(meta));
        Py_DECREF(descriptor);
        return result;
    }
    PyObject* attribute = nullptr;
    const int found = type::lookup(type, name, &attribute);
    if (found != 0) {
        Py_XDECREF(descriptor);
        const descrgetfunc bind = attribute == nullptr ? nullptr : Py_TYPE(attribute)->tp_descr_get;
        if (bind == nullptr) {
            return attribute;
        }
        result = bind(attribute, nullptr, op);
        Py_DECREF(attribute);
        return result;
    }
    if (descriptor == nullptr) {
        return PyErr_Format(PyExc_AttributeError, "type object '%.100s' has no attribute '%U'",
                            type->tp_name, name);
    }
    if (get == nullptr) {
        return descriptor;
    }
    result = get(descriptor, op, reinterpret_cast<PyObject*>(meta));
    Py_DECREF(descriptor);
    return result;
}

PyObject* type_repr(PyObject* op) {
    const object::Own name(type::full_name_of(as_type(op)));
    return name ? PyUnicode_FromFormat("<class '%U'>", name.get()) : nullptr;
}

}  // namespace

PyTypeObject PyType_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "type",
    .tp_basicsize = sizeof(PyHeapTypeObject),
    .tp_itemsize = sizeof(PyMemberDef),
    .tp_dealloc = type::type_dealloc,
    .tp_repr = type_repr,
    .tp_call = type_call,
    .tp_getattro = type_getattro,
    .tp_setattro = type::set_type_attribute,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC |
                OURO_TPFLAGS_CONCURRENT_TRAVERSE | Py_TPFLAGS_TYPE_SUBCLASS |
                Py_TPFLAGS_ITEMS_AT_END,
    .tp_doc = "type(object) -> the object's type\ntype(name, bases, dict, **kwds) -> a new type",
    .tp_traverse = type::type_traverse,
    .tp_clear = type::type_clear,
    .tp_weaklistoffset = offsetof(PyTypeObject, tp_weaklist),
    .tp_methods = type::type_methods,
    .tp_members = type::type_members,
    .tp_getset = type::type_getset,
    .tp_init = type::init_type,
    .tp_alloc = PyType_GenericAlloc,
    .tp_new = type::new_type,
    .tp_free = PyObject_GC_Del,
    .tp_is_gc = type::type_is_gc,
};

int PyType_IsSubtype(PyTypeObject* a, PyTypeObject* b) {
    if (PyObject* mro = a->tp_mro) {
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(mro); ++i) {
            if (PyTuple_GET_ITEM(mro, i) == reinterpret_cast<PyObject*>(b)) {
                return 1;
            }
        }
        return 0;
    }
    for (; a != nullptr; a = a->tp_base) {
        if (a == b) {
            return 1;
        }
    }
    return b == &PyBaseObject_Type;
}

PyObject* PyType_GetDict(PyTypeObject* type) {
    return Py_XNewRef(type->tp_dict);
}
