// A collector concurrently with running threads, explored in full on small heaps: whatever the order of its
// reads and of the threads' steps, nothing that anybody can reach is cleared or freed, and what was
// garbage when the cycle began is freed by its end unless a finalizer saved it.
//
// No number of steps bounds an exploration; it ends when no state is new. Every one begins with
// every heap that its bounds allow. They do not fit into one, so there are two kinds:
//
// - `any`: the candidates, their components and their order are anything at all. What holds then
//   (inv.exact.nothing-live, inv.exact.frozen, inv.exact.refuse, inv.exact.weak-in-pause,
//   inv.exact.quiet-callback, inv.exact.pinned) holds with every engine.
// - `reads`: a racy pass reads one count or field a step and believes it. Here nothing that was
//   garbage may be missed (inv.exact.nothing-missed), and after finalizers nothing that they left
//   (inv.exact.anew).
//
// Every step is atomic and any thread may make any step with what it holds, so one thread that
// holds two references does everything that two threads do which hold one each; two with two each
// are explored apart.

#include <gtest/gtest.h>

#include <ostream>
#include <set>

#include "tests/model/pipeline/report.hpp"
#include "tests/support/scale.hpp"

namespace ouro::model::pipeline {
namespace {

struct Case {
    const char* name;
    Bounds bounds;
    bool is_large = false;  // explored if OURO_TEST_SCALE is above 1
};

void PrintTo(const Case& explored, std::ostream* out) {
    *out << explored.name;
}

constexpr Engine kAny = Engine::kAny;
constexpr Engine kReads = Engine::kReads;

const Case kCases[] = {
    {"any, 2 objects of 2 fields, 1 thread, everything",
     {.fields = 2,
      .engine = kAny,
      .raw = true,
      .weak = true,
      .weak_objects = true,
      .finalizers = true}},
    {"any, 2 objects of 1 field, 2 threads, everything",
     {.threads = 2,
      .engine = kAny,
      .raw = true,
      .weak = true,
      .weak_objects = true,
      .finalizers = true}},
    {"any, 3 objects of 2 fields, 1 thread", {.slots = 3, .fields = 2, .engine = kAny}},
    {"any, 3 objects of 1 field, 1 thread, weak references and objects",
     {.slots = 3, .engine = kAny, .weak = true, .weak_objects = true}},
    {"any, 3 objects of 1 field, 1 thread, finalizers, weak references",
     {.slots = 3, .engine = kAny, .weak = true, .finalizers = true}},
    {"reads, 2 objects of 1 field, 1 thread, everything",
     {.engine = kReads, .raw = true, .weak = true, .weak_objects = true, .finalizers = true}},
    {"reads, 2 objects of 1 field, 2 threads, finalizers",
     {.threads = 2, .engine = kReads, .finalizers = true}},
    {"reads, 3 objects of 1 field, 1 thread", {.slots = 3, .engine = kReads}},

    {"any, 3 objects of 1 field, 1 thread, weak references and objects, raw pointers",
     {.slots = 3, .engine = kAny, .raw = true, .weak = true, .weak_objects = true},
     true},
    {"any, 3 objects of 1 field, 1 thread, finalizers, weak references, raw pointers",
     {.slots = 3, .engine = kAny, .raw = true, .weak = true, .finalizers = true},
     true},
    {"any, 3 objects of 1 field, 1 thread, finalizers, weak objects",
     {.slots = 3, .engine = kAny, .weak_objects = true, .finalizers = true},
     true},
    {"any, 3 objects of 1 field, 2 threads, finalizers",
     {.slots = 3, .threads = 2, .engine = kAny, .finalizers = true},
     true},
    {"any, 2 objects of 2 fields, 2 threads, everything",
     {.fields = 2,
      .threads = 2,
      .engine = kAny,
      .raw = true,
      .weak = true,
      .weak_objects = true,
      .finalizers = true},
     true},
    {"reads, 2 objects of 2 fields, 1 thread, finalizers",
     {.fields = 2, .engine = kReads, .finalizers = true},
     true},
    {"reads, 3 objects of 1 field, 1 thread, finalizers",
     {.slots = 3, .engine = kReads, .finalizers = true},
     true},
};

class ExactTest : public testing::TestWithParam<Case> {};

TEST_P(ExactTest, IsSoundAndComplete) {
    if (GetParam().is_large && test::scale() <= 1) {
        GTEST_SKIP() << "explored with OURO_TEST_SCALE above 1";
    }
    const Result result = explore(GetParam().name, GetParam().bounds);
    EXPECT_EQ(result.broken, Law::kNone) << in_words(result.broken);
    EXPECT_GT(result.ends, 0u);
}
INSTANTIATE_TEST_SUITE_P(Heaps, ExactTest, testing::ValuesIn(kCases), [](const auto& tested) {
    std::string name = tested.param.name;
    std::erase(name, ',');
    std::replace(name.begin(), name.end(), ' ', '_');
    return name;
});

// The mark and the clearing of weak references both refuse an upgrade. Against upgrades either is
// enough.
TEST(WeakReferences, AreRefusedByTheMarkAndByTheirClearing) {
    for (const Fault guard : {Fault::kMarkAlone, Fault::kClearingAlone}) {
        const Result result = explore(guard == Fault::kMarkAlone ? "mark alone" : "clearing alone",
                                      {.engine = Engine::kAny,
                                       .raw = true,
                                       .weak = true,
                                       .finalizers = true,
                                       .fault = guard});
        EXPECT_EQ(result.broken, Law::kNone);
    }
}

// But the mark does not keep a condemned weak reference from calling back: it dies in the pause.
TEST(WeakReferences, OfTheCondemnedDieInThePauseForTheirCallbacks) {
    const Result result =
        explore("mark alone, weak objects",
                {.engine = Engine::kAny, .weak_objects = true, .fault = Fault::kMarkAlone});
    EXPECT_EQ(result.broken, Law::kLoudCallback);
    EXPECT_EQ(result.length, 2u);
}

// States that differ in names alone are taken as one: without that the same ones are found.
TEST(Explorer, LosesNothingByForgettingNames) {
    const Bounds bounds{.threads = 2,
                        .held = 1,
                        .engine = Engine::kAny,
                        .raw = true,
                        .weak = true,
                        .weak_objects = true,
                        .finalizers = true};
    const auto less = [](const State& a, const State& b) {
        return std::memcmp(&a, &b, sizeof(State)) < 0;
    };
    std::set<State, decltype(less)> all(less);
    std::set<State, decltype(less)> nameless(less);
    std::vector<State> left;
    const auto add = [&](const State& state) {
        if (all.insert(state).second) {
            nameless.insert(canonical(bounds, state));
            left.push_back(state);
        }
    };
    Beginnings(bounds, add).each();
    while (!left.empty()) {
        const State state = left.back();
        left.pop_back();
        successors(bounds, state, [&](Heap& heap, Step) { add(heap.state()); });
    }
    EXPECT_EQ(nameless.size(), explore("without names", bounds).states);
    EXPECT_GT(all.size(), 3 * nameless.size());
}

}  // namespace
}  // namespace ouro::model::pipeline
