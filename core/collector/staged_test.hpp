// The steps of an exact test (exact_test.hpp) in their order, as a state machine that is driven in slices and says what
// the next slice needs. Used twice in a collection: on candidates, which mutators may use, and on the condemned.
//
//     StagedTest test(set, pins, memory, threads, keeps, in_stop);
//     while (!test.is_done()) { ...what test.needs()... test.step(deadline, world, take, verdict); }
#pragma once

#include "core/collector/exact_test.hpp"

namespace ouro::collector {

class StagedTest {
public:
    // As ExactTest; `in_stop`: the first slice needs a stop, because no traversal concurrent with mutators has begun
    // yet.
    StagedTest(const Candidates& set, uint32_t pins, ExactTest::Memory& memory,
               SliceWorkers* threads, bool (*keeps)(PyObject*) = nullptr, bool in_stop = false)
        : test_(set, pins, memory, threads, keeps), pinned_(pins > 0), needs_stop_(in_stop) {}

    Needs needs() const {
        switch (step_) {
            case Step::kNumber:
                return needs_stop_ ? Needs::kStop
                       : pinned_   ? Needs::kNoHeapAccess
                                   : Needs::kConcurrent;
            case Step::kRead:
                return needs_stop_ || pinned_ ? Needs::kStop : Needs::kConcurrent;
            case Step::kOrder:
                return Needs::kNoHeapAccess;
            case Step::kTest:
                return Needs::kStop;
            case Step::kForget:
                return pinned_ ? Needs::kNoHeapAccess : Needs::kConcurrent;
            case Step::kDone:
                break;
        }
        return Needs::kNothing;
    }
    bool is_done() const { return step_ == Step::kDone; }
    // The next slice judges: it needs a stop, and reads nothing before it.
    bool is_judging() const { return step_ == Step::kTest; }
    // Nothing has been judged yet.
    bool is_prepared_only() const { return step_ < Step::kTest; }

    // A slice: until the deadline or the end of a step. Throws std::bad_alloc.
    template <class Judge>
    void step(Deadline& deadline, World world, ExactTest::Take take, const Judge& verdict) {
        switch (step_) {
            case Step::kNumber:
                needs_stop_ = false;
                return go_on_if(test_.number(deadline));
            case Step::kRead: {
                const Next next = test_.read(deadline, world);
                needs_stop_ = next == Next::kStop;
                return go_on_if(next == Next::kDone);
            }
            case Step::kOrder:
                return go_on_if(test_.order(deadline));
            case Step::kTest:
                return go_on_if(test_.test(deadline, take, verdict));
            case Step::kForget:
                return go_on_if(test_.forget(deadline));
            case Step::kDone:
                return;
        }
    }
    // ExactTest::is_closed, asked by a verdict.
    bool is_closed() const { return test_.is_closed(); }
    // ExactTest::account.
    void account(const PyObject* op) { test_.account(op); }
    // The rest is not tested any more.
    void give_up() { step_ = Step::kForget; }

private:
    enum class Step { kNumber, kRead, kOrder, kTest, kForget, kDone };

    void go_on_if(bool done) {
        if (done) {
            step_ = static_cast<Step>(static_cast<int>(step_) + 1);
        }
    }

    ExactTest test_;
    const bool pinned_;
    bool needs_stop_;
    Step step_ = Step::kNumber;
};

}  // namespace ouro::collector
