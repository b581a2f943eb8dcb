// A stop of the world as it is reported: an event from the request to the last release, and one for each
// thread that had to stop.
#pragma once

#include "core/event/events.hpp"
#include "core/mutator/world.hpp"

namespace ouro::collector {

// The world is stopped while one lives; its event ends when all threads have been resumed.
class Pause {
public:
    explicit Pause(event::Cycle cycle);
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

    OuroEvent& event() { return span_.event; }
    // How many threads ran, including the calling one.
    size_t running() const { return stopped_.running(); }

private:
    event::Span span_;
    const mutator::Stopped stopped_;
};

}  // namespace ouro::collector
