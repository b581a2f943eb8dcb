// type: the type of types. Calling one makes an object; its attributes are its own and its bases'.
#include <cstring>

#include "core/object/object.hpp"
#include "core/type/descriptor.hpp"
#include "core/type/lookup.hpp"
#include "core/type/subclasses.hpp"

using namespace ouro;

namespace {

PyTypeObject* as_type(PyObject* op) {
    return reinterpret_cast<PyTypeObject*>(op);
}

int type_traverse(PyObject*, visitproc, void*) {
    return 0;  // a static type owns nothing that the collector manages
}

PyObject* type_call(PyObject* op, PyObject* args, PyObject* kwargs) {
    PyTypeObject* type = as_type(op);
    const Py_ssize_t count = PyTuple_GET_SIZE(args);
    const bool has_keywords = kwargs != nullptr && PyDict_Size(kwargs) > 0;
    if (type == &PyType_Type) {
        if (count == 1 && !has_keywords) {
            return Py_NewRef(Py_TYPE(PyTuple_GET_ITEM(args, 0)));
        }
        PyErr_SetString(PyExc_TypeError, "type() takes 1 or 3 arguments");
        return nullptr;
    }
    if (PyType_Ready(type) < 0) {
        return nullptr;
    }
    if (type->tp_new == nullptr) {
        return PyErr_Format(PyExc_TypeError, "cannot create '%s' instances", type->tp_name);
    }
    PyObject* made = type->tp_new(type, args, kwargs);
    if ((made == nullptr) != (PyErr_Occurred() != nullptr)) {
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

int type_setattro(PyObject* op, PyObject* name, PyObject*) {
    if (type::check_name(name)) {
        PyErr_Format(PyExc_TypeError, "cannot set %R attribute of immutable type '%s'", name,
                     as_type(op)->tp_name);
    }
    return -1;
}

PyObject* type_module(PyObject* op, void*) {
    const char* name = as_type(op)->tp_name;
    const char* dot = std::strrchr(name, '.');
    return dot == nullptr ? PyUnicode_FromString("builtins")
                          : PyUnicode_FromStringAndSize(name, dot - name);
}

PyObject* type_name(PyObject* op, void*) {
    return PyUnicode_FromString(type::short_name(as_type(op)));
}

PyObject* type_doc(PyObject* op, void*) {
    const char* doc = type::doc_of(as_type(op)->tp_doc);
    return doc == nullptr ? Py_NewRef(Py_None) : PyUnicode_FromString(doc);
}

PyObject* type_repr(PyObject* op) {
    return PyUnicode_FromFormat("<class '%s'>", as_type(op)->tp_name);
}

PyGetSetDef type_getset[] = {{"__name__", type_name, nullptr, nullptr, nullptr},
                             {"__qualname__", type_name, nullptr, nullptr, nullptr},
                             {"__module__", type_module, nullptr, nullptr, nullptr},
                             {"__doc__", type_doc, nullptr, nullptr, nullptr},
                             {}};

PyMethodDef type_methods[] = {
    {"__subclasses__", [](PyObject* op, PyObject*) { return type::subclasses_of(as_type(op)); },
     METH_NOARGS, "__subclasses__($self, /)\n--\n\nReturn a list of immediate subclasses."},
    {}};

PyMemberDef type_members[] = {
    {"__basicsize__", Py_T_PYSSIZET, offsetof(PyTypeObject, tp_basicsize), Py_READONLY, nullptr},
    {"__itemsize__", Py_T_PYSSIZET, offsetof(PyTypeObject, tp_itemsize), Py_READONLY, nullptr},
    {"__flags__", Py_T_ULONG, offsetof(PyTypeObject, tp_flags), Py_READONLY, nullptr},
    {"__weakrefoffset__", Py_T_PYSSIZET, offsetof(PyTypeObject, tp_weaklistoffset), Py_READONLY,
     nullptr},
    {"__base__", _Py_T_OBJECT, offsetof(PyTypeObject, tp_base), Py_READONLY, nullptr},
    {"__bases__", _Py_T_OBJECT, offsetof(PyTypeObject, tp_bases), Py_READONLY, nullptr},
    {"__mro__", _Py_T_OBJECT, offsetof(PyTypeObject, tp_mro), Py_READONLY, nullptr},
    {"__dictoffset__", Py_T_PYSSIZET, offsetof(PyTypeObject, tp_dictoffset), Py_READONLY, nullptr},
    {}};

}  // namespace

PyTypeObject PyType_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "type",
    .tp_basicsize = sizeof(PyHeapTypeObject),
    .tp_itemsize = sizeof(PyMemberDef),
    .tp_repr = type_repr,
    .tp_call = type_call,
    .tp_getattro = type_getattro,
    .tp_setattro = type_setattro,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC |
                OURO_TPFLAGS_CONCURRENT_TRAVERSE | Py_TPFLAGS_TYPE_SUBCLASS,
    .tp_traverse = type_traverse,
    .tp_methods = type_methods,
    .tp_members = type_members,
    .tp_getset = type_getset,
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
