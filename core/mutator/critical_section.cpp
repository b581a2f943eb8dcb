// A thread's sections form a stack, linked through the sections themselves; the low bits of a link say
// that the section which has it is suspended, or that the section around it holds its locks.
// Source: PEP 703, "Python Critical Sections".
#include "core/mutator/critical_section.hpp"

#include <array>
#include <utility>

#include "concurrency/point/point.hpp"
#include "core/heap/view.hpp"

namespace ouro::mutator {
namespace {

constexpr uintptr_t kSuspended = 1;
constexpr uintptr_t kBorrows = 2;

// For objects without side metadata.
std::array<PyMutex, 256> shared_mutexes{};

PyCriticalSection* previous_of(const PyCriticalSection* section) {
    return reinterpret_cast<PyCriticalSection*>(section->_previous & ~(kSuspended | kBorrows));
}

bool is_suspended(const PyCriticalSection* section) {
    return (section->_previous & kSuspended) != 0;
}

// While it waits the thread is detached, which releases all locks of its sections: so no thread that this one
// waits for waits for any of them.
void lock(PyMutex* mutex) {
    if (mutex != nullptr) {
        OURO_POINT("section.lock");
        lock_of(mutex).lock(Outside());
    }
}

void unlock(PyMutex* mutex) {
    if (mutex != nullptr) {
        OURO_POINT("section.unlock");
        (void)lock_of(mutex).unlock();  // a section holds what it names
    }
}

// Releases the locks that the section itself holds.
void let_go(PyCriticalSection* section) {
    if ((section->_previous & kBorrows) == 0) {
        unlock(section->_mutex2);
        unlock(section->_mutex);
    }
}

// Takes the locks, which the section does not name until it has both: a suspension while it waits releases
// neither. So the first is held during a wait for the second; all threads take them in the order of their
// addresses, so no thread that holds a second waits for a first.
void take(PyCriticalSection* section, PyMutex* a, PyMutex* b) {
    section->_mutex = nullptr;
    section->_mutex2 = nullptr;
    lock(a);
    if (b != nullptr) {
        current->first_of_two = a;
        lock(b);
        current->first_of_two = nullptr;
    }
    section->_mutex = a;
    section->_mutex2 = b;
}

}  // namespace

void Outside::detach() {
    state_ = current;
    if (state_ != nullptr) {
        detach_to_wait();
    }
}

void Outside::woken(thread::ByteLock& lock, bool handed_over) {
    if (state_ != nullptr) {
        state_->handed_over = handed_over;
        state_->woken_for = &lock;
    }
}

void Outside::attach() {
    if (state_ != nullptr) {
        (void)mutator::attach(state_);  // this thread detached it
        state_->woken_for = nullptr;
    }
}

PyMutex* mutex_of(const void* op) {
    const heap::HeapView<heap::Holding> view;
    if (const uint32_t slot = view.slot_of(op); slot != 0) {
        return reinterpret_cast<PyMutex*>(view.lock(slot));
    }
    static_assert(shared_mutexes.size() == 256);
    return &shared_mutexes[thread::scatter(op) >> 56];
}

void begin(PyCriticalSection* section, PyMutex* a, PyMutex* b) {
    PyCriticalSection* around = current->section;
    if (a == b) {
        b = nullptr;
    } else if (b != nullptr && b < a) {
        std::swap(a, b);
    }
    section->_previous = reinterpret_cast<uintptr_t>(around);
    if (around != nullptr) {
        const auto has = [&](const PyMutex* mutex) {
            return mutex == around->_mutex || mutex == around->_mutex2;
        };
        if (has(a) && (b == nullptr || has(b))) {
            // Held already, until the thread is detached: then this section takes them itself.
            section->_mutex = a;
            section->_mutex2 = b;
            section->_previous |= kBorrows;
            current->section = section;
            return;
        }
        if (has(a) || (b != nullptr && has(b))) {
            // One of the two. To keep it while the other is waited for would be out of order.
            suspend_sections(current);
        }
        // A lock that an outer section holds is released, and taken by this one, when it must wait for it.
    }
    current->section = section;
    take(section, a, b);
}

bool end(PyCriticalSection* section) {
    PyThreadState* state = current;
    if (state->section != section) {
        return false;
    }
    state->section = previous_of(section);
    let_go(section);
    resume_sections(state);
    return true;
}

void let_go_of_locks(PyThreadState* state) {
    if (thread::ByteLock* lock = std::exchange(state->woken_for, nullptr); lock != nullptr) {
        if (state->handed_over) {
            (void)lock->unlock();
        } else {
            lock->pass_on();
        }
    }
    unlock(std::exchange(state->first_of_two, nullptr));
}

void suspend_sections(PyThreadState* state) {
    for (PyCriticalSection* section = state->section; section != nullptr && !is_suspended(section);
         section = previous_of(section)) {
        let_go(section);
        section->_previous &= ~kBorrows;
        section->_previous |= kSuspended;
    }
}

void resume_sections(PyThreadState* state) {
    PyCriticalSection* section = state->section;
    if (section != nullptr && is_suspended(section)) {
        // Not suspended from here on: waiting for its locks suspends it again, without them.
        section->_previous &= ~kSuspended;
        take(section, section->_mutex, section->_mutex2);
        section->_previous &= ~kSuspended;
    }
}

}  // namespace ouro::mutator
