// Nobody works on a slice after its end, or at a place that another has (concurrency/worklist/crew.hpp), whoever joins and
// leaves when; and what is left at a place is gone on with.

#include <gtest/gtest.h>

#include <memory>

#include "concurrency/worklist/crew.hpp"
#include "tests/support/both_builds.hpp"

namespace ouro::test {
namespace {

constexpr unsigned kPlaces = 3;
constexpr int kSlices = OURO_SYS ? 3 : 300;

struct State {
    worklist::Crew<int, Sync> crew{kPlaces};
    Sync::Atomic<int> noise{0};
    Sync::Atomic<bool> over{false};
    // Plain: each is of who has the place, or of the owner between two slices.
    bool open = false;
    bool taken[kPlaces] = {};
    int calls[kPlaces] = {};
    int counted = 0;  // by the owner
    Sync::Atomic<int> counted_by_others{0};
};

void own(State& s) {
    const auto job = [&s](unsigned place, int& calls) {
        EXPECT_TRUE(s.open);
        EXPECT_FALSE(s.taken[place]);
        s.taken[place] = true;
        (void)s.noise.load(std::memory_order_relaxed);
        ++s.calls[place];
        ++calls;
        s.taken[place] = false;
        EXPECT_TRUE(s.open);
    };
    for (int slice = 0; slice < kSlices; ++slice) {
        s.open = true;
        s.crew.open(job);
        s.crew.join(s.counted);
        s.crew.close(s.counted);
        s.open = false;
    }
    s.over.store(true, std::memory_order_relaxed);
}

void join(State& s) {
    int calls = 0;
    int joined = 0;
    while (!s.over.load(std::memory_order_relaxed)) {
        joined += s.crew.join(calls) ? 1 : 0;
        Sync::yield();
    }
    EXPECT_EQ(calls, joined);
    s.counted_by_others.fetch_add(calls, std::memory_order_relaxed);
}

TEST(ASlice, IsOverWhenAllHaveLeft) {
    explore(3000, [](Execution& run) {
        auto s = std::make_shared<State>();
        run.thread("owner", [s] { own(*s); });
        run.thread("a", [s] { join(*s); });
        run.thread("b", [s] { join(*s); });
        run.after([s] {
            int calls = 0;
            for (const int each : s->calls) {
                calls += each;
            }
            EXPECT_EQ(calls, s->counted + s->counted_by_others.load(std::memory_order_relaxed));
            EXPECT_GE(s->counted, kSlices);
        });
    });
}

// By one thread, so that it is known who joined when.
TEST(APlace, ThatWasLeftIsGoneOnWithByTheOneWhoClosesTheSlice) {
    worklist::Crew<int, Sync> crew(kPlaces);
    int calls[kPlaces] = {};
    int argument = 0;
    EXPECT_FALSE(crew.join(argument));
    const auto job = [&](unsigned place, int&) { ++calls[place]; };
    for (int slice = 1; slice <= 2; ++slice) {
        crew.open(job);
        EXPECT_TRUE(crew.join(argument));
        crew.close(argument);
        EXPECT_EQ(calls[0], 2 * slice);
        EXPECT_EQ(calls[1] + calls[2], 0);
        EXPECT_FALSE(crew.join(argument));
    }
}

}  // namespace
}  // namespace ouro::test
