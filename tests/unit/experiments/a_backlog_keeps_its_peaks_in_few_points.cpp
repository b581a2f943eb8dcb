// However many times a backlog falls, its recorder keeps no more points than it says, in the order of
// time, and among them the greatest and the least backlog of the whole run.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "experiments/runner/backlog.hpp"
#include "experiments/workloads/edges.hpp"
#include "tests/support/scale.hpp"

namespace ouro::test {
namespace {

using runner::BacklogRecorder;

TEST(ABacklog, WithoutAFallIsOnePoint) {
    BacklogRecorder recorder;
    for (size_t i = 0; i <= 100; ++i) {
        recorder.note(i);
    }
    recorder.finish();
    const nlohmann::json points = recorder.points();
    ASSERT_EQ(points.size(), 1u);
    EXPECT_EQ(points[0][1], 100);
    EXPECT_EQ(points[0][2], 100);
    EXPECT_EQ(recorder.highest(), 100u);
    EXPECT_DOUBLE_EQ(recorder.mean(), 50);  // a straight line
}

TEST(ABacklog, HasAPointForEachFall) {
    BacklogRecorder recorder;
    for (const size_t backlog : {10, 20, 5, 30, 30, 29, 40}) {
        recorder.note(backlog);
    }
    recorder.finish();
    const nlohmann::json points = recorder.points();
    ASSERT_EQ(points.size(), 3u);
    const std::vector<std::pair<int, int>> expected = {{20, 5}, {30, 29}, {40, 40}};
    for (size_t i = 0; i < points.size(); ++i) {
        EXPECT_EQ(points[i][1], expected[i].first);
        EXPECT_EQ(points[i][2], expected[i].second);
    }
}

TEST(ABacklog, KeepsItsPeaksInFewPoints) {
    workloads::Random random(seed());
    for (const size_t falls : {999u, 1000u, 1001u, 5000u, 123'457u}) {
        BacklogRecorder recorder;
        size_t highest = 0;
        size_t lowest = SIZE_MAX;
        for (size_t i = 0; i < falls; ++i) {
            const size_t high = 1000 + random.below(100'000);
            const size_t low = random.below(1000);
            recorder.note(high);
            recorder.note(low);
            highest = std::max(highest, high);
            lowest = std::min(lowest, low);
        }
        recorder.note(1000);
        recorder.finish();
        const nlohmann::json points = recorder.points();
        EXPECT_LE(points.size(), BacklogRecorder::kMostPoints);
        EXPECT_GE(points.size(), std::min(falls, BacklogRecorder::kMostPoints / 2));
        EXPECT_EQ(recorder.highest(), highest);
        size_t high_kept = 0;
        size_t low_kept = SIZE_MAX;
        int64_t last_ns = 0;
        for (const nlohmann::json& point : points) {
            EXPECT_GE(point[0], last_ns);
            last_ns = point[0];
            EXPECT_GE(point[1], point[2]);
            high_kept = std::max(high_kept, point[1].get<size_t>());
            low_kept = std::min(low_kept, point[2].get<size_t>());
        }
        EXPECT_EQ(high_kept, highest);
        EXPECT_EQ(low_kept, lowest);
        EXPECT_GT(recorder.mean(), static_cast<double>(lowest));
        EXPECT_LT(recorder.mean(), static_cast<double>(highest));
    }
}

}  // namespace
}  // namespace ouro::test
