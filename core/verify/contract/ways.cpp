#include "core/verify/contract/ways.hpp"

#include <fmt/format.h>

#include "core/object/own.hpp"
#include "core/verify/contract/module_types.hpp"

namespace ouro::contract {
namespace {

using object::Own;

int done(PyObject* result) {
    Py_XDECREF(result);
    return result == nullptr ? -1 : 0;
}

// So many times the same.
Own arguments_of(PyObject* probe, int count) {
    Own arguments(PyTuple_New(count));
    for (int i = 0; arguments && i < count; ++i) {
        PyTuple_SET_ITEM(arguments.get(), i, Py_NewRef(probe));
    }
    return arguments;
}

// Of its methods, each with the probe as its only argument, or as both.
void add_methods(const PyTypeObject* type, std::vector<Way>& ways) {
    for (const PyMethodDef* each = type->tp_methods; each != nullptr && each->ml_name != nullptr;
         ++each) {
        constexpr int kNotOne = METH_NOARGS | METH_CLASS | METH_STATIC;
        if ((each->ml_flags & kNotOne) != 0) {
            continue;
        }
        const char* name = each->ml_name;
        for (int count = 1; count <= ((each->ml_flags & METH_O) != 0 ? 1 : 2); ++count) {
            ways.push_back(
                {count == 1 ? fmt::format("an argument of {}()", name)
                            : fmt::format("both arguments of {}()", name),
                 [name, count](PyObject* op, PyObject* probe) {
                     const Own method(PyObject_GetAttrString(op, name));
                     const Own arguments = arguments_of(probe, count);
                     return !method || !arguments
                                ? -1
                                : done(PyObject_Call(method.get(), arguments.get(), nullptr));
                 },
                 place_of(type, each->ml_meth), false, false});
        }
    }
}

void add_items(const PyTypeObject* type, std::vector<Way>& ways) {
    const PyMappingMethods* mapping = type->tp_as_mapping;
    const PySequenceMethods* sequence = type->tp_as_sequence;
    const bool is_mapping = mapping != nullptr && mapping->mp_ass_subscript != nullptr;
    const Place place = is_mapping            ? place_of(type, mapping->mp_ass_subscript)
                        : sequence != nullptr ? place_of(type, sequence->sq_ass_item)
                                              : Place{};
    ways.push_back({"the item 'a'",
                    [](PyObject* op, PyObject* probe) {
                        const Own key(PyUnicode_FromString("a"));
                        return PyObject_SetItem(op, key.get(), probe);
                    },
                    place, true, true});
    ways.push_back({"the item 0",
                    [](PyObject* op, PyObject* probe) {
                        const Own key(PyLong_FromLong(0));
                        return PyObject_SetItem(op, key.get(), probe);
                    },
                    place, true, true});
}

// "Anyone can call the __init__ method on our objects", and again.
void add_init(const PyTypeObject* type, std::vector<Way>& ways) {
    if (!module_calls().contains(reinterpret_cast<const void*>(type->tp_init))) {
        return;
    }
    constexpr int kMostArguments = 3;
    for (int count = 1; count <= kMostArguments; ++count) {
        ways.push_back({count == 1 ? "the argument of __init__()"
                                   : fmt::format("{} arguments of __init__()", count),
                        [count](PyObject* op, PyObject* probe) {
                            const Own arguments = arguments_of(probe, count);
                            return arguments ? Py_TYPE(op)->tp_init(op, arguments.get(), nullptr)
                                             : -1;
                        },
                        place_of(type, type->tp_init), false, true});
    }
}

PyObject* instance_of_class(PyTypeObject* base, const char* format, const char* value) {
    const Own cls(
        PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyType_Type), "s(O){}", "Probe", base));
    PyObject* probe = cls ? PyObject_CallFunction(cls.get(), format, value) : nullptr;
    if (probe == nullptr) {
        PyErr_Clear();
    }
    return probe;
}

}  // namespace

std::vector<Way> attributes_of(const PyTypeObject* type) {
    std::vector<Way> ways;
    const auto add = [&ways](const char* name, Place place) {
        ways.push_back({fmt::format("the attribute '{}'", name),
                        [name](PyObject* op, PyObject* probe) {
                            return PyObject_SetAttrString(op, name, probe);
                        },
                        place, true, true});
    };
    // What takes any name.
    for (const void* handler : {reinterpret_cast<const void*>(type->tp_setattro),
                                reinterpret_cast<const void*>(type->tp_setattr)}) {
        if (module_calls().contains(handler)) {
            add("any", place_of(type, handler));
        }
    }
    for (; type != nullptr; type = type->tp_base) {
        for (const PyMemberDef* each = type->tp_members; each != nullptr && each->name != nullptr;
             ++each) {
            if ((each->flags & Py_READONLY) == 0) {
                add(each->name, {});
            }
        }
        for (const PyGetSetDef* each = type->tp_getset; each != nullptr && each->name != nullptr;
             ++each) {
            if (each->set != nullptr) {
                add(each->name, place_of(type, each->set));
            }
        }
    }
    return ways;
}

