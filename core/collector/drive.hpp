// Driving a collection on the calling thread, which is attached: provides what each slice needs.
#pragma once

#include "core/collector/collection.hpp"

namespace ouro::collector {

// Drives it to its end. Work that needs a stop is done in pauses of the budget; after each the other threads run for as
// long as the pause was. With in_one_stop it is done in as few pauses as possible. Returns how many threads ran when it
// began, including the calling one.
size_t drive(Collection& collection, bool in_one_stop);

// One slice of the budget: in a stop, or of user code. It delays the calling mutator.
void drive_slice(Collection& collection);

}  // namespace ouro::collector
