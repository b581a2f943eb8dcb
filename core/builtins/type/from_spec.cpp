// Types from a PyType_Spec.
#include <cstring>
#include <string_view>

#include "core/builtins/type/bases.hpp"
#include "core/builtins/type/descriptor.hpp"
#include "core/builtins/type/heap_type.hpp"
#include "core/builtins/type/instance.hpp"
#include "core/builtins/type/new_type.hpp"
#include "core/builtins/type/spec_slots.hpp"
#include "core/object/object.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using object::Own;
using type::as_type;

namespace {

// What a spec's slots say that is not a slot of the type.
struct Parts {
    PyMemberDef* members = nullptr;
    Py_ssize_t member_count = 0;
    const char* doc = nullptr;
    PyObject* bases = nullptr;  // Py_tp_bases
    PyObject* base = nullptr;   // Py_tp_base
    void* token = nullptr;
    Py_ssize_t weaklist_offset = 0;
    Py_ssize_t dict_offset = 0;
    Py_ssize_t vectorcall_offset = 0;
};

bool refuse(const char* what) {
    PyErr_SetString(PyExc_SystemError, what);
    return false;
}

// Three members are not for attributes: they say where something is.
bool read_member(const PyType_Spec* spec, const PyMemberDef& member, Parts* parts) {
    if ((member.flags & Py_RELATIVE_OFFSET) != 0) {
        if (spec->basicsize > 0) {
            return refuse("With Py_RELATIVE_OFFSET, basicsize must be negative.");
        }
        if (member.offset < 0 || member.offset >= -spec->basicsize) {
            return refuse("Member offset out of range (0..-basicsize)");
        }
    }
    const std::string_view name = member.name;
    Py_ssize_t* const place = name == "__weaklistoffset__"     ? &parts->weaklist_offset
                              : name == "__dictoffset__"       ? &parts->dict_offset
                              : name == "__vectorcalloffset__" ? &parts->vectorcall_offset
                                                               : nullptr;
    if (place == nullptr) {
        return true;
    }
    if (member.type != Py_T_PYSSIZET || (member.flags & ~Py_RELATIVE_OFFSET) != Py_READONLY) {
        PyErr_Format(PyExc_SystemError, "type of %s must be Py_T_PYSSIZET", member.name);
        return false;
    }
    *place = member.offset;
    return true;
}

bool read_slot(PyType_Spec* spec, const PyType_Slot& slot, Parts* parts) {
    switch (slot.slot) {
        case Py_tp_members:
            if (parts->members != nullptr) {
                return refuse("Multiple Py_tp_members slots are not supported.");
            }
            parts->members = static_cast<PyMemberDef*>(slot.pfunc);
            for (const PyMemberDef* member = parts->members; member->name != nullptr; ++member) {
                ++parts->member_count;
                if (!read_member(spec, *member, parts)) {
                    return false;
                }
            }
            return true;
        case Py_tp_doc:
            if (parts->doc != nullptr) {
                return refuse("Multiple Py_tp_doc slots are not supported.");
            }
            parts->doc = static_cast<const char*>(slot.pfunc);
            return true;
        case Py_tp_bases:
            parts->bases = static_cast<PyObject*>(slot.pfunc);
            return true;
        case Py_tp_base:
            parts->base = static_cast<PyObject*>(slot.pfunc);
            return true;
        case Py_tp_token:
            parts->token = slot.pfunc == Py_TP_USE_SPEC ? spec : slot.pfunc;
            return true;
        default:
            if (!type::is_slot(slot.slot)) {
                PyErr_SetString(PyExc_RuntimeError, "invalid slot offset");
                return false;
            }
            return true;
    }
}

bool read_spec(PyType_Spec* spec, Parts* parts) {
    if (spec->name == nullptr) {
        return refuse("Type spec does not define the name field.");
    }
    for (const PyType_Slot* slot = spec->slots; slot != nullptr && slot->slot != 0; ++slot) {
        if (!read_slot(spec, *slot, parts)) {
            return false;
        }
    }
    return true;
}

// A tuple of bases that is not empty; new reference.
PyObject* bases_of(PyObject* given, const Parts& parts) {
    if (given == nullptr) {
        given = parts.bases != nullptr ? parts.bases : parts.base;
    }
    if (given == nullptr) {
        given = reinterpret_cast<PyObject*>(&PyBaseObject_Type);
    }
    if (PyTuple_Check(given)) {
        if (PyTuple_GET_SIZE(given) > 0) {
            return Py_NewRef(given);
        }
        given = reinterpret_cast<PyObject*>(&PyBaseObject_Type);
    } else if (!PyType_Check(given)) {
        refuse("Py_tp_bases is not a tuple");
        return nullptr;
    }
    return PyTuple_Pack(1, given);
}

// Where what a type adds to its base begins.
Py_ssize_t aligned(Py_ssize_t size) {
    constexpr auto alignment = static_cast<Py_ssize_t>(alignof(max_align_t));
    return (size + alignment - 1) / alignment * alignment;
}

struct Layout {
    Py_ssize_t basicsize;
    Py_ssize_t itemsize;
    Py_ssize_t data_offset;  // of what the type adds, with a negative basicsize in the spec
};

bool lay_out(const PyType_Spec* spec, const PyTypeObject* base, Layout* layout) {
    *layout = {base->tp_basicsize, spec->itemsize, 0};
    if (spec->basicsize > 0) {
        layout->basicsize = spec->basicsize;
        if (layout->basicsize < base->tp_basicsize) {
            PyErr_Format(PyExc_TypeError,
                         "tp_basicsize for type '%s' (%d) is too small for base '%s' (%zd)",
                         spec->name, spec->basicsize, base->tp_name, base->tp_basicsize);
            return false;
        }
    } else if (spec->basicsize < 0) {
        if (base->tp_itemsize != 0 && (base->tp_flags & Py_TPFLAGS_ITEMS_AT_END) == 0 &&
            (spec->flags & Py_TPFLAGS_ITEMS_AT_END) == 0) {
            return refuse("Cannot extend variable-size class without Py_TPFLAGS_ITEMS_AT_END.");
        }
        layout->data_offset = aligned(base->tp_basicsize);
        layout->basicsize = layout->data_offset + aligned(-Py_ssize_t{spec->basicsize});
    }
    if (spec->itemsize == 0) {
        layout->itemsize = base->tp_itemsize;
    }
    return true;
}

void set_offset(Py_ssize_t* field, Py_ssize_t given, const PyMemberDef* members, const char* name,
                Py_ssize_t data_offset) {
    if (given == 0) {
        return;
    }
    *field = given;
    for (; members->name != nullptr; ++members) {
        if (std::strcmp(members->name, name) == 0 && (members->flags & Py_RELATIVE_OFFSET) != 0) {
            *field += data_offset;
        }
    }
}

void copy_members(PyTypeObject* type, const Parts& parts, Py_ssize_t data_offset) {
    if (parts.members == nullptr) {
        return;
    }
    PyMemberDef* copy = type::members_of(type);
    for (Py_ssize_t i = 0; i < parts.member_count; ++i) {
        copy[i] = parts.members[i];
        if ((copy[i].flags & Py_RELATIVE_OFFSET) != 0) {
            copy[i].offset += data_offset;
            copy[i].flags &= ~Py_RELATIVE_OFFSET;
        }
    }
    type->tp_members = copy;
    set_offset(&type->tp_weaklistoffset, parts.weaklist_offset, parts.members, "__weaklistoffset__",
               data_offset);
    set_offset(&type->tp_dictoffset, parts.dict_offset, parts.members, "__dictoffset__",
               data_offset);
    set_offset(&type->tp_vectorcall_offset, parts.vectorcall_offset, parts.members,
               "__vectorcalloffset__", data_offset);
}

bool set_names(PyTypeObject* type, const char* name) {
    PyHeapTypeObject* heap_type = type::as_heap_type(type);
    heap_type->_ht_tpname = type::copy_text(name, std::strlen(name));
    if (heap_type->_ht_tpname == nullptr) {
        return false;
    }
    type->tp_name = heap_type->_ht_tpname;
    heap_type->ht_name = PyUnicode_FromString(type::last_part(name));
    heap_type->ht_qualname = Py_XNewRef(heap_type->ht_name);
    return heap_type->ht_name != nullptr;
}

// __module__ is what comes before the last dot of the name.
bool set_module_name(PyTypeObject* type) {
    const char* dot = std::strrchr(type->tp_name, '.');
    if (dot == nullptr) {
        return PyErr_WarnFormat(PyExc_DeprecationWarning, 1,
                                "builtin type %.200s has no __module__ attribute",
                                type->tp_name) == 0;
    }
    const int taken = PyDict_ContainsString(type->tp_dict, "__module__");
    if (taken != 0) {
        return taken > 0;
    }
    const Own name(PyUnicode_FromStringAndSize(type->tp_name, dot - type->tp_name));
    return name && PyDict_SetItemString(type->tp_dict, "__module__", name.get()) == 0;
}

bool fill(PyTypeObject* type, const PyType_Spec* spec, const Parts& parts, const Layout& layout,
          PyObject* module, PyObject* bases, PyTypeObject* base) {
    type->tp_flags = spec->flags | Py_TPFLAGS_HEAPTYPE;
    type->tp_basicsize = layout.basicsize;
    type->tp_itemsize = layout.itemsize;
    type->tp_base = as_type(Py_NewRef(base));
    type->tp_bases = Py_NewRef(bases);
    type::as_heap_type(type)->ht_module = Py_XNewRef(module);
    type::as_heap_type(type)->ht_token = parts.token;
    if (!set_names(type, spec->name)) {
        return false;
    }
    if (parts.doc != nullptr) {
        type->tp_doc = type::copy_text(parts.doc, std::strlen(parts.doc));
        if (type->tp_doc == nullptr) {
            return false;
        }
    }
    for (const PyType_Slot* slot = spec->slots; slot != nullptr && slot->slot != 0; ++slot) {
        type::store_slot(type, *slot);
    }
    if (type->tp_dealloc == nullptr) {
        type->tp_dealloc = type::instance_dealloc;
    }
    copy_members(type, parts, layout.data_offset);
    if (type->tp_vectorcall_offset == 0) {
        type->tp_flags &= ~Py_TPFLAGS_HAVE_VECTORCALL;
    }
    const bool filled = PyType_Ready(type) == 0 && set_module_name(type);
    PyType_Modified(type);
    return filled;
}

}  // namespace

