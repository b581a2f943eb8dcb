// What a collection is in its events: number, scope, trigger.
#pragma once

#include <cstdint>

#include "core/include/ouroboros.h"

namespace ouro::event {

// The oldest generation that a collection looks at.
enum class Scope : unsigned {
    kYoung = 0,   // allocated since the last collection
    kMiddle = 1,  // and survivors of one
    kFull = 2,    // everything
    kLocal = 3,   // what lies around suspects
};
// What events and statistics call it. An engine that collects locally has no middle generation.
constexpr unsigned generation_of(Scope scope) {
    return static_cast<unsigned>(scope == Scope::kLocal ? Scope::kMiddle : scope);
}

struct Cycle {
    uint64_t number;  // from 1
    Scope scope;
    OuroTrigger trigger;
};

}  // namespace ouro::event
