// The collector: what makes collections when they are due or asked for, out of an engine (engine.hpp), a driver
// (drivers/driver.hpp) and a schedule (schedule.hpp).
//
// There is one for the process. A run of the runtime begins with start() and ends with stop(); whether automatic
// collection is enabled outlives the run, and the number of the last collection, too. In the child of a fork all of
// it goes on but the driver's thread. It is never destroyed: threads may use it while the process exits.
#pragma once

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
    // The end, in three steps. Before the runtime is closed to others (mutator::close): nobody else collects any more,
    // and the driver's thread ends, if there is one; what another thread is in the middle of is waited for, but not
    // user code that does not come back (finalizer_watchdog.hpp). Pre: not is_collecting_here().
    void prepare_to_close();
    // After it: whatever is left of collections is brought to its end on the calling thread.
    void take_over();
    // Ends the engine; nothing is collected until the next start.
    void stop();

    // Around a fork, on the thread that forks, which is attached: before others are stopped for it
    // (core/mutator/fork.hpp), where the driver's thread comes to rest; when they are; and after it. In the child a
    // collection that another thread was in the middle of is brought to its end when the next one is due.
    void prepare_fork();
    void before_fork();
    void after_fork_in_parent();
    void after_fork_in_child();

    // Whether the calling thread is inside a collection: runs a finalizer, or the like.
    bool is_collecting_here() const;

    // A collection of that scope on the calling thread, a full one if there are no generations. The contract of
    // Ouro_CollectGeneration and, with kFull, of PyGC_Collect; `though_disabled`: also where automatic collection is
    // disabled, as Python's gc.collect.
    Py_ssize_t collect(Scope scope, bool though_disabled = false);

    // Returns the state before.
    bool set_enabled(bool enabled);
    bool is_enabled() const { return schedule_.is_enabled(); }

    // Python's gc.get_count, gc.get_threshold, gc.set_threshold.
    std::array<size_t, 3> counts() { return schedule_.counts(); }
    Policy::Thresholds thresholds() { return schedule_.thresholds(); }
    void set_thresholds(const Policy::Thresholds& thresholds);

    // Ends a collection in flight and does some work before another begins; the counts begin anew. From inside a
    // collection the work is done during that.
    void between_collections(void (*work)());

private:
    std::unique_ptr<Driver> make_driver();
    void at_allocation();
    void collect_due();
    size_t finish_all();
    bool waits_at_trigger() const;
    void wait_at_trigger();
    void keep_pace();
    void rearm_trigger();
    void replace(std::unique_ptr<Driver> successor);
    void unlock_after_fork();

    const option::Engine* row_ = nullptr;  // of the engine's table; null before the first start
    Schedule schedule_;
    std::unique_ptr<Engine> engine_;  // null: reference counting only
    std::unique_ptr<Whole> whole_;
    std::unique_ptr<Driver> driver_;
};

Collector& collector();

}  // namespace ouro::collector
