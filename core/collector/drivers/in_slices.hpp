// Threads that allocate make the slices of a full collection: one budget of work after a number of allocations, which
// falls as the heap comes near its growth limit (mutator assists).
#pragma once

#include <atomic>
#include <memory>

#include "core/collector/collection.hpp"
#include "core/collector/drivers/driver.hpp"

namespace ouro::collector {

class InSlices final : public Driver {
public:
    // Both outlive it.
    InSlices(Schedule& schedule, Engine& engine) : schedule_(schedule), engine_(engine) {}

    // Takes over a collection that another driver began, or none (null).
    void inherit(std::unique_ptr<Collection> collection);

    bool is_in_flight() const override { return in_flight_ != nullptr; }
    void begin_full() override;
    void go_on() override;
    size_t finish() override;
    void allocations_restarted() override;
    int64_t due_at() const override { return due_at_.load(std::memory_order_relaxed); }
    void give_up() override;

private:
    void make_slice();
    void drop(bool given_up);
    double spread(const Pace& pace) const;
    int64_t between_slices(const Pace& pace);

    Schedule& schedule_;
    Engine& engine_;
    Collection::Resources resources_;
    std::unique_ptr<Collection> in_flight_;
    std::atomic<int64_t> due_at_{Schedule::kNever};
    int64_t last_end_ns_ = 0;  // of a slice
    int64_t last_ns_ = 0;      // how long it took, a budget at least
};

}  // namespace ouro::collector
