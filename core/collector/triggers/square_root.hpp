// MemBalancer's square-root rule (Kirisame, Shenoy, Panchekha, OOPSLA 2022): the room is what makes the time of
// collections and the price of memory together least.
//
// Let L containers be alive, let the program add `a` a second, and let full collections look at s a second of processor
// time. With the room E one is made each E / a seconds, and takes L / s for what is alive. (What is dead is freed once,
// however often collections come, and decides nothing.) Let a container of room cost c, a part of the time. Then
//
//     cost(E) = L a / (s E) + c E,      d cost / d E = c - L a / (s E^2) = 0,      E = sqrt(L a / (c s)).
//
// At that E both terms are equal: collections take the part c E of the time, as much as their room is worth. A small heap
// gets more room than a part of it, because looking at it costs little; a large one less than that part; and a program
// that allocates slowly little, because it would hold for long what it saves now and then.
//
// c is the setting `memory-price`, in per cent of a processor's time for a million containers. The usual 16 makes the
// room a quarter of the heap where ten million are alive, a million become old in a second, and a look takes 100 ns
// (shuffled, more than the cache).
//
// It settles: `a` is measured by the clock, and what the world is stopped for lessens it. With f = c E the part of the time
// that is left is 1 - f, so E^2 = L a (1 - c E) / (c s): the left side rises in E and the right one falls, there is one
// solution, and smoothed rates come to it.
//
// Both rates are smoothed: `a` with a half-life of a second, sampled each kSampleSeconds at most; s by half of each full
// collection. Until the first has ended the room is a quarter.
#pragma once

#include <cmath>

#include "core/collector/triggers/trigger.hpp"

namespace ouro::collector {

class SquareRoot final : public Trigger {
public:
    // `price`: c, for one container.
    SquareRoot(double price, Gauges gauges)
        : price_(price), gauges_(gauges), sampled_at_(gauges.seconds()) {}

    size_t room(size_t live) const override {
        if (price_ == 0) {
            return kUnbounded;
        }
        if (speed_ == 0 || seconds_ == 0) {
            return live / 4;
        }
        const double rate = containers_ / seconds_;
        const double room = std::sqrt(static_cast<double>(live) * rate / (price_ * speed_));
        return room < static_cast<double>(kUnbounded) ? static_cast<size_t>(room) : kUnbounded;
    }
    bool is_alone() const override { return true; }

    void note(size_t became_part) override {
        const double now = gauges_.seconds();
        const double passed = now - sampled_at_;
        if (passed < kSampleSeconds) {
            return;
        }
        const double left = std::exp2(-passed / kHalfLifeSeconds);
        // Fewer than before: some of them were found to be garbage since.
        const size_t more = became_part > counted_ ? became_part - counted_ : 0;
        containers_ = containers_ * left + static_cast<double>(more);
        seconds_ = seconds_ * left + passed;
        counted_ = became_part;
        sampled_at_ = now;
    }
    void end(size_t objects, double seconds) override {
        if (objects > 0 && seconds > 0) {
            const double speed = static_cast<double>(objects) / seconds;
            speed_ = speed_ == 0 ? speed : (speed_ + speed) / 2;
        }
    }

private:
    static constexpr double kSampleSeconds = 0.05;
    static constexpr double kHalfLifeSeconds = 1;

    const double price_;
    const Gauges gauges_;
    double sampled_at_;
    size_t counted_ = 0;
    double containers_ =
        0;  // that became part of the heap, and in how many seconds: older samples weigh less
    double seconds_ = 0;
    double speed_ = 0;  // of full collections, containers a second
};

}  // namespace ouro::collector
