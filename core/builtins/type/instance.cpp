#include "core/builtins/type/instance.hpp"
#include "core/builtins/container/dict_watch.hpp"

#include "core/builtins/type/heap_type.hpp"
#include "core/object/object.hpp"

namespace ouro::type {
namespace {

// The fields of __slots__ of a type, without its bases'.
template <class Visit>
int for_each_slot(PyObject* op, PyTypeObject* type, Visit visit) {
    const PyMemberDef* member = members_of(type);
    for (Py_ssize_t i = 0; i < Py_SIZE(type); ++i, ++member) {
        if (member->type == Py_T_OBJECT_EX && (member->flags & Py_READONLY) == 0) {
            const int result =
                visit(reinterpret_cast<PyObject**>(reinterpret_cast<char*>(op) + member->offset));
            if (result != 0) {
                return result;
            }
        }
    }
    return 0;
}

// Calls visit for the slots of a type and of its bases as far as they have the same handler; `base` becomes the
// first that has another.
template <class Handler, class Visit>
int for_each_own_slot(PyObject* op, Handler PyTypeObject::*slot, Handler own, PyTypeObject** base,
                      Visit visit) {
    PyTypeObject* type = Py_TYPE(op);
    for (; type->*slot == own; type = type->tp_base) {
        if (Py_SIZE(type) != 0) {
            if (const int result = for_each_slot(op, type, visit)) {
                return result;
            }
        }
    }
    *base = type;
    return 0;
}

// The dictionary that the class has and its base has not, if it is no managed one.
PyObject** own_dict(PyObject* op, const PyTypeObject* base) {
    const PyTypeObject* type = Py_TYPE(op);
    return type->tp_dictoffset != base->tp_dictoffset &&
                   (type->tp_flags & Py_TPFLAGS_MANAGED_DICT) == 0
               ? _PyObject_GetDictPtr(op)
               : nullptr;
}

bool has_own_managed_dict(const PyTypeObject* type, const PyTypeObject* base) {
    return (type->tp_flags & Py_TPFLAGS_MANAGED_DICT) != 0 &&
           (base->tp_flags & Py_TPFLAGS_MANAGED_DICT) == 0;
}

// True if the object lives on: a finalizer revived it, or who watches it, a dict.
bool is_revived(PyObject* op, const PyTypeObject* base) {
    const PyTypeObject* type = Py_TYPE(op);
    if (type->tp_finalize != nullptr && PyObject_CallFinalizerFromDealloc(op) < 0) {
        return true;
    }
    if (type->tp_del != nullptr && type->tp_del != base->tp_del) {
        Py_INCREF(op);
        type->tp_del(op);
        if (Py_REFCNT(op) > 1) {
            Py_DECREF(op);
            return true;
        }
        Py_SET_REFCNT(op, 0);
    }
    return container::are_dicts_watched() && PyDict_Check(op) && !container::tell_of_end(op);
}

PyTypeObject* base_with_other_dealloc(PyTypeObject* type) {
    while (type->tp_dealloc == instance_dealloc) {
        type = type->tp_base;
    }
    return type;
}

}  // namespace

void instance_dealloc(PyObject* op) {
    PyTypeObject* type = Py_TYPE(op);
    PyTypeObject* base = base_with_other_dealloc(type);
    const bool is_container = (type->tp_flags & Py_TPFLAGS_HAVE_GC) != 0;
    // The finalizers see an object that is tracked, as its users knew it.
    if (is_revived(op, base)) {
        return;
    }
    if (is_container) {
        PyObject_GC_UnTrack(op);
    }
    if (type->tp_weaklistoffset != 0 && base->tp_weaklistoffset == 0) {
        PyObject_ClearWeakRefs(op);
    }
    PyTypeObject* ignored;
    for_each_own_slot(op, &PyTypeObject::tp_dealloc, instance_dealloc, &ignored,
                      [](PyObject** field) {
                          Py_CLEAR(*field);
                          return 0;
                      });
    if (has_own_managed_dict(type, base)) {
        PyObject_ClearManagedDict(op);
    } else if (PyObject** dict = own_dict(op, base)) {
        Py_CLEAR(*dict);
    }
    // A base that is a container untracks, and may be finalized: it expects what it knows.
    if (is_container && (base->tp_flags & Py_TPFLAGS_HAVE_GC) != 0) {
        object::track(op);
    }
    // A class's base that can die drops its instances' reference to their type itself.
    const bool drops_type = is_heap_type(type) && !is_heap_type(base);
    base->tp_dealloc(op);
    if (drops_type) {
        Py_DECREF(type);
    }
}

int instance_traverse(PyObject* op, visitproc visit, void* arg) {
    PyTypeObject* base = Py_TYPE(op);
    const int result = for_each_own_slot(op, &PyTypeObject::tp_traverse, instance_traverse, &base,
                                         [visit, arg](PyObject** field) {
                                             Py_VISIT(*field);
                                             return 0;
                                         });
    if (result != 0) {
        return result;
    }
    PyTypeObject* type = object::type_of(op);
    if (has_own_managed_dict(type, base)) {
        if (const int stopped = PyObject_VisitManagedDict(op, visit, arg)) {
            return stopped;
        }
    } else if (PyObject** dict = own_dict(op, base)) {
        Py_VISIT(*dict);
    }
    // A base that can die visits its instances' type itself.
    if (is_heap_type(type) && (base->tp_traverse == nullptr || !is_heap_type(base))) {
        Py_VISIT(type);
    }
    return base->tp_traverse == nullptr ? 0 : base->tp_traverse(op, visit, arg);
}

int instance_clear(PyObject* op) {
    PyTypeObject* base = Py_TYPE(op);
    for_each_own_slot(op, &PyTypeObject::tp_clear, instance_clear, &base, [](PyObject** field) {
        Py_CLEAR(*field);
        return 0;
    });
    if (has_own_managed_dict(Py_TYPE(op), base)) {
        PyObject_ClearManagedDict(op);
    } else if (PyObject** dict = own_dict(op, base)) {
        Py_CLEAR(*dict);
    }
    return base->tp_clear == nullptr ? 0 : base->tp_clear(op);
}

}  // namespace ouro::type

int PyObject_VisitManagedDict(PyObject* op, visitproc visit, void* arg) {
    if ((Py_TYPE(op)->tp_flags & Py_TPFLAGS_MANAGED_DICT) != 0) {
        Py_VISIT(ouro::object::pre_header_of(op)->dict);
    }
    return 0;
}

void PyObject_ClearManagedDict(PyObject* op) {
    if ((Py_TYPE(op)->tp_flags & Py_TPFLAGS_MANAGED_DICT) != 0) {
        Py_CLEAR(ouro::object::pre_header_of(op)->dict);
    }
}
