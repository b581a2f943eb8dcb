// Readying a type: its bases, the order in which they are searched, its dictionary, and what it inherits.
#include <initializer_list>
#include <utility>

#include "core/builtins/type/bound.hpp"
#include "core/builtins/type/descriptor.hpp"
#include "core/builtins/type/heap_type.hpp"
#include "core/builtins/type/inherit.hpp"
#include "core/builtins/type/mro.hpp"
#include "core/builtins/type/new_method.hpp"
#include "core/builtins/type/ready.hpp"
#include "core/builtins/type/slots.hpp"
#include "core/builtins/type/subclasses.hpp"
#include "core/builtins/type/type_lock.hpp"
#include "core/include/ouroboros.h"
#include "core/object/object.hpp"

using namespace ouro;
using type::is_heap_type;

namespace {

// A static type lives for ever, and with it what was made of its definition: that is never counted, and no
// collection need look at it. What else is in its dictionary is the program's.
void keep_for_ever(PyObject* op) {
    if (PyUnstable_SetImmortal(op) != 0) {
        PyObject_GC_UnTrack(op);
    }
}

bool is_from_definition(PyObject* op) {
    return Py_IS_TYPE(op, &PyMethodDescr_Type) || Py_IS_TYPE(op, &PyClassMethodDescr_Type) ||
           Py_IS_TYPE(op, &PyMemberDescr_Type) || Py_IS_TYPE(op, &PyGetSetDescr_Type) ||
           Py_IS_TYPE(op, &PyStaticMethod_Type) || Py_IS_TYPE(op, &PyWrapperDescr_Type) ||
           type::is_new_method(op);
}

void keep_parts_for_ever(PyTypeObject* type) {
    PyObject* name;
    PyObject* value;
    for (Py_ssize_t i = 0; PyDict_Next(type->tp_dict, &i, &name, &value) != 0;) {
        if (is_from_definition(value)) {
            if (Py_IS_TYPE(value, &PyStaticMethod_Type)) {
                keep_for_ever(type::callable_of_static_method(value));
            }
            keep_for_ever(value);
        } else if (PyUnicode_CheckExact(value)) {
            (void)PyUnstable_SetImmortal(value);  // the doc string
        }
    }
    for (PyObject* part : {type->tp_dict, type->tp_mro, type->tp_bases}) {
        keep_for_ever(part);
    }
}

bool check_definition(const PyTypeObject* type) {
    if (type->tp_name == nullptr) {
        PyErr_SetString(PyExc_SystemError, "Type does not define the tp_name field.");
        return false;
    }
    const auto refuse = [type](const char* what) {
        PyErr_Format(PyExc_SystemError, "type %s %s", type->tp_name, what);
        return false;
    };
    if (type->tp_basicsize < 0 || type->tp_itemsize < 0) {
        return refuse("has a negative size");
    }
    if ((type->tp_flags & Py_TPFLAGS_HAVE_GC) != 0 && type->tp_traverse == nullptr) {
        return refuse("has the Py_TPFLAGS_HAVE_GC flag but has no traverse function");
    }
    return true;
}

bool set_bases(PyTypeObject* type) {
    if (type->tp_base == nullptr && type != &PyBaseObject_Type) {
        type->tp_base = &PyBaseObject_Type;
        if (is_heap_type(type)) {
            Py_INCREF(type->tp_base);
        }
    }
    PyTypeObject* base = type->tp_base;
    if (base != nullptr && PyType_Ready(base) < 0) {
        return false;
    }
    if (Py_TYPE(type) == nullptr) {
        Py_SET_TYPE(type, base == nullptr ? &PyType_Type : Py_TYPE(base));
    }
    if (type->tp_bases == nullptr) {
        PyObject* bases = PyTuple_New(base == nullptr ? 0 : 1);
        if (bases == nullptr) {
            return false;
        }
        if (base != nullptr) {
            PyTuple_SET_ITEM(bases, 0, Py_NewRef(base));
        }
        type->tp_bases = bases;
    }
    return true;
}

// An attribute of the dictionary, unless there is one already. Steals `value`.
bool add(PyTypeObject* type, const char* name, PyObject* value, bool replace = false) {
    if (value == nullptr) {
        return false;
    }
    PyObject* text = type::name_of_attribute(name);
    int there = text == nullptr ? -1 : replace ? 0 : PyDict_Contains(type->tp_dict, text);
    if (there == 0) {
        there = PyDict_SetItem(type->tp_dict, text, value);
    }
    Py_XDECREF(text);
    Py_DECREF(value);
    return there >= 0;
}

PyObject* make_method(PyTypeObject* type, PyMethodDef* method) {
    if ((method->ml_flags & METH_CLASS) != 0) {
        if ((method->ml_flags & METH_STATIC) != 0) {
            PyErr_SetString(PyExc_ValueError, "method cannot be both class and static");
            return nullptr;
        }
        return PyDescr_NewClassMethod(type, method);
    }
    if ((method->ml_flags & METH_STATIC) != 0) {
        PyObject* function = PyCFunction_NewEx(method, reinterpret_cast<PyObject*>(type), nullptr);
        if (function == nullptr) {
            return nullptr;
        }
        PyObject* result = PyStaticMethod_New(function);
        Py_DECREF(function);
        return result;
    }
    return PyDescr_NewMethod(type, method);
}

bool add_definitions(PyTypeObject* type) {
    for (PyMethodDef* method = type->tp_methods; method != nullptr && method->ml_name != nullptr;
         ++method) {
        const bool replace = (method->ml_flags & METH_COEXIST) != 0;
        if (!add(type, method->ml_name, make_method(type, method), replace)) {
            return false;
        }
    }
    for (PyMemberDef* member = type->tp_members; member != nullptr && member->name != nullptr;
         ++member) {
        if (!add(type, member->name, PyDescr_NewMember(type, member))) {
            return false;
        }
    }
    for (PyGetSetDef* getset = type->tp_getset; getset != nullptr && getset->name != nullptr;
         ++getset) {
        if (!add(type, getset->name, PyDescr_NewGetSet(type, getset))) {
            return false;
        }
    }
    return true;
}

bool fill_dict(PyTypeObject* type) {
    if (type->tp_dict == nullptr) {
        type->tp_dict = PyDict_New();
        if (type->tp_dict == nullptr) {
            return false;
        }
    }
    if (!type::add_special_methods(type) || !add_definitions(type)) {
        return false;
    }
    const char* doc = type::doc_of(type->tp_doc);
    return add(type, "__doc__", doc == nullptr ? Py_NewRef(Py_None) : PyUnicode_FromString(doc));
}

void set_free(PyTypeObject* type) {
    if (type->tp_free == nullptr) {
        type->tp_free =
            (type->tp_flags & Py_TPFLAGS_HAVE_GC) != 0 ? PyObject_GC_Del : PyObject_Free;
    }
}

bool inherit(PyTypeObject* type) {
    PyTypeObject* base = type->tp_base;
    if (base == nullptr) {
        return true;
    }
    type::inherit_special(type, base);
    if (type->tp_basicsize < base->tp_basicsize) {
        PyErr_Format(PyExc_SystemError, "type %s is smaller than its base", type->tp_name);
        return false;
    }
    // A static type that derives from object alone is not made by calling it unless it says how.
    if ((type->tp_flags & Py_TPFLAGS_DISALLOW_INSTANTIATION) != 0) {
        type->tp_new = nullptr;
    } else if (type->tp_new == nullptr) {
        if (base == &PyBaseObject_Type && !is_heap_type(type)) {
            type->tp_flags |= Py_TPFLAGS_DISALLOW_INSTANTIATION;
        } else {
            type->tp_new = base->tp_new;
        }
    }
    for (Py_ssize_t i = 1; i < PyTuple_GET_SIZE(type->tp_mro); ++i) {
        type::inherit_slots(type,
                            reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(type->tp_mro, i)));
    }
    set_free(type);
    return true;
}

