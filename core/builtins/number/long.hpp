// What the other files of numbers know of an int.
#pragma once

#include <string_view>

#include "core/include/Python.h"
#include "core/object/compare.hpp"

namespace ouro::number {

// All of these but the last two take an int.
inline PyLongObject* as_long(PyObject* op) {
    return reinterpret_cast<PyLongObject*>(op);
}
inline bool is_small(PyObject* op) {
    return as_long(op)->ob_big == nullptr;
}
inline long small_value(PyObject* op) {
    return as_long(op)->ob_value;
}
// -1, 0 or 1.
int sign_of(PyObject* op);
// How x stands to the int y, exactly.
object::Order compare_double_to_int(double x, PyObject* y);
// The value as an int and nothing more: op itself if it is that (new reference), else a copy.
PyObject* exact_int(PyObject* op);

// What a value's type, when the numbers are equal, does not matter for: the number modulo 2^61 - 1.
inline constexpr int kHashBits = 61;
inline constexpr uint64_t kHashModulus = (uint64_t{1} << kHashBits) - 1;
// The hash of a number from the residue of its magnitude; never -1.
inline Py_hash_t hash_of_residue(uint64_t residue, bool negative) {
    const auto hash = static_cast<Py_hash_t>(residue);
    return !negative ? hash : hash == 1 ? -2 : -hash;
}

// The slots of arithmetic (long_arithmetic.cpp).
extern PyNumberMethods long_as_number;

// The digits in base 2, 8, 10 or 16, with `prefix` before them and a minus before that. New reference, or
// nullptr with an exception: ValueError for more decimal digits than CPython gives.
PyObject* format_int(PyObject* op, int base, bool prefix);

// What int(text, base) is; `source`, what the text is of, is shown in the ValueError. New reference, or
// nullptr with an exception.
PyObject* parse_int(std::string_view text, int base, PyObject* source);

// The value of what is an int or has __index__ (number_conversions.cpp): an int, perhaps of a derived
// type. New reference, or nullptr with an exception.
PyObject* index_of(PyObject* op);

}  // namespace ouro::number
