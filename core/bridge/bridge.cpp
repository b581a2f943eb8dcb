#include "core/bridge/bridge.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "core/event/clock.hpp"
#include "core/event/memory.hpp"

namespace ouro::bridge {
namespace {

// More objects than this in the youngest generation were not allocated since its last collection, as usual, but while
// automatic collection was off, or by one call into C: they become old at once.
constexpr int kSkipped = 10'000;
// A nursery has more objects than were counted where old ones die meanwhile. With so many times as many its oldest become
// old unseen; with fewer they are collected in parts.
constexpr size_t kLongNursery = 4;

}  // namespace

Bridge& bridge() {
    static Bridge& it = *new Bridge;  // CPython may call it until the process ends
    return it;
}

bool Bridge::enable(GcState* state, int64_t budget_ns) {
    if (enabled_ && is_called()) {
        disable_wanted_ = false;
        pace_.set_budget(budget_ns);
        return true;
    }
    if (enabled_ && !inside_) {
        disable();  // CPython has collected without telling: the list may be in any order
    }
    if (!cycle_.make(state) || !rest_.make()) {
        return false;
    }
    state_ = state;
    const bool was_called = is_called();
    if (!was_called) {
        PyObject* callback = new_callback(callback_self_);
        if (callback == nullptr) {
            return false;
        }
        callback_self_ = PyCFunction_GET_SELF(callback);
        const int failed = PyList_Append(state->callbacks, callback);
        Py_DECREF(callback);
        if (failed != 0) {
            return false;
        }
    }
    disable_wanted_ = false;
    if (enabled_ && was_called) {
        pace_.set_budget(budget_ns);
        return true;
    }
    if (!enabled_) {
        reset_statistics();
        pace_ = Pace(budget_ns);
        splice(state->list(GcState::kMiddle), state->list(GcState::kOld));
        splice(state->list(GcState::kYoung), state->list(GcState::kOld));
        state->young().count = 0;
        state->middle().count = 0;
    }
    const size_t old = size_of(state->list(GcState::kOld));
    nursery_ = 0;
    count_from_ = state_->young().count;
    pace_.set_budget(budget_ns);
    pace_.restart(old);
    stock_total_ = static_cast<double>(old);
    stock_pending_ = 0;
    enabled_ = true;
    return true;
}

void Bridge::enter() {
    inside_ = true;
    thread_ = PyThread_get_thread_ident();
}

void Bridge::leave() {
    while (forget_wanted_ || disable_wanted_) {  // what dies may want it again
        if (std::exchange(forget_wanted_, false)) {
            cycle_.forget();
        }
        if (disable_wanted_) {
            shut_down();
        }
    }
    inside_ = false;
}

// By what it is called with: of a callback that has died another object may have the address.
bool Bridge::is_callback(PyObject* op) const {
    return callback_self_ != nullptr && PyCFunction_Check(op) &&
           PyCFunction_GET_SELF(op) == callback_self_;
}

// While CPython goes over the callbacks, to remove one would make it skip the next.
void Bridge::remove_callback() {
    PyObject* list = state_->callbacks;
    for (Py_ssize_t i = PyList_GET_SIZE(list); i-- > 0;) {
        if (is_callback(PyList_GET_ITEM(list, i)) &&
            (state_->collecting == 0 || i + 1 == PyList_GET_SIZE(list)) &&
            PyList_SetSlice(list, i, i + 1, nullptr) < 0) {
            PyErr_Clear();
        }
    }
}

void Bridge::shut_down() {
    disable_wanted_ = false;
    enabled_ = false;
    remove_callback();
    end_part();
    cycle_.forget();  // what dies may enable it again
}

void Bridge::disable() {
    if (!enabled_) {
        if (is_called()) {
            remove_callback();
        }
    } else if (inside_) {
        disable_wanted_ = true;
    } else {
        enter();
        shut_down();
        leave();
    }
}

void Bridge::callback_is_gone() {
    callback_self_ = nullptr;
    if (Py_IsInitialized() != 0) {  // else its list is gone because the interpreter is
        disable();
    }
}

bool Bridge::is_called() const {
    if (state_ == nullptr || callback_self_ == nullptr) {
        return false;
    }
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(state_->callbacks); ++i) {
        if (is_callback(PyList_GET_ITEM(state_->callbacks, i))) {
            return true;
        }
    }
    return false;
}

