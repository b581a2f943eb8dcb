// When collections are due, and how mutators are paced: the policy (policy.hpp), shared by all threads and fed with
// their allocation counts (mutator::AllocationTrigger). Any attached thread may call any function; one that begins or
// ends a collection is called by the collecting thread (collecting.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

#include "core/collector/pace.hpp"
#include "core/collector/policy.hpp"
#include "core/event/cycle.hpp"
#include "core/option/settings.hpp"

namespace ouro::collector {

class Collection;

class Schedule {
public:
    // More allocations than there will ever be.
    static constexpr int64_t kNever = INT64_MAX / 2;

    // A run begins, with these settings; `budgeted`: pauses have a budget. Throws std::bad_alloc.
    void start(const option::Settings& settings, bool budgeted);

    bool is_enabled() const { return enabled_.load(std::memory_order_relaxed); }
    // Returns the state before.
    bool set_enabled(bool value) { return enabled_.exchange(value, std::memory_order_relaxed); }

    // ---- What is due.
    bool is_due(Scope* scope);
    // The total of allocations above which a collection may be due; kNever if collections are disabled.
    int64_t threshold();
    // Containers allocated since the last collection, less those freed; young collections since the last middle one;
    // middle ones since the last full one.
    std::array<size_t, 3> counts();
    Policy::Thresholds thresholds();
    void set_thresholds(const Policy::Thresholds& thresholds);

    // ---- The life of a collection.
    // Numbers a new collection, and resets the allocation count unless it is local.
    event::Cycle begin(Scope scope, OuroTrigger trigger);
    // The collection is over; `running` threads ran when it began, 0 if that is not known.
    void end(const Collection& collection, size_t running);
    // The full collection that began was abandoned.
    void abandoned();
    // Whether the young collection that is due is skipped (Policy::leave_out); asked once for each. If so, left_out is
    // called when its objects have been promoted.
    bool leave_out();
    void left_out(size_t running);
    // The young generation was emptied otherwise: resets the counts of allocations and collections.
    void forget_young();
    // The collection that began last, for the events of mutators that wait during it.
    event::Cycle latest() const;

    // ---- Pacing.
    // By the collector thread, as it begins and ends a full collection: the next one is expected to take as long.
    void begin_beside();
    void end_beside();
    // Around slices that a mutator makes one after the other of the full collection in flight; together these have taken
    // so much processor time. The next one is expected to take as much as all of this.
    void slices_begin(int64_t now_ns);
    void slices_end(int64_t now_ns, int64_t cpu_ns);
    // Of the full collection in flight, or of one that is due meanwhile, as the heap has grown by now; free running where
    // there is neither.
    Pace pace();
    // Of how many containers growth is a part.
    size_t growth_base();

    // ---- Around a fork, in a stop.
    void lock() { mutex_.lock(); }
    void unlock() { mutex_.unlock(); }

private:
    // Containers allocated since the last collection that was not local, less those freed. Pre: the mutex is held.
    size_t young();
    // What makes the next one due: those allocated, less those freed, less what local ones made up for. With generations
    // that is nothing: a young one has them all to look at, whatever old garbage was found in their stead.
    size_t waiting();
    size_t made_up_for() const;
    void restart_young();

    // How many containers are made in a nanosecond, of late.
    class Rate {
    public:
        void note(double made, int64_t ns) {
            const auto duration = static_cast<double>(ns);
            if (duration > 0) {
                per_ns_ += (made / duration - per_ns_) * std::min(duration / kOfLateNs, 1.0);
            }
        }
        double per_ns() const { return per_ns_; }

    private:
        static constexpr double kOfLateNs = 3e6;
        double per_ns_ = 0;
    };
    // What growth will be made of until the end of the full collection in flight, which is made in slices.
    Pace::Expected expected() const;
    // Adds to a rate what has been made since slices last began or ended, if they did.
    void note_made(int64_t now_ns, Rate* rate);

    std::atomic<bool> enabled_{true};
    std::atomic<uint64_t> cycles_{0};
    std::mutex mutex_;
    Policy policy_;
    // Of the containers in the allocation count so many were found dead by
    // local collections.
    size_t found_young_ = 0;
    // Of the full collection in flight, since when it works beside mutators; how long the last one did so. 0: none.
    int64_t beside_since_ns_ = 0;
    int64_t beside_took_ns_ = 0;
    // Processor time of its slices, and of the last one if it was made in slices.
    int64_t work_ns_ = 0;
    int64_t last_work_ns_ = 0;
    // When slices of it last began or ended, 0 for never, and of how many containers growth was made then.
    int64_t noted_ns_ = 0;
    size_t noted_ = 0;
    Rate beside_slices_;
    Rate between_slices_;
};

// Resets the count of allocations.
void restart_allocation_count();

}  // namespace ouro::collector
