// A program on the documented API: steps, and what the steps of a finalizer, a callback or a tp_clear
// are. Operands are bytes that are taken modulo what there is to choose from when a step runs, so that
// every string of bytes is a program, and a program with a step less is one too.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ouro::program {

// Name in code, in words. "hold" is a reference of the program's own.
#define OURO_PROGRAM_STEPS(X)                                     \
    X(kNewBox, "new box")                                         \
    X(kNewList, "new list")                                       \
    X(kNewTuple, "new tuple")                                     \
    X(kNewDict, "new dict")                                       \
    X(kNewChain, "new chain")                                     \
    X(kLink, "link: a.i = b")                                     \
    X(kUnlink, "unlink: a.i = nothing")                           \
    X(kAppend, "append b to a list")                              \
    X(kTake, "take: hold a.i too")                                \
    X(kTakeOut, "take out: hold what a.i held; no count changes") \
    X(kPutIn, "put in: a.i holds what the program held")          \
    X(kMove, "move: b.j holds what a.i held")                     \
    X(kSwap, "swap: a.i and b.j change places; no count changes") \
    X(kClear, "a's tp_clear, by hand")                            \
    X(kHold, "hold a once more")                                  \
    X(kDrop, "drop a")                                            \
    X(kDropWithError, "drop a while an exception is set")         \
    X(kTrack, "track")                                            \
    X(kUntrack, "untrack")                                        \
    X(kWeakReference, "a weak reference to a, without callback")  \
    X(kWeakCallback, "a weak reference to a with a callback")     \
    X(kUseWeak, "use a weak reference")                           \
    X(kCollect, "collect")                                        \
    X(kCollectWithError, "collect while an exception is set")     \
    X(kPressure, "allocate until automatic collection is due")    \
    X(kDisable, "disable automatic collection")                   \
    X(kEnable, "enable it")                                       \
    X(kResize, "resize")                                          \
    X(kVisit, "visit all objects")                                \
    X(kFinalize, "call a's finalizer by hand")                    \
    X(kRaise, "raise: ends a finalizer, callback or clear")

enum class What : uint8_t {
#define X(name, text) name,
    OURO_PROGRAM_STEPS(X)
#undef X
        kCount_
};
const char* text_of(What what);

// Steps of procedure 0 are the program itself; the others are what finalizers, callbacks and clears
// run.
inline constexpr int kProcedures = 4;
// A longer procedure goes on in the program itself.
inline constexpr size_t kLongestProcedure = 4;
inline constexpr size_t kLongestProgram = 250;

struct Step {
    uint8_t procedure;
    What what;
    uint8_t a, i, b, j;
    bool operator==(const Step&) const = default;
};

// Engines whose collections are over when the step that caused them is.
#define OURO_PROGRAM_ENGINES(X)            \
    X(kStw, "stw")                         \
    X(kParallel, "stw-parallel,workers=2") \
    X(kConcurrentSync, "concurrent-sync")  \
    X(kSnapshotSync, "snapshot-sync")      \
    X(kIncremental, "incremental")         \
    X(kConcurrent, "concurrent")           \
    X(kLocal, "local,suspects=1")

enum class Engine : uint8_t {
#define X(name, text) name,
    OURO_PROGRAM_ENGINES(X)
#undef X
        kCount_
};
// As settings have it.
const char* text_of(Engine engine);
// Whether an automatic collection is over at once, too.
inline bool collects_at_once(Engine engine) {
    return engine < Engine::kIncremental;
}
// Whether survivors of a young collection are old.
inline bool ages_at_once(Engine engine) {
    return engine > Engine::kParallel;
}

struct Settings {
    bool atomic = false;  // refcount=atomic, else gil
    Engine engine = Engine::kStw;
    bool generations = true;
    bool verify = true;  // the library's own re-trace; the model judges in any case
    bool operator==(const Settings&) const = default;
};

struct Program {
    Settings settings;
    std::vector<Step> steps;
};

// A byte of settings; then five bytes a step, the last one padded with zeros.
Program decode(std::span<const uint8_t> bytes);
std::vector<uint8_t> encode(const Program& program);

}  // namespace ouro::program
