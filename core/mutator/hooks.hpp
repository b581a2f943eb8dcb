// What this room calls of rooms above it, which it cannot include. Each is filled once, by the room named, before there
// is a second thread; none may be called before.
#pragma once

#include <atomic>
#include <cstdint>

namespace ouro::mutator {

struct Hooks {
    // ---- Of core/object (merge_queues.cpp): what other threads left to an owner. Filled before the first state is
    // made.

    // A state begins to own this index; false without memory. It ends to. Any thread.
    bool (*register_owner)(uint32_t index) = nullptr;
    void (*unregister_owner)(uint32_t index) = nullptr;
    // Merges what waits for the calling thread, whose index it is: attached, at a safepoint or before it detaches.
    // Objects die: arbitrary code.
    void (*drain_queue)(uint32_t index) = nullptr;
    // The same for another, which is detached, on an attached thread at a safepoint.
    void (*merge_for)(uint32_t index) = nullptr;

    // ---- Of core/collector (collector.cpp): set while the runtime runs with an engine.

    // Called, if it is not null, by the allocation that goes over the calling thread's limit, before its memory is
    // taken: a safepoint, where arbitrary code may run. It rearms the thread's trigger (allocation_trigger.hpp).
    std::atomic<void (*)()> allocation_due{nullptr};

    // ---- Of tests and event recorders: null unless somebody wants to know.

    // A thread that frees has waited for the one that traverses concurrently: from, to, in ns of the monotonic clock.
    // Inside of what frees: it may neither allocate objects nor free them.
    void (*note_wait_for_traversal)(int64_t from_ns, int64_t to_ns) = nullptr;
};
extern Hooks hooks;

}  // namespace ouro::mutator
