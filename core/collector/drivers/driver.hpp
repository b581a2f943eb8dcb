// The plug-in point for control: a driver decides when, and on which thread, the slices of a full collection are made
// that allocation has made due. Everything else is common: the Collection says what a slice needs, the Schedule what is
// due, and young and requested collections are made by Whole under every driver.
//
// A driver lives from the start of the runtime to its end; one that loses its thread names a successor.
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

    virtual bool is_in_flight() const { return false; }
    // A full collection is due, and observers have been told: begins it, or makes all of it. Pre: none is in flight.
    virtual void begin_full() = 0;
    // Makes a slice of the collection in flight, if a slice is due on the calling thread.
    virtual void go_on() {}
    // Ends the collection in flight: abandons it if nothing has been condemned yet. Returns how many objects it found.
    virtual size_t finish() { return 0; }
    // Allocation counts have been reset.
    virtual void allocations_restarted() {}

    // ---- By any attached thread.

    // The total of allocations at which go_on has something to do.
    virtual int64_t due_at() const { return Schedule::kNever; }
    // Whether a thread of the driver's own works on a collection; whether that is the calling one.
    virtual bool works_concurrently() const { return false; }
    virtual bool is_here() const { return false; }
    // Whether that collection runs user code and yet has candidates to find or test (Collection::is_amid_test).
    virtual bool is_amid_test() const { return false; }
    // Waits, outside, until that collection is over, for so long at most.
    virtual void wait(int64_t) {}
    // Collections were disabled: abandons the one in flight if nothing has been condemned yet.
    virtual void give_up() {}

    // ---- The end of the runtime, and forks of the process: see the functions of these names in collector.hpp.

    virtual void prepare_to_close() {}
    virtual void prepare_fork() {}
    virtual void before_fork() {}
    virtual void unlock_after_fork() {}
    virtual void after_fork_in_parent() {}
    // The runtime has been closed to the driver's thread, or this is the child of a fork: returns the successor, with
    // the collection in flight. Null: the driver itself goes on.
    virtual std::unique_ptr<Driver> take_over() { return nullptr; }
    virtual std::unique_ptr<Driver> after_fork_in_child() { return nullptr; }
};

}  // namespace ouro::collector
