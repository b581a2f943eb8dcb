// The threads that work on a slice.
//
// On a concurrent one: the collector thread and helpers of its own; of a pass, mutators, too, that join because they
// allocate faster than garbage is found. In a stop, in which no mutator has use for its processor: the thread that stopped
// the world, and helpers.
//
// What they read is kept for them by the collector thread's traversal (mutator::Traversal), which neither ends nor is
// quiescent before all have left. So who joins frees nothing meanwhile, and waits for nobody.
#pragma once

#include <algorithm>
#include <atomic>

#include "concurrency/thread/sync.hpp"
#include "concurrency/worklist/crew.hpp"
#include "concurrency/worklist/executor.hpp"
#include "core/collector/deadline.hpp"
#include "core/event/events.hpp"

namespace ouro::collector {

class SliceWorkers {
public:
    using Crew = worklist::Crew<Deadline>;

    // `threads`, the collector thread among them; 0: one for each four processors, and in a stop one for each two.
    // Mutators may join as far as there are processors. Throws std::bad_alloc.
    explicit SliceWorkers(size_t threads)
        : executor_(own_threads(threads)), stop_executor_(threads_in_stops(threads)),
          crew_(std::min(Crew::kMost,
                         std::max(executor_.workers() + 1, thread::SystemSync::processors()))) {}

    // How many may work at once on a slice: those of its own and those that join; those alone; in a stop.
    unsigned places() const { return crew_.places(); }
    unsigned own() const { return executor_.workers(); }
    unsigned in_stops() const { return stop_executor_.workers(); }

    // A slice, until the deadline: job(place, deadline) by each that takes part. The job may not throw.
    template <class Job>
    void run(Deadline& deadline, const Job& job) {
        const int64_t before = helpers_cpu_ns();
        crew_.open(job);
        executor_.run([&](unsigned) {
            Deadline own = deadline;
            crew_.join(own);
        });
        crew_.close(deadline);
        event::helpers_cpu_ns += helpers_cpu_ns() - before;
    }

    // job(worker) once for each worker below own(), without those that join; and by the thread that stopped the world for
    // each below in_stops(). The job may not throw.
    template <class Job>
    void run_own(const Job& job) {
        run(executor_, job);
    }
    template <class Job>
    void run_in_stop(const Job& job) {
        run(stop_executor_, job);
    }

    // By a mutator: takes part in the slice that is being made, if one is, until its own deadline. False if none is.
    bool join(Deadline deadline) {
        const int64_t before = event::thread_cpu_ns();
        const bool joined = crew_.join(deadline);
        joined_cpu_ns_.fetch_add(event::thread_cpu_ns() - before, std::memory_order_relaxed);
        return joined;
    }

    void before_fork() {
        executor_.before_fork();
        stop_executor_.before_fork();
    }
    void after_fork_in_child() {
        executor_.after_fork_in_child();
        stop_executor_.after_fork_in_child();
    }

private:
    static unsigned own_threads(size_t threads) {
        return threads == 0 ? std::max(1u, thread::SystemSync::processors() / 4)
                            : static_cast<unsigned>(std::min<size_t>(threads, Crew::kMost));
    }
    static unsigned threads_in_stops(size_t threads) {
        return threads == 0 ? std::clamp(thread::SystemSync::processors() / 2, 1U, Crew::kMost)
                            : own_threads(threads);
    }

    template <class Job>
    static void run(worklist::Executor& executor, const Job& job) {
        const int64_t before = executor.helpers_cpu_ns();
        executor.run(job);
        event::helpers_cpu_ns += executor.helpers_cpu_ns() - before;
    }

    int64_t helpers_cpu_ns() const {
        return executor_.helpers_cpu_ns() + joined_cpu_ns_.load(std::memory_order_relaxed);
    }

    worklist::Executor executor_;
    worklist::Executor stop_executor_;
    Crew crew_;
    std::atomic<int64_t> joined_cpu_ns_{0};
};

}  // namespace ouro::collector
