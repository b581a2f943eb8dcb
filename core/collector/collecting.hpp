// Who collects: one thread at a time. Others may wait for its end.
#pragma once

#include <cstdint>

namespace ouro::collector {

// Whether the calling thread may collect: nobody else does, and nobody will while this lives.
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
// Whether another one does; for an attached thread.
bool others_collect();

// In the child of a fork: if it was another thread, it is not there, and whoever is may begin.
void collecting_after_fork();

// The collecting thread has done a slice: whoever waits may hope. While it runs user code, which may
// not come back, it says so.
void slice_is_done();
class InCode {
public:
    InCode();
    ~InCode();
    InCode(const InCode&) = delete;
    InCode& operator=(const InCode&) = delete;
};

// Waits, outside, until the thread that collects is done, or runs code that need not be waited for (finalizer_watchdog.hpp):
// then it is hopeless to wait until it has done another slice. Attached threads.
void wait_until_collected(int64_t limit_ns = INT64_MAX / 2);
bool is_hopeless();

// Whether the calling thread is the one that collects, with whatever state.
bool is_collecting_thread();
// Nobody begins to collect from now on; waits as above for who does, for a while.
void reserve_collecting();
// Who collected never comes back, and whoever is there may begin. Pre: the caller is alone.
void forget_collecting();

}  // namespace ouro::collector
