// The module datetime, as the table of built-in modules has it.
#pragma once

#include "core/include/Python.h"

namespace ouro::date {

// As PyInit_datetime.
PyObject* init_datetime();

}  // namespace ouro::date
