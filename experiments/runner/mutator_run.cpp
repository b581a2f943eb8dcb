#include "experiments/runner/mutator_run.hpp"

#include <sys/prctl.h>
#include <time.h>

#include <algorithm>
#include <barrier>
#include <numeric>

#include "experiments/runner/arrivals.hpp"
#include "experiments/runner/clock.hpp"
#include "experiments/runner/load.hpp"
#include "experiments/workloads/instance.hpp"
#include "experiments/workloads/threads.hpp"
#include "ouroboros.h"

namespace ouro::runner {
namespace {

// How many operations there are between two looks at backlog and memory.
constexpr uint64_t kLookEvery = 64;
// A wait that is longer is slept through, but for its end.
constexpr int64_t kWorthSleeping = 300'000;
constexpr int64_t kAwakeBefore = 150'000;
// A look at a safepoint whether it is time takes less; what takes longer is a collection's work, or the machine's.
constexpr int64_t kLongestLook = 1'000;

// Waits at safepoints, or asleep and detached as a program does that waits for a request. The time.
int64_t wait_until(int64_t due_ns, MutatorRun& run) {
    SliceClock& clock = run.clock;
    int64_t now = clock.last_ns();
    while (now < due_ns) {
        if (due_ns - now > kWorthSleeping) {
            const int64_t wake_ns = due_ns - kAwakeBefore;
            workloads::wait_detached([wake_ns] {
                const timespec until = {wake_ns / 1'000'000'000, wake_ns % 1'000'000'000};
                clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
            });
            now = clock.resume();
        } else {
            const int64_t before = now;
            Py_MakePendingCalls();
            now = clock.tick();
            run.waiting_ns += now - before < kLongestLook ? now - before : 0;
        }
    }
    return now;
}

template <typename Look>
void run_one(workloads::Load& load, Arrivals arrivals, bool is_metered, MutatorRun& run,
             Look look) {
    int64_t now = run.clock.resume();
    while (now < arrivals.end_ns()) {
        const int64_t due = arrivals.due_ns();
        const bool at_once = due > now && arrivals.is_saturated(now);
        if (due > now && !at_once) {
            const int64_t until = std::min(due, arrivals.end_of_turn(now));
            now = wait_until(until, run);
            if (until < due || due == arrivals.end_ns()) {
                continue;
            }
        }
        const int64_t begun = now;
        load.step();
        now = run.clock.tick();
        run.latencies.add(now - (at_once ? begun : due));
        if (!at_once) {
            arrivals.take();
        }
        if (is_metered) {
            run.metered.add(begun, now);
        }
        if (++run.operations % kLookEvery == 0) {
            look();
        }
    }
    run.due = run.operations;
    for (; arrivals.due_ns() < arrivals.end_ns(); arrivals.take(), ++run.due) {
        run.latencies.add(arrivals.end_ns() - arrivals.due_ns());
    }
    run.metered.finish();
}

}  // namespace

uint64_t MutatorRuns::operations() const {
    return std::accumulate(mutators.begin(), mutators.end(), uint64_t{0},
                           [](uint64_t sum, const auto& each) { return sum + each->operations; });
}

int64_t MutatorRuns::waiting_ns() const {
    return std::accumulate(mutators.begin(), mutators.end(), int64_t{0},
                           [](int64_t sum, const auto& each) { return sum + each->waiting_ns; });
}

size_t MutatorRuns::backlog_now() const {
    // In this order: what is deallocated was let go of before, or a moment later by its own mutator.
    const size_t deallocated = workloads::instances_deallocated() - deallocated_before;
    size_t unreachable = 0;
    for (const auto& each : loads) {
        unreachable += each->unreachable();
    }
    return unreachable > deallocated ? unreachable - deallocated : 0;
}

MutatorRuns run_mutators(const workloads::MakeLoad& make, const MutatorRunOptions& options) {
    MutatorRuns runs;
    runs.loads.resize(options.threads);
    runs.mutators.resize(options.threads);
    runs.deallocated_before = workloads::instances_deallocated();
    const auto run_ns = static_cast<int64_t>(options.seconds * 1e9);
    std::vector<double> intervals_ns;
    intervals_ns.reserve(options.rates.size());
    for (const double rate : options.rates) {
        intervals_ns.push_back(rate > 0 ? 1e9 * options.threads / rate : 0);
    }
    const bool is_metered =
        std::ranges::any_of(options.rates, [](double rate) { return rate > 0; });
    std::barrier built(options.threads, [&]() noexcept {
        runs.start_ns = wall_ns();
        runs.cpu_ns = process_cpu_ns();
    });
    std::barrier ended(options.threads, [&]() noexcept {
        runs.end_ns = wall_ns();
        runs.cpu_ns = process_cpu_ns() - runs.cpu_ns;
    });
    std::barrier looked(options.threads);
    const auto meet = [](auto& barrier) {
        workloads::wait_detached([&] { barrier.arrive_and_wait(); });
    };
    workloads::run_threads(options.threads, [&](unsigned worker) {
        try {
            prctl(PR_SET_TIMERSLACK, 1UL);
            runs.loads[worker] = make(worker, options.threads);
            workloads::Load& load = *runs.loads[worker];
            runs.mutators[worker] = std::make_unique<MutatorRun>();
            MutatorRun& run = *runs.mutators[worker];
            meet(built);
            const Arrivals arrivals(runs.start_ns, runs.start_ns + run_ns, intervals_ns, kTurnNs,
                                    static_cast<double>(worker) / options.threads);
            if (worker == 0) {
                runs.backlog = std::make_unique<BacklogRecorder>();
                runs.memory = std::make_unique<MemoryRecorder>();
                run_one(load, arrivals, is_metered, run, [&] {
                    runs.backlog->note(runs.backlog_now());
                    runs.memory->note();
                });
                runs.backlog->finish();
                runs.memory->finish();
            } else {
                run_one(load, arrivals, is_metered, run, [] {});
            }
            meet(ended);
            if (worker == 0) {
                for (const auto& each : runs.loads) {
                    runs.live += each->live();
                }
                if (options.at_end) {
                    options.at_end();
                }
            }
            meet(looked);
            load.drop();
        } catch (...) {
            // Nobody waits for who does not come any more.
            built.arrive_and_drop();
            ended.arrive_and_drop();
            looked.arrive_and_drop();
            throw;
        }
    });
    return runs;
}

}  // namespace ouro::runner
