// Descriptors of what is written in C: methods, class methods, fields and getters with setters.
#include "core/builtins/type/descriptor.hpp"

#include "core/builtins/exception/recursion.hpp"
#include "core/builtins/type/names.hpp"
#include "core/object/object.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using type::definition;
using type::descriptor;
using type::Descriptor;

namespace {

const char* name_of(PyObject* op) {
    const char* name = PyUnicode_AsUTF8(descriptor(op)->name);
    PyErr_Clear();
    return name == nullptr ? "?" : name;
}

const char* owner_of(PyObject* op) {
    return descriptor(op)->type->tp_name;
}

}  // namespace

namespace ouro::type {

void descriptor_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    Py_XDECREF(descriptor(op)->type);
    Py_XDECREF(descriptor(op)->name);
    Py_TYPE(op)->tp_free(op);
}

int descriptor_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(descriptor(op)->type);
    return 0;
}

PyObject* new_descriptor(PyTypeObject* kind, PyTypeObject* type, const char* name, void* what) {
    PyObject* text = name_of_attribute(name);
    if (text == nullptr) {
        return nullptr;
    }
    PyObject* op = _PyObject_GC_New(kind);
    if (op == nullptr) {
        Py_DECREF(text);
        return nullptr;
    }
    descriptor(op)->type = reinterpret_cast<PyTypeObject*>(Py_NewRef(type));
    descriptor(op)->name = text;
    descriptor(op)->definition = what;
    object::track(op);
    return op;
}

bool applies(PyObject* op, PyObject* self) {
    if (PyObject_TypeCheck(self, descriptor(op)->type)) {
        return true;
    }
    PyErr_Format(PyExc_TypeError,
                 "descriptor '%s' for '%.100s' objects doesn't apply to a '%.100s' object",
                 name_of(op), owner_of(op), Py_TYPE(self)->tp_name);
    return false;
}

PyMemberDef descriptor_members[] = {
    {"__objclass__", _Py_T_OBJECT, offsetof(Descriptor, type), Py_READONLY, nullptr},
    {"__name__", _Py_T_OBJECT, offsetof(Descriptor, name), Py_READONLY, nullptr},
    {}};

PyObject* qualified_name(PyObject* op, void*) {
    const object::Own type(qualified_name_of(descriptor(op)->type));
    return type ? PyUnicode_FromFormat("%S.%U", type.get(), descriptor(op)->name) : nullptr;
}

}  // namespace ouro::type

namespace {

using type::applies;

PyObject* member_get(PyObject* op, PyObject* self, PyObject*) {
    if (self == nullptr) {
        return Py_NewRef(op);
    }
    return applies(op, self)
               ? PyMember_GetOne(reinterpret_cast<const char*>(self), definition<PyMemberDef>(op))
               : nullptr;
}

int member_set(PyObject* op, PyObject* self, PyObject* value) {
    return applies(op, self)
               ? PyMember_SetOne(reinterpret_cast<char*>(self), definition<PyMemberDef>(op), value)
               : -1;
}

PyObject* getset_get(PyObject* op, PyObject* self, PyObject*) {
    if (self == nullptr) {
        return Py_NewRef(op);
    }
    if (!applies(op, self)) {
        return nullptr;
    }
    const PyGetSetDef* getset = definition<PyGetSetDef>(op);
    if (getset->get == nullptr) {
        return PyErr_Format(PyExc_AttributeError,
                            "attribute '%s' of '%.100s' objects is not readable", name_of(op),
                            owner_of(op));
    }
    return getset->get(self, getset->closure);
}

int getset_set(PyObject* op, PyObject* self, PyObject* value) {
    if (!applies(op, self)) {
        return -1;
    }
    const PyGetSetDef* getset = definition<PyGetSetDef>(op);
    if (getset->set == nullptr) {
        PyErr_Format(PyExc_AttributeError, "attribute '%s' of '%.100s' objects is not writable",
                     name_of(op), owner_of(op));
        return -1;
    }
    return getset->set(self, value, getset->closure);
}

PyObject* method_get(PyObject* op, PyObject* self, PyObject* type) {
    if (self == nullptr) {
        return Py_NewRef(op);
    }
    if (!applies(op, self)) {
        return nullptr;
    }
    PyMethodDef* method = definition<PyMethodDef>(op);
    if ((method->ml_flags & METH_METHOD) == 0) {
        return PyCFunction_NewEx(method, self, nullptr);
    }
    if (type == nullptr || !PyType_Check(type)) {
        return PyErr_Format(PyExc_TypeError, "descriptor '%s' needs a type, not '%.100s', as arg 2",
                            name_of(op), type == nullptr ? "NoneType" : Py_TYPE(type)->tp_name);
    }
    return PyCMethod_New(method, self, nullptr, descriptor(op)->type);
}

// The function bound to the first argument is called with the rest.
PyObject* method_call(PyObject* op, PyObject* args, PyObject* kwargs) {
    const Py_ssize_t count = PyTuple_GET_SIZE(args);
    if (count < 1) {
        return PyErr_Format(PyExc_TypeError, "unbound method %s.%s() needs an argument",
                            type::short_name(descriptor(op)->type), name_of(op));
    }
    PyObject* self = PyTuple_GET_ITEM(args, 0);
    PyObject* function = method_get(op, self, reinterpret_cast<PyObject*>(descriptor(op)->type));
    PyObject* rest = function == nullptr ? nullptr : PyTuple_GetSlice(args, 1, count);
    PyObject* result = rest == nullptr ? nullptr : PyObject_Call(function, rest, kwargs);
    Py_XDECREF(function);
    Py_XDECREF(rest);
    return result;
}

}  // namespace

