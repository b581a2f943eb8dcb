#include "core/mutator/misuse.hpp"

#include <fmt/format.h>
#include <pthread.h>

namespace ouro::mutator {

void refuse(const char* call, const std::string& rule) {
    Py_FatalError(
        fmt::format("{}: thread {}: {}", call, static_cast<unsigned long>(pthread_self()), rule)
            .c_str());
}

std::string name_of(const PyThreadState* state) {
    return state == nullptr
               ? "no thread state"
               : fmt::format("thread state {} (owner index {})", state->id, state->thread->index());
}

void refuse_unattached(const char* call) {
    refuse(call, "the calling thread must be attached, and no thread state is attached to it");
}

}  // namespace ouro::mutator
