// property: an attribute that functions get, set and delete. Source: "Built-in Functions", property.
#include "core/mutator/critical_section.hpp"
#include "core/object/object.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using object::Own;

namespace {

struct Property {
    PyObject ob_base;
    PyObject* get;  // each nullptr or what is called
    PyObject* set;
    PyObject* del;
    PyObject* doc;
    PyObject* name;  // as the class has it, once it is known
};

Property* property(PyObject* op) {
    return reinterpret_cast<Property*>(op);
}

constexpr PyObject* Property::*kFields[] = {&Property::get, &Property::set, &Property::del,
                                            &Property::doc, &Property::name};

// A new reference, or none.
Own field(PyObject* op, PyObject* Property::*which) {
    const mutator::Guard guard(op);
    return Own(Py_XNewRef(property(op)->*which));
}

void store(PyObject* op, PyObject* Property::*which, PyObject* value) {
    Own old;  // dropped when the lock is let go
    const mutator::Guard guard(op);
    old = Own(property(op)->*which);
    OURO_STORE_FIELD(&(property(op)->*which), Py_XNewRef(value));
}

void property_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    for (auto which : kFields) {
        Py_XDECREF(property(op)->*which);
    }
    Py_TYPE(op)->tp_free(op);
}

int property_traverse(PyObject* op, visitproc visit, void* arg) {
    for (auto which : kFields) {
        Py_VISIT(property(op)->*which);
    }
    return 0;
}

int property_clear(PyObject* op) {
    for (auto which : kFields) {
        Py_CLEAR(property(op)->*which);
    }
    return 0;
}

PyObject* none_as_nothing(PyObject* op) {
    return op == Py_None ? nullptr : op;
}

// The documentation of what gets it, where it is given none.
int take_doc(PyObject* op, PyObject* doc) {
    if (doc != nullptr && doc != Py_None) {
        store(op, &Property::doc, doc);
        return 0;
    }
    const Own get = field(op, &Property::get);
    PyObject* found = nullptr;
    if (get && PyObject_GetOptionalAttrString(get.get(), "__doc__", &found) < 0) {
        return -1;
    }
    const Own held(found);
    store(op, &Property::doc, found);
    return 0;
}

int property_init(PyObject* op, PyObject* args, PyObject* kwargs) {
    static const char* const names[] = {"fget", "fset", "fdel", "doc", nullptr};
    PyObject* given[4] = {};
    if (PyArg_ParseTupleAndKeywords(args, kwargs, "|OOOO:property", names, &given[0], &given[1],
                                    &given[2], &given[3]) == 0) {
        return -1;
    }
    store(op, &Property::get, none_as_nothing(given[0]));
    store(op, &Property::set, none_as_nothing(given[1]));
    store(op, &Property::del, none_as_nothing(given[2]));
    return take_doc(op, given[3]);
}

// "property 'x' of 'C' object has no getter".
PyObject* refuse(PyObject* op, PyObject* self, const char* what) {
    const Own name = field(op, &Property::name);
    const Own qualname(PyType_GetQualName(Py_TYPE(self)));
    if (!qualname) {
        return nullptr;
    }
    return name ? PyErr_Format(PyExc_AttributeError, "property %R of %R object has no %s",
                               name.get(), qualname.get(), what)
                : PyErr_Format(PyExc_AttributeError, "property of %R object has no %s",
                               qualname.get(), what);
}

PyObject* property_get(PyObject* op, PyObject* self, PyObject*) {
    if (self == nullptr || self == Py_None) {
        return Py_NewRef(op);
    }
    const Own get = field(op, &Property::get);
    return get ? PyObject_CallOneArg(get.get(), self) : refuse(op, self, "getter");
}

int property_set(PyObject* op, PyObject* self, PyObject* value) {
    const Own change = field(op, value == nullptr ? &Property::del : &Property::set);
    if (!change) {
        refuse(op, self, value == nullptr ? "deleter" : "setter");
        return -1;
    }
    const Own result(value == nullptr
                         ? PyObject_CallOneArg(change.get(), self)
                         : PyObject_CallFunctionObjArgs(change.get(), self, value, nullptr));
    return result ? 0 : -1;
}

// Another one of the same class in which one function is another; None: the same.
PyObject* with(PyObject* op, PyObject* Property::*which, PyObject* function) {
    const auto one_of = [&](PyObject* Property::*each) {
        return each == which && function != Py_None ? Own(Py_NewRef(function)) : field(op, each);
    };
    const Own get = one_of(&Property::get);
    const Own set = one_of(&Property::set);
    const Own del = one_of(&Property::del);
    const auto or_none = [](const Own& value) { return value ? value.get() : Py_None; };
    Own made(PyObject_CallFunctionObjArgs(reinterpret_cast<PyObject*>(Py_TYPE(op)), or_none(get),
                                          or_none(set), or_none(del), nullptr));
    if (made && PyObject_TypeCheck(made.get(), &PyProperty_Type)) {
        const Own name = field(op, &Property::name);
        store(made.get(), &Property::name, name.get());
    }
    return made.release();
}

PyObject* with_getter(PyObject* op, PyObject* function) {
    return with(op, &Property::get, function);
}
PyObject* with_setter(PyObject* op, PyObject* function) {
    return with(op, &Property::set, function);
}
PyObject* with_deleter(PyObject* op, PyObject* function) {
    return with(op, &Property::del, function);
}

PyObject* set_name(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
    if (nargs != 2) {
        return PyErr_Format(PyExc_TypeError,
                            "__set_name__() takes 2 positional arguments but %zd were given",
                            nargs);
    }
    store(op, &Property::name, args[1]);
    return Py_NewRef(Py_None);
}

PyMethodDef property_methods[] = {
    {"getter", with_getter, METH_O, PyDoc_STR("A copy with another getter.")},
    {"setter", with_setter, METH_O, PyDoc_STR("A copy with another setter.")},
    {"deleter", with_deleter, METH_O, PyDoc_STR("A copy with another deleter.")},
    {"__set_name__", _PyCFunction_CAST(set_name), METH_FASTCALL, PyDoc_STR("Its name.")},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef property_members[] = {
    {"fget", _Py_T_OBJECT, offsetof(Property, get), Py_READONLY, nullptr},
    {"fset", _Py_T_OBJECT, offsetof(Property, set), Py_READONLY, nullptr},
    {"fdel", _Py_T_OBJECT, offsetof(Property, del), Py_READONLY, nullptr},
    {"__doc__", _Py_T_OBJECT, offsetof(Property, doc), 0, nullptr},
    {}};

}  // namespace

PyTypeObject PyProperty_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "property",
    .tp_basicsize = sizeof(Property),
    .tp_dealloc = property_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE |
                OURO_TPFLAGS_CONCURRENT_TRAVERSE,
    .tp_traverse = property_traverse,
    .tp_clear = property_clear,
    .tp_methods = property_methods,
    .tp_members = property_members,
    .tp_descr_get = property_get,
    .tp_descr_set = property_set,
    .tp_init = property_init,
    .tp_new = PyType_GenericNew,
};
