// One collection: the pipeline of README.md, cut into slices. It says what the next slice needs, and
// whoever drives it (collector.cpp) provides that, for as long as suits.
//
//     Collection collection(cycle, engine, resources);
//     while (collection.needs() != Needs::kNothing) {
//         kStop:   { stop the world }  collection.step(deadline, World::kStopped);
//         kConcurrent, kNoHeapAccess: collection.step(deadline, World::kRunning);      // or in a stop
//         kUserCode:   collection.run_code(deadline);
//     }
#pragma once

#include <cstddef>
#include <optional>

#include "core/collector/condemn.hpp"
#include "core/collector/engine.hpp"
#include "core/collector/engines/young_pass.hpp"
#include "core/collector/finalize.hpp"
#include "core/collector/observed.hpp"
#include "core/collector/staged_test.hpp"
#include "core/event/events.hpp"

namespace ouro::collector {

// What becomes of the young that survive a collection of theirs.
enum class Promotion {
    kByGeneration,  // middle, or old after one of the middle ones
    kAtOnce,  // old; but what was born during a full collection is older than that only when it is over
    kUnseen,  // the same; and all survive, because none is looked at
};

class Collection {
public:
    // Memory that one leaves to the next.
    struct Resources {
        ExactTest::Memory test;
        YoungPass::Lists young;
    };

    // `engine`, which finds garbage so, is used by full ones alone, one at a time. Both outlive it.
    Collection(Cycle cycle, Promotion promotion, option::Engine::Finds finds, Engine& engine,
               Resources& resources);
    // Gives up what was not done.
    ~Collection();
    Collection(const Collection&) = delete;
    Collection& operator=(const Collection&) = delete;

    Needs needs() const;
    // One slice of anything but kUserCode: until the deadline or until something else is needed. Little memory
    // makes it find less, and is no error.
    void step(Deadline& deadline, World world);
    // One slice of kUserCode. The thread may never come back from user code: then another goes on with
    // this object from the next piece of code, which was counted as done before it began.
    void run_code(Deadline& deadline);

    // Nothing has been condemned yet, and nothing is pinned.
    bool may_be_given_up() const {
        return stage_ == Stage::kBegin || stage_ == Stage::kMark ||
               (stage_ == Stage::kTest && test_->is_prepared_only());
    }
    // What died with the merging of queues waits for the next slice, of code, which may not be left out.
    bool holds_dead() const { return stage_ == Stage::kDead; }
    // Nothing of it is left in the side tables but marks. Pre: may_be_given_up() or needs() == kNothing;
    // the heap is as in a slice of what is needed next.
    void give_up();
    // Whether it has begun and is not done with reading objects that others use.
    bool reads_heap() const {
        return !exact_ && stage_ > Stage::kBegin && stage_ <= Stage::kSort &&
               (stage_ > Stage::kMark || engine_.reads_heap());
    }
    // So few objects are left that a stop costs more than working on them in one.
    bool is_small() const;

    Cycle cycle() const { return cycle_; }
    // Objects found to be garbage, those that may not be reclaimed among them; not what was let go when its
    // finalizers had run.
    size_t found() const {
        return (given_up_ ? 0 : total_.event.condemned - total_.event.resurrected) +
               condemned_.kept.size();
    }
    // For who is told of it, when it is over; `given_up`: it was left before its end.
    Outcome outcome(bool given_up = false) const {
        return {cycle_.scope, given_up ? 0 : found() - condemned_.kept.size(),
                given_up ? 0 : condemned_.kept.size(), total_.event.start_ns};
    }
    // Of the whole; complete when it is over.
    const OuroEvent& event() const { return total_.event; }

private:
    // In their order. What each needs and does is a row of kStages.
    enum class Stage {
        kBegin,
        kDead,  // what died with the merging of queues
        kMark,  // by the engine
        kTest,
        kSort,
        kCallbacks,
        kFinalize,
        kTestAgain,
        kSortAgain,
        kClear,
        kReleaseSurvivors,
        kRelease,
        kLegacy,
        kPromote,  // what was born during it is old
        kEnd,
        kOver,
    };
    // Of a stage:
    struct Row {
        Needs (Collection::*needs)() const;
        OuroPhase phase;  // its event, with that of neighbours of the same; OURO_PHASE_COUNT: none
        // A slice; true when the stage is done.
        bool (Collection::*step)(Deadline& deadline, World world);
        // Whether it has anything to do; asked when the stage before it is done.
        bool (Collection::*applies)() const;
        // Goes to another stage, when the step has found too little memory; null: it never does.
        void (Collection::*out_of_memory)();
    };
    static const Row kStages[];

    const Row& row() const { return kStages[static_cast<size_t>(stage_)]; }
    void work(Deadline& deadline, World world);
    void advance(Deadline& deadline, World world);
    void go_to(Stage stage);
    void go_on();
    // The event of the stage's phase, which begins with the first call.
    OuroEvent& in_phase();
    void end_phase();
    void end_marking();

    template <Needs kNeeds>
    Needs need() const {
        return kNeeds;
    }
    Needs need_of_engine() const;
    Needs need_of_test() const { return test_->needs(); }

    bool always() const { return true; }
    bool marks() const { return is_marking_; }
    bool tests() const { return test_.has_value(); }
    bool has_garbage() const { return !condemned_.garbage.empty(); }
    bool reclaims() const { return reclaims_; }
    bool is_guess() const { return !exact_; }

    bool begin(Deadline&, World);
    bool drop_dead(Deadline& deadline, World);
    bool mark(Deadline& deadline, World world);
    bool test(Deadline& deadline, World world);
    bool sort(Deadline& deadline, World);
    bool call_callbacks(Deadline& deadline, World);
    bool finalize_all(Deadline& deadline, World);
    bool test_again(Deadline& deadline, World world);
    bool sort_again(Deadline& deadline, World);
    bool clear_all(Deadline& deadline, World);
    bool release_survivors(Deadline& deadline, World);
    bool release_all(Deadline& deadline, World);
    bool report(Deadline&, World);
    bool promote(Deadline&, World);
    bool end(Deadline& deadline, World);

    void find_nothing();
    void end_search();
    void save_condemned();

    Survivors survivors() const;
    void condemn_all();

    const Cycle cycle_;
    const Promotion promotion_;
    Engine& engine_;
    Resources& resources_;
    const bool exact_;
    Stage stage_ = Stage::kBegin;
    bool is_marking_ = false;  // or will be: the engine is its own
    bool needs_stop_ = false;  // of marking, the next slice
    bool reclaims_ = false;    // finalizers have run, or none had to
    Condemned condemned_;
    Candidates not_called_;  // weak references whose callbacks were not due after all
    std::optional<Finalization> finalization_;
    std::optional<StagedTest> test_;
    event::Phase total_;
    std::optional<event::Phase> phase_;
    size_t next_ = 0;  // in the list that the stage goes through
    size_t left_ = 0;  // of it, as far as it has been sorted
    bool has_begun_ = false;
    bool has_let_go_ = false;  // of what died with the first merging of queues
    bool given_up_ = false;    // there was none for the second test
    bool saves_all_ = false;   // instead of clearing (kDebugSaveAll)
};

}  // namespace ouro::collector
