// The progress of an experiment: the time left is the sum of the estimates until runs have shown how
// wrong those are; one line is rewritten on a terminal, elsewhere each run has its own.

#include "experiments/runner/run/progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

namespace ouro::runner {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// A progress whose stream and clock belong to the test.
class ProgressTest : public testing::Test {
protected:
    void begin(std::vector<Progress::Step> steps, bool terminal, size_t total = 0) {
        stream_ = open_memstream(&text_, &size_);
        total = std::max(total, steps.size());
        progress_ = std::make_unique<Progress>(std::move(steps), total, stream_, terminal,
                                               [this] { return now_; });
    }
    void TearDown() override {
        std::fclose(stream_);
        std::free(text_);
    }
    std::string text() {
        std::fflush(stream_);
        return {text_, size_};
    }

    std::FILE* stream_ = nullptr;
    char* text_ = nullptr;
    size_t size_ = 0;
    double now_ = 0;
    std::unique_ptr<Progress> progress_;
};

std::vector<Progress::Step> steps(size_t count, const std::string& kind, double estimate) {
    return std::vector<Progress::Step>(count, {"a run", kind, estimate});
}

TEST_F(ProgressTest, BeginsWithTheEstimatesAndEndsWithNothingLeft) {
    begin(steps(10, "ours", 2), false);
    EXPECT_DOUBLE_EQ(progress_->left(), 20);
    for (int i = 0; i < 10; ++i) {
        progress_->start();
        now_ += 2;
        progress_->finish("ok");
        EXPECT_DOUBLE_EQ(progress_->left(), 2 * (9 - i)) << "the estimates were right";
    }
}

TEST_F(ProgressTest, LearnsAKindAtATime) {
    std::vector<Progress::Step> both = steps(5, "slow", 1);
    for (const Progress::Step& each : steps(5, "fast", 1)) {
        both.push_back(each);
    }
    begin(both, false);
    for (int i = 0; i < 4; ++i) {
        progress_->start();
        now_ += 100;
        progress_->finish("ok");
    }
    // One slow run, about a hundred times its estimate; the five fast ones as estimated.
    EXPECT_GT(progress_->left(), 50 + 5);
    EXPECT_LT(progress_->left(), 100 + 5 + 1);
}

TEST_F(ProgressTest, ALineARunWhereThereIsNoTerminal) {
    begin(steps(12, "ours", 5), false);
    progress_->start();
    now_ += 65;
    progress_->finish("3.0 ms");
    EXPECT_THAT(text(), StartsWith("[ 1/12] 1:05 gone, about "));
    EXPECT_THAT(text(), EndsWith("left   a run: 3.0 ms\n"));
    progress_->say("  failed: a run");
    EXPECT_THAT(text(), EndsWith("\n  failed: a run\n"));
    EXPECT_THAT(text(), Not(HasSubstr("\r")));
}

TEST_F(ProgressTest, OneLineIsRewrittenOnATerminal) {
    begin(steps(12, "ours", 5), true);
    progress_->start();
    EXPECT_EQ(text(), "\r\x1b[K[ 1/12] about 1:00 left   a run");
    progress_->finish("ok");
    progress_->start();
    EXPECT_THAT(text(), HasSubstr("\r\x1b[K[ 2/12] about "));
    progress_->close();
    EXPECT_THAT(text(), EndsWith("\r\x1b[K"));
    EXPECT_THAT(text(), Not(HasSubstr("\n")));
}

TEST_F(ProgressTest, CountsWhatEarlierSessionsDid) {
    begin(steps(2, "ours", 5), false, 10);
    progress_->start();
    progress_->finish("ok");
    EXPECT_THAT(text(), StartsWith("[ 9/10] "));
}

}  // namespace
}  // namespace ouro::runner
