// The plug-in point for control: a driver decides when, and on which thread, the slices of the full collections are
// made that are due by allocation. Everything else about them is common: what a slice needs says the Collection, what
// is due the Schedule, and young collections and those that are asked for are Whole ones under every driver.
//
// One lives from the start of the runtime to its end; one that loses its thread names another in its place.
#pragma once

#include <cstdint>
#include <memory>

#include "core/collector/schedule.hpp"

namespace ouro::collector {

class Driver {
public:
    Driver() = default;
    virtual ~Driver() = default;
    Driver(const Driver&) = delete;
    Driver& operator=(const Driver&) = delete;

    // ---- By the collecting thread (collecting.hpp), attached and in no stop.

    // A full collection is due: begins it, or makes it. False, with nothing done: one is in flight.
    virtual bool begin_full() = 0;
    // Makes a slice of the one in flight, if one is due on the calling thread.
    virtual void go_on() {}
    // Ends the one in flight: at once, where nothing has been condemned yet. Returns how many objects it found.
    virtual size_t finish() { return 0; }
    // Allocations are counted anew.
    virtual void allocations_restarted() {}

    // ---- By any attached thread.

    // Of the total of allocations, where go_on has something to do.
    virtual int64_t due_at() const { return Schedule::kNever; }
    // Whether a thread of the driver's own works on a collection; whether that is the calling one.
    virtual bool works_concurrently() const { return false; }
    virtual bool is_here() const { return false; }
    // Outside, until that collection is over, but for so long at most.
    virtual void wait(int64_t) {}
    // Collections were disabled: before anything is condemned, one in flight is no more than an idea.
    virtual void give_up() {}

    // ---- The end of the runtime, and forks of the process: see the functions of these names in collector.hpp.

    virtual void prepare_to_close() {}
    virtual void prepare_fork() {}
    virtual void before_fork() {}
    virtual void unlock_after_fork() {}
    virtual void after_fork_in_parent() {}
    // The runtime has been closed to the driver's thread, or this is the child of a fork: whoever goes on in its
    // place, with what is in flight. Null: the driver itself.
    virtual std::unique_ptr<Driver> take_over() { return nullptr; }
    virtual std::unique_ptr<Driver> after_fork_in_child() { return nullptr; }
};

}  // namespace ouro::collector
