// However long a run is, its memory over time is no more points than the recorder says, in order of
// time, and among them are the greatest and the last.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "experiments/runner/memory_over_time.hpp"
#include "experiments/workloads/edges.hpp"
#include "tests/support/scale.hpp"

namespace ouro::test {
namespace {

using runner::MemoryRecorder;

TEST(MemoryOverTime, BeginsAndEndsWithWhatIsResident) {
    MemoryRecorder recorder;
    recorder.finish();
    const nlohmann::json points = recorder.points();
    ASSERT_EQ(points.size(), 2u);
    EXPECT_GT(points[0][1], 1'000'000);  // a process is never smaller
    EXPECT_GT(points[1][1], 1'000'000);
    EXPECT_GE(points[0][0], 0);
    EXPECT_GE(points[1][0], points[0][0]);
}

TEST(MemoryOverTime, IsReadOnceInAnInterval) {
    MemoryRecorder recorder;
    recorder.add(MemoryRecorder::kInterval * 1000, 1);  // the next is due far from now
    for (int i = 0; i < 1000; ++i) {
        recorder.note();
    }
    EXPECT_EQ(recorder.points().size(), 2u);
}

TEST(MemoryOverTime, KeepsItsPeaksInFewPoints) {
    workloads::Random random(seed());
    for (const uint32_t readings : {10u, 999u, 1000u, 1001u, 4321u, 50'000u}) {
        MemoryRecorder recorder;
        const uint32_t peak_at = random.below(readings);
        for (uint32_t i = 0; i < readings; ++i) {
            const size_t bytes = i == peak_at ? size_t{1} << 50 : random.below(1'000'000);
            recorder.add(static_cast<int64_t>(i + 1) * 1'000'000'000, bytes);
        }
        recorder.add(static_cast<int64_t>(readings + 1) * 1'000'000'000, 7);
        const nlohmann::json points = recorder.points();
        EXPECT_LE(points.size(), MemoryRecorder::kMostPoints);
        EXPECT_GE(points.size(), std::min<size_t>(readings, MemoryRecorder::kMostPoints / 2));
        bool has_peak = false;
        int64_t last_ns = -1;
        for (const nlohmann::json& point : points) {
            EXPECT_GT(point[0], last_ns);
            last_ns = point[0];
            has_peak |= point[1] == size_t{1} << 50 &&
                        point[0] == static_cast<int64_t>(peak_at + 1) * 1'000'000'000;
        }
        EXPECT_TRUE(has_peak) << readings;
        EXPECT_EQ(points.back(), nlohmann::json({last_ns, 7}));
        EXPECT_EQ(last_ns, static_cast<int64_t>(readings + 1) * 1'000'000'000);
    }
}

}  // namespace
}  // namespace ouro::test
