#include "experiments/runner/hiccups.hpp"

#include <sys/prctl.h>
#include <time.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "experiments/runner/clock.hpp"
#include "experiments/runner/pauses.hpp"

namespace ouro::runner {

HiccupMeter::HiccupMeter() : thread_([this] { measure(); }) {}

void HiccupMeter::measure() {
    prctl(PR_SET_TIMERSLACK, 1UL);
    // relaxed: join() is what hands the samples over.
    while (!ended_.load(std::memory_order_relaxed)) {
        const int64_t due = wall_ns() + kPeriod;
        const timespec until = {due / 1'000'000'000, due % 1'000'000'000};
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) != 0) {
        }
        const int64_t woke = wall_ns();
        late_ns_.push_back(woke - due);
        if (woke - due >= kLeast) {
            hiccups_.push_back({due, woke});
        }
    }
}

void HiccupMeter::end() {
    ended_.store(true, std::memory_order_relaxed);
    if (thread_.joinable()) {
        thread_.join();
    }
}

nlohmann::json HiccupMeter::summary() const {
    nlohmann::json row = percentiles(late_ns_);
    row["count"] = late_ns_.size();
    return row;
}

}  // namespace ouro::runner
