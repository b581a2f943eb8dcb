// Functions of rooms above this one, which it cannot include. Each is set once, by the room named, before there is a
// second thread; none may be called before.
#pragma once

#include <atomic>
#include <cstdint>

namespace ouro::mutator {

struct Hooks {
    // ---- Of core/object (merge_queues.cpp): merge queues. Set before the first state is made.

    // A state begins to own this index; false if memory is out. It ceases to. Any thread.
    bool (*register_owner)(uint32_t index) = nullptr;
    void (*unregister_owner)(uint32_t index) = nullptr;
    // Drains the queue of the calling thread, whose index it is: attached, at a safepoint or before it detaches.
    // Objects may be deallocated: arbitrary code.
    void (*drain_queue)(uint32_t index) = nullptr;
    // The same for another, which is detached, on an attached thread at a safepoint.
    void (*merge_for)(uint32_t index) = nullptr;

    // ---- Of core/collector (collector.cpp): set while the runtime runs with an engine.

    // Called, if it is not null, by the allocation that goes over the calling thread's limit, before its memory is
    // taken: a safepoint, where arbitrary code may run. It rearms the thread's trigger (allocation_trigger.hpp).
    std::atomic<void (*)()> allocation_due{nullptr};

    // ---- Of tests and event recorders: null unless one is active.

    // A thread that frees has waited for the traversing thread: from, to, in ns of the monotonic clock. Called inside a
    // free: it may neither allocate objects nor free them.
    void (*note_wait_for_traversal)(int64_t from_ns, int64_t to_ns) = nullptr;
};
extern Hooks hooks;

}  // namespace ouro::mutator
