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
constexpr size_t kSmallComponents = 256;

// Some 20 us of looking for what is middle.
constexpr size_t kBlocksAtOnce = 256;

// Some 50 us of giving memory back.
constexpr size_t kPurgedAtOnce = size_t{1} << 20;

// Whether a candidate has been condemned by this collection: its slot may have been reused for an object that a young
// collection has condemned.
bool is_ours(const PyObject* op) {
    return is_condemned(op) && heap::HeapView<heap::Concurrent>().is_old(op);
}

// Set in the stop that begins a full collection that is not exact, and read in stops.
std::atomic<bool> full_in_flight{false};
// Whether objects that were allocated during one may not be old yet. In stops.
bool left_middle = false;

}  // namespace

bool is_full_in_flight() {
    return full_in_flight.load(std::memory_order_relaxed);
}

Collection::Collection(Cycle cycle, Promotion promotion, option::Engine::Finds finds,
                       Engine& engine, Resources& resources)
    : cycle_(cycle), promotion_(promotion), engine_(engine), resources_(resources),
      exact_(cycle.scope != Scope::kFull || finds == option::Engine::kExact),
      total_(OURO_PHASE_CYCLE, cycle) {
    total_.event.start_ns = event::monotonic_ns();
    condemned_.garbage.swap(resources_.garbage);
}

