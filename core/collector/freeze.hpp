// Frozen objects: tracked, but no collection examines them until they are thawed.
//
// Their state has kFrozen in place of kTracked, so passes skip them, at no cost. That is
// sound because the exact test is: a reference from a frozen object is not subtracted, so what it refers to is
// alive, as if the reference were C code's. Python calls it the permanent generation.
#pragma once

#include <cstddef>

namespace ouro::collector {

// Freezes all tracked objects. A condemned object still belongs to the collection that condemned it. Stops the world.
void freeze();
// Makes all frozen objects tracked again, and old. Stops the world.
void unfreeze();
// How many are frozen. Stops the world.
size_t frozen_count();

}  // namespace ouro::collector
