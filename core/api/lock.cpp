// Locks, critical sections and threads of the system: the documented functions.
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <new>

#include "core/include/Python.h"
#include "core/mutator/critical_section.hpp"
#include "core/mutator/misuse.hpp"

using namespace ouro;
using mutator::lock_of;
using mutator::refuse;
using mutator::require_attached;

namespace {

// Of new threads; 0: as the system has it. CPython refuses smaller ones, too.
std::atomic<size_t> stack_size{0};
constexpr size_t kLeastStack = 0x8000;

void unlock(const char* function, thread::ByteLock& lock) {
    if (lock.unlock() != thread::Error::kNone) {
        refuse(function, "the lock is not locked");
    }
}

void begin(const char* function, PyCriticalSection* section, PyMutex* a, PyMutex* b) {
    require_attached(function);
    if (mutator::is_free_threaded()) {
        mutator::begin(section, a, b);
    }
}

void end(const char* function, PyCriticalSection* section) {
    require_attached(function);
    if (mutator::is_free_threaded() && !mutator::end(section)) {
        refuse(function, "it is not the critical section that the thread began last");
    }
}

thread::ByteLock* old_lock(PyThread_type_lock lock) {
    return static_cast<thread::ByteLock*>(lock);
}

struct Start {
    void (*function)(void*);
    void* arg;
};

void* run(void* p) {
    const std::unique_ptr<Start> start(static_cast<Start*>(p));
    start->function(start->arg);
    return nullptr;
}

}  // namespace

void PyMutex_Lock(PyMutex* mutex) {
    lock_of(mutex).lock(mutator::Outside());
}

void PyMutex_Unlock(PyMutex* mutex) {
    unlock("PyMutex_Unlock", lock_of(mutex));
}

int PyMutex_IsLocked(PyMutex* mutex) {
    return lock_of(mutex).is_locked();
}

void PyCriticalSection_Begin(PyCriticalSection* section, PyObject* op) {
    begin("PyCriticalSection_Begin", section, mutator::mutex_of(op), nullptr);
}

void PyCriticalSection_BeginMutex(PyCriticalSection* section, PyMutex* mutex) {
    begin("PyCriticalSection_BeginMutex", section, mutex, nullptr);
}

void PyCriticalSection_End(PyCriticalSection* section) {
    end("PyCriticalSection_End", section);
}

void PyCriticalSection2_Begin(PyCriticalSection2* section, PyObject* a, PyObject* b) {
    begin("PyCriticalSection2_Begin", &section->_base, mutator::mutex_of(a), mutator::mutex_of(b));
}

void PyCriticalSection2_BeginMutex(PyCriticalSection2* section, PyMutex* a, PyMutex* b) {
    begin("PyCriticalSection2_BeginMutex", &section->_base, a, b);
}

void PyCriticalSection2_End(PyCriticalSection2* section) {
    end("PyCriticalSection2_End", &section->_base);
}

PyThread_type_lock PyThread_allocate_lock(void) {
    return new (std::nothrow) thread::ByteLock;
}

void PyThread_free_lock(PyThread_type_lock lock) {
    delete old_lock(lock);
}

int PyThread_acquire_lock(PyThread_type_lock lock, int wait) {
    if (wait == NOWAIT_LOCK) {
        return old_lock(lock)->try_lock();
    }
    old_lock(lock)->lock(mutator::Outside());
    return 1;
}

PyLockStatus PyThread_acquire_lock_timed(PyThread_type_lock lock, PY_TIMEOUT_T microseconds, int) {
    if (microseconds < 0) {
        old_lock(lock)->lock(mutator::Outside());
        return PY_LOCK_ACQUIRED;
    }
    int64_t ns;
    int64_t deadline;
    if (__builtin_mul_overflow(microseconds, 1000, &ns) ||
        __builtin_add_overflow(thread::SystemSync::now_ns(), ns, &deadline)) {
        deadline = thread::kForever;
    }
    return old_lock(lock)->lock_until(deadline, mutator::Outside()) ? PY_LOCK_ACQUIRED
                                                                    : PY_LOCK_FAILURE;
}

void PyThread_release_lock(PyThread_type_lock lock) {
    unlock("PyThread_release_lock", *old_lock(lock));
}

unsigned long PyThread_start_new_thread(void (*function)(void*), void* arg) {
    std::unique_ptr<Start> start(new (std::nothrow) Start{function, arg});
    pthread_attr_t attributes;
    if (start == nullptr || pthread_attr_init(&attributes) != 0) {
        return PYTHREAD_INVALID_THREAD_ID;
    }
    const size_t size = stack_size.load(std::memory_order_relaxed);
    if (size != 0) {
        pthread_attr_setstacksize(&attributes, size);
    }
    pthread_t thread;
    const int error = pthread_create(&thread, &attributes, run, start.get());
    pthread_attr_destroy(&attributes);
    if (error != 0) {
        return PYTHREAD_INVALID_THREAD_ID;
    }
    (void)start.release();  // the thread's now
    pthread_detach(thread);
    return static_cast<unsigned long>(thread);
}

unsigned long PyThread_get_thread_ident(void) {
    return static_cast<unsigned long>(pthread_self());
}

unsigned long PyThread_get_thread_native_id(void) {
    return static_cast<unsigned long>(gettid());
}

void PyThread_exit_thread(void) {
    pthread_exit(nullptr);
}

size_t PyThread_get_stacksize(void) {
    return stack_size.load(std::memory_order_relaxed);
}

int PyThread_set_stacksize(size_t size) {
    if (size != 0 && size < kLeastStack) {
        return -1;
    }
    stack_size.store(size, std::memory_order_relaxed);
    return 0;
}
