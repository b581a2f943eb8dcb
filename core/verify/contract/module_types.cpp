#include "core/verify/contract/module_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/verify/contract/object_rules.hpp"

namespace ouro::contract {
namespace {

const ModuleCalls* calls_of_module = nullptr;
std::vector<PyTypeObject*> types;
std::map<const PyTypeObject*, freefunc> frees;
bool is_complete = false;
size_t numbered = SIZE_MAX;  // so many have the same number in all processes

// What an author wrote of a type, statically or as a spec.
struct Definition {
    const char* name;
    unsigned long flags;
    traverseproc traverse;
    inquiry clear;
    const PyTypeObject* base;
};

const char* handlers_of(const Definition& type) {
    return type.traverse == nullptr ? "tp_clear"
           : type.clear == nullptr  ? "tp_traverse"
                                    : "tp_traverse and tp_clear";
}

void report_handlers_in_vain(const Definition& type, Place place) {
    report(Rule::kTypeHandlersWithoutFlag, type.name, place,
           fmt::format("it has {} and not the flag", handlers_of(type)));
}

void check_written(const Definition& type, Place place) {
    if ((type.flags & Py_TPFLAGS_HAVE_GC) != 0) {
        if (type.traverse == nullptr) {
            report(Rule::kTypeNoTraverse, type.name, place,
                   "it has the flag and no tp_traverse: PyType_Ready refuses it");
        }
        return;
    }
    if (type.traverse == nullptr && type.clear == nullptr) {
        return;
    }
    if (type.base != nullptr && is_container_type(type.base)) {
        report(Rule::kTypeHalfInherited, type.name, place,
               fmt::format("it has {} and not the flag: it inherits nothing of what {} has",
                           handlers_of(type), type.base->tp_name));
    } else if ((type.flags & Py_TPFLAGS_BASETYPE) == 0) {
        report_handlers_in_vain(type, place);
    }
}

Definition definition_of(const PyTypeObject* type) {
    return {type->tp_name, type->tp_flags, type->tp_traverse, type->tp_clear, type->tp_base};
}

// A base's handlers may be there to be called by those of the containers that are derived from it.
void check_base(const PyTypeObject* type) {
    const Definition its = definition_of(type);
    if ((its.flags & (Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE)) == Py_TPFLAGS_BASETYPE &&
        !is_container_type(its.base) && (its.traverse != nullptr || its.clear != nullptr) &&
        std::ranges::none_of(types, [type](const PyTypeObject* each) {
            return each->tp_base == type && is_container_type(each);
        })) {
        report_handlers_in_vain(its, its.traverse != nullptr ? place_of(type, its.traverse)
                                                             : place_of(type, its.clear));
    }
}

Definition definition_of(const PyType_Spec* spec, PyObject* bases) {
    Definition found{spec->name, spec->flags, nullptr, nullptr, nullptr};
    PyObject* base = bases;
    for (const PyType_Slot* slot = spec->slots; slot != nullptr && slot->slot != 0; ++slot) {
        switch (slot->slot) {
            case Py_tp_traverse:
                found.traverse = reinterpret_cast<traverseproc>(slot->pfunc);
                break;
            case Py_tp_clear:
                found.clear = reinterpret_cast<inquiry>(slot->pfunc);
                break;
            case Py_tp_base:
            case Py_tp_bases:
                base = base == nullptr ? static_cast<PyObject*>(slot->pfunc) : base;
                break;
            default:
                break;
        }
    }
    if (base != nullptr && PyTuple_Check(base) && PyTuple_GET_SIZE(base) > 0) {
        base = PyTuple_GET_ITEM(base, 0);
    }
    if (base != nullptr && PyType_Check(base)) {
        found.base = reinterpret_cast<PyTypeObject*>(base);
    }
    return found;
}

bool holds_object(const PyMemberDef& member) {
    return member.type == _Py_T_OBJECT || member.type == Py_T_OBJECT_EX;
}

// The name of a field that a program may set to any object; nullptr if there is none.
const char* settable_member(const PyTypeObject* type) {
    for (const PyMemberDef* member = type->tp_members; member != nullptr && member->name != nullptr;
         ++member) {
        if (holds_object(*member) && (member->flags & Py_READONLY) == 0) {
            return member->name;
        }
    }
    return nullptr;
}

void check_members(const PyTypeObject* type, Place place) {
    const PyTypeObject* base = type->tp_base;
    for (const PyMemberDef* member = type->tp_members; member != nullptr && member->name != nullptr;
         ++member) {
        const auto end = member->offset + static_cast<Py_ssize_t>(sizeof(PyObject*));
        const bool is_own = base == nullptr || member->offset >= base->tp_basicsize;
        if (holds_object(*member) && is_own && member->offset >= 0 && type->tp_itemsize == 0 &&
            (member->flags & Py_RELATIVE_OFFSET) == 0 && end > type->tp_basicsize) {
            report(Rule::kTypeMemberOutside, type->tp_name, place,
                   fmt::format("'{}' ends at byte {}, tp_basicsize is {}", member->name, end,
                               type->tp_basicsize));
        }
    }
}

void check_ready(PyTypeObject* type, Place place) {
    const PyTypeObject* base = type->tp_base;
    const bool is_container = is_container_type(type);
    const bool has_own_traverse =
        module_calls().contains(reinterpret_cast<void*>(type->tp_traverse));
    if (is_container && has_own_traverse && type->tp_clear == nullptr) {
        const char* member = settable_member(type);
        if (base != nullptr && base->tp_clear != nullptr) {
            report(Rule::kTypeClearNotInherited, type->tp_name, place,
                   fmt::format("it has no tp_clear, and {}, its base, has", base->tp_name));
        } else if (member != nullptr) {
            report(Rule::kTypeNoClear, type->tp_name, place,
                   fmt::format("'{}' can be set to any object, and there is no tp_clear", member));
        }
    }
    const char* member = is_container ? nullptr : settable_member(type);
    if (member != nullptr) {
        report(Rule::kTypeNoFlag, type->tp_name, place,
               fmt::format("'{}' can be set to any object: to one that refers to the instance",
                           member));
    }
    const freefunc freed_by = own_free(type);
    if (freed_by == (is_container ? PyObject_Free : PyObject_GC_Del)) {
        report(Rule::kTypeFree, type->tp_name, place,
               is_container ? "it is a container, and its tp_free is PyObject_Free"
                            : "it is no container, and its tp_free is PyObject_GC_Del");
    }
    if (type->tp_del != nullptr &&
        module_calls().contains(reinterpret_cast<const void*>(type->tp_del))) {
        report(Rule::kTypeDel, type->tp_name, place, "it has a tp_del");
    }
    check_members(type, place);
}

void note_ready(PyTypeObject* type, Place place) {
    if (is_complete || is_module_type(type)) {
        return;
    }
    Py_INCREF(type);
    types.push_back(type);
    const freefunc written = original(type->tp_free);
    // A base's is the checker's already.
    frees[type] = written == watched_free ? own_free(type->tp_base) : written;
    if (written != nullptr) {
        type->tp_free = watched_free;
    }
    check_ready(type, place);
}

int ready(PyTypeObject* type, Place place) {
    const bool is_new = (type->tp_flags & Py_TPFLAGS_READY) == 0;
    if (is_new) {
        check_written(definition_of(type), place);
    }
    const int result = PyType_Ready(type);
    if (result == 0 && is_new) {
        note_ready(type, place);
    }
    return result;
}

PyObject* note_made(PyObject* made, Place place) {
    if (made != nullptr) {
        note_ready(reinterpret_cast<PyTypeObject*>(made), place);
    }
    return made;
}

int watched_ready(PyTypeObject* type) {
    return ready(type, OURO_CALLER);
}

int watched_add_type(PyObject* module, PyTypeObject* type) {
    return ready(type, OURO_CALLER) < 0 ? -1 : PyModule_AddType(module, type);
}

PyObject* watched_from_metaclass(PyTypeObject* metaclass, PyObject* module, PyType_Spec* spec,
                                 PyObject* bases) {
    const Place place = OURO_CALLER;
    check_written(definition_of(spec, bases), place);
    return note_made(PyType_FromMetaclass(metaclass, module, spec, bases), place);
}

PyObject* watched_from_module(PyObject* module, PyType_Spec* spec, PyObject* bases) {
    const Place place = OURO_CALLER;
    check_written(definition_of(spec, bases), place);
    return note_made(PyType_FromModuleAndSpec(module, spec, bases), place);
}

PyObject* watched_from_bases(PyType_Spec* spec, PyObject* bases) {
    const Place place = OURO_CALLER;
    check_written(definition_of(spec, bases), place);
    return note_made(PyType_FromSpecWithBases(spec, bases), place);
}

PyObject* watched_from_spec(PyType_Spec* spec) {
    const Place place = OURO_CALLER;
    check_written(definition_of(spec, nullptr), place);
    return note_made(PyType_FromSpec(spec), place);
}

}  // namespace

void set_module(const ModuleCalls* calls) {
    calls_of_module = calls;
}

const ModuleCalls& module_calls() {
    return *calls_of_module;
}

const std::vector<PyTypeObject*>& module_types() {
    return types;
}

bool is_module_type(const PyTypeObject* type) {
    return std::ranges::find(types, type) != types.end();
}

int number_of(const PyTypeObject* type) {
    const auto it = std::ranges::find(types, type);
    const auto number = static_cast<size_t>(it - types.begin());
    return number < std::min(types.size(), numbered) ? static_cast<int>(number) : -1;
}

void number_types() {
    numbered = types.size();
}

void check_bases() {
    std::ranges::for_each(types, check_base);
}

freefunc own_free(const PyTypeObject* type) {
    for (; type != nullptr; type = type->tp_base) {
        if (const auto found = frees.find(type); found != frees.end()) {
            return found->second;
        }
        if (type->tp_free != watched_free) {
            return type->tp_free;
        }
    }
    return nullptr;
}

void ignore_new_types() {
    is_complete = true;
}

void watch_types() {
    const ModuleCalls& calls = module_calls();
    calls.redirect("PyType_Ready", reinterpret_cast<void*>(watched_ready));
    calls.redirect("PyModule_AddType", reinterpret_cast<void*>(watched_add_type));
    calls.redirect("PyType_FromMetaclass", reinterpret_cast<void*>(watched_from_metaclass));
    calls.redirect("PyType_FromModuleAndSpec", reinterpret_cast<void*>(watched_from_module));
    calls.redirect("PyType_FromSpecWithBases", reinterpret_cast<void*>(watched_from_bases));
    calls.redirect("PyType_FromSpec", reinterpret_cast<void*>(watched_from_spec));
}

}  // namespace ouro::contract
