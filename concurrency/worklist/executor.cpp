#include "concurrency/worklist/executor.hpp"

#include <time.h>

#include <new>
#include <thread>

#if defined(__SANITIZE_THREAD__)
#define OURO_EXECUTOR_TBB 0
#elif defined(__has_feature)
#define OURO_EXECUTOR_TBB !__has_feature(thread_sanitizer)
#else
#define OURO_EXECUTOR_TBB 1
#endif

#if OURO_EXECUTOR_TBB
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>
#else
#include <system_error>
#include <vector>
#endif

namespace ouro::worklist {
namespace {

int64_t thread_cpu_ns() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

// One call of run: workers are tickets, so that each runs once whichever thread comes for it.
struct Executor::Run {
    Executor& executor;
    Call call;
    const void* job;
    const std::thread::id caller = std::this_thread::get_id();
    std::atomic<unsigned> next{0};

    void take_part() {
        const bool helps = std::this_thread::get_id() != caller;
        const int64_t before = helps ? thread_cpu_ns() : 0;
        for (;;) {
            const unsigned worker = next.fetch_add(1, std::memory_order_relaxed);
            if (worker >= executor.workers_) {
                break;
            }
            call(job, worker);
        }
        if (helps) {
            executor.helpers_cpu_ns_.fetch_add(thread_cpu_ns() - before, std::memory_order_relaxed);
        }
    }
};

#if OURO_EXECUTOR_TBB

struct Executor::Threads {
    explicit Threads(unsigned workers)
        : most(oneapi::tbb::global_control::max_allowed_parallelism, workers),
          arena(static_cast<int>(workers)) {
        arena.initialize();
    }
    // More threads than processors, if so many are asked for.
    oneapi::tbb::global_control most;
    oneapi::tbb::task_arena arena;
};

void Executor::run_all(Call call, const void* job) {
    Run run{*this, call, job};
    try {
        threads_->arena.execute([&] {
            oneapi::tbb::parallel_for(
                0u, workers_, 1u, [&](unsigned) { run.take_part(); },
                oneapi::tbb::static_partitioner());
        });
    } catch (const std::bad_alloc&) {
        // No memory for its tasks; those that it had are done.
    }
    run.take_part();
}

#else

struct Executor::Threads {
    explicit Threads(unsigned) {}
};

void Executor::run_all(Call call, const void* job) {
    Run run{*this, call, job};
    std::vector<std::thread> threads;
    try {
        threads.reserve(workers_ - 1);
        while (threads.size() < workers_ - 1) {
            threads.emplace_back([&] { run.take_part(); });
        }
    } catch (const std::bad_alloc&) {
    } catch (const std::system_error&) {
        // Fewer threads then.
    }
    run.take_part();
    for (std::thread& thread : threads) {
        thread.join();
    }
}

#endif

Executor::Executor(unsigned workers)
    : workers_(workers), threads_(workers > 1 ? std::make_unique<Threads>(workers) : nullptr) {}

Executor::~Executor() = default;

}  // namespace ouro::worklist
