#include "core/mutator/world.hpp"

#include <pthread.h>

#include <array>
#include <atomic>
#include <chrono>
#include <new>
#include <thread>

#include "concurrency/point/point.hpp"
#include "core/mutator/hooks.hpp"
#include "core/mutator/traversal.hpp"
#include "core/option/settings.hpp"

namespace ouro::mutator {
namespace {

// So many bytes may wait before a thread stops the world to free what it has put there.
constexpr size_t kLimboLimit = size_t{16} << 20;

std::atomic<uint64_t> running{0};  // the number of the run; 0: none
uint64_t runs = 0;
pthread_t main_thread;
std::atomic<bool> help_wanted{false};
std::atomic<bool> closed{false};
bool forbidden = false;
// Whether the calling thread has closed it.
constinit thread_local bool closer = false;

void free_buffer(void* p) {
    heap::free(p);
}

}  // namespace

std::atomic<bool> free_threaded{false};

// Never destroyed: threads of a finalized runtime may still wait in them when the process ends.
thread::World& world = *new thread::World;
thread::GlobalLock& global_lock = *new thread::GlobalLock(world);
reclaim::Limbo& limbo = *new reclaim::Limbo(heap::epochs(), free_buffer);

constinit Hooks hooks;

void start() {
    free_threaded.store(option::settings().refcount != option::Policy::kGil,
                        std::memory_order_relaxed);
    become_main_thread();
    closed.store(false, std::memory_order_relaxed);
    heap::reuse_blocks_late(is_free_threaded());
    // release: pairs with runtime_number, in threads that find the runtime initialised.
    running.store(++runs, std::memory_order_release);
}

void stop() {
    running.store(0, std::memory_order_release);
    closer = false;
}

void close() {
    const StatesHeld held;  // a fork is not half prepared
    closer = true;
    const Stopped stopped;
    // Who attaches after this sees it: it has waited for the end of the stop, or for the lock.
    closed.store(true, std::memory_order_relaxed);
}

void forbid_use() {
    forbidden = true;
    closed.store(true, std::memory_order_relaxed);
}

bool is_forbidden() {
    return forbidden;
}

bool is_closer() {
    return closer;
}

bool is_closed() {
    return closed.load(std::memory_order_relaxed) && !closer;
}

uint64_t runtime_number() {
    return running.load(std::memory_order_acquire);
}

void become_main_thread() {
    main_thread = pthread_self();
}

bool is_main_thread() {
    return pthread_equal(main_thread, pthread_self()) != 0;
}

uint32_t owner_word(const PyThreadState* state) {
    switch (option::settings().refcount) {
        case option::Policy::kGil:
            return OURO_OWNER_WORD(OURO_OWNER_FIRST);
        case option::Policy::kBiased:
            return OURO_OWNER_WORD(state->thread->index());
        case option::Policy::kAtomic:
            break;
    }
    return OURO_OWNER_WORD(OURO_OWNER_UNATTACHED);
}

Stopped::Stopped() {
    if (is_free_threaded()) {
        quiesce();
        is_its_own_ = world.stop(current->thread, &report_) == thread::Error::kNone;
        if (is_closed()) {
            (void)world.start(current->thread);
            stay_if_closed();
        }
        heap::epochs().quiesce_all();
    } else {
        ++current->stops;
    }
}

Stopped::~Stopped() {
    if (!is_free_threaded()) {
        --current->stops;
    } else if (is_its_own_) {
        (void)world.start(current->thread);
    }
}

void let_others_run(int64_t ns) {
    PyThreadState* state = current;
    detach_to_wait();
    std::this_thread::sleep_for(std::chrono::nanoseconds(ns));
    (void)attach(state);  // its own state, which nobody else attaches meanwhile
}

bool prepare_to_free_late() {
    if (!is_free_threaded()) {
        return true;
    }
    // A thread that only fills containers comes to no safepoint. What it has read of one it holds under
    // its lock, which it keeps: nothing of it can be freed here.
    if (current->limbo_due && limbo.bytes() > kLimboLimit) {
        quiesce();
        reclaim_limbo();
    }
    try {
        current->limbo->prepare();
    } catch (const std::bad_alloc&) {
        return false;
    }
    return true;
}

void free_late(void* p) {
    if (p == nullptr) {
        return;
    }
    if (is_free_threaded()) {
        current->limbo_due |= limbo.defer(*current->limbo, p, heap::usable_size(p));
    } else {
        heap::free(p);
    }
}

void reclaim_large() {
    if (heap::waiting_large_bytes() == 0) {
        return;
    }
    quiesce();
    heap::reuse_large_passed();
    if (heap::waiting_large_bytes() > kLimboLimit && !world.stopped_by(current->thread)) {
        {
            const Stopped stopped;
        }
        wait_for_traversal();
        heap::reuse_large_passed();
    }
}

void reclaim_limbo() {
    give_back_freed_beside(current);
    reclaim_large();
    PyThreadState* state = current;
    if (!state->limbo_due) {
        return;
    }
    limbo.close(*state->limbo);  // so that this thread need not be waited for
    quiesce();
    OURO_POINT("limbo.reclaim");
    limbo.reclaim(*state->limbo);
    if (limbo.bytes() > kLimboLimit && state->limbo->size() > 0 &&
        !world.stopped_by(state->thread)) {
        const Stopped stopped;
        limbo.reclaim_all(*state->limbo);
        limbo.reclaim_left();
    }
    state->limbo_due = state->limbo->size() > 0;
}

size_t limbo_bytes() {
    return limbo.bytes() + freed_beside_bytes();
}

void ask_for_help() {
    // release: pairs with help, which finds the thread outside.
    help_wanted.store(true, std::memory_order_release);
}

void help() {
    if (!help_wanted.load(std::memory_order_relaxed)) {
        return;
    }
    (void)help_wanted.exchange(false, std::memory_order_acquire);
    // A few at a time; the registry may not be held while objects die.
    std::array<uint32_t, 16> blocked;
    size_t count = 0;
    world.for_each([&](thread::Thread& t) {
        const thread::State state = t.state();
        if (state == thread::State::kAttached || (t.requests() & thread::kDrainQueue) == 0) {
            return;
        }
        if (state == thread::State::kDetached && count < blocked.size()) {
            blocked[count++] = t.index();
        } else if (!t.waits()) {
            ask_for_help();  // too many, or one that somebody else holds at this moment
        }
    });
    for (size_t i = 0; i < count; ++i) {
        OURO_POINT("help");
        hooks.merge_for(blocked[i]);
    }
}

}  // namespace ouro::mutator
