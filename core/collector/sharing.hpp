// Whether several threads should share a kind of work, or one should do it alone: by what an object took of late, one way
// and the other. To share costs where a thread must fetch what lies in another's cache, and how much that is differs from
// machine to machine, and on a virtual one from minute to minute.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ouro::collector {

class Sharing {
public:
    // Whether the next piece should be shared.
    bool is_worth_it() {
        if (ns_[kShared] == 0 || ns_[kAlone] == 0) {
            return ns_[kShared] == 0;
        }
        const bool better = ns_[kShared] < kGain * ns_[kAlone];
        return ++pieces_ % kLooksAgain == 0 ? !better : better;
    }
    // A piece of so many objects took so long, by the clock.
    void took(bool shared, size_t objects, int64_t ns) {
        if (objects < kLeast) {
            return;
        }
        double& known = ns_[shared ? kShared : kAlone];
        const double now = static_cast<double>(ns) / static_cast<double>(objects);
        known = known == 0 ? now : known + kNewCounts * (now - known);
    }

private:
    enum Way { kAlone, kShared };

    static constexpr double kGain =
        0.9;  // less would not be worth the processor time of the others
    static constexpr unsigned kLooksAgain = 64;  // pieces, of which one is done the other way
    static constexpr double kNewCounts = 0.25;
    static constexpr size_t kLeast =
        512;  // else the clock and the beginning say more than the work

    std::array<double, 2> ns_{};  // an object; 0: not known yet
    unsigned pieces_ = 0;
};

}  // namespace ouro::collector
