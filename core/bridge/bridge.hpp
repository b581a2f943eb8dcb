// The bridge: full collections of stock CPython in slices. It is called before and after each of CPython's own
// collections (`gc.callbacks`), which come after so many allocations, and does there what Cycle and Pace say.
//
// One for the process, in the main interpreter. Everything under the lock. While the bridge is enabled
//   - the middle generation is a nursery: what is young when CPython begins an automatic collection is moved there, so
//     that the collection costs next to nothing and can come as often as slices are wanted; when as many have been
//     allocated as can be collected in half a budget, all of the nursery is young again and is collected: that is when
//     garbage is found that dies young. What survives it becomes old (a collection of the middle, as CPython makes them,
//     would be a pause of ten times as many objects);
//   - CPython never comes to a full collection by itself, since those are counted in collections of the middle;
//   - thresholds stay as the program sets them: what is changed are the counts that are compared with them.
// If the program takes the callback away and keeps none, the bridge is disabled; if it keeps it, everything is as without
// the bridge until the callback is back.
#pragma once

#include <Python.h>

#include <cstdint>
#include <memory>
#include <string>

#include "core/bridge/cycle.hpp"
#include "core/bridge/gc_state.hpp"
#include "core/bridge/pace.hpp"
#include "core/bridge/pauses.hpp"
#include "core/bridge/position.hpp"
#include "core/bridge/recorder.hpp"

namespace ouro::bridge {

class Bridge {
public:
    // Begins with what is old and young now as old objects. `state` is the interpreter's. If it is enabled, only the
    // budget changes. False with an exception.
    bool enable(GcState* state, int64_t budget_ns);
    // Gives up what is in flight, which may run user code; memory goes back. From code that a callback or a step runs it
    // is done at its end. The callback stays in gc.callbacks, and does nothing, if a collection is going on and others
    // are called after it.
    void disable();
    // What the callback is called with exists no more, and so no callback.
    void callback_is_gone();
    bool is_enabled() const { return enabled_; }
    // Whether CPython still calls: the program may have taken the callback away.
    bool is_called() const;

    // The callback of gc.callbacks.
    void before_collection(int generation);
    void after_collection(int generation);

    // Work for a program that does nothing: a slice of the budget, if a cycle is in flight; begins one if `begin`.
    // True if there is more to do; what is to be handed over waits for a collection of young objects.
    bool step(bool begin);
    // What waits to be handed over is, in collections that the program asks for too, until it says otherwise.
    void hand_over_on_request(bool on) { on_request_ = on; }

    // In the child of a fork: nothing is in flight, statistics begin anew, nothing is recorded. If code that a callback or
    // a step runs has forked, what is in flight is given up at its end.
    void after_fork();

    Recorder& recorder() { return recorder_; }
    const Cycle& cycle() const { return cycle_; }
    const Pace& pace() const { return pace_; }
    const Pauses& pauses() const { return *pauses_; }
    struct Counts {
        uint64_t cycles = 0;  // that ended and were not given up
        uint64_t given_up = 0;
        uint64_t slices = 0;
        uint64_t batches = 0;  // handed over
        uint64_t found = 0;    // objects of garbage in them
        uint64_t traced = 0;   // objects that modules and frames reach
        uint64_t candidates = 0;
        uint64_t refused = 0;            // candidates that closures did not pass for
        uint64_t largest = 0;            // component
        uint64_t skipped = 0;            // objects that became old without having been young
        uint64_t frozen = 0;             // cycles given up because gc.freeze came between
        uint64_t table_bytes = 0;        // most at a time
        uint64_t stock_collections = 0;  // full ones that CPython would have made; an estimate
        int64_t stock_longest_ns = 0;
        int64_t stock_total_ns = 0;
        std::array<int64_t, kStages> stage_ns{};
    };
    const Counts& counts() const { return counts_; }
    void reset_statistics();

private:
    bool is_automatic(int generation) const;
    void hand_over();
    void begin_automatic();
    void fill_nursery();
    bool empty_nursery();
    void end_part();
    size_t make_old();
    void note_requested(int generation);
    void skip_young();
    double least_between_full() const;
    void note_slice(Stage stage, int64_t took_ns);
    void make_slice();
    int64_t allowance_ns(int64_t pause_so_far_ns);
    void begin_cycle(const char* trigger);
    void note_end();
    void note_stock(size_t promoted);
    void end_pause(int generation, Cause cause);
    void record_cycle();
    void enter();
    void leave();
    bool is_callback(PyObject* op) const;
    void remove_callback();
    void shut_down();

    GcState* state_ = nullptr;
    PyObject* callback_self_ = nullptr;  // borrowed: it tells when it is gone
    Cycle cycle_;
    Pace pace_{0};
    std::unique_ptr<Pauses> pauses_;
    Recorder recorder_;
    Counts counts_;
    bool enabled_ = false;
    bool inside_ = false;       // of a callback or a step: user code may be running
    unsigned long thread_ = 0;  // that is
    bool disable_wanted_ = false;
    bool forget_wanted_ = false;
    bool on_request_ = false;

    // Of the collection of CPython's that is going on.
    int64_t pause_start_ns_ = 0;
    int64_t pause_start_cpu_ns_ = 0;  // of the thread
    size_t handed_over_ = 0;
    Stage hand_over_stage_ = Stage::kIdle;  // in which it was tried; else idle
    Py_ssize_t pending_before_ = 0;         // long_lived_pending
    bool automatic_ = false;
    bool of_nursery_ = false;  // it collects the nursery
    bool is_part_ = false;     // of it: the rest is before rest_
    Py_ssize_t collected_before_ = 0;

    Py_ssize_t nursery_ = 0;  // allocations less deallocations since it was empty
    Position rest_;           // behind what is left of it, in the list of the middle generation
    int count_from_ = 0;      // of young objects, as the last collection left it
    int64_t cycle_start_ns_ = 0;
    int64_t cycle_start_stopped_ns_ = 0;  // by all pauses until then
    int64_t cycle_cpu_ns_ = 0;
    const char* cycle_trigger_ = nullptr;
    double stock_pending_ = 0;
    double stock_total_ = 0;
};

// A callable for CPython to call, a built-in function whose __self__ is that, or is made for it if it is nullptr; new
// reference, or nullptr with an exception. When the __self__ dies, callback_is_gone() is called.
PyObject* new_callback(PyObject* self);
Bridge& bridge();

}  // namespace ouro::bridge
