// Lines of a script, run and judged: after each, what its names stand for is looked at (traverse.*); when the names are
// gone, who still has what they were given (counts.*), and what the module's state has of it (traverse.*, clear.*).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/verify/contract/channel.hpp"
#include "core/verify/contract/interpreter.hpp"

namespace ouro::contract {

struct Line {
    std::string text;
    Place place;       // of the module's function that it calls, if that is known
    const char* type;  // whose function that is, or ""
};

// Whether a call that returned `value`, and left that exception, breaks calls.no-exception: as it is, or as PyObject_Call
// has told it.
bool breaks_exception_rule(const PyObject* value, PyObject* raised);

// Reports what instances that names stand for visit, and have no reference to.
void check_names(const Interpreter& interpreter);

// Runs the lines in this process, in which nothing else was or will be done with the module, and some times over if
// references are left: what grows with each time is reported. An exception ends a line and no more. `after` is told, the
// first time, which line has ended, and with which exception, or NULL.
void run_judged(
    PyObject* module, const std::vector<Line>& lines,
    const std::function<void(size_t line, const Interpreter&, PyObject* raised)>& after);

}  // namespace ouro::contract
