#include "concurrency/worklist/executor.hpp"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace ouro::worklist {
namespace {

int64_t thread_cpu_ns() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// In a collection a run follows a run within microseconds, and to be woken costs tens of them.
constexpr std::chrono::microseconds kLook{20};

// Looks for it for so long, and uses the processor meanwhile.
template <class Condition>
void look_for(const Condition& condition) {
    const auto end = std::chrono::steady_clock::now() + kLook;
    while (!condition() && std::chrono::steady_clock::now() < end) {
    }
}

// While one lives, the calling thread and those that it makes get no signals: they are the program's.
class NoSignals {
public:
    NoSignals() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    NoSignals(const NoSignals&) = delete;
    NoSignals& operator=(const NoSignals&) = delete;

private:
    sigset_t before_;
};

}  // namespace

// One call of run: workers are tickets, so that each runs once whichever thread comes for it.
class Executor::Run {
public:
    Run(Call call, const void* job, unsigned workers) : call_(call), job_(job), workers_(workers) {}

    void take_part() {
        for (unsigned worker = take(); worker < workers_; worker = take()) {
            call_(job_, worker);
        }
    }

private:
    unsigned take() { return next_.fetch_add(1, std::memory_order_relaxed); }

    const Call call_;
    const void* const job_;
    const unsigned workers_;
    std::atomic<unsigned> next_{0};
};

// The threads beside the caller's. Each waits for a run, takes part in it and waits for the next.
class Executor::Threads {
public:
    // None as yet. Throws std::bad_alloc.
    explicit Threads(Executor& executor) : executor_(executor) {
        all_.reserve(executor.workers_ - 1);
        knows_cpus_ = sched_getaffinity(0, sizeof cpus_, &cpus_) == 0;
        has_processors_ =
            knows_cpus_ && static_cast<unsigned>(CPU_COUNT(&cpus_)) >= executor.workers_;
    }
    // No run is in progress.
    ~Threads() {
        {
            const std::lock_guard guard(mutex_);
            exit_ = true;
        }
        changed_.notify_all();
        for (std::thread& thread : all_) {
            thread.join();
        }
    }
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;

    // Makes what there is not, as far as the system lets it.
    void make_missing() noexcept {
        const size_t wanted = executor_.workers_ - 1;
        if (all_.size() == wanted) {
            return;
        }
        const NoSignals no_signals;
        try {
            while (all_.size() < wanted) {
                all_.emplace_back([this] { help(); });
            }
        } catch (const std::bad_alloc&) {
        } catch (const std::system_error&) {
            // Fewer threads then.
        }
    }

    void begin(Run& run) {
        {
            const std::lock_guard guard(mutex_);
            run_ = &run;
            runs_.fetch_add(1, std::memory_order_relaxed);
        }
        changed_.notify_all();
    }

    // Back when each thread that was made has begun.
    void wait_until_begun() {
        std::unique_lock lock(mutex_);
        begins_.wait(lock, [this] { return begun_ == all_.size(); });
    }

    // Pre: no worker of the run is left to take. Back when none is running; from then on nobody knows the run.
    void end() {
        {
            const std::lock_guard guard(mutex_);
            run_ = nullptr;
        }
        const auto is_left = [this] { return helping_.load(std::memory_order_relaxed) == 0; };
        if (has_processors_) {
            look_for(is_left);
        }
        std::unique_lock lock(mutex_);
        left_.wait(lock, is_left);
    }

private:
    // What a thread does. Allocates nothing: nobody could be told that there is no memory.
    void help() noexcept {
        if (knows_cpus_) {
            sched_setaffinity(0, sizeof cpus_, &cpus_);
        }
        {
            const std::lock_guard guard(mutex_);
            ++begun_;
        }
        begins_.notify_one();
        uint64_t seen = 0;
        for (;;) {
            if (has_processors_) {
                look_for([&] { return runs_.load(std::memory_order_relaxed) != seen; });
            }
            std::unique_lock lock(mutex_);
            changed_.wait(lock,
                          [&] { return exit_ || runs_.load(std::memory_order_relaxed) != seen; });
            if (exit_) {
                return;
            }
            seen = runs_.load(std::memory_order_relaxed);
            if (run_ != nullptr) {  // else that one is over already
                helping_.fetch_add(1, std::memory_order_relaxed);
                help_with(*run_, lock);
                if (helping_.fetch_sub(1, std::memory_order_relaxed) == 1) {
                    left_.notify_one();
                }
            }
        }
    }

    void help_with(Run& run, std::unique_lock<std::mutex>& lock) {
        lock.unlock();
        const int64_t before = thread_cpu_ns();
        run.take_part();
        executor_.helpers_cpu_ns_.fetch_add(thread_cpu_ns() - before, std::memory_order_relaxed);
        lock.lock();
    }

    friend class Executor;

    Executor& executor_;
    Threads* next_left_behind_ = nullptr;
    // Where the thread that made the executor may run: who calls run first may be bound to one processor.
    cpu_set_t cpus_;
    bool knows_cpus_;
    bool has_processors_;  // one for each
    std::vector<std::thread> all_;
    std::mutex mutex_;                 // what follows is written under it
    std::condition_variable changed_;  // a run, or the end
    std::condition_variable begins_;   // one more has begun
    std::condition_variable left_;     // nobody helps any more
    size_t begun_ = 0;                 // how many of all_ hold nothing of the C library any more
    Run* run_ = nullptr;               // in which to take part
    std::atomic<uint64_t> runs_{0};
    std::atomic<unsigned> helping_{0};
    bool exit_ = false;
};

Executor::Executor(unsigned workers)
    : workers_(workers), threads_(workers > 1 ? std::make_unique<Threads>(*this) : nullptr) {}

Executor::~Executor() = default;

void Executor::run_all(Call call, const void* job) {
    Run run(call, job, workers_);
    if (threads_ == nullptr) {
        run.take_part();
        return;
    }
    threads_->make_missing();
    threads_->begin(run);
    run.take_part();
    threads_->end();
}

void Executor::before_fork() {
    if (threads_ != nullptr) {
        threads_->wait_until_begun();
    }
}

void Executor::after_fork_in_child() noexcept {
    // What threads of the parent's wait in can be neither joined nor destroyed. It is kept where a leak checker sees it.
    static Threads* left_behind = nullptr;
    if (threads_ != nullptr) {
        threads_->next_left_behind_ = left_behind;
        left_behind = threads_.release();
    }
}

}  // namespace ouro::worklist
