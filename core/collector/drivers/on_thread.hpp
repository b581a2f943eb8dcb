// A collector thread makes full collections while the program runs (collector_thread.hpp). Without it, in the child of
// a fork and at the end of the runtime, they go on in slices.
#pragma once

#include <memory>

#include "core/collector/collector_thread.hpp"
#include "core/collector/drivers/driver.hpp"
#include "core/collector/drivers/in_slices.hpp"

namespace ouro::collector {

class OnThread final : public Driver {
public:
    // Begins the thread. Both outlive it. Throws std::bad_alloc, std::system_error.
    OnThread(Schedule& schedule, Engine& engine);
    // If the thread has not ended, or others yet wait for it, what these may use lives on.
    ~OnThread() override;

    bool is_in_flight() const override { return thread_->is_in_flight(); }
    void begin_full() override;
    size_t finish() override { return thread_->finish(); }

    bool works_concurrently() const override { return thread_->is_in_flight(); }
    bool is_here() const override { return thread_->is_this_thread(); }
    bool is_amid_test() const override { return thread_->is_amid_test(); }
    void wait(int64_t ns) override { thread_->wait(ns); }
    void give_up() override { thread_->give_up(); }

    void prepare_to_close() override { (void)thread_->end(); }
    void prepare_fork() override;
    void before_fork() override { thread_->lock(); }
    void unlock_after_fork() override { thread_->unlock(); }
    void after_fork_in_parent() override;
    std::unique_ptr<Driver> take_over() override;
    std::unique_ptr<Driver> after_fork_in_child() override;

private:
    std::unique_ptr<Driver> go_on_without_thread(std::unique_ptr<Collection> collection);

    Schedule& schedule_;
    std::unique_ptr<InSlices>
        successor_;  // made in advance: the child of a fork should not need memory
    std::unique_ptr<CollectorThread> thread_;
};

}  // namespace ouro::collector
