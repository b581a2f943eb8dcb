// A program that lives through faults. Its threads make objects, tie them into rings, hand them to each other, watch
// them by weak references, drop them, collect, end and are replaced, while it forks, while finalizers block, raise,
// allocate, revive, fork and exit, and while what --faults names happens. soak.py chooses that, and adds what comes from
// outside: children that are killed or stopped, threads that get no time, files that cannot be written.
//
//   program --seed N --seconds N [--threads N] [--faults NAME,...] [--no-forks]
//
// The last line of its output is JSON: what was injected, made and lost. Status 0 if nothing was lost, left or strange.

#include <ouroboros.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <random>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "tests/soak/faults.hpp"
#include "tests/soak/objects.hpp"
#include "tests/soak/player.hpp"
#include "tests/soak/tally.hpp"

namespace ouro::soak {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

std::atomic<int64_t> clock_offset{0};  // s

void play(const Shared& shared, uint64_t seed, Clock::time_point end) {
    PyThreadState* const state = PyThreadState_New(PyInterpreterState_Main());
    if (state == nullptr) {
        ++tally.refused_threads;
        return;
    }
    PyEval_RestoreThread(state);
    {
        Player player(shared, seed);
        while (Clock::now() < end) {
            for (int i = 0; i < 200; ++i) {
                player.step();
            }
        }
    }
    PyThreadState_Clear(state);
    PyThreadState_DeleteCurrent();
}

// ---- forks

// What the child of a fork does; its thread is attached.
int go_on(const Shared& shared, uint64_t seed) {
    alarm(120);
    Ouro_FailAllocations(0, 0);
    shared.check_all();
    {
        Player player(shared, seed);
        for (int i = 0; i < 2000; ++i) {
            player.step();
        }
    }
    PyGC_Collect();
    shared.check_all();
    if (seed % 4 == 0) {
        exit_from_finalizer = true;
        Py_XDECREF(make_node(&FinalNodeType));
    }
    return tally.lost + tally.strange > 0 ? 1 : 0;
}

void fork_once(const Shared& shared, uint64_t seed, PyThreadState* state) {
    ++tally.forks;
    const pid_t pid = fork();
    if (pid == 0) {
        PyEval_RestoreThread(state);
        _exit(go_on(shared, seed));
    }
    wait_for_child(pid, seed % 4 == 0 ? kExitStatus : 0);
}

// A part of the program's life: threads play; faults come, but for the last part's.
void phase(const Shared& shared, std::mt19937_64& random, bool faults) {
    std::optional<Signals> signals;
    if (faults && options.signals) {
        signals.emplace(static_cast<long>(100 + random() % 2000));
    }
    const auto length = milliseconds(100 + random() % 300);
    const Clock::time_point end = Clock::now() + length;
    if (faults && options.allocations) {
        constexpr std::array<uint64_t, 4> counts = {1, 20, 2000, ~uint64_t{0}};
        Ouro_FailAllocations(random() % 50'000, counts[random() % counts.size()]);
    }
    std::optional<MemoryLimit> limit;
    if (faults && options.limit && random() % 2 == 0) {
        limit.emplace(random() % 2 == 0, random() % 32 << 19);
    }
    PyThreadState* const state = PyEval_SaveThread();
    {
        std::vector<std::thread> threads;
        threads.reserve(options.threads);
        const auto start = [&] {
            // One that ends before the others is replaced.
            const auto own_end = end - length * (random() % 3) / 4;
            try {
                threads.emplace_back(
                    [&shared, seed = random(), own_end] { play(shared, seed, own_end); });
                ++tally.threads;
            } catch (const std::system_error&) {
                ++tally.refused_threads;
            }
        };
        for (size_t i = 0; i < options.threads; ++i) {
            start();
        }
        while (Clock::now() < end) {
            std::this_thread::sleep_for(milliseconds(random() % 40));
            if (faults && options.clock) {
                clock_offset = static_cast<int64_t>(random() % 7200) - 3600;
                ++tally.clock_steps;
            }
            if (options.forks && random() % 4 == 0) {
                fork_once(shared, random(), state);
            }
            if (!threads.empty() && random() % 4 == 0) {
                std::thread& one = threads[random() % threads.size()];
                one.join();
                std::swap(one, threads.back());
                threads.pop_back();
                if (Clock::now() < end) {
                    start();
                }
            }
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
    }
    PyEval_RestoreThread(state);
    limit.reset();
    tally.failed_allocations += static_cast<long>(Ouro_FailAllocations(0, 0));
    shared.check_all();
    PyObject* revived = revived_list.get();
    PyList_SetSlice(revived, 0, PyList_Size(revived), nullptr);
    Py_DECREF(revived);
}

bool parse(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        const std::string_view name = argv[i];
        if (name == "--no-forks") {
            options.forks = false;
            continue;
        }
        if (i + 1 == argc) {
            return false;
        }
        const char* const value = argv[++i];
        if (name == "--seed") {
            options.seed = std::strtoull(value, nullptr, 10);
        } else if (name == "--seconds") {
            options.seconds = std::strtod(value, nullptr);
        } else if (name == "--threads") {
            options.threads = std::strtoul(value, nullptr, 10);
        } else if (name == "--faults") {
            for (std::string_view rest = value; !rest.empty();) {
                const std::string_view fault = rest.substr(0, rest.find(','));
                rest.remove_prefix(std::min(fault.size() + 1, rest.size()));
                options.allocations = options.allocations || fault == "allocations";
                options.limit = options.limit || fault == "limit";
                options.clock = options.clock || fault == "clock";
                options.signals = options.signals || fault == "signals";
            }
        } else {
            return false;
        }
    }
    return options.threads > 0 && options.seconds > 0;
}

void count_unraisable(PyObject*, PyObject*, PyObject*, void*) {
    ++tally.unraisable;
}

}  // namespace
}  // namespace ouro::soak

