// What a collection is called in events.
#pragma once

#include <cstdint>

namespace ouro::event {

// The oldest generation that a collection looks at.
enum class Scope : unsigned {
    kYoung = 0,   // allocated since the last collection
    kMiddle = 1,  // and survivors of one
    kFull = 2,    // everything
};

struct Cycle {
    uint64_t number;  // from 1
    Scope scope;
};

}  // namespace ouro::event
