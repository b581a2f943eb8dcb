#include "core/builtins/type/new_type.hpp"

#include <cstring>

#include "core/builtins/type/bases.hpp"
#include "core/builtins/type/class_slots.hpp"
#include "core/builtins/type/descriptor.hpp"
#include "core/builtins/type/heap_type.hpp"
#include "core/builtins/type/instance.hpp"
#include "core/builtins/type/lookup.hpp"
#include "core/builtins/type/names.hpp"
#include "core/builtins/type/slots.hpp"
#include "core/object/own.hpp"

namespace ouro::type {
namespace {

using object::Own;

PyObject* get_weak_list(PyObject* op, void*) {
    PyObject* first = nullptr;
    if (const Py_ssize_t offset = Py_TYPE(op)->tp_weaklistoffset; offset != 0) {
        first = *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(op) + offset);
    }
    return Py_NewRef(first == nullptr ? Py_None : first);
}

// What a class with a dictionary, and one whose instances can be weakly referenced, shows.
PyGetSetDef dict_getset = {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict,
                           "dictionary for instance variables", nullptr};
PyGetSetDef weakref_getset = {"__weakref__", get_weak_list, nullptr,
                              "list of weak references to the object", nullptr};

struct Definition {
    PyObject* name;   // str
    PyObject* bases;  // tuple, not empty
    PyTypeObject* base;
    PyObject* dict;  // the class's own
    ClassSlots slots;
};

// The fields of __slots__ follow the base's struct, a word each.
bool set_layout(PyTypeObject* type, const Definition& definition) {
    const PyTypeObject* base = definition.base;
    const ClassSlots& slots = definition.slots;
    Py_ssize_t offset = base->tp_basicsize;
    PyMemberDef* member = members_of(type);
    for (Py_ssize_t i = 0; i < slots.count(); ++i, ++member) {
        const char* name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(slots.names.get(), i));
        if (name == nullptr) {
            return false;
        }
        *member = {.name = name,  // the type keeps the tuple
                   .type = Py_T_OBJECT_EX,
                   .offset = offset,
                   .flags = 0,
                   .doc = nullptr};
        offset += static_cast<Py_ssize_t>(sizeof(PyObject*));
    }
    type->tp_members = slots.count() == 0 ? nullptr : members_of(type);
    as_heap_type(type)->ht_slots = Py_XNewRef(slots.names.get());
    type->tp_basicsize = offset;
    type->tp_itemsize = base->tp_itemsize;
    if (slots.has_dict) {
        type->tp_flags |= Py_TPFLAGS_MANAGED_DICT;
    }
    if (slots.has_weak_list) {
        type->tp_flags |= Py_TPFLAGS_MANAGED_WEAKREF;
    }
    return true;
}

// Whatever can refer to something is a container. What a class adds is stored in single words, so that it can be
// traversed concurrently with mutators if its base can.
void set_handlers(PyTypeObject* type, const Definition& definition) {
    const PyTypeObject* base = definition.base;
    const bool adds = definition.slots.has_dict || definition.slots.count() > 0;
    const bool base_is_container = (base->tp_flags & Py_TPFLAGS_HAVE_GC) != 0;
    type->tp_dealloc = instance_dealloc;
    type->tp_alloc = PyType_GenericAlloc;
    type->tp_free = PyObject_Free;
    if (!adds && !base_is_container && !definition.slots.has_weak_list) {
        return;
    }
    type->tp_flags |= Py_TPFLAGS_HAVE_GC;
    if (!base_is_container || (base->tp_flags & OURO_TPFLAGS_CONCURRENT_TRAVERSE) != 0) {
        type->tp_flags |= OURO_TPFLAGS_CONCURRENT_TRAVERSE;
    }
    type->tp_traverse = instance_traverse;
    type->tp_clear = instance_clear;
    type->tp_free = PyObject_GC_Del;
}

bool add_getset(PyTypeObject* type, PyGetSetDef* definition) {
    const Own descriptor(PyDescr_NewGetSet(type, definition));
    if (!descriptor) {
        return false;
    }
    const int taken = PyDict_ContainsString(type->tp_dict, definition->name);
    return taken > 0 || (taken == 0 && PyDict_SetItemString(type->tp_dict, definition->name,
                                                            descriptor.get()) == 0);
}

// Takes an entry that is the type's own and not an attribute. False with an exception.
bool set_qualified_name(PyTypeObject* type, const Definition& definition) {
    PyObject* given = nullptr;
    const int found = PyDict_GetItemStringRef(definition.dict, "__qualname__", &given);
    Own name(given);
    if (found < 0) {
        return false;
    }
    if (found == 0) {
        name = Own(Py_NewRef(definition.name));
    } else if (!PyUnicode_Check(given)) {
        PyErr_Format(PyExc_TypeError, "type __qualname__ must be a str, not %s",
                     Py_TYPE(given)->tp_name);
        return false;
    } else if (PyDict_DelItemString(definition.dict, "__qualname__") < 0) {
        return false;
    }
    as_heap_type(type)->ht_qualname = name.release();
    return true;
}

bool set_doc(PyTypeObject* type, PyObject* dict) {
    PyObject* doc = nullptr;
    const int found = PyDict_GetItemStringRef(dict, "__doc__", &doc);
    const Own held(doc);
    if (found <= 0 || !PyUnicode_Check(doc)) {
        return found >= 0;
    }
    Py_ssize_t size;
    const char* text = PyUnicode_AsUTF8AndSize(doc, &size);
    type->tp_doc = text == nullptr ? nullptr : copy_text(text, static_cast<size_t>(size));
    return type->tp_doc != nullptr;
}