void Bridge::reset_statistics() {
    counts_ = {};
    pauses_ = std::make_unique<Pauses>(event::monotonic_ns());
}

// Whether CPython begins this one because of allocations: it asks just that.
bool Bridge::is_automatic(int generation) const {
    const GcState::Generation& young = state_->generations[GcState::kYoung];
    return generation == GcState::kYoung && PyGC_IsEnabled() != 0 && young.threshold != 0 &&
           young.count > young.threshold;
}

void Bridge::skip_young() {
    const Py_ssize_t count = std::max(state_->young().count, 0) + nursery_;
    splice(state_->list(GcState::kMiddle), state_->list(GcState::kOld));
    splice(state_->list(GcState::kYoung), state_->list(GcState::kOld));
    state_->young().count = 0;
    nursery_ = 0;
    state_->long_lived_pending += count;
    counts_.skipped += static_cast<uint64_t>(count);
    pace_.promoted(static_cast<size_t>(count));
}

void Bridge::fill_nursery() {
    nursery_ += std::max(state_->young().count - count_from_, 0);
    splice(state_->list(GcState::kYoung), state_->list(GcState::kMiddle));
}

// Makes the nursery young, for the collection that begins, or the oldest of it, if that is long: what refers to those from
// the rest keeps them alive, and they become old. False, with nothing done, if there are too few for that: allocations were
// counted, and many have died since. Also false if there are too many by far. Then the oldest of them have become old
// unseen: they were not allocated since it was empty, but outlived others that died.
bool Bridge::empty_nursery() {
    GcHead* nursery = state_->list(GcState::kMiddle);
    const size_t full = pace_.nursery();
    const size_t most = kLongNursery * full;
    size_t size = 0;
    GcHead* part = nursery;  // its end
    for (GcHead* head = next_of(nursery); head != nursery; head = next_of(head)) {
        part = size == full ? head : part;
        if (++size == most) {
            splice_between(nursery, next_of(head), state_->list(GcState::kOld));
            state_->long_lived_pending += static_cast<Py_ssize_t>(most);
            counts_.skipped += most;
            pace_.promoted(most);
            return false;
        }
    }
    nursery_ = static_cast<Py_ssize_t>(size);
    if (size < full - full / 4) {
        return false;
    }
    is_part_ = size > full + full / 2;
    splice_between(nursery, is_part_ ? part : nursery, state_->list(GcState::kYoung));
    if (is_part_) {
        rest_.put_before(nursery);
    }
    nursery_ = is_part_ ? static_cast<Py_ssize_t>(size - full) : 0;
    return true;
}

// One of the two: what waits to be handed over, or the nursery if that has waited for long.
void Bridge::begin_automatic() {
    if (state_->young().count > state_->young().threshold + kSkipped) {
        skip_young();
        return;
    }
    fill_nursery();
    const auto full = static_cast<Py_ssize_t>(pace_.nursery());
    if (nursery_ < 2 * full && cycle_.hands_over()) {
        hand_over();
    }
    if (handed_over_ == 0 && nursery_ >= full) {
        of_nursery_ = empty_nursery();
    }
}

// What Pace allows now, with so much of the pause gone.
int64_t Bridge::allowance_ns(int64_t pause_so_far_ns) {
    return pace_.allowance_ns(cycle_, pause_so_far_ns,
                              pauses_->utilization(pause_start_ns_ + pause_so_far_ns));
}

void Bridge::hand_over() {
    const int64_t ns = on_request_ ? pace_.budget_ns() : allowance_ns(0);
    if (ns == 0) {
        return;
    }
    collector::Deadline deadline(ns);
    hand_over_stage_ = cycle_.stage();
    const size_t alone_before = cycle_.died_alone();
    handed_over_ = cycle_.hand_over(pace_.objects_in(ns, hand_over_stage_), deadline,
                                    state_->list(GcState::kYoung));
    state_->statistics(GcState::kOld).collected +=
        static_cast<Py_ssize_t>(cycle_.died_alone() - alone_before);
}

