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
bool is_collected_beside();

// The collecting thread has done a slice: whoever waits may hope. While it runs code of the program's, which may
// not come back, it says so.
void slice_is_done();
class InCode {
public:
    InCode();
    ~InCode();
    InCode(const InCode&) = delete;
    InCode& operator=(const InCode&) = delete;
};

// Waits, outside, until the thread that collects is done, or runs code that need not be waited for (patience.hpp):
// then it is hopeless to wait until it has done another slice. Attached threads.
void wait_until_collected();
bool is_hopeless();

// Who collected is not there any more. Pre: nobody else can begin.
void forget_collecting();

}  // namespace ouro::collector
