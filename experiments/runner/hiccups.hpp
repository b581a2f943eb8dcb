// What the machine does to a thread that asks for nearly nothing: it sleeps for a millisecond at a time,
// and whenever it wakes up late, everything may have stood still. The noise floor of every pause.
#pragma once

#include <atomic>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <thread>
#include <vector>

#include "experiments/runner/intervals.hpp"

namespace ouro::runner {

class HiccupMeter {
public:
    static constexpr int64_t kPeriod = 1'000'000;  // ns
    // Later than that is a hiccup.
    static constexpr int64_t kLeast = 100'000;

    HiccupMeter();
    ~HiccupMeter() { end(); }
    HiccupMeter(const HiccupMeter&) = delete;
    HiccupMeter& operator=(const HiccupMeter&) = delete;

    // Ends the measuring; what follows may be asked then.
    void end();
    // From when it should have woken up to when it did, united.
    const Intervals& hiccups() const { return hiccups_; }
    // {count of all wakings, p50_ns, ..., max_ns: how late}
    nlohmann::json summary() const;

private:
    void measure();

    Intervals hiccups_;
    std::vector<int64_t> late_ns_;
    std::atomic<bool> ended_{false};
    std::thread thread_;  // last: it uses the others
};

}  // namespace ouro::runner
