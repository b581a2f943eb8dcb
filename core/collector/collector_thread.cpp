#include "core/collector/collector_thread.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <new>

#include "core/collector/finalizer_watchdog.hpp"
#include "core/collector/pause.hpp"
#include "core/mutator/world.hpp"
#include "core/option/settings.hpp"

namespace ouro::collector {
namespace {

// A concurrent slice: what is freed meanwhile waits for its end.
constexpr int64_t kBesideNs = 1'000'000;
// A slice of code under policy gil counts for so long at most.
constexpr int64_t kMostCodeNs = 3'000'000;
// User code is looked at so often by who waits for it.
constexpr auto kWatchdogInterval = std::chrono::milliseconds(100);
// Where the runtime ends, so often at most: what is left is done by who ends it.
constexpr int kLooksAtEnd = 3;

// Whose thread the calling one is.
constinit thread_local const CollectorThread* run_here = nullptr;

// One more that a number counts while this lives.
class Counted {
public:
    explicit Counted(std::atomic<int>& number) : number_(number) {
        number_.fetch_add(1, std::memory_order_relaxed);
    }
    ~Counted() { number_.fetch_sub(1, std::memory_order_relaxed); }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

private:
    std::atomic<int>& number_;
};

// The calling thread, attached, is outside while one lives. It is a visitor before it is outside, and until it attaches
// again: whether it ever may is not known.
class Outside {
public:
    explicit Outside(std::atomic<int>& visitors) : state_(mutator::current), visitors_(visitors) {
        visitors_.fetch_add(1, std::memory_order_relaxed);
        mutator::detach_to_wait();
    }
    ~Outside() {
        // release: what was done in here is done (has_visitors).
        visitors_.fetch_sub(1, std::memory_order_release);
        (void)mutator::attach(state_);
    }
    Outside(const Outside&) = delete;
    Outside& operator=(const Outside&) = delete;

private:
    PyThreadState* const state_;
    std::atomic<int>& visitors_;
};

}  // namespace

CollectorThread::CollectorThread(Schedule& schedule, Engine& engine)
    : schedule_(schedule), engine_(engine),
      patience_(std::chrono::nanoseconds(kWatchdogInterval).count()) {
    state_ = mutator::make();
    if (state_ == nullptr) {
        throw std::bad_alloc();
    }
    // Signals are the program's: none is delivered to this thread.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { run(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

bool CollectorThread::end() {
    {
        const std::lock_guard guard(mutex_);
        exit_ = true;
        give_up_.store(true, std::memory_order_relaxed);
    }
    changed_.notify_all();
    {
        const Outside outside(visitors_);
        const Counted waits(awaited_);
        std::unique_lock lock(mutex_);
        FinalizerWatchdog watchdog(std::chrono::nanoseconds(kWatchdogInterval).count());
        for (int looks = 0;
             !changed_.wait_for(lock, kWatchdogInterval, [&] { return ended_thread_; }); ++looks) {
            if (is_over(watchdog) || looks == kLooksAtEnd) {
                return false;
            }
        }
        lock.unlock();
        thread_.join();
    }
    mutator::destroy(state_);
    state_ = nullptr;
    return true;
}

std::unique_ptr<Collection> CollectorThread::leave_behind() {
    std::unique_lock lock(mutex_);
    left_ = true;
    changed_.wait(lock, [&] { return !busy_; });
    return hand_over();
}

// Of a thread that is gone.
std::unique_ptr<Collection> CollectorThread::hand_over() {
    if (traversal_) {
        traversal_->abandon();
    }
    if (collection_ == nullptr && is_in_flight()) {
        schedule_.abandoned();  // it was requested, and has not begun
    }
    return std::move(collection_);
}

bool CollectorThread::request(Cycle cycle) {
    {
        const std::lock_guard guard(mutex_);
        if (in_flight_.load(std::memory_order_relaxed) || exit_) {
            return false;
        }
        requested_ = cycle;
        give_up_.store(false, std::memory_order_relaxed);
        in_flight_.store(true, std::memory_order_release);
    }
    changed_.notify_all();
    return true;
}

size_t CollectorThread::finish() {
    if (!is_in_flight()) {
        return 0;
    }
    const size_t before = found_.load(std::memory_order_relaxed);
    give_up_.store(true, std::memory_order_relaxed);
    const Outside outside(visitors_);
    const Counted waits(awaited_);
    std::unique_lock lock(mutex_);
    FinalizerWatchdog watchdog(std::chrono::nanoseconds(kWatchdogInterval).count());
    while (!changed_.wait_for(lock, kWatchdogInterval, [&] {
        return !in_flight_.load(std::memory_order_relaxed);
    }) && !is_over(watchdog)) {
    }
    return found_.load(std::memory_order_relaxed) - before;
}

// Whether it runs code that need not be waited for.
bool CollectorThread::is_over(FinalizerWatchdog& watchdog) {
    return in_code_.load(std::memory_order_relaxed) &&
           watchdog.is_over(slices_.load(std::memory_order_relaxed),
                            activity_of(kernel_thread_.load(std::memory_order_relaxed)));
}

void CollectorThread::wait(int64_t ns) {
    if (hopeless_.load(std::memory_order_relaxed) == slices_.load(std::memory_order_relaxed)) {
        return;
    }
    const Outside outside(visitors_);
    std::unique_lock lock(mutex_);
    if (requested_) {
        const event::Span span(OURO_PHASE_WAIT, *requested_);
        changed_.wait_for(lock, std::chrono::nanoseconds(ns),
                          [&] { return !in_flight_.load(std::memory_order_relaxed); });
        const uint64_t slice = slices_.load(std::memory_order_relaxed);
        if (in_flight_.load(std::memory_order_relaxed) &&
            patience_.may_look(event::monotonic_ns()) && is_over(patience_)) {
            hopeless_.store(slice, std::memory_order_relaxed);
        }
    }
}

void CollectorThread::before_fork() {
    std::optional<Outside> outside;
    if (mutator::current != nullptr) {
        outside.emplace(visitors_);  // the thread may want to stop the world before it can rest
    }
    std::unique_lock lock(mutex_);
    fork_ = true;
    changed_.wait(lock, [&] { return !busy_; });
}

void CollectorThread::after_fork_in_parent() {
    {
        const std::lock_guard guard(mutex_);
        fork_ = false;
    }
    changed_.notify_all();
}

std::unique_ptr<Collection> CollectorThread::after_fork_in_child() {
    return hand_over();
}

// Between two slices.
void CollectorThread::rest() {
    std::unique_lock lock(mutex_);
    rest(lock, [] { return true; });
}

// Pre: the mutex is held.
void CollectorThread::no_more_busy() {
    busy_ = false;
    if (fork_ || left_) {
        changed_.notify_all();
    }
}

// Until `may_go_on()`.
template <class MayGoOn>
void CollectorThread::rest(std::unique_lock<std::mutex>& lock, const MayGoOn& may_go_on) {
    no_more_busy();
    changed_.wait(lock, [&] { return !fork_ && !left_ && may_go_on(); });
    busy_ = true;
}

bool CollectorThread::is_this_thread() const {
    return run_here == this;
}

void CollectorThread::run() {
    run_here = this;
    kernel_thread_.store(gettid(), std::memory_order_relaxed);
    std::unique_lock lock(mutex_);
    for (;;) {
        rest(lock, [&] { return exit_ || requested_.has_value(); });
        if (exit_) {
            ended_thread_ = true;
            changed_.notify_all();
            return;
        }
        lock.unlock();
        collect();
        lock.lock();
        requested_.reset();
        in_flight_.store(false, std::memory_order_release);
        changed_.notify_all();
    }
}

void CollectorThread::collect() {
    collection_.reset(new (std::nothrow) Collection(*requested_, Promotion::kAtOnce,
                                                    option::Engine::kGuess, engine_, resources_));
    if (collection_ == nullptr) {
        schedule_.abandoned();
        return tell({requested_->scope});
    }
    schedule_.begin_beside();
    while (collection_->needs() != Needs::kNothing && !is_given_up(*collection_)) {
        slice(*collection_);
        slices_.fetch_add(1, std::memory_order_relaxed);
        amid_test_.store(collection_->is_amid_test(), std::memory_order_release);
        if (!collection_->reads_heap()) {
            traversal_.reset();
        }
        rest();
    }
    found_.fetch_add(collection_->found(), std::memory_order_relaxed);
    const bool given_up = collection_->needs() != Needs::kNothing;
    const Outcome outcome = collection_->outcome(given_up);
    if (!given_up) {
        schedule_.end_beside();
        schedule_.end(*collection_, 0);
        note_outcome(outcome);
    } else {
        schedule_.abandoned();
    }
    if (traversal_) {
        traversal_->resume();
    }
    collection_->give_up();
    traversal_.reset();
    collection_.reset();
    tell(outcome);
}

void CollectorThread::tell(const Outcome& outcome) {
    if (is_observed()) {
        attach();
        in_code_.store(true, std::memory_order_relaxed);
        tell_stop(outcome);
        in_code_.store(false, std::memory_order_relaxed);
        detach();
    }
}

bool CollectorThread::is_given_up(const Collection& collection) const {
    return give_up_.load(std::memory_order_relaxed) && collection.may_be_given_up();
}

void CollectorThread::slice(Collection& collection) {
    switch (collection.needs()) {
        case Needs::kStop:
            return stop_and_step(collection);
        case Needs::kConcurrent:
        case Needs::kNoHeapAccess: {
            if (traversal_) {
                traversal_->resume();
            }
            Deadline deadline(kBesideNs);
            collection.step(deadline, World::kRunning);
            if (traversal_) {
                traversal_->pause();
            }
            return;
        }
        case Needs::kUserCode:
            return run_code(collection);
        case Needs::kNothing:
            return;
    }
}

void CollectorThread::wait_for_turn() {
    const int64_t now = event::monotonic_ns();
    // Somebody who waits for the end has nothing of the rest.
    if (now < not_before_ns_ && awaited_.load(std::memory_order_relaxed) == 0) {
        std::this_thread::sleep_for(std::chrono::nanoseconds(not_before_ns_ - now));
    }
}

void CollectorThread::attach() {
    {
        const std::lock_guard guard(mutex_);
        no_more_busy();
    }
    (void)mutator::attach(state_, true);
}

void CollectorThread::detach() {
    mutator::detach();
    rest();
}

void CollectorThread::let_world_run(int64_t since_ns) {
    const int64_t now = event::monotonic_ns();
    const auto stopped = static_cast<double>(now - since_ns);
    not_before_ns_ = now + static_cast<int64_t>(stopped * schedule_.pace().running());
}

void CollectorThread::stop_and_step(Collection& collection) {
    wait_for_turn();
    attach();
    const int64_t start_ns = event::monotonic_ns();
    // Asked again: who asked that it be given up ran until now, and nothing may be condemned after that.
    if (const Pause pause(collection.cycle()); !is_given_up(collection)) {
        Deadline deadline(option::settings().pause_budget_ns());
        if (traversal_) {
            traversal_->resume();
        }
        do {
            collection.step(deadline, World::kStopped);
        } while ((collection.needs() == Needs::kStop ||
                  (collection.needs() != Needs::kUserCode && collection.is_small())) &&
                 !deadline.has_passed_now());
        if (!traversal_ && collection.reads_heap()) {
            traversal_.emplace();
        }
        if (traversal_) {
            traversal_->pause();
        }
    }
    let_world_run(start_ns);
    detach();
}

// Attached; under policy gil nobody else runs, so that is as short as a stop.
void CollectorThread::run_code(Collection& collection) {
    if (!mutator::is_free_threaded()) {
        wait_for_turn();
    }
    attach();
    const int64_t start_ns = event::monotonic_ns();
    Deadline deadline = mutator::is_free_threaded()
                            ? Deadline::giving_way(kBesideNs, &mutator::poll)
                            : Deadline(option::settings().pause_budget_ns());
    in_code_.store(true, std::memory_order_relaxed);
    collection.run_code(deadline);
    in_code_.store(false, std::memory_order_relaxed);
    if (mutator::poll()) {
        mutator::safepoint();
    }
    if (!mutator::is_free_threaded()) {
        // Code that blocks lets the others run.
        let_world_run(std::max(start_ns, event::monotonic_ns() - kMostCodeNs));
    }
    detach();
}

}  // namespace ouro::collector
