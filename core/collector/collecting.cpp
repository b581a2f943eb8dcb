#include "core/collector/collecting.hpp"

#include <unistd.h>

#include <atomic>
#include <climits>

#include "concurrency/thread/sync.hpp"
#include "core/collector/patience.hpp"
#include "core/mutator/state.hpp"

namespace ouro::collector {
namespace {

using Sync = thread::SystemSync;

// What waiters sleep on: how often somebody has been done with collecting, above two bits: somebody collects, and
// others wait for the end of that.
constexpr uint32_t kTaken = 1;
constexpr uint32_t kAwaited = 2;
constexpr uint32_t kNext = 4;
std::atomic<uint32_t> turn{0};

bool is_taken(uint32_t word) {
    return (word & kTaken) != 0;
}

std::atomic<const PyThreadState*> collecting_state{nullptr};  // of who has it; only compared
std::atomic<pid_t> collecting_thread{0};

std::atomic<uint64_t> slices{0};
std::atomic<bool> in_code{false};
// The slice in which somebody lost patience.
std::atomic<uint64_t> hopeless{UINT64_MAX};

// Code of the program's is looked at so often, and has so much time for a slice.
constexpr int64_t kLookNs = 10'000'000;
constexpr int64_t kPatienceNs = 100'000'000;

}  // namespace

Collecting::Collecting()
    : mine_([] {
          uint32_t seen = turn.load(std::memory_order_relaxed);
          // acquire: sees what the last one did.
          return !is_taken(seen) &&
                 turn.compare_exchange_strong(seen, seen | kTaken, std::memory_order_acquire,
                                              std::memory_order_relaxed);
      }()) {
    if (mine_) {
        collecting_state.store(mutator::current, std::memory_order_relaxed);
        collecting_thread.store(gettid(), std::memory_order_relaxed);
    }
}

Collecting::~Collecting() {
    if (mine_) {
        forget_collecting();
    }
}

void forget_collecting() {
    collecting_state.store(nullptr, std::memory_order_relaxed);
    slice_is_done();
    uint32_t seen = turn.load(std::memory_order_relaxed);
    // release: to who collects next.
    while (!turn.compare_exchange_weak(seen, (seen & ~(kTaken | kAwaited)) + kNext,
                                       std::memory_order_release, std::memory_order_relaxed)) {
    }
    if ((seen & kAwaited) != 0) {
        Sync::wake(turn, INT_MAX);
    }
}

bool is_collecting() {
    return is_taken(turn.load(std::memory_order_relaxed));
}

bool is_collected_beside() {
    return is_collecting() && collecting_state.load(std::memory_order_relaxed) != mutator::current;
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

void wait_until_collected() {
    const uint32_t taken = turn.load(std::memory_order_relaxed) | kTaken | kAwaited;
    const pid_t thread = collecting_thread.load(std::memory_order_relaxed);
    if (thread == gettid()) {
        return;  // with another state than it collects with
    }
    PyThreadState* state = mutator::current;
    mutator::detach_to_wait();
    Patience patience(kPatienceNs);
    for (;;) {
        uint32_t seen = turn.load(std::memory_order_relaxed);
        if ((seen | kTaken | kAwaited) != taken || !is_taken(seen)) {
            break;
        }
        if (seen != taken && !turn.compare_exchange_weak(seen, taken, std::memory_order_relaxed,
                                                         std::memory_order_relaxed)) {
            continue;
        }
        const uint64_t slice = slices.load(std::memory_order_relaxed);
        if (!Sync::wait(turn, taken, Sync::now_ns() + kLookNs) &&
            in_code.load(std::memory_order_relaxed) &&
            patience.is_over(slice, activity_of(thread))) {
            hopeless.store(slice, std::memory_order_relaxed);
            break;
        }
    }
    (void)mutator::attach(state);  // its own, which nobody else attaches meanwhile
}

}  // namespace ouro::collector