void Bridge::before_collection(int generation) {
    if (!enabled_ || inside_) {
        return;
    }
    enter();
    pause_start_ns_ = event::monotonic_ns();
    pause_start_cpu_ns_ = event::thread_cpu_ns();
    handed_over_ = 0;
    hand_over_stage_ = Stage::kIdle;
    automatic_ = is_automatic(generation);
    of_nursery_ = false;
    end_part();  // that nobody told the end of
    pending_before_ = state_->long_lived_pending;
    collected_before_ = state_->statistics(GcState::kYoung).collected;
    if (!cycle_.is_in_order()) {
        ++counts_.frozen;
        cycle_.give_up();
    }
    if (generation == GcState::kOld) {
        cycle_.give_up();
    } else if (automatic_) {
        begin_automatic();
    } else if (generation == GcState::kYoung) {
        splice(state_->list(GcState::kMiddle), state_->list(GcState::kYoung));
        nursery_ = 0;
        if (on_request_ && cycle_.hands_over()) {
            hand_over();
        }
    }
    leave();
}

void Bridge::end_part() {
    if (std::exchange(is_part_, false)) {
        rest_.take_out();
    }
}

// What is in the middle generation becomes old, but for the rest of a nursery of which a part has been collected; how many
// that is.
size_t Bridge::make_old() {
    GcHead* middle = state_->list(GcState::kMiddle);
    GcHead* after = middle;
    size_t count = 0;
    for (GcHead* head = next_of(middle); head != middle; head = next_of(head)) {
        ++count;
        if (is_part_ && head == rest_.head()) {
            after = head;
            count = 0;
        }
    }
    splice_between(after, middle, state_->list(GcState::kOld));
    end_part();
    state_->long_lived_pending += static_cast<Py_ssize_t>(count);
    return count;
}

// The program has asked for a collection of young objects, or of the middle, whose survivors CPython makes old. Survivors
// of young ones are kept as a nursery, as long as that is not longer than others are: they would be looked at each time.
void Bridge::note_requested(int generation) {
    size_t promoted = 0;
    if (generation == GcState::kMiddle) {
        promoted = static_cast<size_t>(
            std::max<Py_ssize_t>(state_->long_lived_pending - pending_before_, 0));
    } else if (generation == GcState::kYoung &&
               size_of(state_->list(GcState::kMiddle)) > pace_.nursery()) {
        promoted = make_old();
    }
    pace_.promoted(promoted);
    note_stock(promoted);
}

// CPython makes a full collection when a quarter as many have become old as survived the last one, after a hundred
// collections of young objects at least.
void Bridge::note_stock(size_t promoted) {
    stock_pending_ += static_cast<double>(promoted);
    if (stock_pending_ > 10'000 && stock_pending_ > stock_total_ / 4) {
        ++counts_.stock_collections;
        counts_.stock_total_ns += pace_.full_ns();
        counts_.stock_longest_ns = std::max(counts_.stock_longest_ns, pace_.full_ns());
        stock_total_ = static_cast<double>(pace_.old_objects());
        stock_pending_ = 0;
    }
}

// CPython makes a full collection after so many allocations at the earliest, by the thresholds that the program has set.
double Bridge::least_between_full() const {
    double allocations = std::max(state_->generations[GcState::kYoung].threshold, 1);
    for (const int above : {GcState::kMiddle, GcState::kOld}) {
        allocations *= std::max(state_->generations[static_cast<size_t>(above)].threshold, 0) + 1.0;
    }
    return allocations;
}

void Bridge::begin_cycle(const char* trigger) {
    cycle_trigger_ = trigger;
    pace_.begin(least_between_full());
    cycle_.begin();
    cycle_start_ns_ = event::monotonic_ns();
    cycle_start_stopped_ns_ = pauses_->all().total_ns();
    cycle_cpu_ns_ = 0;
}