std::vector<Way> ways_of(const PyTypeObject* type) {
    std::vector<Way> ways = attributes_of(type);
    add_methods(type, ways);
    add_items(type, ways);
    add_init(type, ways);
    return ways;
}

std::vector<Use> uses_of(const PyTypeObject* type) {
    std::vector<Use> uses;
    const auto add = [&](const char* text, auto* slot, auto call, bool only_looks) {
        if (slot != nullptr && module_calls().contains(reinterpret_cast<const void*>(slot))) {
            uses.push_back({text, call, place_of(type, slot), only_looks});
        }
    };
    for (const PyGetSetDef* each = type->tp_getset; each != nullptr && each->name != nullptr;
         ++each) {
        if (each->get != nullptr) {
            const char* name = each->name;
            uses.push_back({fmt::format("getting the attribute '{}'", name),
                            [name](PyObject* op) { return PyObject_GetAttrString(op, name); },
                            place_of(type, each->get), true});
        }
    }
    for (const PyMethodDef* each = type->tp_methods; each != nullptr && each->ml_name != nullptr;
         ++each) {
        if ((each->ml_flags & METH_NOARGS) != 0 &&
            (each->ml_flags & (METH_CLASS | METH_STATIC)) == 0) {
            const char* name = each->ml_name;
            uses.push_back({fmt::format("{}()", name),
                            [name](PyObject* op) { return PyObject_CallMethod(op, name, nullptr); },
                            place_of(type, each->ml_meth), false});
        }
    }
    add(
        "a look for an attribute that it has not", type->tp_getattro,
        [](PyObject* op) { return PyObject_GetAttrString(op, "ouro_no_such_attribute"); }, true);
    add(
        "repr()", type->tp_repr, [](PyObject* op) { return PyObject_Repr(op); }, true);
    add(
        "str()", type->tp_str, [](PyObject* op) { return PyObject_Str(op); }, true);
    add(
        "iter()", type->tp_iter, [](PyObject* op) { return PyObject_GetIter(op); }, true);
    add(
        "next()", type->tp_iternext,
        [](PyObject* op) {
            PyObject* next = Py_TYPE(op)->tp_iternext(op);
            if (next == nullptr && PyErr_Occurred() == nullptr) {
                PyErr_SetNone(PyExc_StopIteration);  // as who calls it takes it to be
            }
            return next;
        },
        false);
    add(
        "a comparison with itself", type->tp_richcompare,
        [](PyObject* op) { return Py_TYPE(op)->tp_richcompare(op, op, Py_EQ); }, true);
    add(
        "hash()", type->tp_hash,
        [](PyObject* op) {
            const Py_hash_t hash = PyObject_Hash(op);
            return hash == -1 ? nullptr : PyLong_FromSsize_t(hash);
        },
        true);
    if (const PySequenceMethods* sequence = type->tp_as_sequence; sequence != nullptr) {
        add(
            "the item 0", sequence->sq_item, [](PyObject* op) { return PySequence_GetItem(op, 0); },
            true);
        add(
            "len()", sequence->sq_length,
            [](PyObject* op) { return PyLong_FromSsize_t(PySequence_Size(op)); }, true);
    }
    return uses;
}

void fill_attributes(PyObject* op) {
    for (const Way& way : attributes_of(Py_TYPE(op))) {
        announce(Rule::kCallCrashes, Py_TYPE(op)->tp_name, way.place,
                 "an attempt to set " + way.text);
        for (const Probe kind : {Probe::kList, Probe::kText}) {
            const Own value(make_probe(kind));
            if (value && way.put(op, value.get()) == 0) {
                break;
            }
            PyErr_Clear();
        }
    }
}

PyObject* make_probe(Probe kind) {
    return kind == Probe::kList ? PyList_New(0) : instance_of_class(&PyUnicode_Type, "s", "a");
}

PyObject* make_watched_probe(Probe kind) {
    return kind == Probe::kList ? instance_of_class(&PyList_Type, "", nullptr) : make_probe(kind);
}

std::string text_of(const Way& way, Probe kind) {
    return kind == Probe::kList ? way.text
                                : way.text + " (an instance of a class derived from str)";
}

}  // namespace ouro::contract
