// The units of text and of bytes. Each converts one argument behind its letter: false with an exception, or with a
// complaint.
#pragma once

#include "core/builtins/call/units.hpp"

namespace ouro::call {

// s s# s*, and z z# z*, which allow None.
bool store_text(Units& units, PyObject* arg, bool allows_none, Complaint& complaint);
// y y# y*
bool store_bytes(Units& units, PyObject* arg, Complaint& complaint);
// w*
bool store_writable(Units& units, PyObject* arg, Complaint& complaint);
// es es# et et#
bool store_encoded(Units& units, PyObject* arg, Complaint& complaint);

}  // namespace ouro::call
