// Where on the search path a module is.
#pragma once

#include "core/object/own.hpp"

namespace ouro::module {

struct Found {
    object::Own file;       // a shared object; none: a package that is only a directory
    object::Own locations;  // of a package: a list of its directories
};

// Looks in each directory of `path`, a sequence of strs, for the package NAME/__init__.SUFFIX, the shared object
// NAME.SUFFIX and, last of all, for directories NAME, which are one package together. SUFFIX is ouro.so,
// abi3.so or so, in this order. 1, or 0: there is none; -1 with an exception.
int find(PyObject* name, PyObject* path, Found* found);

}  // namespace ouro::module
