// The list behind PyState_FindModule.
#pragma once

namespace ouro::module {

// Drops it: at the end of the runtime.
void forget_states();

}  // namespace ouro::module