// What lies before an instance is the heap's to know, for containers alone.
bool settle_pre_header(PyTypeObject* type) {
    if ((type->tp_flags & object::kHasPreHeader) == 0) {
        return true;
    }
    if ((type->tp_flags & Py_TPFLAGS_HAVE_GC) == 0) {
        PyErr_Format(
            PyExc_SystemError,
            "type %s has the Py_TPFLAGS_MANAGED_DICT or the Py_TPFLAGS_MANAGED_WEAKREF flag "
            "but not the Py_TPFLAGS_HAVE_GC flag",
            type->tp_name);
        return false;
    }
    const auto settle = [type](unsigned long flag, Py_ssize_t* offset, Py_ssize_t value,
                               const char* text) {
        if ((type->tp_flags & flag) == 0) {
            return true;
        }
        if (*offset != 0 && *offset != value) {
            PyErr_Format(PyExc_SystemError, "type %s has the %s set to incompatible value",
                         type->tp_name, text);
            return false;
        }
        *offset = value;
        return true;
    };
    return settle(Py_TPFLAGS_MANAGED_DICT, &type->tp_dictoffset, -1,
                  "Py_TPFLAGS_MANAGED_DICT flag but tp_dictoffset") &&
           settle(Py_TPFLAGS_MANAGED_WEAKREF, &type->tp_weaklistoffset, object::kManagedWeakList,
                  "Py_TPFLAGS_MANAGED_WEAKREF flag but tp_weaklistoffset");
}

