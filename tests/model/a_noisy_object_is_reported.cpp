// A decrement that leaves a noisy object alive is told so, beside every operation of other threads, and no reference is
// lost by it (inv.count.noisy-told, inv.count.dead-once).

#include "tests/model/counted_object.hpp"

namespace ouro::model {
namespace {

using refcount::Outcome;

// Two threads drop one reference each of three; the third is the root's, which stays until all is over: that the object
// is alive only through a cycle would be found out by nobody else.
template <Fault kFault>
struct TwoLeaveItAlive : rl::test_suite<TwoLeaveItAlive<kFault>, 2> {
    CountedObject<kFault, SmallLimits> object{owned(2) | OURO_NOISY, shared_of(1)};
    Atomic<uint32_t> told{0};

    void thread(unsigned self) {
        object.use(self);
        const Outcome outcome = object.decref(self == 0 ? kOwnerWord : kOtherWord);
        RL_ASSERT(outcome == Outcome::kSuspect || outcome == Outcome::kAlive);
        if (outcome == Outcome::kSuspect) {
            told.fetch_add(1, std::memory_order_relaxed);
        }
    }
    void after() {
        RL_ASSERT(object.is_alive());
        RL_ASSERT(told.load(std::memory_order_seq_cst) > 0);
    }
};

// The owner merges, and the last to go finds a noisy object without an owner.
template <Fault kFault>
struct ItDiesNoisy : rl::test_suite<ItDiesNoisy<kFault>, 2> {
    CountedObject<kFault> object{owned(1) | OURO_NOISY, shared_of(2)};  // too few to be taken back

    void thread(unsigned self) {
        object.use(self);
        if (self == 0) {
            object.decref(kOwnerWord);
        } else {
            object.decref(kOtherWord);
            object.decref(kOtherWord);
        }
    }
    void after() { RL_ASSERT(!object.is_alive()); }
};

// Increments of the owner go to the slow path, and spill there; the biased half of three is full.
template <Fault kFault>
struct ItSpillsNoisy : rl::test_suite<ItSpillsNoisy<kFault>, 2> {
    CountedObject<kFault, SmallLimits> object{owned(3) | OURO_NOISY, shared_of(1)};

    void thread(unsigned self) {
        object.use(self);
        if (self == 0) {
            object.incref(kOwnerWord);
            for (int i = 0; i < 4; ++i) {
                object.decref(kOwnerWord);
            }
        } else {
            object.decref(kOtherWord);
        }
    }
    void after() { RL_ASSERT(!object.is_alive()); }
};

TEST(ANoisyObject, IsReported) {
    EXPLORE(TwoLeaveItAlive<Fault::kNone>, Search::kAll, 0);
    EXPLORE_MILLIONS(ItDiesNoisy<Fault::kNone>);
    EXPLORE(ItSpillsNoisy<Fault::kNone>, Search::kRandom, random_schedules(200'000));
}

TEST(ANoisyObject, WhoseReportIsLostIsCaught) {
    CATCH(TwoLeaveItAlive<Fault::kQuietTooEarly>, Search::kAll, 0);
}

TEST(ANoisyObject, WhoseBitIsTakenForACountIsCaught) {
    CATCH(ItSpillsNoisy<Fault::kCarriedIntoTheBit>, Search::kAll, 0);
}

}  // namespace
}  // namespace ouro::model
