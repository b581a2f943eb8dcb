#pragma once

namespace ouro::rules {

// Whether an address is that of an object, as far as memory tells; for any value.
bool is_object(const void* address);

}  // namespace ouro::rules
