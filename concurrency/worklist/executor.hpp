// A fixed number of workers that run one job together.
//
//     Executor executor(2);
//     executor.run([&](unsigned worker) { ... });    // on up to two threads; returns when both did
//
// The caller is one of the threads. A worker must not wait for another to begin: if the system gives
// fewer threads, one runs several workers one after the other. Workers that have begun may wait for
// each other.
//
// Cost: waking oneTBB's threads takes some 10 us where a core is idle; a single worker is a call.
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

    // CPU time of threads other than the callers of run, in ns, since the executor was made.
    int64_t helpers_cpu_ns() const { return helpers_cpu_ns_.load(std::memory_order_relaxed); }

private:
    using Call = void (*)(const void* job, unsigned worker);
    struct Threads;
    struct Run;

    void run_all(Call call, const void* job);

    const unsigned workers_;
    std::atomic<int64_t> helpers_cpu_ns_{0};
    std::unique_ptr<Threads> threads_;
};

}  // namespace ouro::worklist
