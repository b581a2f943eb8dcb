#include "core/builtins/type/type_attributes.hpp"

#include <cstddef>
#include <string_view>
#include <utility>

#include "core/builtins/type/descriptor.hpp"
#include "core/builtins/type/heap_type.hpp"
#include "core/builtins/type/instance_check.hpp"
#include "core/builtins/type/lookup.hpp"
#include "core/builtins/type/mro.hpp"
#include "core/builtins/type/names.hpp"
#include "core/builtins/type/slots.hpp"
#include "core/builtins/type/subclasses.hpp"
#include "core/builtins/type/type_lock.hpp"
#include "core/object/own.hpp"

namespace ouro::type {
namespace {

using object::Own;

bool is_immutable(const PyTypeObject* type) {
    return !is_heap_type(type) || (type->tp_flags & Py_TPFLAGS_IMMUTABLETYPE) != 0;
}

// For attributes that every class has: false with TypeError for a type that cannot be changed, and for deleting one.
bool check_may_set(const PyTypeObject* type, PyObject* value, const char* name) {
    if (!is_immutable(type) && value != nullptr) {
        return true;
    }
    PyErr_Format(PyExc_TypeError, "cannot %s '%s' attribute of immutable type '%s'",
                 is_immutable(type) ? "set" : "delete", name, type->tp_name);
    return false;
}

bool check_is_str(const PyTypeObject* type, PyObject* value, const char* name) {
    if (PyUnicode_Check(value)) {
        return true;
    }
    PyErr_Format(PyExc_TypeError, "can only assign string to %s.%s, not '%s'", type->tp_name, name,
                 Py_TYPE(value)->tp_name);
    return false;
}

// Who looks it up must not find the old value, before that is dropped and after.
int store(PyTypeObject* type, const char* name, PyObject* value) {
    PyType_Modified(type);
    const int error = PyDict_SetItemString(type->tp_dict, name, value);
    PyType_Modified(type);
    return error;
}

PyObject* get_name(PyObject* op, void*) {
    return PyType_GetName(as_type(op));
}

int set_name(PyObject* op, PyObject* value, void*) {
    PyTypeObject* type = as_type(op);
    if (!check_may_set(type, value, "__name__") || !check_is_str(type, value, "__name__")) {
        return -1;
    }
    const char* text = checked_name(value);
    if (text == nullptr) {
        return -1;
    }
    PyObject* old;
    {
        const TypeLock lock;
        old = std::exchange(as_heap_type(type)->ht_name, Py_NewRef(value));
        type->tp_name = text;
    }
    Py_XDECREF(old);
    return 0;
}

PyObject* get_qualified_name(PyObject* op, void*) {
    return qualified_name_of(as_type(op));
}

int set_qualified_name(PyObject* op, PyObject* value, void*) {
    PyTypeObject* type = as_type(op);
    if (!check_may_set(type, value, "__qualname__") || !check_is_str(type, value, "__qualname__")) {
        return -1;
    }
    PyObject* old;
    {
        const TypeLock lock;
        old = std::exchange(as_heap_type(type)->ht_qualname, Py_NewRef(value));
    }
    Py_XDECREF(old);
    return 0;
}

PyObject* get_module(PyObject* op, void*) {
    return module_name_of(as_type(op));
}

int set_module(PyObject* op, PyObject* value, void*) {
    PyTypeObject* type = as_type(op);
    return check_may_set(type, value, "__module__") ? store(type, "__module__", value) : -1;
}

PyObject* get_doc(PyObject* op, void*) {
    PyTypeObject* type = as_type(op);
    if (!is_heap_type(type) && type->tp_doc != nullptr) {
        return PyUnicode_FromString(doc_of(type->tp_doc));
    }
    PyObject* found = nullptr;
    if (type->tp_dict != nullptr && PyDict_GetItemStringRef(type->tp_dict, "__doc__", &found) < 0) {
        return nullptr;
    }
    if (found == nullptr) {
        Py_RETURN_NONE;
    }
    const descrgetfunc get = Py_TYPE(found)->tp_descr_get;
    if (get == nullptr) {
        return found;
    }
    const Own descriptor(found);
    return get(found, nullptr, op);
}

PyObject* get_signature(PyObject* op, void*) {
    return signature_or_none(as_type(op)->tp_doc);
}

int set_doc(PyObject* op, PyObject* value, void*) {
    PyTypeObject* type = as_type(op);
    return check_may_set(type, value, "__doc__") ? store(type, "__doc__", value) : -1;
}

PyObject* get_dict(PyObject* op, void*) {
    PyObject* dict = as_type(op)->tp_dict;
    return dict == nullptr ? Py_NewRef(Py_None) : PyDictProxy_New(dict);
}

PyObject* mro(PyObject* op, PyObject*) {
    const Own order(resolution_order(as_type(op)));
    Own list(order ? PyList_New(0) : nullptr);
    return list && PyList_SetSlice(list.get(), 0, 0, order.get()) == 0 ? list.release() : nullptr;
}

PyObject* subclasses(PyObject* op, PyObject*) {
    return subclasses_of(as_type(op));
}

}  // namespace

PyGetSetDef type_getset[] = {
    {"__name__", get_name, set_name, nullptr, nullptr},
    {"__qualname__", get_qualified_name, set_qualified_name, nullptr, nullptr},
    {"__module__", get_module, set_module, nullptr, nullptr},
    {"__doc__", get_doc, set_doc, nullptr, nullptr},
    {"__dict__", get_dict, nullptr, nullptr, nullptr},
    {"__text_signature__", get_signature, nullptr, nullptr, nullptr},
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

PyObject* has_instance(PyObject* self, PyObject* op) {
    const int found = type::is_instance(op, self);
    return found < 0 ? nullptr : PyBool_FromLong(found);
}

PyObject* has_subclass(PyObject* self, PyObject* op) {
    const int found = type::is_subclass(op, self);
    return found < 0 ? nullptr : PyBool_FromLong(found);
}

PyMethodDef type_methods[] = {
    {"__instancecheck__", has_instance, METH_O,
     "__instancecheck__($self, instance, /)\n--\n\nWhether an object is an instance."},
    {"__subclasscheck__", has_subclass, METH_O,
     "__subclasscheck__($self, subclass, /)\n--\n\nWhether a class is a subclass."},
    {"mro", mro, METH_NOARGS,
     "mro($self, /)\n--\n\nThe order in which the type and its bases are searched."},
    {"__subclasses__", subclasses, METH_NOARGS,
     "__subclasses__($self, /)\n--\n\nThe direct subclasses that are alive."},
    {}};

int set_type_attribute(PyObject* op, PyObject* name, PyObject* value) {
    PyTypeObject* type = as_type(op);
    if (!check_name(name)) {
        return -1;
    }
    if (is_immutable(type)) {
        PyErr_Format(PyExc_TypeError, "cannot set %R attribute of immutable type '%s'", name,
                     type->tp_name);
        return -1;
    }
    PyObject* descriptor = nullptr;
    if (lookup(Py_TYPE(op), name, &descriptor) < 0) {
        return -1;
    }
    const Own held(descriptor);
    if (descriptor != nullptr && Py_TYPE(descriptor)->tp_descr_set != nullptr) {
        return Py_TYPE(descriptor)->tp_descr_set(descriptor, op, value);
    }
    // Before the old value is dropped, and after: somebody may have looked meanwhile.
    PyType_Modified(type);
    if (value != nullptr) {
        if (PyDict_SetItem(type->tp_dict, name, value) < 0) {
            return -1;
        }
    } else if (PyDict_DelItem(type->tp_dict, name) < 0) {
        if (PyErr_ExceptionMatches(PyExc_KeyError) != 0) {
            PyErr_Clear();
            PyErr_Format(PyExc_AttributeError, "type object '%.50s' has no attribute '%U'",
                         type->tp_name, name);
        }
        return -1;
    }
    PyType_Modified(type);
    const char* text = PyUnicode_AsUTF8(name);
    const std::string_view view = text == nullptr ? "" : text;
    const bool is_special = view.starts_with("__") && view.ends_with("__");
    return text != nullptr && (!is_special || update_slot(type, name)) ? 0 : -1;
}

}  // namespace ouro::type
