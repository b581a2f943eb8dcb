// Taking a reference without one beside the end of the object: it succeeds only while the object
// lives, and what was taken is good (inv.count.no-resurrection, inv.count.quiet-death).

#include "tests/model/counted_object.hpp"

namespace ouro::model {
namespace {

using refcount::Outcome;

// A weak reference is upgraded while the owner drops its last reference. What the reader took it
// drops again; it may have to leave that to the owner, who is past its end here, so that the
// reference would be the queue's: the merge that the owner's end was drops it instead.
template <Fault kFault>
struct UpgradeBesideLastDecrement : rl::test_suite<UpgradeBesideLastDecrement<kFault>, 2> {
    CountedObject<kFault> object{owned(1), shared_of(0, OURO_SHARED_MAYBE_WEAKREF)};

    void thread(unsigned self) {
        if (self == 0) {
            object.use(0);
            object.decref(kOwnerWord);
        } else if (object.try_incref(kOtherWord)) {
            object.use(1);
            const refcount::Release release = object.decref(kOtherWord);
            RL_ASSERT(release.outcome != Outcome::kQueue);
        }
    }
    void after() { RL_ASSERT(!object.is_alive()); }
};

// The same without the flag: the owner may end it without an atomic operation, so the reader is
// refused in every schedule.
template <Fault kFault>
struct ReadWithoutFlag : rl::test_suite<ReadWithoutFlag<kFault>, 2> {
    CountedObject<kFault> object{owned(1), 0};

    void thread(unsigned self) {
        if (self == 0) {
            object.use(0);
            object.decref(kOwnerWord);
        } else {
            if (object.try_incref(kOtherWord)) {
                object.use(1);
            }
        }
    }
    void after() { RL_ASSERT(!object.is_alive()); }
};

// A merged object: a reader and the holder of the last reference.
template <Fault kFault>
struct UpgradeOfMerged : rl::test_suite<UpgradeOfMerged<kFault>, 3> {
    CountedObject<kFault> object{OURO_OWNER_WORD(OURO_OWNER_NONE),
                                 shared_of(1, OURO_SHARED_MERGED)};

    void thread(unsigned self) {
        if (self == 0) {
            object.use(0);
            object.decref(kOwnerWord);
        } else if (object.try_incref(kOtherWord)) {
            object.use(self);
            object.decref(kOtherWord);
        }
    }
    void after() { RL_ASSERT(!object.is_alive()); }
};

// Another thread, which has a reference, makes the object readable while the owner drops its own.
template <Fault kFault>
struct FlagBesideLastDecrement : rl::test_suite<FlagBesideLastDecrement<kFault>, 2> {
    CountedObject<kFault> object{owned(1), shared_of(1)};

    void thread(unsigned self) {
        object.use(self);
        if (self == 1) {
            refcount::set_maybe_weakref(object.shared());
        }
        object.decref(self == 0 ? kOwnerWord : kOtherWord);
    }
    void after() { RL_ASSERT(!object.is_alive()); }
};

// Who may take a reference because of the flag sees what was made before it was set.
struct ReaderSeesTheMaker : rl::test_suite<ReaderSeesTheMaker, 2> {
    CountedObject<> object{owned(1), 0};
    Plain<int> made{0};

    void thread(unsigned self) {
        if (self == 0) {
            made = 1;
            refcount::set_maybe_weakref(object.shared());
            object.decref(kOwnerWord);
        } else if (object.try_incref(kOtherWord)) {
            RL_ASSERT(made == 1);
            object.decref(kOtherWord);
        }
    }
    void after() { RL_ASSERT(!object.is_alive()); }
};

TEST(TryIncref, SucceedsOnlyWhileTheObjectLives) {
    EXPLORE(UpgradeBesideLastDecrement<Fault::kNone>, Search::kAll, 0);
    EXPLORE(ReadWithoutFlag<Fault::kNone>, Search::kAll, 0);
    EXPLORE(FlagBesideLastDecrement<Fault::kNone>, Search::kAll, 0);
    EXPLORE(ReaderSeesTheMaker, Search::kAll, 0);
    EXPLORE(UpgradeOfMerged<Fault::kNone>, Search::kRandom, random_schedules(200'000));
}

TEST(TryIncref, AFaultIsCaught) {
    CATCH(ReadWithoutFlag<Fault::kFlaglessReader>, Search::kAll, 0);
    CATCH(UpgradeBesideLastDecrement<Fault::kMergeWithoutCas>, Search::kAll, 0);
    CATCH(UpgradeOfMerged<Fault::kRelaxedDecrement>, Search::kRandom, 100'000);
}

}  // namespace
}  // namespace ouro::model
