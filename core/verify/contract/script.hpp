// A program for a module, line by line, in which its author says what is to be looked at: `ouro check --script`.
//
//     box = Box([])           # a call of what the module has, or of a method of something named before
//     box.value = box         # setting an attribute, to a name or a literal: 1, 'a', None, [], {}
//     other = box.value       # getting one
//     box['a'] = other        # an item
//     box.fill(1, 1.5, 'a', b'a', (1, 2), {})
//     del other, or: del box.value, or: del box['a']
//     collect                 # a full collection
#pragma once

#include <string>

#include "core/include/Python.h"

namespace ouro::contract {

// Runs it in a child process. After each line, who visits what the names stand for has a reference for each visit; at the
// end, when the names are gone and it was collected, nothing of the module's types is left that nobody visits. What
// cannot be read, and a line that raises an exception, is a problem (report_problem). Then run_judged (judged_run.hpp).
void run_script(PyObject* module, const std::string& text, unsigned seconds);

}  // namespace ouro::contract
