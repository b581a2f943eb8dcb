// What the runtime was started with, by CPython's names. Source: "Python Initialization Configuration", Runtime Python
// configuration API.
#include <algorithm>
#include <string_view>

#include "core/builtins/module/sys_dict.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using object::Own;

namespace {

// Options that are an attribute of sys, too.
constexpr std::string_view kOfSys[] = {"argv", "executable", "path", "pycache_prefix"};

struct Number {
    std::string_view name;
    int value;
};
constexpr Number kNumbers[] = {
    {"bytes_warning", 0}, {"dev_mode", 0},        {"inspect", 0},
    {"interactive", 0},   {"isolated", 0},        {"optimization_level", 0},
    {"parser_debug", 0},  {"quiet", 0},           {"site_import", 0},
    {"tracemalloc", 0},   {"use_environment", 1}, {"user_site_directory", 0},
    {"utf8_mode", 1},     {"verbose", 0},         {"write_bytecode", 0},
};

const Number* number_of(std::string_view name) {
    const auto* found =
        std::ranges::find_if(kNumbers, [name](const Number& each) { return each.name == name; });
    return found == std::end(kNumbers) ? nullptr : found;
}

void refuse(const char* name) {
    PyErr_Format(PyExc_ValueError, "unknown config option name: %s", name);
}

}  // namespace

PyObject* PyConfig_Get(const char* name) {
    if (const Number* number = number_of(name)) {
        return PyLong_FromLong(number->value);
    }
    if (std::ranges::find(kOfSys, name) == std::end(kOfSys)) {
        refuse(name);
        return nullptr;
    }
    Own found(module::sys_attribute(name));
    return found ? found.release() : Py_NewRef(Py_None);
}

int PyConfig_GetInt(const char* name, int* value) {
    const Own found(PyConfig_Get(name));
    if (!found) {
        return -1;
    }
    if (!PyLong_Check(found.get())) {
        PyErr_Format(PyExc_TypeError, "config option %s is not an int", name);
        return -1;
    }
    *value = PyLong_AsInt(found.get());
    return *value == -1 && PyErr_Occurred() != nullptr ? -1 : 0;
}

int PyConfig_Set(const char* name, PyObject* value) {
    if (std::ranges::find(kOfSys, name) != std::end(kOfSys)) {
        return PySys_SetObject(name, value);
    }
    if (number_of(name) == nullptr) {
        refuse(name);
    } else {
        PyErr_Format(PyExc_ValueError, "cannot set read-only option %s", name);
    }
    return -1;
}

PyObject* PyConfig_Names(void) {
    Own made(PyFrozenSet_New(nullptr));
    const auto add = [&made](std::string_view name) {
        const Own text(
            PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size())));
        if (made && (!text || PySet_Add(made.get(), text.get()) < 0)) {
            made.reset();
        }
    };
    std::ranges::for_each(kOfSys, add);
    std::ranges::for_each(kNumbers, [&add](const Number& each) { add(each.name); });
    return made.release();
}