// The runtime and the C++ library ask here what time it is: of the clocks only the one that people set can jump.
extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
    const int result = static_cast<int>(syscall(SYS_clock_gettime, clock, time));
    if (clock == CLOCK_REALTIME && result == 0) {
        time->tv_sec += ouro::soak::clock_offset.load(std::memory_order_relaxed);
    }
    return result;
}

int main(int argc, char** argv) {
    using namespace ouro::soak;
    if (!parse(argc, argv)) {
        std::fprintf(stderr,
                     "usage: %s --seed N --seconds N [--threads N] [--faults "
                     "allocations,limit,clock,signals]"
                     " [--no-forks]\n",
                     argv[0]);
        return 2;
    }
    std::signal(SIGPIPE, SIG_IGN);
    Py_Initialize();
    Ouro_SetUnraisableHook(count_unraisable, nullptr);
    if (!ready_types()) {
        return 2;
    }
    std::mt19937_64 random(options.seed);
    const Clock::time_point end =
        Clock::now() +
        std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.seconds));
    {
        const Shared shared;
        PyObject* revived = PyList_New(0);
        revived_list.set(revived);
        Py_DECREF(revived);
        do {
            phase(shared, random, true);
        } while (Clock::now() < end);
        phase(shared, random, false);
        revived_list.set(nullptr);
    }
    for (int i = 0; i < 4; ++i) {  // what the finalizers of one make is the next one's
        PyGC_Collect();
    }
    const long left = tally.made - tally.died;
    const bool finalized = Py_FinalizeEx() == 0;
    std::printf(
        "{\"made\": %ld, \"left\": %ld, \"lost\": %ld, \"strange\": %ld, \"refused\": %ld, "
        "\"finalized\": %ld, "
        "\"revived\": %ld, \"unraisable\": %ld, \"called\": %ld, \"threads\": %ld, \"forks\": %ld, "
        "\"bad_children\": %ld, \"injected\": {\"allocations\": %ld, \"limit\": %ld, \"clock\": "
        "%ld, "
        "\"signals\": %ld, \"refused threads\": %ld, \"refused forks\": %ld}}\n",
        tally.made.load(), left, tally.lost.load(), tally.strange.load(), tally.refused.load(),
        tally.finalized.load(), tally.revived.load(), tally.unraisable.load(), tally.called.load(),
        tally.threads.load(), tally.forks.load(), tally.bad_children.load(),
        tally.failed_allocations.load(), tally.limits.load(), tally.clock_steps.load(),
        tally.signals.load(), tally.refused_threads.load(), tally.refused_forks.load());
    return left == 0 && tally.lost == 0 && tally.strange == 0 && tally.bad_children == 0 &&
                   finalized
               ? 0
               : 1;
}
