// Misuse of the public functions: a fatal error that names the call, the thread and the rule.
#pragma once

#include <string>

#include "core/mutator/state.hpp"

namespace ouro::mutator {

[[noreturn]] void refuse(const char* call, const std::string& rule);

// The name of a state, or of its absence, in such a message.
std::string name_of(const PyThreadState* state);

[[noreturn]] void refuse_unattached(const char* call);

inline void require_attached(const char* call) {
    if (current == nullptr) [[unlikely]] {
        refuse_unattached(call);
    }
}

}  // namespace ouro::mutator
