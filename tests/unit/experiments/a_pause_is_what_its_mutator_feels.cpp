// Of the stream of events a mutator's pauses are the stops of other threads and all that its own thread
// did instead of an operation, each time once; a cycle that its thread made in slices, with operations
// between them, is no pause, but its slices are.

#include <gtest/gtest.h>

#include <thread>

#include "core/event/events.hpp"
#include "experiments/runner/mutator_pauses.hpp"
#include "experiments/runner/slice_clock.hpp"

namespace ouro::test {
namespace {

using runner::Interval;
using runner::Intervals;
using runner::MutatorPauses;
using runner::SliceClock;

void tell(OuroPhase phase, int64_t start_ns, int64_t end_ns, int64_t cpu_ns = 0) {
    OuroEvent event{};
    event.phase = phase;
    event.start_ns = start_ns;
    event.end_ns = end_ns;
    event.cpu_ns = cpu_ns;
    event.time_to_safepoint_ns = 7;
    event.candidates = 10;
    event.rejected = 3;
    event::emit(event);
}

void tell_elsewhere(OuroPhase phase, int64_t start_ns, int64_t end_ns, int64_t cpu_ns = 0) {
    std::thread([=] { tell(phase, start_ns, end_ns, cpu_ns); }).join();
}

TEST(AMutatorsPause, IsACycleOfItsOwnWithAllThatIsInIt) {
    SliceClock clock;
    const MutatorPauses pauses(&clock);
    const int64_t now = clock.tick();
    tell(OURO_PHASE_SAFEPOINT, now + 1, now + 2);
    tell(OURO_PHASE_PAUSE, now + 1, now + 50, 40);
    tell(OURO_PHASE_CLEAR, now + 60, now + 80, 15);
    EXPECT_EQ(pauses.pauses(), (Intervals{{now + 1, now + 50, 40}, {now + 60, now + 80, 15}}));
    tell(OURO_PHASE_CYCLE, now, now + 100, 90);
    EXPECT_EQ(pauses.pauses(), (Intervals{{now, now + 100, 90}}));
    EXPECT_EQ(pauses.times_to_safepoint_ns(), std::vector<int64_t>{7});
}

TEST(AMutatorsPause, IsASliceOfACycleBesideWhichItRan) {
    SliceClock clock;
    const MutatorPauses pauses(&clock);
    const int64_t begun = clock.tick();
    tell(OURO_PHASE_PAUSE, begun + 1, begun + 20, 5);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const int64_t later = clock.tick();  // an operation is done
    tell(OURO_PHASE_PAUSE, later + 1, later + 30, 6);
    tell(OURO_PHASE_MARK, begun + 1, later + 30, 100);
    tell(OURO_PHASE_CYCLE, begun, later + 40, 100);
    EXPECT_EQ(pauses.pauses(), (Intervals{{begun + 1, begun + 20, 5}, {later + 1, later + 30, 6}}));
}

TEST(AMutatorsPause, IsAStopOfAnotherThreadsAndNothingElseOfIt) {
    SliceClock clock;
    const MutatorPauses pauses(&clock);
    const int64_t now = clock.tick();
    tell_elsewhere(OURO_PHASE_MARK, now, now + 500);
    tell_elsewhere(OURO_PHASE_PAUSE, now + 100, now + 200, 80);
    tell_elsewhere(OURO_PHASE_CYCLE, now, now + 900, 700);
    EXPECT_EQ(pauses.pauses(), (Intervals{{now + 100, now + 200, 80}}));
}

TEST(AMutatorsPause, WithoutItsClockIsAWholeCycle) {
    const MutatorPauses pauses;
    tell(OURO_PHASE_PAUSE, 10, 50, 40);
    tell(OURO_PHASE_CYCLE, 0, 100, 90);
    tell_elsewhere(OURO_PHASE_PAUSE, 200, 210, 4);
    EXPECT_EQ(pauses.pauses(), (Intervals{{0, 100, 90}, {200, 210, 4}}));
}

}  // namespace
}  // namespace ouro::test
