#include "core/collector/collecting.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>

#include "concurrency/thread/sync.hpp"
#include "core/collector/finalizer_watchdog.hpp"
#include "core/mutator/state.hpp"

namespace ouro::collector {
namespace {

using Sync = thread::SystemSync;

// What waiters sleep on: how often somebody has been done with collecting, above these bits: somebody has the right;
// others wait for the end of that; nobody begins any more; who has it only looks so far; a request waits for that.
constexpr uint32_t kTaken = 1;
constexpr uint32_t kAwaited = 2;
constexpr uint32_t kReserved = 4;
constexpr uint32_t kLooking = 8;
constexpr uint32_t kRequested = 16;
constexpr uint32_t kNext = 32;
std::atomic<uint32_t> turn{0};

bool is_taken(uint32_t word) {
    return (word & kTaken) != 0;
}

bool only_looks(uint32_t word) {
    return (word & kLooking) != 0;
}

std::atomic<const PyThreadState*> collecting_state{nullptr};  // of who has it; only compared
std::atomic<pid_t> collecting_thread{0};
// Whether it is the calling one.
constinit thread_local bool collecting_here = false;

std::atomic<uint64_t> slices{0};
std::atomic<bool> in_code{false};
// The slice in which somebody lost patience.
std::atomic<uint64_t> hopeless{UINT64_MAX};

// User code has so much time for a slice.
constexpr int64_t kWatchdogNs = 100'000'000;
// Of the calling thread, over all its waits: each may be shorter than what is between two looks.
constinit thread_local FinalizerWatchdog watchdog(kWatchdogNs);

// Of the turn, which loses these bits.
void end(uint32_t bits) {
    collecting_state.store(nullptr, std::memory_order_relaxed);
    slice_is_done();
    uint32_t seen = turn.load(std::memory_order_relaxed);
    // release: to who collects next.
    while (!turn.compare_exchange_weak(seen, (seen & ~bits) + kNext, std::memory_order_release,
                                       std::memory_order_relaxed)) {
    }
    if ((seen & kAwaited) != 0) {
        Sync::wake(turn, INT_MAX);
    }
}

// Of the right to look: whoever requests a collection comes first.
bool take_to_look() {
    uint32_t seen = turn.load(std::memory_order_relaxed);
    // acquire: sees what the last one did.
    return (seen & (kTaken | kReserved | kRequested)) == 0 &&
           turn.compare_exchange_strong(seen, seen | kTaken | kLooking, std::memory_order_acquire,
                                        std::memory_order_relaxed);
}

// Waits, attached, for who only looks: that thread reaches neither a safepoint nor user code before it is done, or
// collects.
bool take_to_collect() {
    uint32_t seen = turn.load(std::memory_order_relaxed);
    while ((seen & kReserved) == 0 && (!is_taken(seen) || (only_looks(seen) && !collecting_here))) {
        const uint32_t next =
            is_taken(seen) ? seen | kAwaited | kRequested : (seen & ~kRequested) | kTaken;
        // acquire: as above.
        if (seen != next && !turn.compare_exchange_weak(seen, next, std::memory_order_acquire,
                                                        std::memory_order_relaxed)) {
            continue;
        }
        if (!is_taken(seen)) {
            return true;
        }
        (void)Sync::wait(turn, next, thread::kForever);
        seen = turn.load(std::memory_order_relaxed);
    }
    return false;
}

}  // namespace

Collecting::Collecting(Purpose purpose)
    : mine_(purpose == Purpose::kLook ? take_to_look() : take_to_collect()) {
    if (mine_) {
        collecting_here = true;
        collecting_state.store(mutator::current, std::memory_order_relaxed);
        collecting_thread.store(gettid(), std::memory_order_relaxed);
    }
}

Collecting::~Collecting() {
    if (mine_) {
        collecting_here = false;
        end(kTaken | kAwaited | kLooking);
    }
}

void collection_begins() {
    uint32_t seen = turn.load(std::memory_order_relaxed);
    while (collecting_here && only_looks(seen)) {
        if (turn.compare_exchange_weak(seen, seen & ~(kLooking | kRequested | kAwaited),
                                       std::memory_order_relaxed, std::memory_order_relaxed)) {
            Sync::wake(turn, INT_MAX);
            return;
        }
    }
}

bool is_collecting() {
    return is_taken(turn.load(std::memory_order_relaxed));
}

bool others_collect() {
    return is_collecting() && collecting_state.load(std::memory_order_relaxed) != mutator::current;
}

bool is_collecting_thread() {
    return collecting_here;
}

void reserve_collecting() {
    turn.fetch_or(kReserved, std::memory_order_relaxed);
    if (is_collecting()) {
        wait_until_collected(kWatchdogNs);
    }
}

void forget_collecting() {
    end(kTaken | kAwaited | kReserved | kLooking | kRequested);
}

void collecting_after_fork() {
    if (is_collecting() && collecting_here) {
        collecting_thread.store(gettid(), std::memory_order_relaxed);
        // Who reserved it, to end the runtime, is not in the child.
        turn.fetch_and(~kReserved, std::memory_order_relaxed);
    } else {
        in_code.store(false, std::memory_order_relaxed);
        forget_collecting();
    }
}

void slice_is_done() {
    slices.fetch_add(1, std::memory_order_relaxed);
}

InCode::InCode() {
    in_code.store(true, std::memory_order_relaxed);
}

InCode::~InCode() {
    in_code.store(false, std::memory_order_relaxed);
}

bool is_hopeless() {
    return hopeless.load(std::memory_order_relaxed) == slices.load(std::memory_order_relaxed);
}

void wait_until_collected(int64_t limit_ns) {
    const uint32_t round = turn.load(std::memory_order_relaxed) / kNext;
    const pid_t thread = collecting_thread.load(std::memory_order_relaxed);
    if (collecting_here) {
        return;  // with another state than it collects with
    }
    PyThreadState* state = mutator::current;
    mutator::detach_to_wait();
    const int64_t end_ns = Sync::now_ns() + limit_ns;
    while (Sync::now_ns() < end_ns) {
        uint32_t seen = turn.load(std::memory_order_relaxed);
        if (seen / kNext != round || !is_taken(seen)) {
            break;
        }
        const uint32_t awaited = seen | kAwaited;
        if (seen != awaited && !turn.compare_exchange_weak(seen, awaited, std::memory_order_relaxed,
                                                           std::memory_order_relaxed)) {
            continue;
        }
        const uint64_t slice = slices.load(std::memory_order_relaxed);
        if (!Sync::wait(turn, awaited,
                        std::min(Sync::now_ns() + FinalizerWatchdog::kLookNs, end_ns)) &&
            in_code.load(std::memory_order_relaxed) && watchdog.may_look(Sync::now_ns()) &&
            watchdog.is_over(slice, activity_of(thread))) {
            hopeless.store(slice, std::memory_order_relaxed);
            break;
        }
    }
    (void)mutator::attach(state);  // its own, which nobody else attaches meanwhile
}

}  // namespace ouro::collector
