// What a result says of the processes that a collector made: the CPU time of those that ended, in
// child_cpu_ns and in nothing else; of each fork its times and, if the child lived to say, its memory. A
// child is no pause of anybody's.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/event/events.hpp"
#include "experiments/runner/mutator_pauses.hpp"
#include "experiments/runner/pauses.hpp"
#include "experiments/runner/row.hpp"

namespace ouro::test {
namespace {

using nlohmann::json;

OuroEvent event_of(OuroPhase phase, uint64_t cycle, int64_t ns, int64_t cpu_ns) {
    OuroEvent event{};
    event.phase = phase;
    event.cycle = cycle;
    event.start_ns = event::monotonic_ns();
    event.end_ns = event.start_ns + ns;
    event.cpu_ns = cpu_ns;
    return event;
}

void tell_a_cycle(uint64_t cycle, size_t resident) {
    event::emit(event_of(OURO_PHASE_FORK, cycle, 200, 150));
    OuroEvent child = event_of(OURO_PHASE_CHILD, cycle, 5000, 4000);
    child.rss_bytes = resident;
    child.page_table_bytes = resident / 500;
    event::emit(child);
    event::emit(event_of(OURO_PHASE_CYCLE, cycle, 9000, 800));
}

void expect_two_forks(const json& row) {
    EXPECT_EQ(row["collector_cpu_ns"], 1600);
    EXPECT_EQ(row["child_cpu_ns"], 8000);
    EXPECT_EQ(row["forks"]["count"], 2);
    EXPECT_EQ(row["forks"]["wall"]["p50_ns"], 200);
    EXPECT_EQ(row["forks"]["cpu"]["max_ns"], 150);
    EXPECT_EQ(row["forks"]["samples"],
              (json{{200, 150, 1'000'000, 2000}, {200, 150, nullptr, nullptr}}));
}

TEST(AChildOfTheCollector, IsChargedBesideTheCollector) {
    runner::Row row("of pauses");
    const runner::PauseRecorder pauses;
    tell_a_cycle(1, 1'000'000);
    tell_a_cycle(2, 0);
    pauses.add_cpu(row);
    expect_two_forks(row.finish());
}

TEST(AChildOfTheCollector, IsChargedWhereMutatorsRunAndNoPauseOfTheirs) {
    runner::Row row("of mutators");
    const runner::SliceClock clock;
    const runner::MutatorPauses pauses(&clock);
    event::emit(event_of(OURO_PHASE_CHILD, 1, 5000, 4000));
    EXPECT_TRUE(pauses.pauses().empty());
    pauses.add_cycles(row);
    EXPECT_EQ(row["child_cpu_ns"], 4000);
    EXPECT_FALSE(row.finish().contains("forks"));  // it was made before
}

TEST(AChildOfTheCollector, IsNoneWhereNoneWasMade) {
    runner::Row row("without");
    const runner::PauseRecorder pauses;
    event::emit(event_of(OURO_PHASE_CYCLE, 1, 9000, 800));
    pauses.add_cpu(row);
    EXPECT_EQ(row["child_cpu_ns"], 0);
    EXPECT_FALSE(row.finish().contains("forks"));
}

}  // namespace
}  // namespace ouro::test
