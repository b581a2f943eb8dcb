// When collections are due: the policy (policy.hpp) as all threads ask it, fed with what they have allocated
// (mutator::AllocationTrigger). Any attached thread may call anything here; where a function begins or ends a
// collection its caller is the collecting one (collecting.hpp).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

#include "core/collector/policy.hpp"
#include "core/event/cycle.hpp"
#include "core/option/settings.hpp"

namespace ouro::collector {

class Collection;

class Schedule {
public:
    // More allocations than there will ever be.
    static constexpr int64_t kNever = INT64_MAX / 2;

    // A run begins, with these settings; `budgeted`: pauses have a budget.
    void start(const option::Settings& settings, bool budgeted);

    bool is_enabled() const { return enabled_.load(std::memory_order_relaxed); }
    // Returns the state before.
    bool set_enabled(bool value) { return enabled_.exchange(value, std::memory_order_relaxed); }

    // ---- What is due.
    bool is_due(Scope* scope);
    // Of the total of allocations, beyond which something may be due; kNever where collections are disabled.
    int64_t threshold();
    // Containers allocated since the last collection, less those freed; young collections since the last of the
    // middle; those since the last full one.
    std::array<size_t, 3> counts();
    Policy::Thresholds thresholds();
    void set_thresholds(const Policy::Thresholds& thresholds);

    // ---- The life of a collection.
    // The number of a new one; allocations are counted anew.
    event::Cycle begin(Scope scope, OuroTrigger trigger);
    // Over, with what it found; `running` threads were running when it began, or 0: not known.
    void end(const Collection& collection, size_t running);
    // The young collection that is due looks at nothing (Policy::leave_out); asked once for each. Then what is over
    // is that, of so many objects.
    bool leave_out();
    void left_out(size_t young, size_t running);
    // What was young is no collection's any more, and allocations are counted anew.
    void forget_young();
    // As the collection that began last, for what waits during it.
    event::Cycle latest() const;

    // ---- How far the heap has grown, for whoever is held back.
    // In per cent, since the last full collection.
    size_t growth();
    // How near that is to the setting growth-limit, in per cent: 0 up to half of the growth that there was room for
    // when the full collection began, 100 from the limit on. Mutators are held back as far.
    int64_t pressure();

    // ---- Around a fork, in a stop.
    void lock() { mutex_.lock(); }
    void unlock() { mutex_.unlock(); }

private:
    std::atomic<bool> enabled_{true};
    std::atomic<uint64_t> cycles_{0};
    std::mutex mutex_;
    Policy policy_;
};

// Begins to count allocations anew.
void restart_allocation_count();

}  // namespace ouro::collector
