// What stopping the world costs with N threads beside the one that stops it, which run, are blocked
// outside the API, or half of each: a collection of an almost empty heap is little but a stop and a
// start. A running thread makes lists and drops them; a blocked one sleeps, detached.
//
// Counters, of the stops of one benchmark: `tts_*`: of each running thread, from the request until it had
// stopped; `stop_*`: of the one that stops them, until all had stopped and, after the work of the pause,
// until all had been let go; and, of a thread that reads the clock beside them for a while before, the
// longest gap in each millisecond: `hiccup_*`.
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "experiments/micro/fixture.hpp"

namespace {

int64_t now_ns() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

class Samples {
public:
    void add(int64_t ns) { ns_.push_back(ns); }
    // The least that so many thousandths of the samples do not exceed; 0 if there are none.
    double at(size_t permille) {
        if (ns_.empty()) {
            return 0;
        }
        std::sort(ns_.begin(), ns_.end());
        return static_cast<double>(ns_[(ns_.size() * permille + 999) / 1000 - 1]);
    }

private:
    std::vector<int64_t> ns_;
};

// Hears the events of the collections.
class Stops {
public:
    Stops() { Ouro_AddListener(hear, this); }
    ~Stops() { Ouro_RemoveListener(hear, this); }
    Stops(const Stops&) = delete;
    Stops& operator=(const Stops&) = delete;

    Samples to_safepoint, stop_and_start;

private:
    static void hear(const OuroEvent* event, void* arg) {
        auto* self = static_cast<Stops*>(arg);
        switch (event->phase) {
            case OURO_PHASE_SAFEPOINT:
                self->to_safepoint.add(event->end_ns - event->start_ns);
                break;
            case OURO_PHASE_CONDEMN:  // the last work in the first pause; there is no second one
                self->worked_until_ns_ = event->end_ns;
                break;
            case OURO_PHASE_PAUSE:
                self->stop_and_start.add(event->time_to_safepoint_ns + event->end_ns -
                                         self->worked_until_ns_);
                break;
            default:
                break;
        }
    }

    int64_t worked_until_ns_ = 0;
};

class Others {
public:
    Others(unsigned running, unsigned blocked) {
        for (unsigned i = 0; i < running + blocked; ++i) {
            threads_.emplace_back([this, runs = i < running] { live(runs); });
        }
        Py_BEGIN_ALLOW_THREADS
        while (ready_.load() < threads_.size()) {
            std::this_thread::yield();
        }
        Py_END_ALLOW_THREADS
    }
    ~Others() {
        end_ = true;
        Py_BEGIN_ALLOW_THREADS
        for (std::thread& thread : threads_) {
            thread.join();
        }
        Py_END_ALLOW_THREADS
    }
    Others(const Others&) = delete;
    Others& operator=(const Others&) = delete;

private:
    void live(bool runs) {
        const PyGILState_STATE state = PyGILState_Ensure();
        ++ready_;
        while (!end_.load(std::memory_order_relaxed)) {
            if (runs) {
                Py_XDECREF(PyList_New(0));
            } else {
                Py_BEGIN_ALLOW_THREADS
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
                Py_END_ALLOW_THREADS
            }
        }
        PyGILState_Release(state);
    }

    std::atomic<bool> end_{false};
    std::atomic<size_t> ready_{0};
    std::vector<std::thread> threads_;
};

Samples hiccups() {
    Samples gaps;
    const int64_t end = now_ns() + 100'000'000;
    int64_t longest = 0;
    int64_t window = now_ns() + 1'000'000;
    for (int64_t last = now_ns(); last < end;) {
        const int64_t now = now_ns();
        longest = std::max(longest, now - last);
        if (now >= window) {
            gaps.add(longest);
            longest = 0;
            window = now + 1'000'000;
        }
        last = now;
    }
    return gaps;
}

void stops(benchmark::State& state, unsigned running, unsigned blocked) {
    const ouro::micro::Counts counts(state, "biased");
    if (!counts) {
        return;
    }
    Samples noise = hiccups();
    {
        const Others others(running, blocked);
        PyGC_Disable();  // but for those that are asked for
        Stops heard;
        for (auto _ : state) {
            state.PauseTiming();
            // Between two stops the world runs for a while, as it does between collections.
            for (const int64_t next = now_ns() + 100'000; now_ns() < next;) {
            }
            state.ResumeTiming();
            PyGC_Enable();
            PyGC_Collect();
            PyGC_Disable();
        }
        PyGC_Enable();
        state.counters["threads"] = running + blocked;
        state.counters["blocked"] = blocked;
        state.counters["tts_p50_ns"] = heard.to_safepoint.at(500);
        state.counters["tts_p99_ns"] = heard.to_safepoint.at(990);
        state.counters["stop_p50_ns"] = heard.stop_and_start.at(500);
        state.counters["stop_p99_ns"] = heard.stop_and_start.at(990);
        state.counters["hiccup_p50_ns"] = noise.at(500);
        state.counters["hiccup_p99_ns"] = noise.at(990);
    }
}

const bool registered = [] {
    for (const unsigned others : {1u, 2u, 8u, 64u}) {
        const auto add = [](const std::string& name, unsigned running, unsigned blocked) {
            // 64 that run on two cores take a tenth of a second to stop.
            const int iterations = running > 8 ? 40 : 200;
            benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
                stops(state, running, blocked);
            })->Iterations(iterations);
        };
        const std::string number = std::to_string(others);
        add("stop/running/" + number, others, 0);
        add("stop/blocked/" + number, 0, others);
        if (others > 1) {
            add("stop/mixed/" + number, others - others / 2, others / 2);
        }
    }
    return true;
}();

}  // namespace
