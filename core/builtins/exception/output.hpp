// Where exceptions are shown: by the hooks and files of the module sys, once there is one.
#pragma once

#include <string_view>

#include "core/include/Python.h"

namespace ouro::exception {

// What the room that makes sys provides. Each is called with no exception set and leaves none.
struct SysHooks {
    // Writes to sys.stderr; false if that cannot be done.
    bool (*write_stderr)(std::string_view text);
    // Hands over to sys.excepthook or sys.unraisablehook; false if that is the one which was there first.
    // `op` and `message` may be nullptr.
    bool (*except)(PyObject* raised);
    bool (*unraisable)(PyObject* raised, PyObject* op, PyObject* message);
};
// nullptr: there is no sys yet.
void set_sys_hooks(const SysHooks* hooks);

// To sys.stderr, else to the C library's.
void write_stderr(std::string_view text);

// What the first hooks do.
void show_unraisable(PyObject* raised, PyObject* op, PyObject* message);

}  // namespace ouro::exception
