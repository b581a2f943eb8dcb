// What the system counts for a thread is in the events of the phases that it works on, slice by slice, and what
// it does between them is not; here counts of the kernel's own, which every machine has. A thread counts for
// itself. Where there is none of what was asked for, nothing is counted and the reason is told once.

#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "core/event/events.hpp"
#include "experiments/runner/counted_phases.hpp"

namespace ouro::test {
namespace {

using event::CounterKind;
using nlohmann::json;

constexpr CounterKind kClock = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK};
constexpr CounterKind kFaults = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS};
constexpr CounterKind kNone = {PERF_TYPE_SOFTWARE, 1'000'000};
constexpr event::Cycle kCycle = {1, event::Scope::kFull, OURO_TRIGGER_REQUEST};
constexpr size_t kPages = 100;

// Takes so many faults, and some time.
void touch(size_t pages) {
    const auto size = pages * static_cast<size_t>(sysconf(_SC_PAGESIZE));
    void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    madvise(memory, size, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < size; i += size / pages) {
        static_cast<volatile char*>(memory)[i] = 1;
    }
    munmap(memory, size);
}

class Counted : public testing::Test {
protected:
    void SetUp() override {
        event::start_counting({kClock, kFaults, kNone, kFaults});
        if (Ouro_CounterProblem(OURO_COUNTER_CYCLES) != nullptr) {
            event::stop_counting();
            GTEST_SKIP() << Ouro_CounterProblem(OURO_COUNTER_CYCLES);
        }
    }
    void TearDown() override { event::stop_counting(); }
};

TEST_F(Counted, IsASliceAndNotWhatIsBetween) {
    event::Phase phase(OURO_PHASE_MARK, kCycle);
    phase.resume();
    touch(kPages);
    phase.suspend();
    touch(1000);
    phase.resume();
    touch(kPages);
    phase.suspend();
    const uint64_t faults = phase.event.counters[OURO_COUNTER_INSTRUCTIONS];
    EXPECT_GE(faults, 2 * kPages);
    EXPECT_LT(faults, 2 * kPages + 500);
    const auto clock = static_cast<int64_t>(phase.event.counters[OURO_COUNTER_CYCLES]);
    EXPECT_GT(clock, phase.event.cpu_ns / 2);
    EXPECT_EQ(phase.event.counters[OURO_COUNTER_CACHE_MISSES], 0u);
}

TEST_F(Counted, IsEachThreadAlone) {
    event::Phase phase(OURO_PHASE_MARK, kCycle);
    phase.resume();
    std::thread([] { touch(1000); }).join();
    phase.suspend();
    EXPECT_LT(phase.event.counters[OURO_COUNTER_INSTRUCTIONS], 500u);
    std::thread([&] {
        phase.resume();
        touch(1000);
        phase.suspend();
    }).join();
    EXPECT_GE(phase.event.counters[OURO_COUNTER_INSTRUCTIONS], 1000u);
}

// What was opened before a fork counts the parent.
TEST_F(Counted, IsAForkedChildAlone) {
    (void)event::thread_counts();
    const pid_t child = fork();
    if (child == 0) {
        event::Phase phase(OURO_PHASE_MARK, kCycle);
        phase.resume();
        touch(kPages);
        phase.suspend();
        _exit(phase.event.counters[OURO_COUNTER_INSTRUCTIONS] >= kPages ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

TEST_F(Counted, IsSummedByPhaseInTheRow) {
    const runner::CountedPhases counted;
    for (int i = 0; i < 3; ++i) {
        const event::Span span(OURO_PHASE_MARK, kCycle);
        touch(kPages);
    }
    { const event::Span span(OURO_PHASE_CLEAR, kCycle); }
    const json row = counted.summary();
    EXPECT_TRUE(row["problem"].is_null());
    EXPECT_EQ(row["phases"].size(), 2u);
    EXPECT_EQ(row["phases"]["mark"]["events"], 3);
    EXPECT_GE(row["phases"]["mark"]["instructions"], 3 * kPages);
    EXPECT_LT(row["phases"]["clear"]["instructions"], kPages);
    EXPECT_TRUE(row["phases"]["mark"]["cache_misses"].is_null()) << "it is not there";
}

TEST(NothingIsCounted, WhereThereIsNone) {
    testing::internal::CaptureStderr();
    event::start_counting({kNone, kNone, kNone, kNone});
    const runner::CountedPhases counted;
    for (int i = 0; i < 2; ++i) {
        event::Phase phase(OURO_PHASE_MARK, kCycle);
        phase.resume();
        phase.suspend();
        phase.end();
        EXPECT_EQ(phase.event.counters[OURO_COUNTER_CYCLES], 0u);
    }
    const std::string said = testing::internal::GetCapturedStderr();
    const char* problem = Ouro_CounterProblem(OURO_COUNTER_CYCLES);
    ASSERT_NE(problem, nullptr);
    EXPECT_EQ(said, std::string("ouro: counters=on: nothing is counted: ") + problem + "\n");
    EXPECT_EQ(counted.summary(), (json{{"problem", problem}, {"phases", json::object()}}));
    event::stop_counting();
}

TEST(NothingIsCounted, UnlessItIsAskedFor) {
    EXPECT_STREQ(Ouro_CounterProblem(OURO_COUNTER_TLB_MISSES), "counters=off");
    event::Phase phase(OURO_PHASE_MARK, kCycle);
    phase.resume();
    touch(kPages);
    phase.suspend();
    EXPECT_EQ(phase.event.counters[OURO_COUNTER_INSTRUCTIONS], 0u);
}

}  // namespace
}  // namespace ouro::test
