// The language of format specifications: [[fill]align][sign][z][#][0][width][grouping][.precision][type].
// Source: "Format Specification Mini-Language".
#pragma once

#include <string_view>

#include "core/include/Python.h"

namespace ouro::text {

struct FormatSpec {
    std::string_view fill = " ";  // one code point
    char align = '\0';            // < > = ^, or none
    char sign = '\0';             // + - space, or none
    bool no_negative_zero = false;
    bool alternate = false;
    char grouping = '\0';       // , _ or none
    Py_ssize_t width = -1;      // -1: none
    Py_ssize_t precision = -1;  // -1: none
    char32_t type = 0;          // a letter, or none
};

// Reads the specification for an object; `numeric`: a zero before the width fills up behind the sign. False with
// ValueError.
bool read_format_spec(std::string_view text, PyObject* op, bool numeric, FormatSpec* spec);

// False with the ValueError of a letter that the object's type does not know.
bool refuse_format_type(const FormatSpec& spec, PyObject* op);

// tp_methods' __format__ of str, int and float; `spec` is a str. New references, or nullptr with an exception.
PyObject* unicode_format_as(PyObject* op, PyObject* spec);
PyObject* number_format_as(PyObject* op, PyObject* spec);

// str.format and str.format_map.
PyObject* unicode_format_fields(PyObject* op, PyObject* args, PyObject* kwargs);
PyObject* unicode_format_map(PyObject* op, PyObject* mapping);

}  // namespace ouro::text
