// What importing keeps while the runtime lives: sys.modules and the search path.
#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "core/builtins/module/import.hpp"
#include "core/builtins/module/initialise.hpp"
#include "core/builtins/module/module_object.hpp"
#include "core/builtins/module/module_state.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using module::as_module;
using object::Own;

namespace {

// sys.modules, and sys.path as it was at first; nullptr until they are asked for.
PyObject* all_modules = nullptr;
PyObject* first_path = nullptr;

// Borrowed from the place; made by whoever asks first.
PyObject* made_once(PyObject** place, PyObject* (*make)()) {
    if (PyObject* there = __atomic_load_n(place, __ATOMIC_ACQUIRE)) {
        return there;
    }
    PyObject* made = make();
    PyObject* there = nullptr;
    if (made != nullptr && !__atomic_compare_exchange_n(place, &there, made, false,
                                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        Py_DECREF(made);
        return there;
    }
    return made;
}

// The directories that an environment variable names, separated by colons.
bool append_directories(PyObject* list, const char* variable) {
    const char* value = std::getenv(variable);
    std::string_view rest = value == nullptr ? "" : value;
    while (!rest.empty()) {
        const size_t end = std::min(rest.find(':'), rest.size());
        const std::string_view directory = end == 0 ? "." : rest.substr(0, end);
        const Own text(PyUnicode_DecodeUTF8(
            directory.data(), static_cast<Py_ssize_t>(directory.size()), "surrogateescape"));
        if (!text || PyList_Append(list, text.get()) < 0) {
            return false;
        }
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return true;
}

PyObject* path_from_environment() {
    Own list(PyList_New(0));
    return list && append_directories(list.get(), "OURO_PATH") &&
                   append_directories(list.get(), "PYTHONPATH")
               ? list.release()
               : nullptr;
}

// Weak references to modules: what holds one after sys.modules does not is outside, or a cycle.
Own watch(PyObject* modules, bool essential) {
    Own watched(PyList_New(0));
    Py_ssize_t position = 0;
    PyObject *name, *op;
    while (watched && PyDict_Next(modules, &position, &name, &op) != 0) {
        const bool is_essential =
            PyUnicode_Check(name) && (PyUnicode_CompareWithASCIIString(name, "sys") == 0 ||
                                      PyUnicode_CompareWithASCIIString(name, "builtins") == 0);
        if (is_essential != essential || !PyModule_Check(op)) {
            continue;
        }
        const Own reference(PyWeakref_NewRef(op, nullptr));
        if (!reference || PyList_Append(watched.get(), reference.get()) < 0) {
            PyErr_Clear();
        }
    }
    PyErr_Clear();
    return watched;
}

// Those that are still there lose what they hold, the last one made first.
void empty(const Own& watched) {
    for (Py_ssize_t i = watched ? PyList_GET_SIZE(watched.get()) : 0; i-- > 0;) {
        PyObject* op = nullptr;
        if (PyWeakref_GetRef(PyList_GET_ITEM(watched.get(), i), &op) > 0) {
            const Own held(op);
            if (as_module(op)->dict != nullptr) {
                module::empty_dict(as_module(op)->dict);
            }
        }
        PyErr_Clear();
    }
}

}  // namespace

namespace ouro::module {

PyObject* search_path() {
    PyObject* modules = PyImport_GetModuleDict();
    PyObject* path = made_once(&first_path, path_from_environment);
    PyObject* sys = modules == nullptr ? nullptr : PyDict_GetItemString(modules, "sys");
    if (path == nullptr || sys == nullptr || !PyModule_Check(sys) ||
        as_module(sys)->dict == nullptr) {
        return path;
    }
    PyObject* now = PyDict_GetItemString(as_module(sys)->dict, "path");
    return now == nullptr ? path : now;
}

void finish() {
    forget_states();
    forget_definitions();
    if (all_modules != nullptr) {
        const Own others = watch(all_modules, false);
        const Own essential = watch(all_modules, true);
        const Own kept(PyDict_Copy(all_modules));  // the essential ones, while the others go
        PyErr_Clear();
        PyDict_Clear(all_modules);
        for (const char* name : {"sys", "builtins"}) {
            PyObject* op = kept ? PyDict_GetItemString(kept.get(), name) : nullptr;
            if (op != nullptr && PyDict_SetItemString(all_modules, name, op) < 0) {
                PyErr_Clear();
            }
        }
        if (kept) {
            PyDict_Clear(kept.get());
        }
        PyGC_Collect();
        empty(others);
        PyDict_Clear(all_modules);
        empty(essential);
        Py_CLEAR(all_modules);
    }
    Py_CLEAR(first_path);
}

}  // namespace ouro::module

PyObject* PyImport_GetModuleDict(void) {
    return made_once(&all_modules, PyDict_New);
}

PyObject* PyImport_GetModule(PyObject* name) {
    PyObject* modules = PyImport_GetModuleDict();
    PyObject* op = nullptr;
    return modules == nullptr || PyDict_GetItemRef(modules, name, &op) < 0 ? nullptr : op;
}

PyObject* PyImport_AddModuleObject(PyObject* name) {
    PyObject* modules = PyImport_GetModuleDict();
    Own op;
    if (modules == nullptr || PyDict_GetItemRef(modules, name, op.out()) < 0) {
        return nullptr;
    }
    if (op && PyModule_Check(op.get())) {
        return op.get();  // sys.modules keeps it
    }
    op.reset(PyModule_NewObject(name));
    return op && PyDict_SetItem(modules, name, op.get()) == 0 ? op.get() : nullptr;
}

PyObject* PyImport_AddModule(const char* name) {
    const Own text(PyUnicode_FromString(name));
    return text ? PyImport_AddModuleObject(text.get()) : nullptr;
}

PyObject* PyImport_AddModuleRef(const char* name) {
    return Py_XNewRef(PyImport_AddModule(name));
}
