// Failing allocations on purpose, so that code can be shown to survive each failure.
//
// Every place that allocates and handles failure calls allocation_fails() first: objects and buffers,
// the collector's lists, the growth of the heap, the trashcan's stack. Ouro_FailAllocations
// (ouroboros.h) sets the plan of which fail.
//
// Cost without a plan: a load and a branch that is never taken, within the noise of an allocation
// (experiments/micro/allocation.cpp).
#pragma once

#include <atomic>
#include <cstdint>

namespace ouro::heap {

class FaultPlan {
public:
    // The first `skip` allocations from now succeed, the next `count` fail, the rest succeed; count
    // 0: no plan. Returns how many failed under the previous plan. Pre: no other thread allocates.
    uint64_t set(uint64_t skip, uint64_t count) {
        const uint64_t seen = seen_.load(std::memory_order_relaxed);
        const uint64_t failed = seen <= skip_ ? 0 : seen - skip_ < count_ ? seen - skip_ : count_;
        skip_ = skip;
        count_ = count;
        seen_.store(0, std::memory_order_relaxed);
        armed_.store(count > 0, std::memory_order_relaxed);
        return failed;
    }

    // Whether the allocation about to be made must fail. Any thread.
    bool next_fails() {
        if (!armed_.load(std::memory_order_relaxed)) [[likely]] {
            return false;
        }
        return fails(seen_.fetch_add(1, std::memory_order_relaxed));
    }

private:
    bool fails(uint64_t number) const { return number >= skip_ && number - skip_ < count_; }

    std::atomic<bool> armed_{false};
    std::atomic<uint64_t> seen_{0};
    uint64_t skip_ = 0;
    uint64_t count_ = 0;
};
inline constinit FaultPlan fault_plan;

inline bool allocation_fails() {
    return fault_plan.next_fails();
}

}  // namespace ouro::heap