Collection::~Collection() {
    give_up();
    heap::empty_pages(condemned_.garbage);
    condemned_.garbage.swap(resources_.garbage);
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

// Releases the engine for another collection.
void Collection::end_marking() {
    if (std::exchange(is_marking_, false)) {
        engine_.end();
    }
}

// A stage whose needs are always the same.
#define NEEDS(what) &Collection::need<Needs::what>

const Collection::Row Collection::kStages[] = {
    // Needs, event, step, unless it has nothing to do, and without memory.
    {NEEDS(kStop), OURO_PHASE_COUNT, &Collection::begin, &Collection::always,
     &Collection::find_nothing},
    {NEEDS(kUserCode), OURO_PHASE_COUNT, &Collection::drop_dead, &Collection::always, nullptr},
    {&Collection::need_of_engine, OURO_PHASE_COUNT, &Collection::mark, &Collection::marks,
     &Collection::end_search},
    {&Collection::need_of_test, OURO_PHASE_TEST, &Collection::test, &Collection::tests,
     &Collection::end_search},
    {NEEDS(kUserCode), OURO_PHASE_CLEAR, &Collection::clear_early, &Collection::has_apart, nullptr},
    {NEEDS(kUserCode), OURO_PHASE_RELEASE, &Collection::release_early, &Collection::has_apart,
     nullptr},
    {NEEDS(kConcurrent), OURO_PHASE_TEST, &Collection::sort, &Collection::tests, nullptr},
    {NEEDS(kUserCode), OURO_PHASE_CALLBACKS, &Collection::call_callbacks, &Collection::has_garbage,
     nullptr},
    {NEEDS(kUserCode), OURO_PHASE_FINALIZE, &Collection::finalize_all, &Collection::has_garbage,
     &Collection::save_condemned},
    {&Collection::need_of_test, OURO_PHASE_RESURRECT, &Collection::test_again, &Collection::tests,
     &Collection::save_condemned},
    {NEEDS(kNoHeapAccess), OURO_PHASE_RESURRECT, &Collection::sort_again, &Collection::tests,
     nullptr},
    {NEEDS(kUserCode), OURO_PHASE_CLEAR, &Collection::clear_all, &Collection::reclaims, nullptr},
    {NEEDS(kUserCode), OURO_PHASE_RELEASE, &Collection::release_survivors, &Collection::reclaims,
     nullptr},
    {NEEDS(kUserCode), OURO_PHASE_RELEASE, &Collection::release_all, &Collection::reclaims,
     nullptr},
    {NEEDS(kUserCode), OURO_PHASE_COUNT, &Collection::report, &Collection::always, nullptr},
    {NEEDS(kStop), OURO_PHASE_COUNT, &Collection::promote, &Collection::is_guess, nullptr},
    {NEEDS(kUserCode), OURO_PHASE_PURGE, &Collection::end, &Collection::always, nullptr},
    {NEEDS(kNothing), OURO_PHASE_COUNT, nullptr, &Collection::always, nullptr},
};

#undef NEEDS

Needs Collection::needs() const {
    return (this->*row().needs)();
}

Needs Collection::need_of_engine() const {
    return needs_stop_            ? Needs::kStop
           : engine_.reads_heap() ? Needs::kConcurrent
                                  : Needs::kNoHeapAccess;
}

bool Collection::is_small() const {
    return stage_ > Stage::kMark && condemned_.garbage.size() <= kSmallComponents;
}

OuroEvent& Collection::in_phase() {
    if (!phase_) {
        phase_.emplace(row().phase, cycle_);
        phase_->resume();
    }
    return phase_->event;
}

void Collection::end_phase() {
    if (phase_) {
        phase_->suspend();
        phase_->end();
        phase_.reset();
    }
}

void Collection::go_to(Stage stage) {
    const OuroPhase before = row().phase;
    stage_ = stage;
    next_ = 0;
    if (row().phase != before) {
        end_phase();
    }
}

// To the next stage that has something to do.
void Collection::go_on() {
    size_t next = static_cast<size_t>(stage_);
    bool applies = false;
    while (!applies) {
        const Row& candidate = kStages[++next];
        applies = (this->*candidate.applies)();
    }
    go_to(static_cast<Stage>(next));
}

void Collection::step(Deadline& deadline, World world) {
    work(deadline, world);
}

void Collection::run_code(Deadline& deadline) {
    work(deadline, World::kRunning);
}

void Collection::work(Deadline& deadline, World world) {
    const Needs now = needs();
    const int64_t start_ns = event::work_cpu_ns();
    total_.resume(start_ns);
    if (phase_) {
        phase_->resume(start_ns);
    }
    do {
        advance(deadline, world);
    } while (needs() == now && !deadline.has_passed_now());
    const int64_t end_ns = event::work_cpu_ns();
    if (phase_) {
        phase_->suspend(end_ns);
    }
    total_.suspend(end_ns);
}

void Collection::advance(Deadline& deadline, World world) {
    try {
        if ((this->*row().step)(deadline, world)) {
            go_on();
        }
    } catch (const std::bad_alloc&) {
        if (row().out_of_memory == nullptr) {
            throw;
        }
        (this->*row().out_of_memory)();
    }
}

bool Collection::begin(Deadline&, World) {
    // If memory is out, objects in the queues keep the reference from there, and live on.
    (void)object::merge_all_queues(condemned_.dead);
    // Objects that died with that may have the last references to cycles, which a requested collection must find. So
    // these objects are deallocated first; once only, because mutators may leave more meanwhile.
    if (cycle_.scope == Scope::kFull && !condemned_.dead.empty() && !has_let_go_) {
        return true;
    }
    has_begun_ = true;
    total_.event.bytes = heap::usage().heap_bytes;
    if (!exact_) {
        if (std::exchange(left_middle, true)) {
            size_t next = 0;  // the last one was abandoned
            (void)heap::make_old(&next, SIZE_MAX / 2);
        }
        full_in_flight.store(true, std::memory_order_relaxed);
        is_marking_ = true;
        engine_.begin(cycle_, condemned_.garbage);
        return true;
    }
    if (cycle_.scope == Scope::kFull) {
        engine_.begin(cycle_, condemned_.garbage);
        total_.event.objects = engine_.objects();
    } else if (cycle_.scope == Scope::kLocal) {
        event::Span span(OURO_PHASE_LOCAL, cycle_);
        total_.event.objects = span.event.objects = engine_.search(condemned_.garbage);
        span.event.candidates = condemned_.garbage.size();
    } else if (promotion_ == Promotion::kUnseen) {
        collector::promote(survivors(), engine_.takes_suspects());
        return true;
    } else {
        event::Span span(OURO_PHASE_YOUNG, cycle_);
        YoungPass pass(cycle_.scope, survivors(), engine_.takes_suspects(), resources_.young);
        const int64_t start_ns = event::monotonic_ns();
        pass.run(condemned_.garbage);
        engine_.note_young(event::monotonic_ns() - start_ns);
        span.event.candidates = condemned_.garbage.size();
        total_.event.objects = span.event.objects = pass.objects();
    }
    total_.event.candidates = condemned_.garbage.size();
    condemn_all();
    return true;
}

// Nothing is condemned: the garbage waits for another collection.
void Collection::find_nothing() {
    for (const PyObject* op : condemned_.garbage) {
        acquit(op);
    }
    not_called_.swap(condemned_.called);
    condemned_.garbage.clear();
    end_marking();
    go_on();
}

Survivors Collection::survivors() const {
    if (promotion_ == Promotion::kByGeneration) {
        return cycle_.scope == Scope::kMiddle ? Survivors::kOld : Survivors::kMiddle;
    }
    return is_full_in_flight() ? Survivors::kAside : Survivors::kOld;
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

bool Collection::drop_dead(Deadline& deadline, World) {
    while (next_ < condemned_.dead.size()) {
        Py_DECREF(condemned_.dead[next_++]);
        if (deadline.has_passed(kCodeUnits)) {
            return false;
        }
    }
    if (!has_begun_) {
        has_let_go_ = true;
        condemned_.dead.clear();
        go_to(Stage::kBegin);
        return false;
    }
    drop_weak_callbacks(not_called_);
    return true;
}

bool Collection::mark(Deadline& deadline, World world) {
    const OuroPhase phase = engine_.phase();
    if (!phase_ || phase_->event.phase != phase) {
        end_phase();
        phase_.emplace(phase, cycle_);
        phase_->resume();
    }
    const Next next = engine_.step(deadline, world, condemned_.garbage);
    needs_stop_ = next == Next::kStop;
    if (next != Next::kDone) {
        return false;
    }
    total_.event.objects = engine_.objects();
    total_.event.candidates = phase_->event.candidates = condemned_.garbage.size();
    end_phase();
    const bool has_traversed = engine_.reads_heap();
    end_marking();
    test_.emplace(condemned_.garbage, 0, resources_.test, engine_.threads(), has_legacy_finalizer,
                  !has_traversed);
    apart_.begin(condemned_.garbage.size());
    return true;
}

// What has been condemned so far is garbage; the rest stays untested.
void Collection::end_search() {
    end_marking();
    if (test_) {
        go_to(Stage::kTest);
        apart_.let_group_wait();
        test_->give_up();
    } else {
        go_to(Stage::kSort);
    }
}

bool Collection::test(Deadline& deadline, World world) {
    OuroEvent& event = in_phase();
    event.candidates = condemned_.garbage.size();
    const bool judges = test_->needs() == Needs::kStop && !test_->is_prepared_only();
    const auto judge = [&](std::span<PyObject* const> objects, Verdict verdict) {
        switch (verdict) {
            case Verdict::kLive:
                total_.event.rejected += objects.size();
                break;
            case Verdict::kTaken:
                total_.event.condemned += objects.size();
                apart_.add(objects, false);
                break;
            case Verdict::kGarbage: {
                const size_t before = condemned_.called.size();
                condemn_component(objects, condemned_.called);
                total_.event.condemned += objects.size();
                // A weak reference whose callback is due may be a candidate that is yet to be tested.
                for (size_t i = before; i < condemned_.called.size(); ++i) {
                    test_->account(condemned_.called[i]);
                    apart_.let_group_wait();
                }
                apart_.add(objects, have_finalizers(objects));
                break;
            }
            case Verdict::kKept:
                keep_component(objects, condemned_);
                apart_.let_group_wait();
                break;
        }
        if (test_->is_closed()) {
            apart_.end_group();
        }
    };
    test_->step(deadline, world, condemn_if_inert, judge);
    if (judges && option::settings().verify) {
        event::Span span(OURO_PHASE_VERIFY, cycle_);
        std::vector<PyObject*> found;
        std::ranges::copy_if(condemned_.garbage, std::back_inserter(found), is_ours);
        verify::check_candidates(found, false, condemned_.called);
    }
    if (test_->is_judging() && apart_.has_enough()) {
        go_to(Stage::kClearEarly);
    }
    return test_->is_done();
}

bool Collection::clear_early(Deadline& deadline, World) {
    const mutator::NoAllocationCredit no_credit;
    (void)in_phase();
    return clear(apart_.ready(), next_, deadline);
}

bool Collection::release_early(Deadline& deadline, World) {
    const mutator::NoAllocationCredit no_credit;
    OuroEvent& event = in_phase();
    const size_t freed = release(apart_.ready(), next_, deadline);
    event.freed += freed;
    total_.event.freed += freed;
    if (next_ == apart_.ready().size()) {
        apart_.note_reclaimed();
        go_to(Stage::kTest);
    }
    return false;
}

// Keeps the condemned among the candidates, in address order.
bool Collection::sort(Deadline& deadline, World) {
    const heap::HeapView<heap::Concurrent> view;
    Candidates& list = condemned_.garbage;
    while (next_ < list.size()) {
        PyObject* op = list[next_++];
        if (view.is_old(op)) {
            if (is_condemned(op)) {
                list[left_++] = op;
            } else {
                view.set_mark(view.slot_of(op), heap::kNotSeen);
            }
        }
        if (deadline.has_passed(1)) {
            return false;
        }
    }
    list.resize(left_);
    left_ = 0;
    test_.reset();
    OuroEvent& event = in_phase();
    event.condemned = total_.event.condemned;
    event.rejected = total_.event.rejected;
    event.uncollectable = total_.event.uncollectable = condemned_.kept.size();
    std::ranges::sort(condemned_.kept);
    end_phase();
    event::Span span(OURO_PHASE_CONDEMN, cycle_);  // what the pauses have condemned, together
    span.event.condemned = total_.event.condemned;
    span.event.uncollectable = condemned_.kept.size();
    return true;
}

bool Collection::call_callbacks(Deadline& deadline, World) {
    if (next_ == 0) {
        if ((debug_flags() & kDebugCollectable) != 0) {
            tell_objects("collectable", condemned_.garbage.data(), condemned_.garbage.size());
        }
        drop_condemned_callbacks(condemned_.called);
    }
    if (condemned_.called.empty()) {
        return true;
    }
    in_phase().objects = condemned_.called.size();
    return call_weak_callbacks(condemned_.called, next_, deadline);
}

bool Collection::finalize_all(Deadline& deadline, World) {
    OuroEvent& event = in_phase();
    if (!finalization_) {
        finalization_.emplace(condemned_.garbage);
    }
    {
        const mutator::NoAllocationCredit no_credit;
        if (!finalization_->run(deadline)) {
            return false;
        }
    }
    event.objects = finalization_->called();
    total_.event.condemned -= finalization_->let_go();
    const bool code_ran = finalization_->code_ran() || !condemned_.called.empty();
    finalization_.reset();
    reclaims_ = true;
    if (code_ran) {
        condemned_.survivors.reserve(condemned_.garbage.size());
        test_.emplace(condemned_.garbage, kPins, resources_.test, engine_.threads());
    }
    return true;
}

// Finds the condemned that are reachable again (inv.exact.anew). Clears weak references to the others, which
// finalizers have made.
bool Collection::test_again(Deadline& deadline, World world) {
    OuroEvent& event = in_phase();
    event.candidates = condemned_.garbage.size();
    const ExactTest::Take take = [](std::span<PyObject* const> objects, uint32_t) {
        return !has_weak_references(objects);
    };
    test_->step(deadline, world, take, [&](std::span<PyObject* const> objects, Verdict verdict) {
        if (verdict == Verdict::kGarbage) {
            kill_weak_references(objects, not_called_);
        } else if (verdict != Verdict::kTaken) {
            std::ranges::for_each(objects, [&](PyObject* op) { rescue(op, condemned_.survivors); });
        }
    });
    return test_->is_done();
}

// Out of memory for the second test: nothing may be cleared, and all of it lives on, finalized.
void Collection::save_condemned() {
    end_phase();
    finalization_.reset();
    test_.reset();
    condemned_.survivors.clear();
    given_up_ = reclaims_ = true;
    go_to(Stage::kReleaseSurvivors);
}

// Keeps those that are still condemned.
bool Collection::sort_again(Deadline& deadline, World) {
    const heap::HeapView<heap::Concurrent> view;
    Candidates& list = condemned_.garbage;
    while (next_ < list.size()) {
        PyObject* op = list[next_++];
        if (is_condemned(op)) {
            list[left_++] = op;
        }
        if (deadline.has_passed(1)) {
            return false;
        }
    }
    list.resize(left_);
    left_ = 0;
    test_.reset();
    std::ranges::sort(condemned_.survivors);
    in_phase().resurrected = total_.event.resurrected = condemned_.survivors.size();
    return true;
}

bool Collection::clear_all(Deadline& deadline, World) {
    const mutator::NoAllocationCredit no_credit;
    if (!phase_) {
        drop_weak_callbacks(not_called_);
        saves_all_ = (debug_flags() & kDebugSaveAll) != 0;
        (void)in_phase();
    }
    return saves_all_ ? save(condemned_.garbage, next_, deadline)
                      : clear(condemned_.garbage, next_, deadline);
}

bool Collection::release_survivors(Deadline& deadline, World) {
    (void)in_phase();
    (void)release(condemned_.survivors, next_, deadline);
    return next_ == condemned_.survivors.size();
}

bool Collection::release_all(Deadline& deadline, World) {
    const mutator::NoAllocationCredit no_credit;
    OuroEvent& event = in_phase();
    event.freed += release(condemned_.garbage, next_, deadline);
    if (next_ < condemned_.garbage.size()) {
        return false;
    }
    total_.event.freed += event.freed;
    return true;
}

bool Collection::report(Deadline&, World) {
    report_legacy(condemned_.legacy, next_);
    return true;
}

bool Collection::promote(Deadline&, World) {
    full_in_flight.store(false, std::memory_order_relaxed);
    if (!heap::make_old(&next_, kBlocksAtOnce)) {
        return false;
    }
    left_middle = false;
    return true;
}

bool Collection::end(Deadline& deadline, World) {
    if (!drop_shortened(dropping_, deadline, condemned_.garbage) || !apart_.drop(deadline)) {
        return false;
    }
    if (cycle_.scope == Scope::kFull) {
        if (!phase_) {
            (void)in_phase();
            mutator::current->limbo_due = true;
            mutator::reclaim_limbo();
            heap::release_empty();
            mutator::
                quiesce();  // so that no grace period of the released blocks waits for this thread
        }
        // A program that allocates in rounds will need again what it had in use since the last purge.
        while (!heap::purge(kPurgedAtOnce, cycle_.trigger == OURO_TRIGGER_ALLOCATION)) {
            if (deadline.has_passed_now()) {
                return false;
            }
        }
        end_phase();
    }
    const bool looks = option::settings().contract && cycle_.scope == Scope::kFull;
    if (option::settings().verify || looks) {
        event::Span span(OURO_PHASE_VERIFY, cycle_);
        const mutator::Stopped stopped;
        verify::check_heap(option::settings().verify, looks);
    }
    total_.event.rss_bytes = cycle_.scope == Scope::kFull ? event::resident_bytes() : 0;
    return true;
}

}  // namespace ouro::collector
