// The only word of a thread that other threads write: its state and the requests to it.
//
//     requests : 26 | on behalf : 1 | leaves : 1 | sleeps : 1 | wants : 1 | state : 2
//
// State and requests share a word so that a thread that detaches and another that raises a request cannot
// miss each other: whichever comes second sees the first (inv.thread.one-word).
#pragma once

#include <cstdint>

namespace ouro::thread {

enum class State : uint32_t {
    kDetached = 0,   // outside: may block, touches nothing that the world protects
    kAttached = 1,   // inside: reaches a safepoint soon
    kSuspended = 2,  // outside, and kept there by another, or parked for a stop
    kExited = 3,     // no thread: not in the registry
};

using Word = uint32_t;

inline constexpr Word kStateMask = 3;
inline constexpr Word kWants = 1u << 2;     // suspended: to be attached when that ends
inline constexpr Word kSleeps = 1u << 3;    // suspended and wants: waits in the kernel
inline constexpr Word kLeaves = 1u << 4;    // suspended and wants: to be exited, not attached
inline constexpr Word kOnBehalf = 1u << 5;  // suspended by try_suspend, to be resumed by its caller

// Requests. The first two are the world's own; the rest are for its users: safepoint() clears and
// returns them.
inline constexpr Word kStop = 1u << 6;        // park until the world runs again
inline constexpr Word kHandshake = 1u << 7;   // run the function of the handshake
inline constexpr Word kDrainQueue = 1u << 8;  // others have queued objects of this owner
inline constexpr Word kQuiesce = 1u << 9;     // a thread waits for a quiescent point
inline constexpr Word kPendingCall = 1u << 10;
inline constexpr Word kCollect = 1u << 11;
inline constexpr Word kYield = 1u << 12;           // a thread waits for the global lock
inline constexpr unsigned kFirstFreeRequest = 13;  // bits from here to 31 are the runtime's

inline constexpr Word kWorldRequests = kStop | kHandshake;
inline constexpr Word kCallerRequests =
    ~(kStateMask | kWants | kSleeps | kLeaves | kOnBehalf | kWorldRequests);

constexpr State state_of(Word word) {
    return static_cast<State>(word & kStateMask);
}
constexpr Word with_state(Word word, State state) {
    return (word & ~kStateMask) | static_cast<Word>(state);
}

// What a call did, or why it did nothing. Misuse is reported and changes nothing: the caller, which knows the
// call's name, words the message.
enum class Error {
    kNone,
    kAttached,     // attach: is attached already (or is just attaching); remove: is still attached
    kNotAttached,  // the calling thread must be attached and is not
    kNotRegistered,  // the record was removed
    kStopped,        // stop: by this thread, already; nesting is not allowed
    kNotStopped,     // start: this thread has not stopped the world
    kNotHeld,        // unlock, release: it is not locked, or by another
    kHeld,           // take: this thread has it already
};

}  // namespace ouro::thread
