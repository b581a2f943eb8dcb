// What a tp_traverse of the module does, seen when the checker calls it (traverse.*, and types.* about what it visits).
#pragma once

#include <string>

#include "core/include/Python.h"
#include "core/verify/contract/visits.hpp"

namespace ouro::contract {

// All of it on one instance, each part in a child process of so many seconds at most. `made` says how it was made.
void check_traversal(PyObject* op, const std::string& made, unsigned seconds);
// The same of the m_traverse of a module that has a definition.
void check_module_traversal(PyObject* module, const char* name, unsigned seconds);
// Only whether it passes on what visit returns, in this process; `visits` is what it visits.
void check_answers(PyObject* op, const std::string& made, const Visits& visits);

}  // namespace ouro::contract
