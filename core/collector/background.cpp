#include "core/collector/background.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <new>

#include "core/collector/patience.hpp"
#include "core/collector/pause.hpp"
#include "core/mutator/world.hpp"
#include "core/option/settings.hpp"

namespace ouro::collector {
namespace {

// A slice beside mutators: what is freed meanwhile waits for its end.
constexpr int64_t kBesideNs = 1'000'000;
// For each nanosecond of a stop the world runs so many, where mutators are not held back anyway.
constexpr int64_t kRunning = 3;
// A slice of code under policy gil counts for so long at most.
constexpr int64_t kMostCodeNs = 3'000'000;
// Code of the program's is looked at so often by who waits for it.
constexpr auto kPatience = std::chrono::milliseconds(100);

int64_t budget_ns() {
    return static_cast<int64_t>(option::settings().pause_budget_us) * 1000;
}

// The calling thread, attached, is outside while one lives.
class Outside {
public:
    Outside() : state_(mutator::current) { mutator::detach_to_wait(); }
    ~Outside() { (void)mutator::attach(state_); }
    Outside(const Outside&) = delete;
    Outside& operator=(const Outside&) = delete;

private:
    PyThreadState* const state_;
};

// Whether a thread of this process sleeps, by what Linux says of it: it waits for something, and not for a
// processor. True where nothing is said. Whoever asks may have no memory.
bool sleeps(pid_t thread) {
    char path[64];
    char line[512];
    (void)std::snprintf(path, sizeof path, "/proc/self/task/%d/stat", static_cast<int>(thread));
    if (!event::read_file(path, line)) {
        return true;
    }
    const char* name_end = std::strrchr(line, ')');  // the name may have anything in it
    return name_end == nullptr || std::strlen(name_end) < 3 || name_end[2] != 'R';
}

int64_t cpu_ns(pthread_t thread) {
    clockid_t clock;
    timespec now;
    if (pthread_getcpuclockid(thread, &clock) != 0 || clock_gettime(clock, &now) != 0) {
        return 0;
    }
    return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

Background::Background(Engine& engine, Ended ended, Pressure pressure)
    : engine_(engine), ended_(ended), pressure_(pressure) {
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

void Background::end() {
    {
        const std::lock_guard guard(mutex_);
        exit_ = true;
        give_up_.store(true, std::memory_order_relaxed);
    }
    changed_.notify_all();
    {
        const Outside outside;
        thread_.join();
    }
    mutator::destroy(state_);
    state_ = nullptr;
}

bool Background::request(Cycle cycle) {
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

size_t Background::finish() {
    if (!is_in_flight()) {
        return 0;
    }
    const size_t before = found_.load(std::memory_order_relaxed);
    give_up_.store(true, std::memory_order_relaxed);
    const Outside outside;
    std::unique_lock lock(mutex_);
    Patience patience(std::chrono::nanoseconds(kPatience).count());
    while (!changed_.wait_for(lock, kPatience, [&] {
        return !in_flight_.load(std::memory_order_relaxed);
    }) && !is_over(patience)) {
    }
    return found_.load(std::memory_order_relaxed) - before;
}

// Whether it runs code that need not be waited for.
bool Background::is_over(Patience& patience) {
    return in_code_.load(std::memory_order_relaxed) &&
           patience.is_over(slices_.load(std::memory_order_relaxed),
                            cpu_ns(thread_.native_handle()),
                            sleeps(kernel_thread_.load(std::memory_order_relaxed)));
}

void Background::wait(int64_t ns) {
    const Outside outside;
    std::unique_lock lock(mutex_);
    if (requested_) {
        const event::Span span(OURO_PHASE_WAIT, *requested_);
        changed_.wait_for(lock, std::chrono::nanoseconds(ns),
                          [&] { return !in_flight_.load(std::memory_order_relaxed); });
    }
}

void Background::before_fork() {
    std::optional<Outside> outside;
    if (mutator::current != nullptr) {
        outside.emplace();  // the thread may want to stop the world before it can rest
    }
    std::unique_lock lock(mutex_);
    fork_ = true;
    Patience patience(std::chrono::nanoseconds(10 * kPatience).count());
    while (!changed_.wait_for(lock, 10 * kPatience, [&] { return resting_; }) &&
           !is_over(patience)) {
    }
    lock.release();  // held over the fork
}

void Background::after_fork_in_parent() {
    fork_ = false;
    mutex_.unlock();
    changed_.notify_all();
}

std::unique_ptr<Collection> Background::after_fork_in_child() {
    mutex_.unlock();
    if (traversal_) {
        traversal_->abandon();
    }
    return std::move(collection_);
}

// Between two slices.
void Background::rest(std::unique_lock<std::mutex>& lock) {
    while (fork_) {
        resting_ = true;
        changed_.notify_all();
        changed_.wait(lock, [&] { return !fork_; });
        resting_ = false;
    }
}

void Background::run() {
    kernel_thread_.store(gettid(), std::memory_order_relaxed);
    std::unique_lock lock(mutex_);
    for (;;) {
        resting_ = true;
        changed_.notify_all();
        changed_.wait(lock, [&] { return !fork_ && (exit_ || requested_.has_value()); });
        resting_ = false;
        if (exit_) {
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

void Background::collect() {
    collection_.reset(new (std::nothrow)
                          Collection(*requested_, Ageing::kAtOnce, engine_, resources_));
    if (collection_ == nullptr) {
        return tell({requested_->scope});
    }
    while (collection_->needs() != Needs::kNothing && !is_given_up(*collection_)) {
        slice(*collection_);
        slices_.fetch_add(1, std::memory_order_relaxed);
        if (!collection_->reads_heap()) {
            traversal_.reset();
        }
        std::unique_lock lock(mutex_);
        rest(lock);
    }
    found_.fetch_add(collection_->found(), std::memory_order_relaxed);
    const bool given_up = collection_->needs() != Needs::kNothing;
    const Outcome outcome = collection_->outcome(given_up);
    ended_(*collection_, given_up);
    if (traversal_) {
        traversal_->resume();
    }
    collection_->give_up();
    traversal_.reset();
    collection_.reset();
    tell(outcome);
}

void Background::tell(const Outcome& outcome) {
    if (is_observed()) {
        attach();
        in_code_.store(true, std::memory_order_relaxed);
        tell_stop(outcome);
        in_code_.store(false, std::memory_order_relaxed);
        detach();
    }
}

bool Background::is_given_up(const Collection& collection) const {
    return give_up_.load(std::memory_order_relaxed) && collection.may_be_given_up();
}

void Background::slice(Collection& collection) {
    switch (collection.needs()) {
        case Needs::kStop:
            return stop_and_step(collection);
        case Needs::kBeside:
        case Needs::kPrivate: {
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
        case Needs::kCode:
            return run_code(collection);
        case Needs::kNothing:
            return;
    }
}

void Background::attach() {
    const int64_t now = event::monotonic_ns();
    // Somebody who waits for the end has nothing of the rest.
    if (now < not_before_ns_ && !give_up_.load(std::memory_order_relaxed)) {
        std::this_thread::sleep_for(std::chrono::nanoseconds(not_before_ns_ - now));
    }
    (void)mutator::attach(state_, true);
}

void Background::detach() {
    mutator::detach();
}

void Background::let_world_run(int64_t since_ns) {
    const int64_t now = event::monotonic_ns();
    not_before_ns_ = now + (now - since_ns) * kRunning * (100 - pressure_()) / 100;
}

void Background::stop_and_step(Collection& collection) {
    attach();
    const int64_t start_ns = event::monotonic_ns();
    // Asked again: who asked that it be given up ran until now, and nothing may be condemned after that.
    if (const Pause pause(collection.cycle()); !is_given_up(collection)) {
        Deadline deadline(budget_ns());
        if (traversal_) {
            traversal_->resume();
        }
        do {
            collection.step(deadline, World::kStopped);
        } while ((collection.needs() == Needs::kStop ||
                  (collection.needs() != Needs::kCode && collection.is_small())) &&
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
void Background::run_code(Collection& collection) {
    attach();
    const int64_t start_ns = event::monotonic_ns();
    Deadline deadline =
        mutator::is_free_threaded() ? Deadline::beside_others(kBesideNs) : Deadline(budget_ns());
    // What died at the start is waited for: until that is done the engine is this collection's.
    in_code_.store(!collection.holds_dead(), std::memory_order_relaxed);
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