bool fill(PyTypeObject* type, const Definition& definition) {
    PyHeapTypeObject* heap_type = as_heap_type(type);
    type->tp_flags |= Py_TPFLAGS_BASETYPE;
    type->tp_base = as_type(Py_NewRef(definition.base));
    type->tp_bases = Py_NewRef(definition.bases);
    type->tp_dict = Py_NewRef(definition.dict);
    heap_type->ht_name = Py_NewRef(definition.name);
    type->tp_name = checked_name(definition.name);
    set_handlers(type, definition);
    return type->tp_name != nullptr && set_qualified_name(type, definition) &&
           set_doc(type, definition.dict) && set_layout(type, definition) &&
           PyType_Ready(type) == 0 &&
           (!definition.slots.has_dict || add_getset(type, &dict_getset)) &&
           (!definition.slots.has_weak_list || add_getset(type, &weakref_getset)) &&
           fix_slots(type) && (PyType_Modified(type), true);
}

// Tells each attribute that wants to know under which name of which class it is.
bool set_names(PyTypeObject* type) {
    const Own copy(PyDict_Copy(type->tp_dict));
    if (!copy) {
        return false;
    }
    PyObject* name;
    PyObject* value;
    for (Py_ssize_t i = 0; PyDict_Next(copy.get(), &i, &name, &value) != 0;) {
        PyObject* setter = nullptr;
        const int found = lookup(Py_TYPE(value), "__set_name__", &setter);
        const Own held(setter);
        if (found < 0) {
            return false;
        }
        if (found > 0) {
            const Own done(PyObject_CallFunctionObjArgs(setter, value,
                                                        reinterpret_cast<PyObject*>(type), name,
                                                        static_cast<PyObject*>(nullptr)));
            if (!done) {
                return false;
            }
        }
    }
    return true;
}

// Tells the bases: the first after the type that has an __init_subclass__.
bool tell_bases(PyTypeObject* type, PyObject* kwargs) {
    const Own name(name_of_attribute("__init_subclass__"));
    if (!name) {
        return false;
    }
    PyObject* order = type->tp_mro;
    for (Py_ssize_t i = 1; i < PyTuple_GET_SIZE(order); ++i) {
        PyObject* found = nullptr;
        const int status =
            PyDict_GetItemRef(as_type(PyTuple_GET_ITEM(order, i))->tp_dict, name.get(), &found);
        Own function(found);
        if (status < 0) {
            return false;
        }
        if (status == 0) {
            continue;
        }
        if (const descrgetfunc get = Py_TYPE(found)->tp_descr_get) {
            function = Own(get(found, nullptr, reinterpret_cast<PyObject*>(type)));
        }
        const Own none(PyTuple_New(0));
        const Own done(function && none ? PyObject_Call(function.get(), none.get(), kwargs)
                                        : nullptr);
        return static_cast<bool>(done);
    }
    return true;
}

PyObject* make_class(PyTypeObject* metaclass, PyObject* name, PyObject* bases, PyObject* dict) {
    Definition definition{name, bases, best_base(bases), dict, ClassSlots()};
    if (definition.base == nullptr || !read_slots(dict, name, definition.base, &definition.slots)) {
        return nullptr;
    }
    PyHeapTypeObject* made = make_heap_type(metaclass, definition.slots.count());
    Own type(reinterpret_cast<PyObject*>(made));
    return type && fill(&made->ht_type, definition) ? type.release() : nullptr;
}

}  // namespace

PyObject* new_type(PyTypeObject* metaclass, PyObject* args, PyObject* kwargs) {
    PyObject* name;
    PyObject* bases;
    PyObject* given;
    if (PyArg_ParseTuple(args, "UO!O!:type.__new__", &name, &PyTuple_Type, &bases, &PyDict_Type,
                         &given) == 0) {
        return nullptr;
    }
    PyTypeObject* best = best_metaclass(metaclass, bases);
    if (best == nullptr) {
        return nullptr;
    }
    if (best != metaclass && best->tp_new != new_type && best->tp_new != nullptr) {
        return best->tp_new(best, args, kwargs);
    }
    const Own all_bases(PyTuple_GET_SIZE(bases) > 0
                            ? Py_NewRef(bases)
                            : PyTuple_Pack(1, reinterpret_cast<PyObject*>(&PyBaseObject_Type)));
    const Own dict(PyDict_Copy(given));
    if (!all_bases || !dict) {
        return nullptr;
    }
    Own type(make_class(best, name, all_bases.get(), dict.get()));
    return type && set_names(as_type(type.get())) && tell_bases(as_type(type.get()), kwargs)
               ? type.release()
               : nullptr;
}

int init_type(PyObject*, PyObject* args, PyObject* kwargs) {
    const Py_ssize_t count = PyTuple_GET_SIZE(args);
    if (count == 1 && kwargs != nullptr && PyDict_Size(kwargs) != 0) {
        PyErr_SetString(PyExc_TypeError, "type.__init__() takes no keyword arguments");
        return -1;
    }
    if (count != 1 && count != 3) {
        PyErr_SetString(PyExc_TypeError, "type.__init__() takes 1 or 3 arguments");
        return -1;
    }
    return 0;
}

}  // namespace ouro::type
