// The right to collect: one thread has it at a time. Others may wait until it is free.
#pragma once

#include <cstdint>

namespace ouro::collector {

// Tries to take the right to collect. If it is the calling thread's, no other thread collects while this lives.
class Collecting {
public:
    Collecting();
    ~Collecting();
    Collecting(const Collecting&) = delete;
    Collecting& operator=(const Collecting&) = delete;

    explicit operator bool() const { return mine_; }

private:
    const bool mine_;
};

// Whether a thread collects, the calling one or another.
bool is_collecting();
// Whether another thread does. The caller is attached.
bool others_collect();

// In the child of a fork: if another thread of the parent collected, the right is free again.
void collecting_after_fork();

// Reports progress of the collecting thread to those that wait: a slice is done. An InCode lives while that thread runs
// user code, which may never return.
void slice_is_done();
class InCode {
public:
    InCode();
    ~InCode();
    InCode(const InCode&) = delete;
    InCode& operator=(const InCode&) = delete;
};

// Waits, outside, until the collecting thread is done, or runs user code that need not be waited for
// (finalizer_watchdog.hpp): then waiting is hopeless until it has done another slice. The caller is attached.
void wait_until_collected(int64_t limit_ns = INT64_MAX / 2);
bool is_hopeless();

// Whether the calling thread is the one that collects, whatever its thread state.
bool is_collecting_thread();
// No thread begins to collect from now on. Waits as above for the one that does, for 100 ms at most.
void reserve_collecting();
// The thread that collected never returns: the right is free again. Pre: the caller is alone.
void forget_collecting();

}  // namespace ouro::collector
