#include "core/verify/contract/ways.hpp"

#include <fmt/format.h>

#include "core/object/own.hpp"
#include "core/verify/contract/channel.hpp"
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
                 false});
        }
    }
}

void add_items(std::vector<Way>& ways) {
    ways.push_back({"the item 'a'",
                    [](PyObject* op, PyObject* probe) {
                        const Own key(PyUnicode_FromString("a"));
                        return PyObject_SetItem(op, key.get(), probe);
                    },
                    true});
    ways.push_back({"the item 0",
                    [](PyObject* op, PyObject* probe) {
                        const Own key(PyLong_FromLong(0));
                        return PyObject_SetItem(op, key.get(), probe);
                    },
                    true});
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
                        true});
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
    const auto add = [&ways](const char* name) {
        ways.push_back({fmt::format("the attribute '{}'", name),
                        [name](PyObject* op, PyObject* probe) {
                            return PyObject_SetAttrString(op, name, probe);
                        },
                        true});
    };
    for (; type != nullptr; type = type->tp_base) {
        for (const PyMemberDef* each = type->tp_members; each != nullptr && each->name != nullptr;
             ++each) {
            if ((each->flags & Py_READONLY) == 0) {
                add(each->name);
            }
        }
        for (const PyGetSetDef* each = type->tp_getset; each != nullptr && each->name != nullptr;
             ++each) {
            if (each->set != nullptr) {
                add(each->name);
            }
        }
    }
    return ways;
}

std::vector<Way> ways_of(const PyTypeObject* type) {
    std::vector<Way> ways = attributes_of(type);
    add_methods(type, ways);
    add_items(ways);
    add_init(type, ways);
    return ways;
}

void fill_attributes(PyObject* op) {
    for (const Way& way : attributes_of(Py_TYPE(op))) {
        const Own value(PyList_New(0));
        announce(Rule::kCallCrashes, Py_TYPE(op)->tp_name, {}, "an attempt to set " + way.text);
        if (way.put(op, value.get()) < 0) {
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
                                : way.text + ", an instance of a class derived from str,";
}

}  // namespace ouro::contract
