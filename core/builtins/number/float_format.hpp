// A double as text by a letter of a format.
#pragma once

#include <string>

namespace ouro::number {

// Of %e, %f, %g, in small letters or capitals, or r, which is g with a digit behind the point, with a precision of at least 0; `alternate`: the point stays, and so do
// zeros behind it. With a minus where the sign bit is set, unless it is no number. Throws std::bad_alloc.
std::string format_double(double value, char letter, int precision, bool alternate);

}  // namespace ouro::number
