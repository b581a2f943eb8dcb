// The state of the model: a heap of two or three slots, what the threads hold, and how far a cycle
// is.
//
// A reference is a slot's number. An object's true count is kept beside the references, so that
// every step has to change both as the code does, or one alone where ownership moves.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace ouro::model::pipeline {

inline constexpr unsigned kMaxSlots = 3;
inline constexpr unsigned kMaxFields = 2;
inline constexpr unsigned kMaxThreads = 2;
// Whose hands hold references: the threads, and the code that the collector calls (finalizers,
// callbacks).
inline constexpr unsigned kMaxAgents = kMaxThreads + 1;

inline constexpr uint8_t kNull = 0xF;
inline constexpr uint8_t kUnread = 0xE;  // the collector has not looked there yet
inline constexpr uint8_t kBorn =
    0xD;  // instead of a count: allocated while the trace ran, born marked

enum Flag : uint16_t {
    kAllocated = 1 << 0,
    kFinalizer = 1 << 1,  // has one that has not run; one that has run is as good as none
    kWeak = 1 << 2,  // a weak reference to it exists outside the heap, for every thread to upgrade
    kCallback = 1 << 3,  // is a weak reference with a callback that was not called
    kCondemned = 1 << 4,
    kDoomed = 1 << 5,   // condemned, and nothing will save it: what is cleared
    kCleared = 1 << 6,  // by tp_clear
    kHeld = 1 << 7,     // the collector owns a reference to it
    kQueued = 1 << 8,   // its callback waits to be called: the collector owns a reference more
    kGarbage = 1 << 9,  // ghost: garbage when the cycle began, and nobody's finalizer saved it
    kTouched = 1 << 10  // its count was written since the cycle began (kept for one fault alone)
};

struct Slot {
    uint8_t count = 0;
    uint8_t target = kNull;  // what it refers to weakly: a weak reference object
    std::array<uint8_t, kMaxFields> field{kNull, kNull};
    uint16_t flags = 0;
    // What the collector's racy pass read, kept for the slot whatever becomes of the object.
    uint8_t seen_count = kUnread;
    std::array<uint8_t, kMaxFields> seen{kUnread, kUnread};
    uint8_t component = 0;  // its place in the topological order, from 1; 0: none

    bool is(uint16_t flag) const { return (flags & flag) != 0; }
    void set(uint16_t flag) { flags = static_cast<uint16_t>(flags | flag); }
    void reset(uint16_t flag) { flags = static_cast<uint16_t>(flags & ~flag); }
};

enum class Phase : uint8_t {
    kTrace,      // running: counts and fields are read, one a step
    kTest,       // a pause for each component
    kLateWeak,   // of a fault: weak references are cleared, running
    kCallbacks,  // running
    kFinalize,   // running
    kTraceAnew,  // running: the fields of the condemned are read again
    kTestAnew,   // a pause for each of the new components
    kReclaim,    // running: tp_clear, then the collector's references are dropped
    kEnd
};

struct State {
    std::array<Slot, kMaxSlots> slot{};
    std::array<std::array<uint8_t, kMaxSlots>, kMaxAgents> hand{};  // references owned, by object
    std::array<uint8_t, kMaxThreads> raw{kNull,
                                         kNull};  // a pointer that a thread read, owning nothing
    Phase phase = Phase::kTrace;
    uint8_t next = 1;  // the component that is tested next
    uint8_t user = 0;  // the collector's thread is inside a finalizer or callback
    uint8_t ran = 0;   // such code ran in this cycle
    std::array<uint8_t, 3> unused{};

    bool operator==(const State& other) const {
        return std::memcmp(this, &other, sizeof(State)) == 0;
    }
};
static_assert(sizeof(State) == 48 && std::has_unique_object_representations_v<State>);

// What is wrong with a collector, or kNone. Each is an error that was made or proposed somewhere.
enum class Fault {
    kNone,
    kNoTest,           // the candidates are believed
    kCountsEqual,      // a component is believed whose counts are those read before any field was
    kCountsUntouched,  // the candidates are believed if no count of theirs was written in the cycle
    kNoClosure,        // all at once; an object with references from outside saves itself alone
    kEdgesOfTheTrace,  // counts of the pause, references of the trace
    kWeakClearedLate,  // after the pause, and an upgrade does not ask the mark
    kTryIncrefCondemned,  // the mark does not refuse try-incref
    kCallbacksKept,       // condemned weak references keep target and callback
    kNoHold,              // the collector takes no reference to what it condemns
    kNoSecondTest,        // nothing is tested after finalizers
    kOldComponents,       // the second test keeps the first one's components
    kMarkAlone,           // weak references die after the pause, but the mark refuses upgrades
    kClearingAlone        // weak references die in the pause, but the mark refuses no upgrade
};

// What a law of the model forbids; laws.hpp has them in words.
enum class Law : uint8_t {
    kNone,
    kCount,      // counts are right
    kReachable,  // nobody reaches what is condemned
    kClearedLive,
    kFreedInUse,
    kMissed,
    kLoudCallback
};

// Who names the candidates.
enum class Engine {
    kReads,  // a racy pass, by what it read
    kAny     // any set in any order: covers every engine, also one that is all wrong
};

struct Bounds {
    unsigned slots = 2;
    unsigned fields = 1;
    unsigned threads = 1;
    unsigned held = 2;  // references that a thread, or code that the collector calls, takes at most
    Engine engine = Engine::kReads;
    bool raw = false;           // threads keep a raw pointer, and try-incref it
    bool weak = false;          // weak references outside the heap, found and made
    bool weak_objects = false;  // weak reference objects with a callback
    bool finalizers = false;
    bool allocation = true;
    Fault fault = Fault::kNone;
    Law look_for = Law::kNone;  // kNone: every law is a must; else only this one is looked at
};

}  // namespace ouro::model::pipeline
