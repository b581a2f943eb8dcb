#include "core/mutator/fork.hpp"

#include <optional>
#include <utility>

#include "concurrency/thread/parking_lot.hpp"
#include "core/mutator/critical_section.hpp"
#include "core/mutator/world.hpp"

namespace ouro::mutator {
namespace {

// Of the thread that forks, one at a time.
std::optional<Stopped>& stopped_world = *new std::optional<Stopped>;
PyThreadState* lent = nullptr;
// Its own, if it is outside and has one; and whether that was attached, because none could be lent.
LastDetached own_detached;
PyThreadState* own_state = nullptr;
bool own_is_attached = false;

auto& lot() {
    return thread::parking_lot<thread::SystemSync>;
}

}  // namespace

Fork begin_fork() {
    hold_states();  // first: nobody closes the runtime from here on
    Fork result = Fork::kNoRuntime;
    if (runtime_number() != 0 && !is_closed()) {
        own_detached = last_detached();
        own_state = find(own_detached);
        lent = current == nullptr ? make_held() : nullptr;
        if (lent != nullptr) {
            (void)attach(lent, true);
        } else if (current == nullptr && own_state != nullptr && own_state->section == nullptr) {
            // Not inside a critical section: whoever has its locks may be waiting for the lock of states.
            own_is_attached = attach(own_state, true) == Error::kNone;
        }
        result = current == nullptr ? Fork::kNoMemory : Fork::kPrepared;
    }
    if (result != Fork::kPrepared) {
        release_states();
    }
    return result;
}

void stop_for_fork() {
    stopped_world.emplace();
    world.before_fork();
    global_lock.before_fork();
    lot().before_fork();
    heap::before_fork();
}

void start_after_fork() {
    heap::after_fork();
    lot().after_fork_in_parent();
    global_lock.after_fork_in_parent();
    world.after_fork_in_parent();
    stopped_world.reset();
}

void repair_after_fork() {
    heap::after_fork();
    lot().after_fork_in_child();
    global_lock.after_fork_in_child();
    world.after_fork_in_child(current->thread);
    stopped_world.reset();  // there is no stop any more
    become_main_thread();
    strip_vanished(lent == nullptr ? nullptr : own_state);
    ask_for_help();  // with what was queued for those that vanished while attached
}

void end_fork() {
    PyThreadState* mine = std::exchange(lent, nullptr);
    if (std::exchange(own_is_attached, false) || mine != nullptr) {
        detach_to_wait();
        set_last_detached(own_detached);
    }
    release_states();
    if (mine != nullptr) {
        destroy(mine);
    }
}

}  // namespace ouro::mutator
