// A merge by the owner beside every operation of other threads: the object dies once, after every
// use of it, and no reference is lost (inv.count.merge-once, inv.count.dead-once).

#include "tests/model/counted_object.hpp"

namespace ouro::model {
namespace {

using refcount::Outcome;

// The owner drops its reference, which merges, because the other thread has one; the other thread
// counts up and down meanwhile.
template <Fault kFault>
struct DecrementBesideIncrement : rl::test_suite<DecrementBesideIncrement<kFault>, 2> {
    CountedObject<kFault> object{owned(1), shared_of(1)};

    void thread(unsigned self) {
        object.use(self);
        if (self == 0) {
            object.decref(kOwnerWord);
        } else {
            object.incref(kOtherWord);
            object.decref(kOtherWord);
            object.decref(kOtherWord);
        }
    }
    void after() { RL_ASSERT(!object.is_alive()); }
};

// Each drops the one reference that it has.
template <Fault kFault>
struct TwoLastDecrements : rl::test_suite<TwoLastDecrements<kFault>, 2> {
    CountedObject<kFault> object{owned(1), shared_of(1)};

    void thread(unsigned self) {
        object.use(self);
        object.decref(self == 0 ? kOwnerWord : kOtherWord);
    }
    void after() { RL_ASSERT(!object.is_alive()); }
};

// Two threads beside the owner.
template <Fault kFault>
struct ThreeLastDecrements : rl::test_suite<ThreeLastDecrements<kFault>, 3> {
    CountedObject<kFault> object{owned(1), shared_of(2)};

    void thread(unsigned self) {
        object.use(self);
        const uint32_t words[] = {kOwnerWord, kOtherWord, kThirdWord};
        object.decref(words[self]);
    }
    void after() { RL_ASSERT(!object.is_alive()); }
};

// The owner merges while it keeps several references: an explicit merge.
template <Fault kFault>
struct ExplicitMerge : rl::test_suite<ExplicitMerge<kFault>, 2> {
    CountedObject<kFault> object{owned(1), shared_of(1)};

    void thread(unsigned self) {
        object.use(self);
        if (self == 0) {
            if (object.merge(-1) == 0) {
                object.deallocate();
            }
        } else {
            object.incref(kOtherWord);
            object.decref(kOtherWord);
            object.decref(kOtherWord);
        }
    }
    void after() { RL_ASSERT(!object.is_alive()); }
};

// Nobody owns it from the beginning.
template <Fault kFault>
struct MergedDecrements : rl::test_suite<MergedDecrements<kFault>, 3> {
    CountedObject<kFault> object{OURO_OWNER_WORD(OURO_OWNER_NONE),
                                 shared_of(3, OURO_SHARED_MERGED)};

    void thread(unsigned self) {
        object.use(self);
        object.incref(kOtherWord);
        object.decref(kOtherWord);
        object.decref(kOtherWord);
    }
    void after() { RL_ASSERT(!object.is_alive()); }
};

TEST(Merging, LosesNoReference) {
    EXPLORE_MILLIONS(DecrementBesideIncrement<Fault::kNone>);
    EXPLORE(TwoLastDecrements<Fault::kNone>, Search::kAll, 0);
    EXPLORE(ExplicitMerge<Fault::kNone>, Search::kAll, 0);
}

TEST(Merging, LosesNoReferenceAmongThree) {
    EXPLORE(ThreeLastDecrements<Fault::kNone>, Search::kRandom, random_schedules(200'000));
    EXPLORE(MergedDecrements<Fault::kNone>, Search::kRandom, random_schedules(100'000));
}

TEST(Merging, WithoutCompareAndSwapIsCaught) {
    CATCH(DecrementBesideIncrement<Fault::kMergeWithoutCas>, Search::kAll, 0);
    CATCH(ExplicitMerge<Fault::kMergeWithoutCas>, Search::kAll, 0);
}

TEST(Merging, TheSharedHalfFirstIsCaught) {
    CATCH(TwoLastDecrements<Fault::kSharedBeforeBiased>, Search::kAll, 0);
    CATCH(ExplicitMerge<Fault::kSharedBeforeBiased>, Search::kAll, 0);
}

TEST(Merging, ARelaxedDecrementIsCaught) {
    CATCH(TwoLastDecrements<Fault::kRelaxedDecrement>, Search::kAll, 0);
    CATCH(MergedDecrements<Fault::kRelaxedDecrement>, Search::kRandom, 100'000);
}

}  // namespace
}  // namespace ouro::model
