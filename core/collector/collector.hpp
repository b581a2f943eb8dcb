// The collector: makes collections when they are due or requested, with an engine (engine.hpp), a driver
// (drivers/driver.hpp) and a schedule (schedule.hpp).
//
// There is one for the process. A run of the runtime begins with start() and ends with stop(). Whether automatic
// collection is enabled, and the number of the last collection, outlive the run. In the child of a fork all of it goes
// on except the driver's thread. It is never destroyed: threads may use it while the process exits.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "core/collector/drivers/driver.hpp"
#include "core/collector/engine.hpp"
#include "core/collector/schedule.hpp"
#include "core/collector/whole.hpp"
#include "core/include/Python.h"
#include "core/option/settings.hpp"

namespace ouro::collector {

class Collector {
public:
    // Makes the engine of the settings and its driver. Allocations of containers call the collector from now on.
    // Throws std::bad_alloc, std::system_error.
    void start();
    // The end, in three steps. Before the runtime is closed to other threads (mutator::close): no other thread collects
    // any more, and the driver's thread ends, if there is one. Waits for a collection that another thread is in the
    // middle of, but not for user code that does not return (finalizer_watchdog.hpp). Pre: not is_collecting_here().
    void prepare_to_close();
    // After mutator::close: finishes, on the calling thread, what is left of collections.
    void take_over();
    // Ends the engine; nothing is collected until the next start.
    void stop();

    // Around a fork, on the forking thread, which is attached: before other threads are stopped for it
    // (core/mutator/fork.hpp), where the driver's thread comes to rest; when they are stopped; and after the fork. In
    // the child a collection that another thread was in the middle of is finished when the next one is due.
    void prepare_fork();
    void before_fork();
    void after_fork_in_parent();
    void after_fork_in_child();

    // Whether the calling thread is inside a collection: it runs a finalizer, for example.
    bool is_collecting_here() const;

    // Makes a collection of that scope on the calling thread, a full one if there are no generations. The contract is
    // that of Ouro_CollectGeneration and, with kFull, of PyGC_Collect; `though_disabled`: even if automatic collection
    // is disabled, as Python's gc.collect.
    Py_ssize_t collect(Scope scope, bool though_disabled = false);

    // Returns the state before.
    bool set_enabled(bool enabled);
    bool is_enabled() const { return schedule_.is_enabled(); }

    // Python's gc.get_count, gc.get_threshold, gc.set_threshold.
    std::array<size_t, 3> counts() { return schedule_.counts(); }
    Policy::Thresholds thresholds() { return schedule_.thresholds(); }
    void set_thresholds(const Policy::Thresholds& thresholds);

    // Ends a collection in flight, calls work() before another begins, and resets the allocation counts. From inside a
    // collection it just calls work().
    void between_collections(void (*work)());

private:
    std::unique_ptr<Driver> make_driver();
    void at_allocation();
    void begin_full();
    void collect_due();
    bool search_is_due() const;
    void search_if_due();
    size_t finish_all();
    bool waits_at_trigger() const;
    void wait_at_trigger();
    bool help(int64_t ns);
    void keep_pace();
    void rearm_trigger();
    void replace(std::unique_ptr<Driver> successor);
    void unlock_after_fork();

    const option::Engine* row_ = nullptr;  // of the engine's table; null before the first start
    Schedule schedule_;
    std::unique_ptr<Engine> engine_;  // null: reference counting only
    std::unique_ptr<Whole> whole_;
    std::unique_ptr<Driver> driver_;
    int64_t next_search_ns_ = 0;  // not before; written by the collecting thread
    // Mutators that pacing holds back. Of those whom the end of a run or a fork overtakes none comes back.
    std::atomic<int> held_back_{0};
};

Collector& collector();

}  // namespace ouro::collector