PyObject* PyType_FromMetaclass(PyTypeObject* metaclass, PyObject* module, PyType_Spec* spec,
                               PyObject* bases_in) {
    Parts parts;
    if (!read_spec(spec, &parts)) {
        return nullptr;
    }
    const Own bases(bases_of(bases_in, parts));
    if (!bases) {
        return nullptr;
    }
    PyTypeObject* base = type::best_base(bases.get());
    PyTypeObject* best =
        base == nullptr
            ? nullptr
            : type::best_metaclass(metaclass == nullptr ? &PyType_Type : metaclass, bases.get());
    if (best == nullptr) {
        return nullptr;
    }
    if (best->tp_new != type::new_type && best->tp_new != nullptr) {
        PyErr_SetString(PyExc_TypeError, "Metaclasses with custom tp_new are not supported.");
        return nullptr;
    }
    Layout layout;
    if (!lay_out(spec, base, &layout)) {
        return nullptr;
    }
    PyHeapTypeObject* made = type::make_heap_type(best, parts.member_count);
    Own type(reinterpret_cast<PyObject*>(made));
    return type && fill(&made->ht_type, spec, parts, layout, module, bases.get(), base)
               ? type.release()
               : nullptr;
}

PyObject* PyType_FromModuleAndSpec(PyObject* module, PyType_Spec* spec, PyObject* bases) {
    return PyType_FromMetaclass(nullptr, module, spec, bases);
}

