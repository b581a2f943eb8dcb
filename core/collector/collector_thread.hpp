// The collector thread: drives full collections while mutators run.
//
// The passes read concurrently with mutators (mutator::Traversal). For work that needs a stop the thread attaches and
// stops the world for a budget at a time. After a stop mutators run for three times as long at first, so that they have
// most of any ten milliseconds; for less as the heap grows (pace.hpp). Finalizers, callbacks, tp_clear and
// deallocators run on this thread as well, attached: under policy gil in slices of the budget, holding the lock.
//
// One collection at a time; this thread makes all of it. Others may wait for its end, or have it abandoned as long as
// nothing is condemned.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "core/collector/collection.hpp"
#include "core/collector/finalizer_watchdog.hpp"
#include "core/collector/schedule.hpp"
#include "core/mutator/traversal.hpp"

namespace ouro::collector {

class CollectorThread {
public:
    // Starts the thread. Schedule and engine outlive it; it alone uses the engine while a collection is in flight.
    // Throws std::bad_alloc, std::system_error.
    CollectorThread(Schedule& schedule, Engine& engine);
    // Pre: it has been ended.
    ~CollectorThread() = default;
    CollectorThread(const CollectorThread&) = delete;
    CollectorThread& operator=(const CollectorThread&) = delete;

    // Ends the thread, after the collection in flight, which is abandoned if nothing has been condemned. The caller is
    // attached, and outside meanwhile. Later requests are refused. False if the thread goes on, because it runs user
    // code that need not be waited for, or has not ended within some 0.4 s.
    bool end();
    // Whether the thread has ended. Pre: end() has returned.
    bool has_ended() const { return state_ == nullptr; }
    // Whether threads wait, or have waited and may yet use this object: none that begins to after mutator::close.
    bool has_visitors() const { return visitors_.load(std::memory_order_acquire) != 0; }
    // Instead of that, when the thread may not attach any more (mutator::close): returns its collection in flight, and
    // the thread touches nothing any more. This object lives on.
    std::unique_ptr<Collection> leave_behind();

    // Requests a collection; false if one is in flight, or none may begin any more.
    bool request(Cycle cycle);
    bool is_in_flight() const { return in_flight_.load(std::memory_order_acquire); }
    // Collection::is_amid_test of the one in flight.
    bool is_amid_test() const { return amid_test_.load(std::memory_order_acquire); }
    // Whether the calling thread is this one.
    bool is_this_thread() const;

    // Ends the collection in flight, if there is one: abandons it if nothing has been condemned, else waits for its
    // end. Returns how many objects it found since. The caller is attached, and outside meanwhile. Does not wait for
    // user code that does not return: a finalizer may need what the caller holds.
    size_t finish();
    // Has the collection in flight abandoned soon, if nothing is condemned by then. Any thread; does not wait.
    void give_up() { give_up_.store(true, std::memory_order_relaxed); }

    // Around a fork of the program's, on the forking thread. before_fork waits until the collector thread rests between
    // two slices, or is attached, and so part of a stop; the caller, if it is attached, is outside meanwhile. The
    // mutex is held over the fork itself, in a stop. The child has no such thread: after_fork_in_child returns the
    // collection in flight, or nullptr, and the object must not be used any more.
    void before_fork();
    void lock() { mutex_.lock(); }
    void unlock() { mutex_.unlock(); }
    void after_fork_in_parent();
    std::unique_ptr<Collection> after_fork_in_child();

    // Delays a mutator that allocates faster than garbage is found: waits, outside, until the collection in flight is
    // over, for `ns` at most. Not for user code that need not be waited for (finalizer_watchdog.hpp).
    void wait(int64_t ns);

private:
    void run();
    std::unique_ptr<Collection> hand_over();
    void no_more_busy();
    void rest();
    template <class MayGoOn>
    void rest(std::unique_lock<std::mutex>& lock, const MayGoOn& may_go_on);
    void collect();
    bool is_given_up(const Collection& collection) const;
    bool is_over(FinalizerWatchdog& watchdog);
    void slice(Collection& collection);
    void stop_and_step(Collection& collection);
    void run_code(Collection& collection);
    void tell(const Outcome& outcome);
    void wait_for_turn();
    void attach();
    void detach();
    void let_world_run(int64_t since_ns);

    Schedule& schedule_;
    Engine& engine_;
    Collection::Resources resources_;
    std::optional<mutator::Traversal> traversal_;
    PyThreadState* state_ = nullptr;
    // When the world may be stopped again.
    int64_t not_before_ns_ = 0;

    std::unique_ptr<Collection> collection_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<Cycle> requested_;
    std::atomic<bool> in_flight_{false};
    std::atomic<bool> give_up_{false};
    std::atomic<int> awaited_{0};   // by so many, who have nothing of pauses between its stops
    std::atomic<int> visitors_{0};  // threads that are outside in here
    bool exit_ = false;
    bool ended_thread_ = false;
    bool fork_ = false;  // a thread is about to
    bool left_ = false;  // leave_behind() was called
    bool busy_ = true;   // it does not rest, and is not attached or about to be; it begins so
    std::atomic<uint64_t> slices_{0};   // done: progress, for the watchdog
    std::atomic<bool> in_code_{false};  // it runs user code
    std::atomic<uint64_t> hopeless_{
        UINT64_MAX};  // the slice in which one that waited lost patience
    FinalizerWatchdog
        patience_;  // of all that wait, each for a moment; with the next, guarded by mutex_
    std::atomic<bool> amid_test_{false};
    std::atomic<size_t> found_{0};  // by all collections that have ended
    std::atomic<pid_t> kernel_thread_{0};
    std::thread thread_;
};

}  // namespace ouro::collector