PyObject* type::call_method(PyObject* op, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
    PyObject* self = args[0];
    if (!applies(op, self)) {
        return nullptr;
    }
    const PyMethodDef* method = definition<PyMethodDef>(op);
    const Py_ssize_t count = PyVectorcall_NARGS(nargsf) - 1;
    if (kwnames == nullptr) {
        const exception::NestedCall nested;
        if (!nested) {
            return nullptr;
        }
        switch (method->ml_flags &
                (METH_NOARGS | METH_O | METH_FASTCALL | METH_KEYWORDS | METH_METHOD)) {
            case METH_NOARGS:
                if (count == 0) {
                    return method->ml_meth(self, nullptr);
                }
                break;
            case METH_O:
                if (count == 1) {
                    return method->ml_meth(self, args[1]);
                }
                break;
            case METH_FASTCALL:
                return reinterpret_cast<PyCFunctionFast>(
                    reinterpret_cast<void (*)()>(method->ml_meth))(self, args + 1, count);
            default:
                break;
        }
    }
    // The bound function knows the others, and the words for what is wrong.
    const object::Own function(
        method_get(op, self, reinterpret_cast<PyObject*>(descriptor(op)->type)));
    return function
               ? PyObject_Vectorcall(function.get(), args + 1,
                                     static_cast<size_t>(count) | PY_VECTORCALL_ARGUMENTS_OFFSET,
                                     kwnames)
               : nullptr;
}

namespace {

PyObject* class_method_get(PyObject* op, PyObject* self, PyObject* type) {
    if (type == nullptr && self == nullptr) {
        return PyErr_Format(PyExc_TypeError,
                            "descriptor '%s' for type '%.100s' needs either an object or a type",
                            name_of(op), owner_of(op));
    }
    if (type == nullptr) {
        type = reinterpret_cast<PyObject*>(Py_TYPE(self));
    }
    if (!PyType_Check(type)) {
        return PyErr_Format(
            PyExc_TypeError,
            "descriptor '%s' for type '%.100s' needs a type, not a '%.100s' as arg 2", name_of(op),
            owner_of(op), Py_TYPE(type)->tp_name);
    }
    auto* derived = reinterpret_cast<PyTypeObject*>(type);
    if (PyType_IsSubtype(derived, descriptor(op)->type) == 0) {
        return PyErr_Format(PyExc_TypeError,
                            "descriptor '%s' requires a subtype of '%.100s' but received '%.100s'",
                            name_of(op), owner_of(op), derived->tp_name);
    }
    PyMethodDef* method = definition<PyMethodDef>(op);
    return (method->ml_flags & METH_METHOD) == 0
               ? PyCFunction_NewEx(method, type, nullptr)
               : PyCMethod_New(method, type, nullptr, descriptor(op)->type);
}

PyObject* class_method_call(PyObject* op, PyObject* args, PyObject* kwargs) {
    PyObject* bound = class_method_get(
        op, nullptr, PyTuple_GET_SIZE(args) > 0 ? PyTuple_GET_ITEM(args, 0) : nullptr);
    PyObject* rest = bound == nullptr ? nullptr : PyTuple_GetSlice(args, 1, PyTuple_GET_SIZE(args));
    PyObject* result = rest == nullptr ? nullptr : PyObject_Call(bound, rest, kwargs);
    Py_XDECREF(bound);
    Py_XDECREF(rest);
    return result;
}

PyObject* repr_as(PyObject* op, const char* kind) {
    return PyUnicode_FromFormat("<%s '%U' of '%s' objects>", kind, descriptor(op)->name,
                                owner_of(op));
}

constexpr unsigned long kFlags =
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | OURO_TPFLAGS_CONCURRENT_TRAVERSE;

}  // namespace

