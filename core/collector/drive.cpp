#include "core/collector/drive.hpp"

#include "core/collector/collecting.hpp"
#include "core/collector/pause.hpp"
#include "core/option/settings.hpp"

namespace ouro::collector {
namespace {

// A thread that stops the world waits for this one for so long at most.
constexpr int64_t kPrivateNs = 1'000'000;

// Whoever waits for the end of a collection looks whether user code comes back from object to object.
constexpr int64_t kCodeNs = 1'000'000;

Deadline budget() {
    return Deadline(option::settings().pause_budget_ns());
}

// Slices in one stop while `may_go_on`, and, if it is `budgeted`, until the budget is spent.
template <class MayGoOn>
size_t work_in_pause(Collection& collection, bool budgeted, const MayGoOn& may_go_on) {
    Pause pause(collection.cycle());
    Deadline deadline = budgeted ? budget() : Deadline::none();  // from when all have stopped
    const size_t before = collection.event().objects;
    do {
        collection.step(deadline, World::kStopped);
    } while (may_go_on(collection.needs()) && !deadline.has_passed_now());
    if (collection.event().objects != before) {
        pause.event().objects = collection.event().objects;
        pause.event().candidates = collection.event().candidates;
        pause.event().bytes = collection.event().bytes;
    }
    return pause.running();
}

}  // namespace

size_t drive(Collection& collection, bool in_one_stop) {
    collection_begins();
    size_t running = 0;
    for (Needs needs = collection.needs(); needs != Needs::kNothing; needs = collection.needs()) {
        slice_is_done();  // the one before
        if (needs == Needs::kUserCode) {
            const InCode code;
            Deadline deadline(kCodeNs);
            collection.run_code(deadline);
            continue;
        }
        if (needs == Needs::kNoHeapAccess) {
            Deadline deadline(kPrivateNs);
            collection.step(deadline, World::kRunning);
            if (mutator::poll()) {
                mutator::safepoint();
            }
            continue;
        }
        const int64_t start_ns = event::monotonic_ns();
        const size_t ran = work_in_pause(collection, !in_one_stop, [&](Needs next) {
            return next == Needs::kStop || next == Needs::kConcurrent ||
                   (next == Needs::kNoHeapAccess && (in_one_stop || collection.is_small()));
        });
        running = running == 0 ? ran : running;
        if (ran > 1 && collection.needs() != Needs::kUserCode) {
            mutator::let_others_run(event::monotonic_ns() - start_ns);
        }
    }
    return running;
}

void drive_slice(Collection& collection) {
    collection_begins();
    if (collection.needs() == Needs::kUserCode) {
        Deadline deadline = budget();
        const event::Span wait(OURO_PHASE_WAIT, collection.cycle());
        const InCode code;
        collection.run_code(deadline);
        return;
    }
    (void)work_in_pause(collection, true, [](Needs next) {
        return next != Needs::kUserCode && next != Needs::kNothing;
    });
}

}  // namespace ouro::collector
