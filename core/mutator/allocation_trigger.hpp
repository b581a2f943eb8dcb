// When an allocation of a container is a safepoint: the excess of containers allocated over those
// deallocated since the collector last reset it.
//
// Each thread counts for itself and adds its count to the total now and then, at most so many
// allocations late, and at once where the total is about to exceed the threshold: with one thread the
// total is exact.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ouro::mutator {

// One thread's share.
struct AllocationTrigger {
    int64_t count = 0;  // since it was last added to the total
    int64_t limit = 0;  // beyond it, an allocation calls hooks.allocation_due
    int64_t floor =
        0;  // the total never goes below zero: nor does the count below this. Where deallocations
            // do not count, there is none that it could fall to.

    void note_deallocation() {
        if (count > floor) {
            --count;
        }
    }
    // Adds the count to the total, which it returns.
    int64_t settle();
    // Lets the thread allocate until the total that it knows exceeds `threshold`, but for a batch at
    // most. After settle.
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

}  // namespace ouro::mutator