PyTypeObject PyMethodDescr_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "method_descriptor",
    .tp_basicsize = sizeof(Descriptor),
    .tp_dealloc = type::descriptor_dealloc,
    .tp_repr = [](PyObject* op) { return repr_as(op, "method"); },
    .tp_call = method_call,
    .tp_flags = kFlags | Py_TPFLAGS_METHOD_DESCRIPTOR,
    .tp_traverse = type::descriptor_traverse,
    .tp_members = type::descriptor_members,
    .tp_getset = type::descriptor_getset<PyMethodDef, &PyMethodDef::ml_doc>,
    .tp_descr_get = method_get,
};

PyTypeObject PyClassMethodDescr_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "classmethod_descriptor",
    .tp_basicsize = sizeof(Descriptor),
    .tp_dealloc = type::descriptor_dealloc,
    .tp_repr = [](PyObject* op) { return repr_as(op, "method"); },
    .tp_call = class_method_call,
    .tp_flags = kFlags,
    .tp_traverse = type::descriptor_traverse,
    .tp_members = type::descriptor_members,
    .tp_getset = type::descriptor_getset<PyMethodDef, &PyMethodDef::ml_doc>,
    .tp_descr_get = class_method_get,
};

PyTypeObject PyMemberDescr_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "member_descriptor",
    .tp_basicsize = sizeof(Descriptor),
    .tp_dealloc = type::descriptor_dealloc,
    .tp_repr = [](PyObject* op) { return repr_as(op, "member"); },
    .tp_flags = kFlags,
    .tp_traverse = type::descriptor_traverse,
    .tp_members = type::descriptor_members,
    .tp_getset = type::descriptor_getset<PyMemberDef, &PyMemberDef::doc>,
    .tp_descr_get = member_get,
    .tp_descr_set = member_set,
};

PyTypeObject PyGetSetDescr_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "getset_descriptor",
    .tp_basicsize = sizeof(Descriptor),
    .tp_dealloc = type::descriptor_dealloc,
    .tp_repr = [](PyObject* op) { return repr_as(op, "attribute"); },
    .tp_flags = kFlags,
    .tp_traverse = type::descriptor_traverse,
    .tp_members = type::descriptor_members,
    .tp_getset = type::descriptor_getset<PyGetSetDef, &PyGetSetDef::doc>,
    .tp_descr_get = getset_get,
    .tp_descr_set = getset_set,
};

PyObject* PyDescr_NewMethod(PyTypeObject* type, PyMethodDef* method) {
    return type::new_descriptor(&PyMethodDescr_Type, type, method->ml_name, method);
}

PyObject* PyDescr_NewClassMethod(PyTypeObject* type, PyMethodDef* method) {
    return type::new_descriptor(&PyClassMethodDescr_Type, type, method->ml_name, method);
}

PyObject* PyDescr_NewMember(PyTypeObject* type, PyMemberDef* member) {
    if ((member->flags & Py_RELATIVE_OFFSET) != 0) {
        PyErr_SetString(PyExc_SystemError, "PyDescr_NewMember used with Py_RELATIVE_OFFSET");
        return nullptr;
    }
    return type::new_descriptor(&PyMemberDescr_Type, type, member->name, member);
}

PyObject* PyDescr_NewGetSet(PyTypeObject* type, PyGetSetDef* getset) {
    return type::new_descriptor(&PyGetSetDescr_Type, type, getset->name, getset);
}

int PyDescr_IsData(PyObject* op) {
    return Py_TYPE(op)->tp_descr_set != nullptr;
}
