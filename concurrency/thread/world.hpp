// All threads of a runtime: the registry, and how to stop them.
//
// What: a registry of threads with owner indexes; attach and detach; safepoints; stop the world;
// handshakes, which bring every thread to a safepoint without stopping all at once.
//
// When: a thread is attached while it touches what a stop protects, and then polls (Thread::poll) at
// least at every allocation; it is detached while it may block. A thread that blocks while it is
// detached never delays a stop.
//
// When not: to protect a data structure. A stop costs all threads; a ByteLock costs those that contend for it.
//
//     World world;
//     Thread* self = world.add();
//     world.attach(self);
//     world.stop(self);                                  // nobody else is attached now
//     world.for_each([](Thread& t) { look_at(t); });
//     world.start(self);
//     world.handshake(self, [](Thread& t) { publish(t); });  // each in turn, at its safepoint
//     world.detach(self);
//     world.remove(self);
//
// Callers: `self` is the calling thread's own record; one OS thread at a time uses a record as its own.
// `t` is any thread's. Nothing here uses thread-local variables. Misuse returns an Error and changes
// nothing.
//
// Cost (experiments/micro/stops.cpp): attach and detach one compare-and-swap each; a stop
// and start with one other running thread on a core of its own 0.7 us; a thread outside adds 10 ns. With
// more running threads than cores the system must schedule each of them: milliseconds.
//
// Invariants (README.md): inv.thread.one-word, inv.thread.suspended-stays, inv.thread.index-unique,
// inv.stop.alone, inv.stop.counted-once, inv.stop.visible, inv.stop.handed-over, inv.stop.one-stopper,
// inv.thread.handshake-once.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <mutex>

#include "concurrency/thread/byte_lock.hpp"
#include "concurrency/thread/countdown.hpp"
#include "concurrency/thread/owner_indexes.hpp"
#include "concurrency/thread/thread.hpp"

namespace ouro::thread {

// What a stop cost. Times are of the monotonic clock, in ns.
template <class Sync>
struct BasicStopReport {
    // Before the first thread was asked, and after waiting for another thread's stop.
    int64_t requested_ns = 0;
    int64_t stopped_ns = 0;   // when all had stopped
    int64_t starting_ns = 0;  // filled by start(): when it was called
    int64_t started_ns = 0;   //   and when all had been resumed
    uint32_t running = 0;     // others that were attached and had to come to a safepoint
    uint32_t blocked = 0;     // others that were outside and kept there
    const BasicThread<Sync>* last = nullptr;  // the one waited for longest; null: none was
    int64_t last_ns = 0;                      //   and its time to safepoint

    int64_t stop_ns() const { return stopped_ns - requested_ns; }
    int64_t start_ns() const { return started_ns - starting_ns; }
};

template <class Sync>
class BasicWorld {
public:
    using Thread = BasicThread<Sync>;
    using StopReport = BasicStopReport<Sync>;
    // May be called at a safepoint of any thread, for that thread or another; must not reach a
    // safepoint, take a lock that is held across one, or throw.
    using Function = std::function<void(Thread&)>;

    BasicWorld() = default;
    ~BasicWorld();  // no thread may be registered any more (asserted)
    BasicWorld(const BasicWorld&) = delete;
    BasicWorld& operator=(const BasicWorld&) = delete;

    // -- The registry --

    // A new record, detached, with the lowest free owner index. Null: no index or no memory left. Any
    // thread may call it, attached or not; while the world is stopped the record begins suspended.
    // `user` is in the record before any thread can find it.
    Thread* add(void* user = nullptr);

    // Ends a record; its index is free at once. `t` must be detached (kAttached). `self` is the
    // caller's own record if the caller is attached, else null. Waits while t is suspended or the world
    // stopped, at most for that one stop; an attached caller is outside meanwhile. Not for a thread
    // that the caller itself has suspended.
    [[nodiscard]] Error remove(Thread* t, Thread* self = nullptr);

    // The record of an index that is in use, was, or will be; null if neither it nor one of its chunk ever was in
    // use. Never dangling. `index` is below 2^16.
    Thread* find(uint32_t index) const;

    // Calls function(t) for every registered thread, under the registry's lock: it must not call
    // add, remove, stop, start, handshake or for_each, nor reach a safepoint. If the caller has stopped the
    // world every other thread is suspended; otherwise they run.
    template <class F>
    void for_each(const F& function);

    size_t size() const { return size_.load(std::memory_order_relaxed); }

    // -- Attach, detach, safepoints --

    // Waits while t is suspended. Then the thread sees all that was done while it was outside by threads that
    // had it suspended or the world stopped.
    [[nodiscard]] Error attach(Thread* t);

    // Detaches t, unless one of the requests `unless` is raised: then it stays attached, `*pending` has those,
    // which are cleared, and the caller acts on them and tries again. That is how an owner drains its queue before
    // it detaches, with no request lost in between. Runs a pending handshake.
    [[nodiscard]] Error detach(Thread* t, Word unless = 0, Word* pending = nullptr);

    // What poll() asked for: parks while the world is stopped, once, runs a pending handshake, then
    // clears and returns the other requests. A stop that is requested by then is left to the next poll, so that
    // a thread makes progress between two stops. 0 if t is not attached.
    Word safepoint(Thread* t);

    // -- Asking others --

