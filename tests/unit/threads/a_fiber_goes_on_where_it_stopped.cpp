// label: concurrency
// A fiber stops and goes on with its stack as it was, deep in calls, on another thread, with exceptions
// inside; one that is dropped is just gone; a stack serves one fiber after the other. The sanitizers
// agree.

#include "tests/support/fiber.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace ouro::fiber {
namespace {

int sum_slowly(Fiber& self, int n) {
    volatile char room[512];
    room[0] = static_cast<char>(n);
    if (n == 0) {
        self.suspend();
        return 0;
    }
    const int below = sum_slowly(self, n - 1);
    self.suspend();
    return below + n + (room[0] - static_cast<char>(n));
}

TEST(AFiber, GoesOnDeepInCalls) {
    Stack stack;
    for (int repeat = 0; repeat < 3; ++repeat) {  // the stack serves again
        int sum = 0;
        int suspended = 0;
        Fiber fiber(stack, [&](Fiber& self) { sum = sum_slowly(self, 100); });
        EXPECT_FALSE(fiber.finished());
        while (!fiber.finished()) {
            EXPECT_FALSE(fiber.running());
            fiber.resume();
            ++suspended;
        }
        EXPECT_EQ(sum, 5050);
        EXPECT_EQ(suspended, 102);
    }
}

TEST(AFiber, GoesOnInAnotherThread) {
    Stack stack;
    std::vector<int> steps;  // no atomics: joins order it
    Fiber fiber(stack, [&](Fiber& self) {
        for (int i = 0; i < 10; ++i) {
            steps.push_back(i);
            self.suspend();
        }
    });
    while (!fiber.finished()) {
        std::thread([&] { fiber.resume(); }).join();
    }
    EXPECT_EQ(steps, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(AFiber, MayThrowAndCatch) {
    Stack stack;
    int caught = 0;
    Fiber fiber(stack, [&](Fiber& self) {
        for (int i = 0; i < 3; ++i) {
            try {
                self.suspend();
                throw std::runtime_error("inside");
            } catch (const std::runtime_error&) {
                ++caught;
            }
        }
    });
    while (!fiber.finished()) {
        fiber.resume();
        try {
            throw std::runtime_error("outside");
        } catch (const std::runtime_error&) {
        }
    }
    EXPECT_EQ(caught, 3);
}

TEST(AFiber, IsDroppedWithoutItsStackBeingUnwound) {
    struct Noted {
        explicit Noted(int& where) : where_(where) {}
        ~Noted() { ++where_; }
        int& where_;
    };
    Stack stack;
    int destroyed = 0;
    {
        Fiber fiber(stack, [&](Fiber& self) {
            const Noted noted(destroyed);
            self.suspend();
        });
        fiber.resume();
        EXPECT_FALSE(fiber.finished());
    }
    EXPECT_EQ(destroyed, 0);
    Fiber next(stack, [&](Fiber&) { const Noted noted(destroyed); });
    next.resume();
    EXPECT_TRUE(next.finished());
    EXPECT_EQ(destroyed, 1);
}

TEST(AFiber, MayRunAnother) {
    Stack outer_stack;
    Stack inner_stack;
    std::vector<char> order;
    Fiber inner(inner_stack, [&](Fiber& self) {
        order.push_back('b');
        self.suspend();
        order.push_back('d');
    });
    Fiber outer(outer_stack, [&](Fiber& self) {
        order.push_back('a');
        inner.resume();
        order.push_back('c');
        self.suspend();
        inner.resume();
        order.push_back('e');
    });
    outer.resume();
    outer.resume();
    EXPECT_TRUE(inner.finished() && outer.finished());
    EXPECT_EQ(order, (std::vector<char>{'a', 'b', 'c', 'd', 'e'}));
}

TEST(AStack, HasAPageThatFaultsBelowIt) {
    Stack stack(64 << 10);
    EXPECT_DEATH(static_cast<volatile char*>(stack.bottom())[-1] = 1, "");
}

}  // namespace
}  // namespace ouro::fiber
