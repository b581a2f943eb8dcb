// A thread of the collector's own that drives full collections while mutators run.
//
// What the passes read they read concurrently with mutators (mutator::Traversal); for what must be done in a stop
// the thread attaches, and stops the world for a budget at a time. After a stop the world runs for three
// times as long, so that of any ten milliseconds mutators have most. Finalizers, callbacks, tp_clear and
// what dies run on this thread as well, attached: under policy gil in slices of the budget with the lock.
//
// One collection at a time; it is this thread's from request to end. Others may wait for its end, or have
// it given up as long as nothing is condemned.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "core/collector/collection.hpp"
#include "core/collector/schedule.hpp"
#include "core/mutator/traversal.hpp"

namespace ouro::collector {

class FinalizerWatchdog;

class CollectorThread {
public:
    // Begins the thread. Both outlive it, and the engine is its own while a collection is in flight. Throws
    // std::bad_alloc, std::system_error.
    CollectorThread(Schedule& schedule, Engine& engine);
    // Pre: it has been ended.
    ~CollectorThread() = default;
    CollectorThread(const CollectorThread&) = delete;
    CollectorThread& operator=(const CollectorThread&) = delete;

    // Ends the thread, after a collection that is in flight: given up, if nothing has been condemned. The
    // caller is attached, and outside meanwhile. What is requested from then on is not done. False if the thread runs
    // user code that need not be waited for: it goes on.
    bool end();
    // Whether it did. Pre: end() has returned.
    bool has_ended() const { return state_ == nullptr; }
    // Instead, where it may attach no more (mutator::close): returns its collection, which is in flight, and the
    // thread touches nothing any more. The object lives on.
    std::unique_ptr<Collection> leave_behind();

    // Begins a collection; false if one is in flight, or none may begin any more.
    bool request(Cycle cycle);
    bool is_in_flight() const { return in_flight_.load(std::memory_order_acquire); }
    // Whether the calling thread is this one.
    bool is_this_thread() const;

    // Ends the collection in flight, if there is one: at once where nothing has been condemned, else when
    // its code has run. Returns how many objects it found since. The caller is attached, and outside
    // meanwhile. Does not wait for user code that does not come back: a finalizer may want
    // what the caller holds.
    size_t finish();
    // Has it given up soon, if nothing is condemned by then. Any thread; does not wait.
    void give_up() { give_up_.store(true, std::memory_order_relaxed); }

    // Around a fork of the program's, on the thread that forks. Before it the thread comes to rest between two
    // slices, or is attached, and so part of a stop; the caller, if it is attached, is outside meanwhile. Over the
    // fork itself, in a stop, its mutex is held. In the child there is no such thread: it takes over the collection in
    // flight, or gets nullptr, and the object is good for nothing else.
    void before_fork();
    void lock() { mutex_.lock(); }
    void unlock() { mutex_.unlock(); }
    void after_fork_in_parent();
    std::unique_ptr<Collection> after_fork_in_child();

    // A mutator that allocates faster than garbage is found waits here, outside, for so long at most.
    void wait(int64_t ns);

private:
    void run();
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
    bool exit_ = false;
    bool ended_thread_ = false;
    bool fork_ = false;                 // somebody wants to
    bool left_ = false;                 // behind
    bool busy_ = false;                 // it is neither attached, or about to be, nor does it rest
    std::atomic<uint64_t> slices_{0};   // done: whether code comes back
    std::atomic<bool> in_code_{false};  // of the program's
    std::atomic<size_t> found_{0};      // by all collections that have ended
    std::atomic<pid_t> kernel_thread_{0};
    std::thread thread_;
};

}  // namespace ouro::collector
