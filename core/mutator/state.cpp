#include "core/mutator/state.hpp"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <new>
#include <utility>

#include "concurrency/point/point.hpp"
#include "core/mutator/allocation_trigger.hpp"
#include "core/mutator/critical_section.hpp"
#include "core/mutator/hooks.hpp"
#include "core/mutator/misuse.hpp"
#include "core/mutator/traversal.hpp"
#include "core/mutator/world.hpp"

namespace ouro::mutator {
namespace {

std::atomic<uint64_t> next_id{1};
// Of the calling thread; it may have ended.
constinit thread_local LastDetached detached_last;
thread::ByteLock states_held;

bool is_finalized(const PyThreadState* state) {
    return state->runtime != runtime_number() || is_closed();
}

// Fills the thread-local variables.
void enter(PyThreadState* state) {
    current = state;
    state->was_used = true;
    error = std::exchange(state->error, Indicator{});
    _Ouro_ThreadWord = owner_word(state);
    heap::use(state->heap);
    heap::epochs().enter(state->reader);
    allocation_trigger.settle();
    allocation_trigger.call_at_next();  // the collector knows the right limit
}

// Empties them.
void leave(PyThreadState* state) {
    allocation_trigger.settle();
    heap::epochs().leave(state->reader);
    heap::use(nullptr);
    _Ouro_ThreadWord = OURO_OWNER_WORD(OURO_OWNER_UNATTACHED);
    state->error = std::exchange(error, Indicator{});
    current = nullptr;
    detached_last = {state, state->id};
}

void take_lock(PyThreadState* state, bool at_once) {
    if (!is_free_threaded()) {
        // It is detached, so it has not got the lock.
        (void)global_lock.take(state->thread, at_once);
    }
}

void release_lock(PyThreadState* state) {
    if (!is_free_threaded()) {
        (void)global_lock.release(state->thread);
    }
}

// A thread that finds the runtime finalized goes no further, and holds nothing of the runtime's. Pre: it is outside.
[[noreturn]] void rest_for_ever(PyThreadState* state) {
    if (is_forbidden()) {
        Py_FatalError("the child of a fork for which there was no memory uses the runtime: it may "
                      "only call exec");
    }
    // With the lock of states, so that no fork comes between, whose child could not tell which locks were released.
    // That lock may be the one that the thread was handed.
    if (state->woken_for == &states_held && state->handed_over) {
        state->woken_for = nullptr;
    } else {
        hold_states();
    }
    let_go_of_locks(state);
    release_states();
    for (;;) {
        pause();
    }
}

// The same. Pre: attached to the world, but nothing is in the thread-local variables.
[[noreturn]] void wait_for_ever(PyThreadState* state) {
    (void)world.detach(state->thread);
    release_lock(state);
    rest_for_ever(state);
}

// Goes outside, unless one of the requests `unless` is raised: those are returned.
thread::Word leave_world(PyThreadState* state, thread::Word unless) {
    thread::Word pending = 0;
    suspend_sections(state);
    leave(state);
    OURO_POINT("detach.left");
    (void)world.detach(state->thread, unless, &pending);  // it is attached
    OURO_POINT("detach.detached");
    if (pending == 0) {
        release_lock(state);
    } else {
        enter(state);
        resume_sections(state);
    }
    return pending;
}

// Gives it what a thread that uses objects needs; false without memory.
bool equip(PyThreadState* state) {
    state->limbo.reset(new (std::nothrow) reclaim::Limbo::Queue);
    state->freed_beside.reset(new (std::nothrow) reclaim::Limbo::Queue);
    if (state->limbo != nullptr && state->freed_beside != nullptr) {
        state->heap = heap::acquire_thread_heap();
    }
    if (state->heap == nullptr) {
        return false;
    }
    heap::epochs().add(state->reader);
    return true;
}

// Takes that back; once.
void strip(PyThreadState* state) {
    if (state->heap == nullptr) {
        return;
    }
    heap::epochs().remove(state->reader);
    limbo.abandon(std::move(state->limbo));
    leave_freed_beside(state);
    heap::release_thread_heap(std::exchange(state->heap, nullptr));
}

void yield(PyThreadState* state) {
    suspend_sections(state);
    leave(state);
    (void)world.detach(state->thread);
    (void)global_lock.yield(state->thread);
    (void)world.attach(state->thread);
    if (is_finalized(state)) {
        wait_for_ever(state);
    }
    enter(state);
    resume_sections(state);
}

// A thread that exits with a state attached to it would hold up every stop, or keep the lock, for ever.
// A key's destructor and not that of a thread_local object: exit() runs the latter, and a process may
// end with threads attached. It comes after the destructors of C++, which may still detach, and, as it
// looks only when it is called once more, after those of other keys.
enum Look : uintptr_t { kFirst = 1, kLast = 2 };

void look_at_exit(void* look);

pthread_key_t exit_key() {
    static const pthread_key_t key = [] {
        pthread_key_t made;
        if (pthread_key_create(&made, look_at_exit) != 0) {
            Py_FatalError("no key is left for what is kept of each thread (pthread_key_create)");
        }
        return made;
    }();
    return key;
}

void look_again(Look look) {
    (void)pthread_setspecific(exit_key(), reinterpret_cast<void*>(look));
}

void look_at_exit(void* look) {
    if (reinterpret_cast<uintptr_t>(look) == kFirst) {
        look_again(kLast);
    } else if (current != nullptr) {
        refuse("exit of a thread",
               name_of(current) + " is attached to it" +
                   (current->section != nullptr ? " and inside a critical section" : "") +
                   ": a thread must detach before it exits");
    }
}

void watch_exit() {
    static constinit thread_local bool watched = false;
    if (!watched) {
        watched = true;
        look_again(kFirst);
    }
}

}  // namespace

constinit thread_local PyThreadState* current __attribute__((tls_model("initial-exec"))) = nullptr;
constinit thread_local Indicator error __attribute__((tls_model("initial-exec"))){};

void hold_states() {
    states_held.lock(Outside());
}

void release_states() {
    (void)states_held.unlock();
}

PyThreadState* make() {
    const StatesHeld held;
    return make_held();
}

PyThreadState* make_held() {
    auto* state = new (std::nothrow)
        PyThreadState(next_id.fetch_add(1, std::memory_order_relaxed), runtime_number());
    if (state == nullptr) {
        return nullptr;
    }
    const bool equipped = equip(state);
    state->thread = equipped ? world.add(state) : nullptr;
    if (state->thread != nullptr && !hooks.register_owner(state->thread->index())) {
        (void)world.remove(state->thread, current == nullptr ? nullptr : current->thread);
        state->thread = nullptr;
    }
    if (state->thread == nullptr) {
        if (equipped) {
            strip(state);
        }
        delete state;
        return nullptr;
    }
    return state;
}

bool exists(const PyThreadState* state, uint64_t id) {
    bool found = false;
    world.for_each(
        [&](const thread::Thread& t) { found = found || (t.user == state && state->id == id); });
    return found;
}

void strip_others() {
    world.for_each([](const thread::Thread& t) {
        if (t.user != current) {
            strip(static_cast<PyThreadState*>(t.user));
        }
    });
}

LastDetached last_detached() {
    return detached_last;
}

void set_last_detached(LastDetached last) {
    detached_last = last;
}

PyThreadState* find(LastDetached last) {
    return exists(last.state, last.id) ? last.state : nullptr;
}

void strip_vanished(const PyThreadState* kept) {
    world.for_each([&](const thread::Thread& t) {
        auto* state = static_cast<PyThreadState*>(t.user);
        if (state != current && state != kept) {
            suspend_sections(state);
            let_go_of_locks(state);
            state->section = nullptr;
            heap::epochs().leave(state->reader);  // one that was stopped where it read
            strip(state);
        }
    });
}

std::array<PyObject*, 4> take_held(PyThreadState* state) {
    const Indicator held = std::exchange(state == current ? error : state->error, {});
    return {held.raised, held.handled, std::exchange(state->dict, nullptr),
            std::exchange(state->context, nullptr)};
}

void drop_held(PyThreadState* state) {
    for (bool any = true; std::exchange(any, false);) {
        for (PyObject* op : take_held(state)) {
            any = any || op != nullptr;
            Py_XDECREF(op);
        }
    }
}

void destroy(PyThreadState* state) {
    // What is left in its queue may be the last references: objects die on an attached thread.
    if (current == nullptr && !is_finalized(state)) {
        const LastDetached own = detached_last;
        (void)attach(state);
        limbo.reclaim(*state->limbo);  // and what those left who went before
        hooks.drain_queue(state->thread->index());
        drop_held(state);
        hooks.unregister_owner(state->thread->index());
        (void)leave_world(state, 0);
        detached_last = own;
    } else {
        hooks.unregister_owner(state->thread->index());
    }
    OURO_POINT("destroy.unregistered");
    const StatesHeld
        held;  // so that no fork is between, whose child would find the list's lock taken
    state->suspects.flush();
    strip(state);
    (void)world.remove(state->thread, current == nullptr ? nullptr : current->thread);
    delete state;
}

Error attach(PyThreadState* state, bool at_once) {
    const int saved_errno = errno;
    watch_exit();
    if (state->thread->state() == thread::State::kAttached) {
        return Error::kAttached;
    }
    // Asked here, so that the next run's lock is not taken, and below, because it may end meanwhile.
    if (is_finalized(state)) {
        rest_for_ever(state);
    }
    OURO_POINT("attach");
    take_lock(state, at_once);
    if (const Error problem = world.attach(state->thread); problem != Error::kNone) {
        release_lock(state);
        return problem;
    }
    if (is_finalized(state)) {
        wait_for_ever(state);
    }
    OURO_POINT("attach.attached");
    if (state->heap == nullptr && !equip(state)) {  // another one of this thread's, over a fork
        Py_FatalError("no memory for a thread state that is used in the child of a fork");
    }
    enter(state);
    resume_sections(state);
    errno = saved_errno;
    return Error::kNone;
}

void detach() {
    PyThreadState* state = current;
    give_back_freed_beside(state);
    while (leave_world(state, thread::kDrainQueue) != 0) {
        hooks.drain_queue(state->thread->index());
    }
}

void detach_to_wait() {
    const thread::Thread* self = current->thread;
    give_back_freed_beside(current);
    leave_world(current, 0);
    // Checked afterwards: a thread that queues from then on finds this one outside and merges for it.
    if ((self->requests() & thread::kDrainQueue) != 0) {
        ask_for_help();
    }
}

void safepoint() {
    PyThreadState* state = current;
    OURO_POINT("safepoint");
    quiesce();
    if (poll()) {
        // The thread that stops the world may need a lock that this thread's sections hold.
        suspend_sections(state);
        const thread::Word asked = world.safepoint(state->thread);
        stay_if_closed();
        resume_sections(state);
        if ((asked & thread::kYield) != 0) {
            if (state->stops == 0) {
                yield(state);
            } else {
                world.request(state->thread, thread::kYield);  // once it is over
            }
        }
        if ((asked & thread::kDrainQueue) != 0) {
            hooks.drain_queue(state->thread->index());
        }
    }
    reclaim_limbo();
    help();
}

void quiesce() {
    heap::epochs().quiesce(current->reader);
}

void stay_if_closed() {
    PyThreadState* state = current;
    if (is_finalized(state)) {
        suspend_sections(state);
        leave(state);
        wait_for_ever(state);
    }
}

}  // namespace ouro::mutator
