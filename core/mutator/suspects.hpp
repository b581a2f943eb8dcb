// Suspects: containers that a decrement left alive, and that may therefore be part of a cycle which it cut off
// ("possible roots": Lins 1992; Bacon and Rajan 2001). A collector that wants them makes objects noisy
// (concurrency/refcount/count_word.h); each decrement of a noisy object notes its address here.
//
// An address is a hint, and no reference: when it is taken, the object may have died and its slot may hold another.
// Each thread has a buffer, so noting needs neither a lock nor memory. Full buffers go to one list, whose memory is
// bounded; what finds no room is lost, which a full collection makes up for. So are the addresses in the buffers of
// threads that a fork leaves behind.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/include/Python.h"

namespace ouro::mutator {

// One thread's.
class SuspectBuffer {
public:
    // Notes an address, unless it was noted by this thread since gather_suspects, as far as it remembers:
    // an object without an owner stays noisy, and may be decremented again and again. True if the buffer is full.
    bool note(PyObject* op);
    // Gives what is noted to the list.
    void flush();

private:
    static constexpr size_t kNoted = 64;
    static constexpr size_t kRemembered = 64;  // a power of two

    size_t size_ = 0;
    uint64_t round_ = 0;  // of gather_suspects
    std::array<PyObject*, kNoted> noted_;
    std::array<const PyObject*, kRemembered> remembered_{};
};

// By a thread that is attached, after the decrement; the object may be gone.
void note_suspect(PyObject* op);

// So many wait as a collector wants to take at once: the thread whose note makes it so many calls the collector at its
// next allocation.
void set_suspect_batch(size_t count);
// Whether so many wait. Any thread.
bool suspects_are_due();
// Begins to take them, in a stop: what the calling thread has noted is in the list, too, and threads forget what they
// remember.
void gather_suspects();
// Takes the oldest of the list, in a stop; nullptr if it is empty.
PyObject* take_suspect();
// Forgets what waits: a run of the runtime ends.
void forget_suspects();

}  // namespace ouro::mutator
