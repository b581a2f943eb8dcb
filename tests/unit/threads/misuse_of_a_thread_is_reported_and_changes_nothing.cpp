// Attaching twice, detaching from outside, removing what is attached or gone, stopping twice, starting
// what was not stopped, releasing what is not held: each returns its error and leaves all as it was.

#include <gtest/gtest.h>

#include "concurrency/thread/global_lock.hpp"

namespace ouro::thread {
namespace {

struct Misuse : testing::Test {
    World world;
    Thread* self = world.add();

    ~Misuse() override { EXPECT_EQ(world.remove(self), Error::kNone); }
};

TEST_F(Misuse, OfAttachAndDetach) {
    EXPECT_EQ(world.detach(self), Error::kNotAttached);
    EXPECT_EQ(self->state(), State::kDetached);
    ASSERT_EQ(world.attach(self), Error::kNone);
    EXPECT_EQ(world.attach(self), Error::kAttached);
    EXPECT_EQ(self->state(), State::kAttached);
    EXPECT_EQ(world.remove(self), Error::kAttached);
    EXPECT_EQ(world.remove(self, self), Error::kAttached);
    EXPECT_EQ(world.size(), 1u);
    ASSERT_EQ(world.detach(self), Error::kNone);
    EXPECT_EQ(world.detach(self), Error::kNotAttached);
}

TEST_F(Misuse, OfWhatWasRemoved) {
    Thread* other = world.add();
    ASSERT_EQ(world.remove(other), Error::kNone);
    EXPECT_EQ(world.remove(other), Error::kNotRegistered);
    EXPECT_EQ(world.attach(other), Error::kNotRegistered);
    EXPECT_EQ(world.detach(other), Error::kNotRegistered);
    ASSERT_EQ(world.attach(self), Error::kNone);
    EXPECT_EQ(world.remove(other, self), Error::kNotRegistered);
    EXPECT_FALSE(world.try_suspend(self, other));
    EXPECT_EQ(world.safepoint(other), 0u);
    EXPECT_EQ(world.size(), 1u);
    ASSERT_EQ(world.detach(self), Error::kNone);
}

TEST_F(Misuse, OfStopAndStart) {
    EXPECT_EQ(world.stop(self), Error::kNotAttached);
    EXPECT_EQ(world.handshake(self, [](Thread&) {}), Error::kNotAttached);
    EXPECT_EQ(world.start(self), Error::kNotStopped);
    ASSERT_EQ(world.attach(self), Error::kNone);
    EXPECT_EQ(world.start(self), Error::kNotStopped);
    ASSERT_EQ(world.stop(self), Error::kNone);
    EXPECT_EQ(world.stop(self), Error::kStopped);
    EXPECT_TRUE(world.stopped_by(self));
    ASSERT_EQ(world.start(self), Error::kNone);
    EXPECT_EQ(world.start(self), Error::kNotStopped);
    EXPECT_FALSE(world.stopped_by(self));
    ASSERT_EQ(world.detach(self), Error::kNone);
}

TEST_F(Misuse, OfSuspension) {
    Thread* other = world.add();
    ASSERT_EQ(world.attach(self), Error::kNone);
    EXPECT_FALSE(world.try_suspend(self, self));
    ASSERT_TRUE(world.try_suspend(self, other));
    EXPECT_FALSE(world.try_suspend(self, other));
    EXPECT_EQ(world.detach(other), Error::kNotAttached);
    world.request(other,
                  kDrainQueue | kStop);  // the world's own requests are not the caller's to raise
    EXPECT_EQ(world.resume(other), kDrainQueue);
    EXPECT_EQ(other->state(), State::kDetached);
    EXPECT_EQ(world.remove(other, self), Error::kNone);
    ASSERT_EQ(world.detach(self), Error::kNone);
}

TEST_F(Misuse, OfLocks) {
    ByteLock lock;
    EXPECT_EQ(lock.unlock(), Error::kNotHeld);
    EXPECT_FALSE(lock.is_locked());
    ASSERT_TRUE(lock.try_lock());
    EXPECT_FALSE(lock.try_lock());
    EXPECT_FALSE(lock.lock_until(SystemSync::now_ns() + 1'000'000, Inside{}));
    EXPECT_EQ(lock.unlock(), Error::kNone);
    // What a wait left behind is cleared by the next who unlocks.
    ASSERT_TRUE(lock.try_lock());
    EXPECT_EQ(lock.unlock(), Error::kNone);
    EXPECT_EQ(lock.unlock(), Error::kNotHeld);

    GlobalLock gil(world);
    EXPECT_EQ(gil.release(self), Error::kNotHeld);
    EXPECT_EQ(gil.yield(self), Error::kNotHeld);
    ASSERT_EQ(gil.take(self), Error::kNone);
    EXPECT_EQ(gil.take(self), Error::kHeld);
    Thread* other = world.add();
    EXPECT_EQ(gil.release(other), Error::kNotHeld);
    EXPECT_TRUE(gil.held_by(self));
    EXPECT_EQ(gil.release(self), Error::kNone);
    EXPECT_EQ(gil.release(self), Error::kNotHeld);
    EXPECT_EQ(world.remove(other), Error::kNone);
}

}  // namespace
}  // namespace ouro::thread
