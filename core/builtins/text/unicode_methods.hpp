// What the files of str's methods share.
#pragma once

#include "core/include/Python.h"

namespace ouro::text {

// Bounds of a search, args[0] and args[1], of which `count` were given: a number or None, which leaves what is there.
// False with an exception.
bool take_bounds(PyObject* const* args, Py_ssize_t count, Py_ssize_t* start, Py_ssize_t* end);

// The same for a method that takes something to look for, and bounds after it.
bool take_search(const char* method, PyObject* const* args, Py_ssize_t nargs, Py_ssize_t* start,
                 Py_ssize_t* end);

// Methods by topic, each a row of a table.
PyObject* unicode_upper(PyObject* op, PyObject*);
PyObject* unicode_lower(PyObject* op, PyObject*);
PyObject* unicode_title(PyObject* op, PyObject*);
PyObject* unicode_capitalize(PyObject* op, PyObject*);
PyObject* unicode_swapcase(PyObject* op, PyObject*);
PyObject* unicode_casefold(PyObject* op, PyObject*);
PyObject* unicode_isupper(PyObject* op, PyObject*);
PyObject* unicode_islower(PyObject* op, PyObject*);
PyObject* unicode_istitle(PyObject* op, PyObject*);

PyObject* unicode_strip(PyObject* op, PyObject* const* args, Py_ssize_t nargs);
PyObject* unicode_lstrip(PyObject* op, PyObject* const* args, Py_ssize_t nargs);
PyObject* unicode_rstrip(PyObject* op, PyObject* const* args, Py_ssize_t nargs);
PyObject* unicode_center(PyObject* op, PyObject* const* args, Py_ssize_t nargs);
PyObject* unicode_ljust(PyObject* op, PyObject* const* args, Py_ssize_t nargs);
PyObject* unicode_rjust(PyObject* op, PyObject* const* args, Py_ssize_t nargs);
PyObject* unicode_zfill(PyObject* op, PyObject* width);
PyObject* unicode_expandtabs(PyObject* op, PyObject* args, PyObject* kwargs);
PyObject* unicode_partition(PyObject* op, PyObject* separator);
PyObject* unicode_rpartition(PyObject* op, PyObject* separator);
PyObject* unicode_removeprefix(PyObject* op, PyObject* prefix);
PyObject* unicode_removesuffix(PyObject* op, PyObject* suffix);

PyObject* unicode_translate(PyObject* op, PyObject* table);
PyObject* unicode_maketrans(PyObject*, PyObject* const* args, Py_ssize_t nargs);

extern PyMethodDef unicode_methods[];
// The operator %.
extern PyNumberMethods unicode_as_number;

}  // namespace ouro::text
