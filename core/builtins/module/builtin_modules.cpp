#include "core/builtins/module/builtin_modules.hpp"

#include <algorithm>
#include <string_view>

#include "core/builtins/context/context_module.hpp"
#include "core/builtins/date/module.hpp"
#include "core/builtins/module/own_modules.hpp"
#include "core/include/ouroboros.h"

using namespace ouro;

namespace {

// The runtime's own modules; each is made when it is first imported.
struct _inittab own_modules[] = {
    {"builtins", module::init_builtins},
    {"contextvars", context::init_contextvars},
    {"datetime", date::init_datetime},
    {"gc", module::init_gc},
    {"sys", module::init_sys},
    {"weakref", module::init_weakref},
    {nullptr, nullptr},
};

size_t count(const struct _inittab* table) {
    size_t entries = 0;
    while (table[entries].name != nullptr) {
        ++entries;
    }
    return entries;
}

}  // namespace

struct _inittab* PyImport_Inittab = own_modules;

int PyImport_ExtendInittab(struct _inittab* added) {
    if (Py_IsInitialized() != 0) {
        Py_FatalError("PyImport_ExtendInittab() may not be called after Py_Initialize()");
    }
    const size_t before = count(PyImport_Inittab);
    const size_t more = count(added);
    if (more == 0) {
        return 0;
    }
    const bool is_own = PyImport_Inittab == own_modules;
    // The names stay where they are: whoever adds a module keeps its entry's.
    auto* table = static_cast<struct _inittab*>(PyMem_RawRealloc(
        is_own ? nullptr : PyImport_Inittab, (before + more + 1) * sizeof(struct _inittab)));
    if (table == nullptr) {
        return -1;
    }
    if (is_own) {
        std::copy_n(own_modules, before, table);
    }
    std::copy_n(added, more + 1, table + before);
    PyImport_Inittab = table;
    return 0;
}

int PyImport_AppendInittab(const char* name, PyObject* (*init)(void)) {
    if (Py_IsInitialized() != 0) {
        Py_FatalError("PyImport_AppendInittab() may not be called after Py_Initialize()");
    }
    struct _inittab added[] = {{name, init}, {nullptr, nullptr}};
    return PyImport_ExtendInittab(added);
}

namespace ouro::module {

const struct _inittab* find_builtin(const char* name) {
    for (const struct _inittab* entry = PyImport_Inittab; entry->name != nullptr; ++entry) {
        if (std::string_view(entry->name) == name) {
            return entry;
        }
    }
    return nullptr;
}

bool is_own(const struct _inittab* entry) {
    // The table may be a copy; the functions are not.
    return std::ranges::any_of(own_modules, [entry](const struct _inittab& own) {
        return own.initfunc != nullptr && own.initfunc == entry->initfunc;
    });
}

}  // namespace ouro::module
