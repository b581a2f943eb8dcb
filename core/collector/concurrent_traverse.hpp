// Which objects may be traversed while mutators use them.
#pragma once

#include "core/include/Python.h"
#include "core/object/object.hpp"
#include "core/option/settings.hpp"

namespace ouro::collector {

// Beside mutators an object's type may not be read but by a single load: objects of other types than
// the flag's wait for a stop, unless the setting traverse=optimistic relies on what is freed late.
inline bool may_traverse_beside(const PyObject* op) {
    return (object::type_of(op)->tp_flags & OURO_TPFLAGS_CONCURRENT_TRAVERSE) != 0 ||
           option::settings().traverse == option::Traverse::kOptimistic;
}

}  // namespace ouro::collector