void Bridge::note_end() {
    const Cycle::Report& report = cycle_.report();
    const auto took_ns = static_cast<double>(event::monotonic_ns() - cycle_start_ns_);
    const auto stopped_ns =
        static_cast<double>(pauses_->all().total_ns() - cycle_start_stopped_ns_);
    pace_.end(report, 1 - stopped_ns / std::max(took_ns, 1.0));
    if (report.given_up) {
        ++counts_.given_up;
    } else {
        ++counts_.cycles;
        counts_.traced += report.alive;
        counts_.candidates += report.unreached();
        counts_.refused += report.refused;
        counts_.largest = std::max<uint64_t>(counts_.largest, report.largest);
        const auto survivors =
            static_cast<Py_ssize_t>(report.objects - std::min(report.garbage, report.objects));
        state_->long_lived_total = survivors;
        state_->long_lived_pending = 0;
        // As a full collection of CPython's: gc.get_stats() shows cycles where it shows those.
        ++state_->statistics(GcState::kOld).collections;
    }
    record_cycle();
}

// A slice that began in that stage took so much CPU time.
void Bridge::note_slice(Stage stage, int64_t took_ns) {
    ++counts_.slices;
    counts_.stage_ns[static_cast<size_t>(stage)] += took_ns;
    cycle_cpu_ns_ += took_ns;
    counts_.table_bytes = std::max<uint64_t>(counts_.table_bytes, cycle_.bytes());
    if (cycle_.is_idle()) {
        note_end();
    }
}

void Bridge::make_slice() {
    if (!cycle_.needs_slice()) {
        return;
    }
    const int64_t ns = allowance_ns(event::monotonic_ns() - pause_start_ns_);
    if (ns == 0) {
        return;
    }
    const Stage stage = cycle_.stage();
    const size_t passed = cycle_.passed();
    collector::Deadline deadline(ns);
    cycle_.slice(deadline);
    // With CPython's collection of nothing, as each has one. What the machine gives to others meanwhile costs the program
    // time, and is not what a slice costs.
    const int64_t took_ns = event::thread_cpu_ns() - pause_start_cpu_ns_;
    pace_.paid(took_ns);
    if (cycle_.stage() == stage && cycle_.passed() > passed) {
        pace_.measured(stage, cycle_.passed() - passed, took_ns);
    }
    note_slice(stage, took_ns);
}

void Bridge::after_collection(int generation) {
    if (!enabled_ || inside_ || pause_start_ns_ == 0) {
        return;
    }
    enter();
    Cause cause = Cause::kYoung;
    if (generation == GcState::kOld) {
        cause = Cause::kFull;
        pace_.restart(static_cast<size_t>(state_->long_lived_total));
        stock_total_ = static_cast<double>(state_->long_lived_total);
        stock_pending_ = 0;
    } else if (hand_over_stage_ != Stage::kIdle) {
        cause = handed_over_ != 0 ? Cause::kBatch : Cause::kSlice;
        const int64_t took_ns = event::thread_cpu_ns() - pause_start_cpu_ns_;
        counts_.batches += handed_over_ != 0;
        counts_.found += handed_over_;
        pace_.paid(took_ns);
        pace_.measured(hand_over_stage_, handed_over_, took_ns);
        counts_.stage_ns[static_cast<size_t>(hand_over_stage_)] += took_ns;
        cycle_cpu_ns_ += took_ns;
        // What was found is the old generation's, as far as it was collected at all.
        const Py_ssize_t collected =
            state_->statistics(GcState::kYoung).collected - collected_before_;
        const auto old = std::min(collected, static_cast<Py_ssize_t>(handed_over_));
        state_->statistics(GcState::kYoung).collected -= old;
        state_->statistics(GcState::kOld).collected += old;
    }
    if (of_nursery_ || (on_request_ && generation == GcState::kYoung)) {
        const int64_t took_ns = event::thread_cpu_ns() - pause_start_cpu_ns_;
        const Py_ssize_t dead = state_->statistics(GcState::kYoung).collected - collected_before_;
        const size_t promoted = make_old();
        pace_.promoted(promoted);
        note_stock(promoted);
        if (of_nursery_) {
            pace_.nursery_took(promoted + static_cast<size_t>(std::max<Py_ssize_t>(dead, 0)),
                               took_ns);
        }
    } else if (!automatic_) {
        note_requested(generation);
    }
    if (automatic_ && cycle_.is_idle() && pace_.is_due(least_between_full())) {
        begin_cycle("allocation");
    }
    if (automatic_ && cause == Cause::kYoung && !of_nursery_) {
        const uint64_t slices = counts_.slices;
        make_slice();
        cause = counts_.slices != slices ? Cause::kSlice : cause;
    }
    GcState::Generation& young = state_->young();
    if (automatic_ && young.count >= 0) {
        young.count = young.threshold - pace_.next_after(young.threshold, !cycle_.is_idle(),
                                                         static_cast<size_t>(nursery_));
    }
    count_from_ = young.count;
    nursery_ = generation == GcState::kYoung ? nursery_ : 0;
    // Else what the program asks for would add up to a collection of the middle or to a full one.
    for (const int above : {GcState::kMiddle, GcState::kOld}) {
        GcState::Generation& it = state_->generations[static_cast<size_t>(above)];
        it.count = automatic_ || it.count >= it.threshold ? 0 : it.count;
    }
    end_pause(generation, cause);
    leave();
}

