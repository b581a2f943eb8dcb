// One collection: the pipeline of README.md, cut into slices. It says what the next slice needs; its driver
// (drive.hpp, collector_thread.hpp) provides that and sets the deadline.
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

#include "core/collector/apart.hpp"
#include "core/collector/condemn.hpp"
#include "core/collector/engine.hpp"
#include "core/collector/engines/young_pass.hpp"
#include "core/collector/finalize.hpp"
#include "core/collector/observed.hpp"
#include "core/collector/staged_test.hpp"
#include "core/event/events.hpp"

namespace ouro::collector {

// What becomes of the survivors of a young or middle collection.
enum class Promotion {
    kByGeneration,  // middle, or old after one of the middle ones
    kAtOnce,        // old; while a full collection is in flight middle, and old when it is over
    kUnseen,        // the same, and none is examined: all survive
};

// Whether a full collection that is not exact has begun and is not over: what was not old then is not old yet. In a stop.
bool is_full_in_flight();

class Collection {
public:
    // Memory that a collection leaves to the next one.
    struct Resources {
        ExactTest::Memory test;
        YoungPass::Lists young;
        Candidates garbage;  // empty
    };

    // `engine`, whose candidates are as `finds` says, is used by full and local collections alone, each one at a time.
    // Engine and resources outlive the collection.
    Collection(Cycle cycle, Promotion promotion, option::Engine::Finds finds, Engine& engine,
               Resources& resources);
    // Abandons what has not been done.
    ~Collection();
    Collection(const Collection&) = delete;
    Collection& operator=(const Collection&) = delete;

    Needs needs() const;
    // One slice of anything but kUserCode: until the deadline or until something else is needed. Out of memory it finds
    // less; that is no error.
    void step(Deadline& deadline, World world);
    // One slice of kUserCode. User code may never return: then another thread goes on with this object, after the call
    // that did not return, because each call is counted as done before it begins.
    void run_code(Deadline& deadline);

    // Nothing has been condemned yet, and nothing is pinned.
    bool may_be_given_up() const {
        return stage_ == Stage::kBegin || stage_ == Stage::kMark ||
               (stage_ == Stage::kTest && test_->is_prepared_only());
    }
    // Objects that died when queues were drained await deallocation: the next slice, kUserCode, may not be omitted.
    bool holds_dead() const { return stage_ == Stage::kDead; }
    // Abandons it, leaving nothing in the side tables but marks. Pre: may_be_given_up() or needs() == kNothing;
    // the heap is as in a slice of what is needed next.
    void give_up();
    // Whether it has begun and reads objects that mutators use before the next stop.
    bool reads_heap() const {
        return !exact_ && stage_ > Stage::kBegin && stage_ <= Stage::kSort &&
               (stage_ > Stage::kMark || engine_.reads_heap()) && !(test_ && test_->is_judging());
    }
    // User code may be running while candidates are yet to be found or tested: no other full collection may begin, which
    // could condemn these, too, and needs the engine.
    bool is_amid_test() const {
        return holds_dead() || stage_ == Stage::kClearEarly || stage_ == Stage::kReleaseEarly ||
               (apart_.reclaimed() > 0 && stage_ <= Stage::kSort);
    }
    // So few objects are left that another stop costs more than to process them in this one.
    bool is_small() const;

    Cycle cycle() const { return cycle_; }
    // Objects found to be garbage, including those that may not be reclaimed; without those that were unpinned after
    // finalizers (finalize.hpp).
    size_t found() const {
        return (given_up_ ? apart_.reclaimed()
                          : total_.event.condemned - total_.event.resurrected) +
               condemned_.kept.size();
    }
    // For observers, when it is over; `given_up`: it was abandoned.
    Outcome outcome(bool given_up = false) const {
        return {cycle_.scope, given_up ? 0 : found() - condemned_.kept.size(),
                given_up ? 0 : condemned_.kept.size(), total_.event.start_ns};
    }
    // The event of the whole collection; complete when it is over.
    const OuroEvent& event() const { return total_.event; }

private:
    // In their order. What each needs and does is a row of kStages.
    enum class Stage {
        kBegin,
        kDead,  // deallocates what died when queues were drained
        kMark,  // by the engine
        kTest,
        kClearEarly,  // what is apart from the rest, while the rest is tested
        kReleaseEarly,
        kSort,
        kCallbacks,
        kFinalize,
        kTestAgain,
        kSortAgain,
        kClear,
        kReleaseSurvivors,
        kRelease,
        kLegacy,
        kPromote,  // what was allocated during it becomes old
        kEnd,
        kOver,
    };
    // Of a stage:
    struct Row {
        Needs (Collection::*needs)() const;
        OuroPhase phase;  // its event, with that of neighbours of the same; OURO_PHASE_COUNT: none
        // Makes a slice; true when the stage is done.
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
    bool has_apart() const { return test_ && test_->is_judging() && !apart_.ready().empty(); }
    bool reclaims() const { return reclaims_; }
    bool is_guess() const { return !exact_; }

    bool begin(Deadline&, World);
    bool drop_dead(Deadline& deadline, World);
    bool mark(Deadline& deadline, World world);
    bool test(Deadline& deadline, World world);
    bool clear_early(Deadline& deadline, World);
    bool release_early(Deadline& deadline, World);
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
    bool is_marking_ = false;  // or is about to: it owns the engine
    bool needs_stop_ = false;  // for the next slice of marking
    bool reclaims_ = false;    // finalizers have run, or none had to
    Condemned condemned_;
    Apart apart_;
    Candidates not_called_;  // weak references whose callbacks are not called after all
    std::optional<Finalization> finalization_;
    std::optional<StagedTest> test_;
    event::Phase total_;
    std::optional<event::Phase> phase_;
    size_t next_ = 0;  // in the list that the stage goes through
    size_t left_ = 0;  // elements kept so far of a list that is filtered in place
    bool has_begun_ = false;
    bool has_let_go_ = false;  // what died with the first draining of queues has been deallocated
    bool given_up_ = false;    // out of memory for the second test: all survive
    bool saves_all_ = false;   // instead of clearing (kDebugSaveAll)
    bool dropping_ = false;    // lists are being returned to the system
};

}  // namespace ouro::collector
