// What the tests of concurrency/thread share: a world of the build's Sync, and calls that must succeed.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "concurrency/thread/world.hpp"
#include "tests/support/both_builds.hpp"

namespace ouro::test {

using World = thread::BasicWorld<Sync>;
using Thread = thread::BasicThread<Sync>;
using thread::Error;

template <class T>
using Atomic = Sync::Atomic<T>;

inline constexpr auto kRelaxed = std::memory_order_relaxed;

// A registered thread, attached while this lives.
class Attached {
public:
    explicit Attached(World& world, void* user = nullptr)
        : world_(world), thread_(world.add(user)) {
        EXPECT_NE(thread_, nullptr);
        EXPECT_EQ(world_.attach(thread_), Error::kNone);
    }
    ~Attached() {
        EXPECT_EQ(world_.detach(thread_), Error::kNone);
        EXPECT_EQ(world_.remove(thread_), Error::kNone);
    }
    Attached(const Attached&) = delete;
    Attached& operator=(const Attached&) = delete;

    Thread* get() const { return thread_; }

    void safepoint() {
        if (thread_->poll()) {
            world_.safepoint(thread_);
        }
    }

private:
    World& world_;
    Thread* const thread_;
};

}  // namespace ouro::test
