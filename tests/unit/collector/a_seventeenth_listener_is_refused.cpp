// Sixteen listeners hear every event in the order in which they were added; one more is refused, and
// there is room again when one is removed.

#include <gtest/gtest.h>

#include <vector>

#include "core/event/events.hpp"

namespace {

struct Ear {
    int number;
    std::vector<int>* order;
};

void hear(const OuroEvent*, void* arg) {
    const Ear* ear = static_cast<Ear*>(arg);
    ear->order->push_back(ear->number);
}

void hear_nothing(const OuroEvent*, void*) {}

std::vector<int> order_after_an_event(std::vector<int>& order) {
    order.clear();
    ouro::event::emit(OuroEvent{});
    return order;
}

TEST(Listeners, AreSixteenAtMost) {
    std::vector<int> order;
    std::vector<Ear> ears;
    for (int i = 0; i < 17; ++i) {
        ears.push_back({i, &order});
    }
    std::vector<int> expected;
    for (int i = 0; i < 16; ++i) {
        ASSERT_EQ(Ouro_AddListener(hear, &ears[static_cast<size_t>(i)]), 0) << i;
        expected.push_back(i);
        EXPECT_EQ(order_after_an_event(order), expected);
    }
    EXPECT_EQ(Ouro_AddListener(hear, &ears[16]), -1);
    EXPECT_EQ(order_after_an_event(order), expected);
    // A file needs a listener too.
    EXPECT_EQ(Ouro_RecordEvents("/dev/null"), -1);
    EXPECT_EQ(order_after_an_event(order), expected);

    EXPECT_EQ(Ouro_RemoveListener(hear, &ears[5]), 0);
    expected.erase(expected.begin() + 5);
    EXPECT_EQ(order_after_an_event(order), expected);
    EXPECT_EQ(Ouro_RemoveListener(hear, &ears[5]), -1) << "removed already";
    EXPECT_EQ(Ouro_RemoveListener(hear_nothing, &ears[6]), -1) << "another function";
    EXPECT_EQ(Ouro_AddListener(hear, &ears[16]), 0);
    expected.push_back(16);
    EXPECT_EQ(order_after_an_event(order), expected);
    for (const int i : expected) {
        EXPECT_EQ(Ouro_RemoveListener(hear, &ears[static_cast<size_t>(i)]), 0);
    }
    EXPECT_TRUE(order_after_an_event(order).empty());
    EXPECT_EQ(Ouro_RecordEvents("/dev/null"), 0);
    EXPECT_EQ(Ouro_StopRecordingEvents(), 0);
}

}  // namespace