PyObject* PyType_FromSpecWithBases(PyType_Spec* spec, PyObject* bases) {
    return PyType_FromMetaclass(nullptr, nullptr, spec, bases);
}

PyObject* PyType_FromSpec(PyType_Spec* spec) {
    return PyType_FromMetaclass(nullptr, nullptr, spec, nullptr);
}

void* PyObject_GetTypeData_DuringGC(PyObject* op, PyTypeObject* cls) {
    return reinterpret_cast<char*>(op) + aligned(cls->tp_base->tp_basicsize);
}

void* PyObject_GetTypeData(PyObject* op, PyTypeObject* cls) {
    return PyObject_GetTypeData_DuringGC(op, cls);
}

Py_ssize_t PyType_GetTypeDataSize(PyTypeObject* cls) {
    const Py_ssize_t size = cls->tp_basicsize - aligned(cls->tp_base->tp_basicsize);
    return size < 0 ? 0 : size;
}

void* PyObject_GetItemData_DuringGC(PyObject* op) {
    const PyTypeObject* type = object::type_of(op);
    return (type->tp_flags & Py_TPFLAGS_ITEMS_AT_END) == 0
               ? nullptr
               : reinterpret_cast<char*>(op) + type->tp_basicsize;
}

void* PyObject_GetItemData(PyObject* op) {
    if (!PyType_HasFeature(Py_TYPE(op), Py_TPFLAGS_ITEMS_AT_END)) {
        return PyErr_Format(PyExc_TypeError, "type '%s' does not have Py_TPFLAGS_ITEMS_AT_END",
                            Py_TYPE(op)->tp_name);
    }
    return PyObject_GetItemData_DuringGC(op);
}
