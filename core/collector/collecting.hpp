// The right to collect: one thread has it at a time. Others may wait until it is free.
#pragma once

#include <cstdint>

namespace ouro::collector {

// What the right is wanted for: a collection; or to look whether something is due, which needs it, too.
enum class Purpose : uint8_t { kCollect, kLook };

// Tries to take the right to collect. If it is the calling thread's, no other thread collects while this lives. Who only
// looks refuses nobody a collection: others wait for that, and come first.
class Collecting {
public:
    explicit Collecting(Purpose purpose = Purpose::kCollect);
    ~Collecting();
    Collecting(const Collecting&) = delete;
    Collecting& operator=(const Collecting&) = delete;

    explicit operator bool() const { return mine_; }

private:
    const bool mine_;
};

// The calling thread no longer only looks, if it did. To be called before it stops the world or runs user code.
void collection_begins();

// Whether a thread has the right, the calling one or another.
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
