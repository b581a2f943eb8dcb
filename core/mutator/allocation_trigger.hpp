// The allocation trigger: when the allocation of a container is a safepoint. It counts containers allocated
// less those deallocated since the collector last reset it.
//
// Each thread has a count of its own and adds it to the total after a batch of allocations at most, and at once
// when the total is about to exceed the threshold: with one thread the total is exact.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ouro::mutator {

// One thread's share.
struct AllocationTrigger {
    int64_t count = 0;  // since it was last added to the total
    int64_t limit = 0;  // beyond it, an allocation calls hooks.allocation_due
    // Deallocations do not lower the count below this: so that the total does not fall below zero, or because
    // deallocations do not count.
    int64_t floor = 0;

    void note_deallocation() {
        if (count > floor) {
            --count;
        }
    }
    // The next allocation calls hooks.allocation_due, however many deallocations come before it.
    void call_at_next() { limit = INT64_MIN; }
    // Adds the count to the total, which it returns.
    int64_t settle();
    // Lets the thread allocate until the total that it knows exceeds `threshold`, but a batch at most. After
    // settle.
    void rearm(int64_t total, int64_t threshold);
};
extern constinit thread_local AllocationTrigger allocation_trigger
    __attribute__((tls_model("initial-exec")));

// Calls hooks.allocation_due if the calling thread's count is over its limit.
void call_if_due();

// Sets the total, as a collection does.
void reset_allocation_total(int64_t total);

// Whether deallocations count, from each thread's next settle on. Before there are any threads.
void count_deallocations(bool value);

// While one lives, what the calling thread frees does not lower its allocation count: by a collection, for all of it was
// allocated before that began, and pacing limits what is allocated since (collector/policy.hpp: growth).
class NoAllocationCredit {
public:
    NoAllocationCredit() { trigger_.floor = std::max(floor_, trigger_.count); }
    ~NoAllocationCredit() { trigger_.floor = std::min(floor_, trigger_.floor); }
    NoAllocationCredit(const NoAllocationCredit&) = delete;
    NoAllocationCredit& operator=(const NoAllocationCredit&) = delete;

private:
    AllocationTrigger& trigger_ = allocation_trigger;
    const int64_t floor_ = trigger_.floor;
};

}  // namespace ouro::mutator
