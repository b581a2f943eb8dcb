// Locks on objects, as the built-in types use them and as the public functions are made of.
//
//     const Guard guard(op);             // nothing under policy gil
//     const GuardTwo guard(a, b);
//
// A guard's locks are released while its thread is detached or stopped: after anything that may reach a safepoint,
// what it protects must be read anew.
#pragma once

#include "concurrency/thread/byte_lock.hpp"
#include "core/mutator/world.hpp"

namespace ouro::mutator {

// Detaches the calling thread, if it is attached, while it waits for a lock.
class Outside {
public:
    void detach();
    void attach();
    void woken(thread::ByteLock& lock, bool handed_over);

private:
    PyThreadState* state_ = nullptr;
};

// The lock of an object: its byte in the side tables, or, outside them, one that it shares with
// others.
PyMutex* mutex_of(const void* op);
inline thread::ByteLock& lock_of(PyMutex* mutex) {
    return thread::ByteLock::at(&mutex->_bits);
}

// Begins a section that holds `a` and, if it is not nullptr, `b`. The calling thread is attached.
void begin(PyCriticalSection* section, PyMutex* a, PyMutex* b);
// Ends it. False if it is not the innermost one.
bool end(PyCriticalSection* section);

// Detach suspends the sections that a thread is in, which releases their locks; attach resumes them.
void suspend_sections(PyThreadState* state);
void resume_sections(PyThreadState* state);
// Releases the locks of sections, and one handed over during a wait, for a thread that never returns.
void let_go_of_locks(PyThreadState* state);

class Guard {
public:
    explicit Guard(const void* op) : locked_(is_free_threaded()) {
        if (locked_) {
            begin(&section_, mutex_of(op), nullptr);
        }
    }
    ~Guard() {
        if (locked_) {
            end(&section_);
        }
    }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

private:
    const bool locked_;
    PyCriticalSection section_{};
};

class GuardTwo {
public:
    GuardTwo(const void* a, const void* b) : locked_(is_free_threaded()) {
        if (locked_) {
            begin(&section_, mutex_of(a), mutex_of(b));
        }
    }
    ~GuardTwo() {
        if (locked_) {
            end(&section_);
        }
    }
    GuardTwo(const GuardTwo&) = delete;
    GuardTwo& operator=(const GuardTwo&) = delete;

private:
    const bool locked_;
    PyCriticalSection section_{};
};

}  // namespace ouro::mutator
