// Overflow in both directions, with limits so small that a few operations cross them: the owner
// spills and takes back concurrently with other threads (inv.count.spill-before-shrink, inv.count.take-back), and
// an object whose count crossed its limit is immortal for everybody and for ever, although only its
// owner may say so in the biased half (inv.count.sticky, inv.count.no-wrap).

#include "tests/model/counted_object.hpp"

namespace ouro::model {
namespace {

using refcount::is_sticky;

// The owner goes up over the full biased half, spills, and down again until it takes back; with more
// decrements, to the end.
template <int kDecrements>
struct SpillAndTakeBack : rl::test_suite<SpillAndTakeBack<kDecrements>, 2> {
    CountedObject<Fault::kNone, SmallLimits> object{owned(3), shared_of(1)};

    void thread(unsigned self) {
        object.use(self);
        if (self == 0) {
            object.incref(kOwnerWord);
            for (int i = 0; i < kDecrements; ++i) {
                object.decref(kOwnerWord);
            }
        } else {
            object.decref(kOtherWord);
        }
    }
    void after() {
        RL_ASSERT(object.is_alive() == (kDecrements < 4));
        if (kDecrements < 4) {
            RL_ASSERT(static_cast<int32_t>(OURO_BIASED_COUNT(object.biased_value())) +
                          OURO_SHARED_COUNT(object.shared_value()) ==
                      4 - kDecrements);
        }
    }
};

// The owner never takes back, so that the other thread's first increment always crosses.
struct LimitsWithoutSpill : SmallLimits {
    static constexpr uint32_t kSpill = 100;
};

// Another thread drives the shared half over its limit while the owner counts in its own word, and
// drops all that it had; the owner drops its last.
template <Fault kFault>
struct CrossingBesideOwner : rl::test_suite<CrossingBesideOwner<kFault>, 2> {
    static constexpr int32_t kFull = SmallLimits::kShared;
    CountedObject<kFault, LimitsWithoutSpill> object{owned(1), shared_of(kFull)};

    void thread(unsigned self) {
        object.use(self);
        if (self == 0) {
            object.incref(kOwnerWord);
            object.decref(kOwnerWord);
            object.decref(kOwnerWord);
        } else {
            object.incref(kOtherWord);
            for (int i = 0; i < kFull + 1; ++i) {
                object.decref(kOtherWord);
            }
        }
    }
    void after() {
        RL_ASSERT(object.is_alive());
        RL_ASSERT(is_sticky<SmallLimits>(object.shared_value()) ||
                  OURO_OWNER_OF(object.biased_value()) == OURO_OWNER_IMMORTAL);
    }
};

// Two threads cross at once, a third drops references, nobody owns the object.
template <Fault kFault>
struct CrossingOfMerged : rl::test_suite<CrossingOfMerged<kFault>, 3> {
    static constexpr int32_t kFull = SmallLimits::kShared;
    CountedObject<kFault, SmallLimits> object{OURO_OWNER_WORD(OURO_OWNER_NONE),
                                              shared_of(kFull, OURO_SHARED_MERGED)};
    bool crossed = false;  // after the last increment by whoever saw it

    void thread(unsigned self) {
        if (self == 0) {
            object.decref(kOtherWord);
        } else {
            object.use(self);
            object.incref(kOtherWord);
            object.incref(kOtherWord);
            if (OURO_OWNER_OF(object.biased_value()) == OURO_OWNER_IMMORTAL) {
                crossed = true;
            }
            object.decref(kOtherWord);
            object.decref(kOtherWord);
        }
    }
    void after() {
        RL_ASSERT(object.is_alive());
        RL_ASSERT(is_sticky<SmallLimits>(object.shared_value()) || !crossed);
    }
};

// The owner merges explicitly over the limit: what it adds is what crosses.
template <Fault kFault>
struct CrossingByMerge : rl::test_suite<CrossingByMerge<kFault>, 2> {
    static constexpr int32_t kFull = SmallLimits::kShared;
    CountedObject<kFault, SmallLimits> object{owned(3), shared_of(kFull - 1)};

    void thread(unsigned self) {
        object.use(self);
        if (self == 0) {
            object.merge(0);
            for (int i = 0; i < 3; ++i) {
                object.decref(kOwnerWord);
            }
        } else {
            object.decref(kOtherWord);
        }
    }
    void after() { RL_ASSERT(object.is_alive()); }
};

TEST(AFullCount, IsSpilledAndTakenBack) {
    EXPLORE_MILLIONS(SpillAndTakeBack<2>);
    EXPLORE(SpillAndTakeBack<4>, Search::kRandom, random_schedules(500'000));
}

TEST(AFullCount, SticksWhoeverCrosses) {
    EXPLORE(CrossingBesideOwner<Fault::kNone>, Search::kRandom, random_schedules(200'000));
    EXPLORE(CrossingOfMerged<Fault::kNone>, Search::kRandom, random_schedules(200'000));
    EXPLORE_MILLIONS(CrossingByMerge<Fault::kNone>);
}

TEST(AFullCount, ThatDoesNotStickIsCaught) {
    CATCH(CrossingOfMerged<Fault::kNeverSticks>, Search::kRandom, 200'000);
}

}  // namespace
}  // namespace ouro::model
