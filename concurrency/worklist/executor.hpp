// A fixed number of workers that run one job together.
//
//     Executor executor(2);
//     executor.run([&](unsigned worker) { ... });    // on up to two threads; returns when both did
//
// The caller is one of the threads; the others are the executor's own, made by the first run and kept. If the system
// refuses some or all of them, the threads that there are run several workers one after the other. So a worker must not
// wait for another to begin; workers that have begun may wait for each other. Each later run asks again for threads
// that were refused.
//
// Cost: some 2 us a run if runs follow each other closely and each worker has a processor of its own, else 30 us until
// a thread is woken; 6 us if one is refused; a single worker is a call.
//
// Why not oneTBB's threads: they start each other and allocate memory before their first task, in functions that may
// not throw, so if a thread or its memory is refused the program ends (2021.8: private_server.cpp,
// private_worker::run). A user of oneTBB cannot prevent that.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace ouro::worklist {

class Executor {
public:
    // `workers` of 1 or more. Throws std::bad_alloc.
    explicit Executor(unsigned workers);
    ~Executor();
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;

    unsigned workers() const { return workers_; }

    // Calls job(worker) once for each worker below workers(). The job may not throw. One caller at a
    // time.
    template <class Job>
    void run(const Job& job) {
        if (workers_ == 1) {
            job(0);
        } else {
            run_all([](const void* arg, unsigned w) { (*static_cast<const Job*>(arg))(w); }, &job);
        }
    }

    // Before a fork, on the forking thread, which does not run a job: waits until no thread of the executor's is
    // beginning. One that begins allocates and may hold locks of the C library or of a sanitizer, and the child would
    // find them held for ever.
    void before_fork();
    // In the child of a fork, which has none of the threads: from now on all workers run on the caller of run. Not for
    // the child of a fork that a job made.
    void after_fork_in_child() noexcept;

    // CPU time of threads other than the callers of run, in ns, since the executor was made.
    int64_t helpers_cpu_ns() const { return helpers_cpu_ns_.load(std::memory_order_relaxed); }

private:
    using Call = void (*)(const void* job, unsigned worker);
    class Run;
    class Threads;

    void run_all(Call call, const void* job);

    const unsigned workers_;
    std::atomic<int64_t> helpers_cpu_ns_{0};
    std::unique_ptr<Threads> threads_;  // null: there is none but the caller's
};

}  // namespace ouro::worklist
