// Whoever waits to attach gets in between two stops, however closely they follow each other
// (inv.stop.handed-over): who waits in one stop has been in and come to a safepoint by the next.

#include "tests/systematic/threads.hpp"

namespace ouro::test {
namespace {

constexpr int kComers = 2;

struct State {
    World world;
    // Plain: written by the thread when it is in, read in stops.
    uint64_t came_in[kComers] = {};
    Atomic<int> left{kComers};
};

void stop_without_end(State& s) {
    Attached self(s.world);
    uint64_t came_in[kComers] = {};
    bool waited[kComers] = {};
    while (s.left.load(kRelaxed) != 0) {
        ASSERT_EQ(s.world.stop(self.get()), Error::kNone);
        for (int who = 0; who < kComers; ++who) {
            if (waited[who]) {
                EXPECT_GT(s.came_in[who], came_in[who]);
            }
            came_in[who] = s.came_in[who];
            waited[who] = false;
        }
        s.world.for_each([&](Thread& t) {
            if (&t != self.get() && t.waits() && t.user != nullptr) {
                waited[*static_cast<int*>(t.user)] = true;
            }
        });
        ASSERT_EQ(s.world.start(self.get()), Error::kNone);
    }
}

void come_and_go(State& s, int who, int rounds) {
    Thread* self = s.world.add(&who);
    for (int i = 0; i < rounds; ++i) {
        ASSERT_EQ(s.world.attach(self), Error::kNone);
        ++s.came_in[who];
        if (self->poll()) {
            s.world.safepoint(self);
            ++s.came_in[who];
        }
        if (i + 1 == rounds) {
            self->user = nullptr;  // waits once more, in remove
        }
        ASSERT_EQ(s.world.detach(self), Error::kNone);
    }
    ASSERT_EQ(s.world.remove(self), Error::kNone);
    s.left.fetch_sub(1, kRelaxed);
}

TEST(ATightLoopOfStops, StarvesNobody) {
    explore(3000, [](Execution& run) {
        auto s = std::make_shared<State>();
        run.thread("stopper", [s] { stop_without_end(*s); });
        run.thread("a", [s] { come_and_go(*s, 0, OURO_SYS ? 3 : 200); });
        run.thread("b", [s] { come_and_go(*s, 1, OURO_SYS ? 3 : 200); });
        run.after([s] { EXPECT_EQ(s->world.size(), 0u); });
    });
}

}  // namespace
}  // namespace ouro::test
