// What time and datetime share: clocks, and zones that they may be in.
#pragma once

#include "core/builtins/date/date.hpp"

namespace ouro::date {

// hour to fold.
extern PyGetSetDef clock_getset[];

// "10, 20", and seconds and microseconds if they are not zero.
std::string arguments_of(Clock clock);
// A repr that has begun so, with fold and tzinfo: a new str, or nullptr with an exception.
PyObject* with_zone(std::string text, PyObject* op);

// Of two values that show x and y, by their offsets if they are in different zones. An argument is what a tzinfo's
// methods are given. `kind` is for the message where one of them has no offset and order is asked for.
PyObject* compare_zoned(PyObject* a, PyObject* argument_a, Microseconds x, PyObject* b,
                        PyObject* argument_b, Microseconds y, int operation, const char* kind);

// A str or None: new reference, or nullptr with an exception.
PyObject* name_of_zone(PyObject* op, PyObject* argument);

// None, or a timezone: new reference, or nullptr with an exception.
PyObject* zone_of(const ClockAndOffset& read);

}  // namespace ouro::date
