// One full collection in slices: a machine of stages. It decides nothing: what it hands over as garbage has passed an
// exact test, and CPython's own collection of young objects, into whose list it is put, tests it once more.
//
//     trace                   in slices: what is alive (live_pass.hpp), unless much is frozen
//     test of the untraced    by closures (closures.hpp), while most is garbage: that is handed over
//     count, settle, mark     in slices: of the rest (mark_pass.hpp)
//     test                    of what marking has not reached, by closures: garbage is handed over
//     number, read, order     in slices, if something is left (leftover.hpp)
//     release                 of that: garbage is handed over, or dies
//     clean                   in slices: pins, tables
//
// Under the lock, and while no collection of CPython's is between two steps of its own (gc_list.hpp). User code runs in
// release and clean, by objects that die; it may not call any of this (Bridge sees to it).
#pragma once

#include <array>
#include <cstdint>

#include "core/bridge/address_table.hpp"
#include "core/bridge/closures.hpp"
#include "core/bridge/gc_state.hpp"
#include "core/bridge/leftover.hpp"
#include "core/bridge/live_pass.hpp"
#include "core/bridge/mark_pass.hpp"
#include "core/bridge/old_list.hpp"

namespace ouro::bridge {

// The stages in order: name in code, name in statistics.
#define OURO_BRIDGE_STAGES(X)         \
    X(kIdle, "idle")                  \
    X(kTrace, "trace")                \
    X(kTestUntraced, "test_untraced") \
    X(kCount, "count")                \
    X(kSettle, "settle")              \
    X(kMark, "mark")                  \
    X(kTest, "test")                  \
    X(kNumber, "number")              \
    X(kRead, "read")                  \
    X(kOrder, "order")                \
    X(kRelease, "release")            \
    X(kClean, "clean")

enum class Stage {
#define X(name, text) name,
    OURO_BRIDGE_STAGES(X)
#undef X
};
#define X(name, text) +1
inline constexpr size_t kStages = 0 OURO_BRIDGE_STAGES(X);
#undef X
const char* name_of(Stage stage);

class Cycle {
public:
    // False with an exception.
    bool make(GcState* state);

    // Begins one with all that is old now. Pre: is_idle().
    void begin();
    // Gives up what is in flight: nothing is lost, and what was found is found again. What is pinned is unpinned at
    // once, which may run user code; tables are cleaned in slices.
    void give_up();

    Stage stage() const { return stage_; }
    bool is_idle() const { return stage_ == Stage::kIdle; }
    // Whether what comes next is handing over; if not, and a cycle is in flight, it is work in slices.
    bool hands_over() const {
        return stage_ == Stage::kTestUntraced || stage_ == Stage::kTest ||
               stage_ == Stage::kRelease;
    }
    bool needs_slice() const { return !is_idle() && !hands_over(); }
    // Whether the list of old objects is as this left it; if not it must be given up.
    bool is_in_order() const { return is_idle() || stage_ == Stage::kClean || list_.is_in_order(); }

    // Works until the deadline, or until something is to be handed over or all is done.
    void slice(collector::Deadline& deadline);
    // Hands over about so many objects of garbage, to the end of a list of CPython's. Returns how many.
    size_t hand_over(size_t objects, collector::Deadline& deadline, GcHead* garbage);

    // Of the cycle in flight, or the last one.
    struct Report {
        size_t objects = 0;           // looked at
        size_t alive = 0;             // of these: reached from modules and frames
        size_t untraced = 0;          // of the others: tested before counting
        size_t untraced_garbage = 0;  // of these
        size_t candidates = 0;        // of what was counted: not reached by marking
        size_t garbage = 0;           // handed over, in all
        size_t refused = 0;           // left by the closures
        size_t largest = 0;           // component
        bool given_up = false;

        // Reached neither by tracing nor, where it came to that, by marking.
        size_t unreached() const { return untraced_garbage + candidates; }
    };
    const Report& report() const { return report_; }
    // Of what has been handed over, in all cycles, died without CPython's collection.
    size_t died_alone() const { return leftover_.died_alone(); }
    // Cycles that have ended, those that were given up among them.
    uint64_t ended() const { return ended_; }
    // What part of the stage at hand has been done, of the objects that it will see, as far as can be told.
    size_t passed() const { return stage_ == Stage::kTrace ? live_.passed() : pass_.passed(); }
    size_t bytes() const;
    // Gives what is in flight up and all memory back, at once.
    void forget();

private:
    bool step(collector::Deadline& deadline);
    void go_to(Stage stage);
    void begin_leftover();
    bool clean(collector::Deadline& deadline);

    GcState* state_ = nullptr;
    OldList list_;
    AddressTable table_;
    LivePass live_{list_, table_};
    MarkPass pass_{list_, table_};
    Closures closures_{list_, table_};
    Leftover leftover_{list_, table_};
    Stage stage_ = Stage::kIdle;
    Report report_;
    uint64_t ended_ = 0;
    size_t cleaned_ = 0;  // chunks
};

}  // namespace ouro::bridge
