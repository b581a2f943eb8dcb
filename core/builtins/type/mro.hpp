// The order in which a type and its bases are searched: C3 linearisation.
#pragma once

#include "core/include/Python.h"

namespace ouro::type {

// A tuple that begins with the type; its bases (tp_bases) are ready. New reference, or nullptr with
// TypeError if the bases cannot be put in an order.
// Source: Barrett, Cassels, Haahr, Moon, Playford, Withington, "A monotonic superclass linearization for Dylan" (1996).
PyObject* resolution_order(PyTypeObject* type);

}  // namespace ouro::type