void Bridge::end_pause(int generation, Cause cause) {
    const int64_t end_ns = event::monotonic_ns();
    const int64_t cpu_ns = event::thread_cpu_ns() - pause_start_cpu_ns_;
    pauses_->add(cause, pause_start_ns_, end_ns, cpu_ns);
    if (recorder_.is_on()) {
        Event pause{.phase = "pause"};
        pause.is_pause = true;
        pause.cycle = cycle_.ended() + 1;
        pause.generation = cause == Cause::kYoung ? generation : GcState::kOld;
        pause.start_ns = pause_start_ns_;
        pause.end_ns = end_ns;
        pause.cpu_ns = cpu_ns;
        pause.condemned = handed_over_;
        recorder_.write(pause);
    }
    pause_start_ns_ = 0;
}

void Bridge::record_cycle() {
    if (!recorder_.is_on()) {
        return;
    }
    const Cycle::Report& report = cycle_.report();
    Event cycle{.phase = "cycle"};
    cycle.cycle = cycle_.ended();
    cycle.generation = GcState::kOld;
    cycle.trigger = cycle_trigger_;
    cycle.start_ns = cycle_start_ns_;
    cycle.end_ns = event::monotonic_ns();
    cycle.cpu_ns = cycle_cpu_ns_;
    cycle.objects = report.objects;
    cycle.candidates = report.unreached();
    cycle.condemned = report.garbage;
    cycle.rejected = cycle.candidates > report.garbage ? cycle.candidates - report.garbage : 0;
    cycle.freed = report.garbage;
    cycle.rss_bytes = event::mapped().resident_bytes;
    recorder_.write(cycle);
}

bool Bridge::step(bool begin) {
    if (!enabled_ || inside_ || state_->collecting != 0) {
        return false;
    }
    enter();
    pause_start_ns_ = event::monotonic_ns();
    pause_start_cpu_ns_ = event::thread_cpu_ns();
    handed_over_ = 0;
    if (!cycle_.is_in_order()) {
        ++counts_.frozen;
        cycle_.give_up();
    }
    if (begin && cycle_.is_idle()) {
        begin_cycle("request");
    }
    const Stage stage = cycle_.stage();
    const bool worked = cycle_.needs_slice();
    if (worked) {
        collector::Deadline deadline(pace_.budget_ns());
        cycle_.slice(deadline);
        note_slice(stage, event::thread_cpu_ns() - pause_start_cpu_ns_);
        end_pause(GcState::kOld, Cause::kSlice);
    }
    pause_start_ns_ = 0;
    leave();
    return !cycle_.is_idle();
}

void Bridge::after_fork() {
    recorder_.forget();
    if (!enabled_) {
        return;
    }
    if (inside_ && thread_ == PyThread_get_thread_ident()) {
        forget_wanted_ = true;
    } else {
        enter();  // if another thread was inside, it is not in this process
        cycle_.forget();
        pause_start_ns_ = 0;
        leave();
    }
    reset_statistics();
}

}  // namespace ouro::bridge
