// Driving a collection on the calling thread, which is attached: providing what each slice needs.
#pragma once

#include "core/collector/collection.hpp"

namespace ouro::collector {

// To its end. What is done in stops is done in pauses of the budget, between two of which the others
// run as long as they stood still; with in_one_stop in as few as there can be. Returns how many
// threads ran when it began, the calling one among them.
size_t drive(Collection& collection, bool in_one_stop);

// One slice of the budget, in a stop or running code. The mutator whose thread this is waits meanwhile.
void drive_slice(Collection& collection);

}  // namespace ouro::collector