// Who may hash an object that says how it compares, but not how it hashes? Nobody.
bool settle_hash(PyTypeObject* type) {
    if (type->tp_hash != nullptr) {
        return true;
    }
    type->tp_hash = PyObject_HashNotImplemented;
    return add(type, "__hash__", Py_NewRef(Py_None));
}

bool make_ready(PyTypeObject* type) {
    if (!check_definition(type) || !set_bases(type) || !fill_dict(type)) {
        return false;
    }
    if (type->tp_mro == nullptr) {
        type->tp_mro = type::resolution_order(type);
    }
    return type->tp_mro != nullptr && inherit(type) && settle_pre_header(type) &&
           settle_hash(type) && type::enter_bases(type);
}

// What has been made of a type that could not be readied goes.
void unmake(PyTypeObject* type) {
    PyObject* const parts[] = {std::exchange(type->tp_dict, nullptr),
                               std::exchange(type->tp_mro, nullptr),
                               std::exchange(type->tp_bases, nullptr)};
    for (PyObject* part : parts) {
        Py_XDECREF(part);
    }
}

void change_flags(PyTypeObject* type, unsigned long clear, unsigned long set) {
    // release: who finds the type ready finds it complete.
    __atomic_store_n(&type->tp_flags, (type->tp_flags & ~clear) | set, __ATOMIC_RELEASE);
}

// 0, or -1 with an exception. Apart, so that who asks for a type that is ready saves no registers.
[[gnu::noinline]] int make_ready_once(PyTypeObject* type) {
    const type::TypeLock lock;
    if (type::is_ready(type) || (type->tp_flags & Py_TPFLAGS_READYING) != 0) {
        return 0;
    }
    type->tp_flags |= Py_TPFLAGS_READYING;
    if (!make_ready(type)) {
        change_flags(type, Py_TPFLAGS_READYING, 0);
        if (!is_heap_type(type)) {
            unmake(type);
        }
        return -1;
    }
    if (!is_heap_type(type)) {
        keep_parts_for_ever(type);
    }
    change_flags(type, Py_TPFLAGS_READYING, Py_TPFLAGS_READY);
    type->tp_version_tag = 0;  // what was found while it was filled holds no longer
    return 0;
}

}  // namespace

void type::prime(PyTypeObject* type) {
    if (type == &PyBaseObject_Type) {
        return;
    }
    if (type->tp_base == nullptr) {
        type->tp_base = &PyBaseObject_Type;
    }
    prime(type->tp_base);
    type->tp_flags |= kStaticBuiltin;
    inherit_special(type, type->tp_base);
    for (const PyTypeObject* base = type->tp_base; base != nullptr; base = base->tp_base) {
        inherit_slots(type, base);
    }
    set_free(type);
}

int PyType_Ready(PyTypeObject* type) {
    return type::is_ready(type) ? 0 : make_ready_once(type);
}
