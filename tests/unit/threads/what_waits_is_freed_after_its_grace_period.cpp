// Deferred freeing, step by step: what a thread took out is freed when every online thread has passed
// a quiescent point since, not before; offline threads are not waited for; what an ended thread left
// is freed by others; in a stop all of it is freed; the bytes that wait are counted.
// inv.reclaim.online-before-read, inv.reclaim.quiescent, inv.reclaim.unlink-before-goal

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "concurrency/reclaim/limbo.hpp"

namespace ouro::reclaim {
namespace {

std::vector<int*> freed;

class WhatWaits : public testing::Test {
protected:
    void SetUp() override {
        freed.clear();
        epochs_.add(reader_);
        epochs_.add(writer_);
        epochs_.enter(reader_);
        epochs_.enter(writer_);
    }
    void TearDown() override {
        epochs_.leave(reader_);
        epochs_.leave(writer_);
        epochs_.remove(reader_);
        epochs_.remove(writer_);
    }

    bool defer(Limbo::Queue& queue, int* p, size_t bytes = 8) {
        queue.prepare();
        return limbo_.defer(queue, p, bytes);
    }

    Epochs epochs_;
    Epochs::Reader reader_, writer_;
    Limbo limbo_{epochs_, [](void* p) { freed.push_back(static_cast<int*>(p)); }};
    std::unique_ptr<Limbo::Queue> queue_ = std::make_unique<Limbo::Queue>();
    int a_ = 0, b_ = 0;
};

TEST_F(WhatWaits, IsFreedWhenEveryReaderHasBeenQuiescent) {
    defer(*queue_, &a_);
    limbo_.reclaim(*queue_);
    EXPECT_EQ(freed.size(), 0u) << "nobody has been quiescent";
    epochs_.quiesce(writer_);
    limbo_.reclaim(*queue_);
    EXPECT_EQ(freed.size(), 0u) << "one reader has not";
    epochs_.quiesce(reader_);
    limbo_.reclaim(*queue_);
    EXPECT_EQ(freed, std::vector{&a_});
}

TEST_F(WhatWaits, WaitsForAPointAfterItsGoalNotBefore) {
    epochs_.quiesce(reader_);
    epochs_.quiesce(writer_);
    defer(*queue_, &a_);
    limbo_.reclaim(*queue_);
    epochs_.quiesce(writer_);
    limbo_.reclaim(*queue_);
    EXPECT_EQ(freed.size(), 0u) << "the reader was quiescent before, not since";
}

TEST_F(WhatWaits, DoesNotWaitForThreadsThatAreOffline) {
    defer(*queue_, &a_);
    limbo_.reclaim(*queue_);
    epochs_.leave(reader_);
    epochs_.quiesce(writer_);
    limbo_.reclaim(*queue_);
    EXPECT_EQ(freed, std::vector{&a_});
    epochs_.enter(reader_);
}

TEST_F(WhatWaits, WaitsForThreadsThatCameBackBeforeItsGoal) {
    epochs_.leave(reader_);
    epochs_.enter(reader_);
    defer(*queue_, &a_);
    limbo_.reclaim(*queue_);
    epochs_.quiesce(writer_);
    limbo_.reclaim(*queue_);
    EXPECT_EQ(freed.size(), 0u);
}

TEST_F(WhatWaits, IsFreedInTheOrderInWhichItWasDeferred) {
    defer(*queue_, &a_);
    limbo_.reclaim(*queue_);
    epochs_.quiesce(reader_);
    epochs_.quiesce(writer_);
    defer(*queue_, &b_);
    limbo_.reclaim(*queue_);
    EXPECT_EQ(freed, std::vector{&a_}) << "the second one's goal is later";
}

TEST_F(WhatWaits, IsFreedAtOnceInAStop) {
    defer(*queue_, &a_);
    defer(*queue_, &b_);
    limbo_.reclaim_all(*queue_);
    EXPECT_EQ(freed, (std::vector{&a_, &b_}));
    EXPECT_EQ(limbo_.bytes(), 0u);
}

TEST_F(WhatWaits, IsFreedByOthersWhenItsThreadHasEnded) {
    defer(*queue_, &a_);
    limbo_.abandon(std::move(queue_));
    Limbo::Queue other;
    limbo_.reclaim(other);
    EXPECT_EQ(freed.size(), 0u);
    epochs_.quiesce(reader_);
    epochs_.quiesce(writer_);
    limbo_.reclaim(other);
    EXPECT_EQ(freed, std::vector{&a_});
}

TEST_F(WhatWaits, LeftBehindIsFreedAtOnceInAStop) {
    defer(*queue_, &a_);
    limbo_.abandon(std::move(queue_));
    limbo_.reclaim_left();
    EXPECT_EQ(freed, std::vector{&a_});
}

TEST_F(WhatWaits, IsCountedAndAskedForWhenItIsMuch) {
    EXPECT_FALSE(defer(*queue_, &a_, 100));
    EXPECT_EQ(limbo_.bytes(), 100u);
    EXPECT_TRUE(defer(*queue_, &b_, Limbo::kBatchBytes));
    std::vector<int> many(Limbo::kBatch);
    for (size_t i = 0; i < many.size(); ++i) {
        EXPECT_EQ(defer(*queue_, &many[i]), i + 1 == many.size()) << i;
    }
    EXPECT_EQ(limbo_.bytes(), 100 + Limbo::kBatchBytes + 8 * many.size());
    EXPECT_EQ(queue_->bytes(), limbo_.bytes()) << "there is one queue";
    limbo_.reclaim_all(*queue_);
    EXPECT_EQ(limbo_.bytes(), 0u);
    EXPECT_EQ(queue_->bytes(), 0u);
    EXPECT_EQ(freed.size(), many.size() + 2);
}

}  // namespace
}  // namespace ouro::reclaim