    // Raises bits of kCallerRequests; t sees them at its next poll, or, if it is outside, when it has
    // attached. Everything written before is visible to the thread that acts on them.
    void request(Thread* t, Word bits);

    // Keeps a detached thread outside so that the caller can act for it. `self` is attached, and resumes t
    // before its own next safepoint; otherwise a stop waits for it. False: another thread sees the requests
    // raised before this call: t itself if it is attached or about to be; the thread that has t suspended, from
    // resume(); or a thread that is about to stop the world (see stop). While a stop is ending, waits until t has
    // been resumed.
    [[nodiscard]] bool try_suspend(Thread* self, Thread* t);

    // Clears and returns requests of a thread that the caller keeps outside, by try_suspend or by a
    // stop, to act on them in its place. Pending are only those raised after that.
    Word take_requests(Thread* t, Word bits);

    // Ends a suspension by the caller. Returns the requests that are raised by then: kDrainQueue among them means that
    // a thread has queued an object after the caller took the requests; then the caller suspends t again and looks.
    Word resume(Thread* t);

    // -- Stopping --

    // Returns when every other registered thread is suspended. `self` must be attached (kNotAttached)
    // and not be in a stop of its own (kStopped). While another thread's stop lasts, waits outside, as if
    // parked for that one. Threads that register or attach meanwhile wait until start().
    // The stopping thread acts for those outside: for each that does not wait to be attached (Thread::waits) it
    // takes and serves the requests that cannot wait until that thread is back, above all kDrainQueue, because no
    // other thread could suspend it while the stop was in progress.
    // A stop begins only after threads that waited for the last one have been attached
    // (inv.stop.handed-over), so each of them runs up to a safepoint between two stops.
    [[nodiscard]] Error stop(Thread* self, StopReport* report = nullptr);

    // Resumes all threads. `report` is that of stop(), completed.
    [[nodiscard]] Error start(Thread* self, StopReport* report = nullptr);

    // Whether t has stopped the world; for the thread itself.
    bool stopped_by(const Thread* t) const {
        // Another thread never stores a caller's own address.
        return stopper_.load(std::memory_order_relaxed) == t;
    }

    // -- Handshakes --

    // Runs function(t) once for every thread registered when the call visits it, `self` included: by the
    // thread itself at a safepoint, by the caller for a thread outside. Returns when all have run; what they wrote
    // is then visible to the caller. Parks for stops while it waits, without consuming requests. In a stop of its
    // own the caller runs all. kNotAttached if self is not attached.
    [[nodiscard]] Error handshake(Thread* self, const Function& function);

    // -- Forks --

    // On the forking thread, whose record is `self`: it has stopped the world, or all others are outside anyway.
    // Between before_fork and one of the others no thread registers, attaches or detaches. In the child the records of
    // the other threads, which do not exist there, are detached, their requests remain, and the world is not stopped.
    void before_fork() { mutex_.lock(); }
    void after_fork_in_parent() { mutex_.unlock(); }
    void after_fork_in_child(const Thread* self);

    // How long a wait spins before it sleeps, if each running thread has a core of its own. About as long as it takes
    // to wake a sleeper (sync.hpp), so that a wait costs at most about twice the best choice, however long it is.
    static constexpr int64_t kSpinNs = 50'000;

private:
    using Guard = std::lock_guard<typename Sync::Mutex>;
    struct Outside;  // detaches while a lock is waited for

    void unlink(Thread* t);

    void await_let_go(Thread* t);
    void wake_all();
    static Word let_go_state(Word word);
    bool let_go(Thread* t);
    void park(Thread* t);
    void park_if_stopped(Thread* t);
    void run_handshake(Thread* t);
    void wait_for_handshake(Thread* self);
    int64_t spin_ns(uint32_t running) const;

    mutable typename Sync::Mutex mutex_;  // the registry; held for short sections only
    Thread* first_ = nullptr;
    OwnerIndexes indexes_;
    bool stopping_ = false;  // from the first request of a stop until all have been resumed
    typename Sync::template Atomic<size_t> size_{0};
    // Records by index, in chunks that are made once and stay; the table is as dense as the indexes.
    static constexpr uint32_t kChunk = 32;
    struct Chunk;
    std::array<typename Sync::template Atomic<Chunk*>, 0x10000 / kChunk> chunks_{};

    BasicByteLock<Sync> stop_lock_;  // held from stop() to start()
    typename Sync::template Atomic<const Thread*> stopper_{nullptr};
    Countdown<Sync> to_stop_;
    int64_t requested_ns_ = 0;
    // Threads that run or have been asked to park in this stop, including the stopping one: how many cores it takes
    // to run them all.
    typename Sync::template Atomic<uint32_t> runners_{0};

    // Incremented when suspensions of sleeping threads have ended: the word that they sleep on.
    typename Sync::template Atomic<uint32_t> ended_{0};

    BasicByteLock<Sync> handshake_lock_;
    const Function* handshake_ = nullptr;
    Countdown<Sync> to_shake_;
};

using World = BasicWorld<SystemSync>;
using StopReport = BasicStopReport<SystemSync>;

}  // namespace ouro::thread

#include "concurrency/thread/world_impl.hpp"
#include "concurrency/thread/world_stop_impl.hpp"

namespace ouro::thread {

extern template class BasicWorld<SystemSync>;

}  // namespace ouro::thread
