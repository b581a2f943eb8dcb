#include "core/collector/collection.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <new>
#include <utility>
#include <vector>

#include "core/collector/finalize.hpp"
#include "core/collector/legacy.hpp"
#include "core/collector/reclaim.hpp"
#include "core/collector/rescue.hpp"
#include "core/collector/weakrefs.hpp"
#include "core/heap/heap.hpp"
#include "core/mutator/allocation_trigger.hpp"
#include "core/mutator/world.hpp"
#include "core/object/merge_queues.hpp"
#include "core/object/object.hpp"
#include "core/option/settings.hpp"
#include "core/verify/retrace.hpp"

namespace ouro::collector {
namespace {

// Components of so few objects are formed in less time than another stop takes.
constexpr size_t kSmall = 256;

// Some 20 us of looking for what is middle.
constexpr size_t kBlocksAtOnce = 256;

// Some 50 us of giving memory back.
constexpr size_t kPurgedAtOnce = size_t{1} << 20;

// Whether a candidate has been condemned: another object in its slot may be a young collection's.
bool is_ours(const PyObject* op) {
    return is_condemned(op) && heap::is_old(heap::slot_beside(op));
}

// While one lives, what the calling thread frees makes no room for others: all of it was allocated before the
// collection began, and what is allocated beside that is limited (Policy::growth).
class FreesForNobody {
public:
    FreesForNobody() { trigger_.floor = std::max(floor_, trigger_.count); }
    ~FreesForNobody() { trigger_.floor = std::min(floor_, trigger_.floor); }
    FreesForNobody(const FreesForNobody&) = delete;
    FreesForNobody& operator=(const FreesForNobody&) = delete;

private:
    mutator::AllocationTrigger& trigger_ = mutator::allocation_trigger;
    const int64_t floor_ = trigger_.floor;
};

// Set in the stop that begins a full collection that is not exact, and read in stops.
std::atomic<bool> full_in_flight{false};
// Whether there may be objects that were born beside one and are not old yet. In stops.
bool left_middle = false;

}  // namespace

Collection::Collection(Cycle cycle, Ageing ageing, Engine& engine, Resources& resources)
    : cycle_(cycle), ageing_(ageing), engine_(engine), resources_(resources),
      exact_(cycle.scope != Scope::kFull || engine.is_exact()), total_(OURO_PHASE_CYCLE, cycle) {
    total_.event.start_ns = event::monotonic_ns();
}

Collection::~Collection() {
    give_up();
    if (phase_) {
        phase_->end();
    }
    total_.end();
}

void Collection::give_up() {
    test_.reset();
    end_marking();
    if (!exact_ && stage_ != Stage::kBegin && stage_ < Stage::kEnd) {
        full_in_flight.store(false, std::memory_order_relaxed);
    }
}

// The engine is another collection's from then on.
void Collection::end_marking() {
    if (std::exchange(is_marking_, false)) {
        engine_.end();
    }
}

Needs Collection::needs() const {
    switch (stage_) {
        case Stage::kBegin:
        case Stage::kTest:
        case Stage::kReadAgain:
        case Stage::kTestAgain:
        case Stage::kAge:
            return Needs::kStop;
        case Stage::kMark:
            return needs_stop_            ? Needs::kStop
                   : engine_.reads_heap() ? Needs::kBeside
                                          : Needs::kPrivate;
        case Stage::kNumber:
        case Stage::kRead:
            return needs_stop_ ? Needs::kStop : Needs::kBeside;
        case Stage::kForget:
        case Stage::kSort:
            return Needs::kBeside;
        case Stage::kOrder:
        case Stage::kNumberAgain:
        case Stage::kOrderAgain:
        case Stage::kForgetAgain:
        case Stage::kSortAgain:
            return Needs::kPrivate;
        case Stage::kDead:
        case Stage::kCallbacks:
        case Stage::kFinalize:
        case Stage::kClear:
        case Stage::kReleaseSurvivors:
        case Stage::kRelease:
        case Stage::kLegacy:
        case Stage::kEnd:
            return Needs::kCode;
        case Stage::kOver:
            break;
    }
    return Needs::kNothing;
}

bool Collection::is_small() const {
    return stage_ > Stage::kMark && condemned_.garbage.size() <= kSmall;
}

void Collection::begin_phase(OuroPhase phase) {
    phase_.emplace(phase, cycle_);
    phase_->resume();
}

void Collection::end_phase() {
    if (phase_) {
        phase_->suspend();
        phase_->end();
        phase_.reset();
    }
}

void Collection::go_to(Stage stage) {
    stage_ = stage;
    next_ = 0;
}

void Collection::step(Deadline& deadline, World world) {
    const Needs now = needs();
    total_.resume();
    if (phase_) {
        phase_->resume();
    }
    try {
        do {
            advance(deadline, world);
        } while (needs() == now && !deadline.has_passed_now());
    } catch (const std::bad_alloc&) {
        out_of_memory();
    }
    if (phase_) {
        phase_->suspend();
    }
    total_.suspend();
}

void Collection::run_code(Deadline& deadline) {
    total_.resume();
    if (phase_) {
        phase_->resume();
    }
    do {
        advance_code(deadline);
    } while (needs() == Needs::kCode && !deadline.has_passed_now());
    if (phase_) {
        phase_->suspend();
    }
    total_.suspend();
}

void Collection::advance(Deadline& deadline, World world) {
    switch (stage_) {
        case Stage::kBegin:
            return begin();
        case Stage::kMark:
            return mark(deadline, world);
        case Stage::kNumber:
            needs_stop_ = false;
            if (test_->number(deadline)) {
                go_to(Stage::kRead);
            }
            return;
        case Stage::kRead: {
            const Next next = test_->read(deadline, world);
            needs_stop_ = next == Next::kStop;
            if (next == Next::kDone) {
                go_to(Stage::kOrder);
            }
            return;
        }
        case Stage::kOrder:
            if (test_->order(deadline)) {
                go_to(Stage::kTest);
            }
            return;
        case Stage::kTest:
            return test(deadline);
        case Stage::kForget:
            if (test_->forget(deadline)) {
                test_.reset();
                go_to(Stage::kSort);
            }
            return;
        case Stage::kSort:
        case Stage::kSortAgain:
            return sort(deadline);
        case Stage::kNumberAgain:
            if (test_->number(deadline)) {
                go_to(Stage::kReadAgain);
            }
            return;
        case Stage::kReadAgain:
            if (test_->read(deadline, World::kStopped) == Next::kDone) {
                go_to(Stage::kOrderAgain);
            }
            return;
        case Stage::kOrderAgain:
            if (test_->order(deadline)) {
                go_to(Stage::kTestAgain);
            }
            return;
        case Stage::kTestAgain:
            return test_again(deadline);
        case Stage::kAge:
            full_in_flight.store(false, std::memory_order_relaxed);
            if (heap::make_old(&next_, kBlocksAtOnce)) {
                left_middle = false;
                go_to(Stage::kEnd);
            }
            return;
        case Stage::kForgetAgain:
            if (test_->forget(deadline)) {
                test_.reset();
                go_to(Stage::kSortAgain);
            }
            return;
        default:
            return;  // code
    }
}

void Collection::begin() {
    // Without memory for it, what waits in the queues has a reference from there, and lives on.
    (void)object::merge_all_queues(condemned_.dead);
    stage_ = Stage::kDead;
    // What died with that may have the last references to cycles: these are garbage, too, for whoever asks for a
    // collection. Waited for once, since threads that go on may let go of more.
    if (cycle_.scope == Scope::kFull && !condemned_.dead.empty() && !has_let_go_) {
        return;
    }
    has_begun_ = true;
    total_.event.bytes = heap::usage().heap_bytes;
    if (!exact_) {
        if (std::exchange(left_middle, true)) {
            size_t next = 0;  // the last one was given up
            (void)heap::make_old(&next, SIZE_MAX / 2);
        }
        full_in_flight.store(true, std::memory_order_relaxed);
        is_marking_ = true;
        engine_.begin(cycle_, condemned_.garbage);
        return;
    }
    if (cycle_.scope == Scope::kFull) {
        engine_.begin(cycle_, condemned_.garbage);
        total_.event.objects = engine_.objects();
    } else if (ageing_ == Ageing::kUnseen) {
        return age(survivors());
    } else {
        event::Span span(OURO_PHASE_YOUNG, cycle_);
        YoungPass pass(cycle_.scope, survivors(), resources_.young);
        pass.run(condemned_.garbage);
        span.event.candidates = condemned_.garbage.size();
        total_.event.objects = span.event.objects = pass.objects();
    }
    total_.event.candidates = condemned_.garbage.size();
    condemn_all();
}

Survivors Collection::survivors() const {
    if (ageing_ == Ageing::kByGeneration) {
        return cycle_.scope == Scope::kMiddle ? Survivors::kOld : Survivors::kMiddle;
    }
    return full_in_flight.load(std::memory_order_relaxed) ? Survivors::kAside : Survivors::kOld;
}

void Collection::condemn_all() {
    if (option::settings().verify) {
        event::Span span(OURO_PHASE_VERIFY, cycle_);
        verify::check_candidates(condemned_.garbage, cycle_.scope == Scope::kFull);
    }
    event::Span span(OURO_PHASE_CONDEMN, cycle_);
    condemn(condemned_);
    span.event.condemned = total_.event.condemned = condemned_.garbage.size();
    span.event.uncollectable = total_.event.uncollectable = condemned_.kept.size();
}

void Collection::mark(Deadline& deadline, World world) {
    const OuroPhase phase = engine_.phase();
    if (!phase_ || phase_->event.phase != phase) {
        end_phase();
        begin_phase(phase);
    }
    const Next next = engine_.step(deadline, world, condemned_.garbage);
    needs_stop_ = next == Next::kStop;
    if (next != Next::kDone) {
        return;
    }
    total_.event.objects = engine_.objects();
    total_.event.candidates = phase_->event.candidates = condemned_.garbage.size();
    end_phase();
    needs_stop_ =
        !engine_.reads_heap();  // where nobody has traversed so far, that begins in a stop
    end_marking();
    begin_phase(OURO_PHASE_TEST);
    phase_->event.candidates = condemned_.garbage.size();
    test_.emplace(condemned_.garbage, 0, resources_.test, has_legacy_finalizer);
    go_to(Stage::kNumber);
}

void Collection::test(Deadline& deadline) {
    const bool done =
        test_->test(deadline, [&](std::span<PyObject* const> objects, Verdict verdict) {
            switch (verdict) {
                case Verdict::kLive:
                    total_.event.rejected += objects.size();
                    break;
                case Verdict::kGarbage: {
                    const size_t before = condemned_.called.size();
                    condemn_component(objects, condemned_.called);
                    total_.event.condemned += objects.size();
                    // A weak reference that is called may be a candidate whose turn is yet to come.
                    for (size_t i = before; i < condemned_.called.size(); ++i) {
                        test_->account(condemned_.called[i]);
                    }
                    break;
                }
                case Verdict::kKept:
                    keep_component(objects, condemned_);
                    break;
            }
        });
    if (option::settings().verify) {
        event::Span span(OURO_PHASE_VERIFY, cycle_);
        std::vector<PyObject*> found;
        std::ranges::copy_if(condemned_.garbage, std::back_inserter(found), is_ours);
        verify::check_candidates(found, false, condemned_.called);
    }
    if (done) {
        go_to(Stage::kForget);
    }
}

// Of the candidates, what is condemned is left, in the order of addresses; after the second test, of the
// condemned what still is.
void Collection::sort(Deadline& deadline) {
    Candidates& list = condemned_.garbage;
    while (next_ < list.size()) {
        PyObject* op = list[next_++];
        const bool is_old = stage_ == Stage::kSortAgain || heap::is_old(heap::slot_beside(op));
        if (is_old && is_condemned(op)) {
            list[left_++] = op;
        } else if (is_old && stage_ == Stage::kSort) {
            heap::store_mark(&heap::tables.mark[heap::slot_beside(op)], heap::kNotSeen);
        }
        if (deadline.has_passed(1)) {
            return;
        }
    }
    list.resize(left_);
    left_ = 0;
    if (stage_ == Stage::kSortAgain) {
        std::ranges::sort(condemned_.survivors);
        total_.event.resurrected = condemned_.survivors.size();
        phase_->event.resurrected = condemned_.survivors.size();
        end_phase();
        go_to(Stage::kClear);
        return;
    }
    phase_->event.condemned = condemned_.garbage.size();
    phase_->event.rejected = total_.event.rejected;
    phase_->event.uncollectable = total_.event.uncollectable = condemned_.kept.size();
    std::ranges::sort(condemned_.kept);
    end_phase();
    {
        event::Span span(OURO_PHASE_CONDEMN, cycle_);  // what the pauses have condemned, together
        span.event.condemned = condemned_.garbage.size();
        span.event.uncollectable = condemned_.kept.size();
    }
    go_to(condemned_.garbage.empty() ? Stage::kLegacy : Stage::kCallbacks);
}

// Which of the condemned are reachable again (inv.exact.anew). Kills the weak references of the others,
// which finalizers have made.
void Collection::test_again(Deadline& deadline) {
    const bool done = test_->test(deadline, [&](std::span<PyObject* const> objects,
                                                Verdict verdict) {
        if (verdict == Verdict::kGarbage) {
            kill_weak_references(objects, not_called_);
        } else {
            std::ranges::for_each(objects, [&](PyObject* op) { rescue(op, condemned_.survivors); });
        }
    });
    if (done) {
        go_to(Stage::kForgetAgain);
    }
}

void Collection::advance_code(Deadline& deadline) {
    switch (stage_) {
        case Stage::kDead:
            while (next_ < condemned_.dead.size()) {
                Py_DECREF(condemned_.dead[next_++]);
                if (deadline.has_passed(kCodeUnits)) {
                    return;
                }
            }
            if (!has_begun_) {
                has_let_go_ = true;
                condemned_.dead.clear();
                return go_to(Stage::kBegin);
            }
            drop_weak_callbacks(not_called_);
            go_to(!exact_ && marked_           ? Stage::kMark
                  : condemned_.garbage.empty() ? Stage::kLegacy
                                               : Stage::kCallbacks);
            return;
        case Stage::kCallbacks:
            if (next_ == 0) {
                if ((debug_flags() & kDebugCollectable) != 0) {
                    tell_objects("collectable", condemned_.garbage.data(),
                                 condemned_.garbage.size());
                }
                drop_condemned_callbacks(condemned_.called);
            }
            if (condemned_.called.empty()) {
                return go_to(Stage::kFinalize);
            }
            if (!phase_) {
                begin_phase(OURO_PHASE_CALLBACKS);
                phase_->event.objects = condemned_.called.size();
            }
            if (call_weak_callbacks(condemned_.called, next_, deadline)) {
                end_phase();
                go_to(Stage::kFinalize);
            }
            return;
        case Stage::kFinalize:
            return finalize_all(deadline);
        case Stage::kClear: {
            const FreesForNobody frees;
            if (!phase_) {
                drop_weak_callbacks(not_called_);
                begin_clear();
            }
            if (saves_all_ ? save(condemned_.garbage, next_, deadline)
                           : clear(condemned_.garbage, next_, deadline)) {
                end_phase();
                go_to(Stage::kReleaseSurvivors);
            }
            return;
        }
        case Stage::kReleaseSurvivors:
            if (!phase_) {
                begin_phase(OURO_PHASE_RELEASE);
            }
            (void)release(condemned_.survivors, next_, deadline);
            if (next_ == condemned_.survivors.size()) {
                go_to(Stage::kRelease);
            }
            return;
        case Stage::kRelease: {
            const FreesForNobody frees;
            phase_->event.freed += release(condemned_.garbage, next_, deadline);
            if (next_ == condemned_.garbage.size()) {
                total_.event.freed = phase_->event.freed;
                end_phase();
                go_to(Stage::kLegacy);
            }
            return;
        }
        case Stage::kLegacy:
            report_legacy(condemned_.legacy, next_);
            return go_to(exact_ ? Stage::kEnd : Stage::kAge);
        case Stage::kEnd:
            if (end(deadline)) {
                go_to(Stage::kOver);
            }
            return;
        default:
            return;
    }
}

void Collection::finalize_all(Deadline& deadline) {
    if (!phase_) {
        begin_phase(OURO_PHASE_FINALIZE);
        finalization_.emplace(condemned_.garbage);
    }
    {
        const FreesForNobody frees;
        if (!finalization_->run(deadline)) {
            return;
        }
    }
    phase_->event.objects = finalization_->called();
    total_.event.condemned -= finalization_->let_go();
    const bool code_ran = finalization_->code_ran() || !condemned_.called.empty();
    finalization_.reset();
    end_phase();
    go_to(Stage::kClear);
    if (!code_ran) {
        return;
    }
    begin_phase(OURO_PHASE_RESURRECT);
    phase_->event.candidates = condemned_.garbage.size();
    try {
        condemned_.survivors.reserve(condemned_.garbage.size());
        test_.emplace(condemned_.garbage, kPins, resources_.test);
        go_to(Stage::kNumberAgain);
    } catch (const std::bad_alloc&) {
        go_to(Stage::kNumberAgain);
        out_of_memory();
    }
}

void Collection::begin_clear() {
    saves_all_ = (debug_flags() & kDebugSaveAll) != 0;
    begin_phase(OURO_PHASE_CLEAR);
}

bool Collection::end(Deadline& deadline) {
    if (!drop_large(condemned_.garbage, deadline)) {
        return false;
    }
    if (cycle_.scope == Scope::kFull) {
        if (!phase_) {
            begin_phase(OURO_PHASE_PURGE);
            mutator::current->limbo_due = true;
            mutator::reclaim_limbo();
            heap::release_empty();
            mutator::quiesce();  // what is left of the blocks has been seen by this thread at least
        }
        // What a program that allocates in rounds had in use since the last time it will want again.
        while (!heap::purge(kPurgedAtOnce, cycle_.trigger == OURO_TRIGGER_ALLOCATION)) {
            if (deadline.has_passed_now()) {
                return false;
            }
        }
        end_phase();
    }
    if (option::settings().verify) {
        event::Span span(OURO_PHASE_VERIFY, cycle_);
        const mutator::Stopped stopped;
        verify::check_heap();
    }
    total_.event.rss_bytes = cycle_.scope == Scope::kFull ? event::resident_bytes() : 0;
    return true;
}

void Collection::out_of_memory() {
    if (stage_ == Stage::kDead) {
        // Nothing is condemned: the garbage waits for another cycle.
        for (const PyObject* op : condemned_.garbage) {
            heap::store_mark(&heap::tables.mark[heap::slot_of(op)], heap::kNotSeen);
        }
        not_called_.swap(condemned_.called);
        condemned_.garbage.clear();
        marked_ = false;
    } else if (stage_ <= Stage::kTest) {
        // What has been condemned by now is garbage; of the rest nothing is known.
        end_marking();
        end_phase();
        begin_phase(OURO_PHASE_TEST);
        go_to(test_ ? Stage::kForget : Stage::kSort);
    } else {
        // Without the second test nothing may be cleared: all of it lives on, finalized.
        test_.reset();
        end_phase();
        condemned_.survivors.clear();
        given_up_ = true;
        go_to(Stage::kReleaseSurvivors);
    }
}

}  // namespace ouro::collector
