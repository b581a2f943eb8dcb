// Who survives a young collection is of the middle generation, who survives one of the middle is
// old; a collection looks at its generation and the younger ones, so garbage that is old waits for
// a full one. The results are the same in the end: what a younger generation refers to from
// outside is alive. Source: "gc" and "Design of CPython's Garbage Collector", generations.

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/contract/things.hpp"
#include "tests/support/attached.hpp"

namespace ouro::test {
namespace {

class Ageing : public Things {
protected:
    // Goes on with short-lived garbage until a collection of that generation has run.
    static void run_generation(unsigned generation) {
        do {
            const size_t before = record.cycles.size();
            while (record.cycles.size() == before) {
                drop_ring(1, &ThingType, kFiller);
            }
        } while (record.cycles.back().generation != generation);
    }
    static constexpr int kFiller = 1000000;
    void TearDown() override {
        PyGC_Collect();
        Things::TearDown();
    }
};

TEST_P(Ageing, YoungGarbageGoesAtTheFirst) {
    drop_ring(3);
    run_generation(0);
    EXPECT_EQ(record.cycles.size(), 1u);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(record.count(Call::kDealloc, i), 1);
    }
}

TEST_P(Ageing, MiddleGarbageWaitsForTheMiddle) {
    const std::vector<PyObject*> things = ring(3);
    run_generation(0);  // it becomes middle
    drop(things);
    run_generation(0);
    run_generation(0);
    EXPECT_EQ(record.count(Call::kDealloc, 1), 0);
    run_generation(1);
    EXPECT_EQ(record.count(Call::kDealloc, 1), 1);
}

TEST_P(Ageing, OldGarbageWaitsForAFullOne) {
    const std::vector<PyObject*> things = ring(3);
    run_generation(1);  // it becomes old at once: the middle comes with the young
    drop(things);
    run_generation(0);
    run_generation(1);
    EXPECT_EQ(record.count(Call::kDealloc, 1), 0);
    PyGC_Collect();
    EXPECT_EQ(record.cycles.back().generation, 2u);
    EXPECT_EQ(record.count(Call::kDealloc, 1), 1);
}

TEST_P(Ageing, AFullOneMakesAllOld) {
    const std::vector<PyObject*> things = ring(3);
    PyGC_Collect();
    drop(things);
    run_generation(1);
    EXPECT_EQ(record.count(Call::kDealloc, 1), 0);
    PyGC_Collect();
    EXPECT_EQ(record.count(Call::kDealloc, 1), 1);
}

// A cycle through two generations is the older one's.
TEST_P(Ageing, ACycleIsAsOldAsItsOldest) {
    PyObject* old_one = new_thing(1);
    PyGC_Collect();
    PyObject* young = new_thing(2);
    refer(old_one, 0, young);
    refer(young, 0, old_one);
    drop({old_one, young});
    run_generation(0);
    run_generation(1);
    EXPECT_EQ(record.count(Call::kDealloc), record.count(Call::kDealloc, kFiller));
    PyGC_Collect();
    EXPECT_EQ(record.count(Call::kDealloc, 1), 1);
    EXPECT_EQ(record.count(Call::kDealloc, 2), 1);
}

TEST_P(Ageing, TheYoungThatTheOldReferToLive) {
    PyObject* old_one = new_thing(1);
    PyGC_Collect();
    const std::vector<PyObject*> things = ring(2, &ThingType, 10);
    refer(old_one, 0, things[0]);
    drop(things);
    run_generation(0);
    run_generation(1);
    EXPECT_EQ(record.count(Call::kDealloc, 10), 0);
    EXPECT_EQ(thing(old_one)->slots[0], things[0]);
    Py_DECREF(old_one);
    PyGC_Collect();
    EXPECT_EQ(record.count(Call::kDealloc, 11), 1);
}

// Dead old objects that refer to young ones keep them until they are found themselves.
TEST_P(Ageing, TheYoungThatOldGarbageRefersToWait) {
    const std::vector<PyObject*> old_ones = ring(2, &ThingType, 1);
    PyGC_Collect();
    const std::vector<PyObject*> things = ring(2, &FinalThingType, 10);
    refer(old_ones[0], 1, things[0]);
    drop(old_ones);
    drop(things);
    run_generation(0);
    EXPECT_EQ(record.count(Call::kFinalize), 0);
    PyGC_Collect();
    EXPECT_EQ(record.count(Call::kFinalize), 2);
    EXPECT_EQ(record.live, 0);
}

TEST_P(Ageing, TrackingMakesYoungAgain) {
    const std::vector<PyObject*> things = ring(2);
    PyGC_Collect();
    for (PyObject* op : things) {
        PyObject_GC_UnTrack(op);
        PyObject_GC_Track(op);
    }
    drop(things);
    run_generation(0);
    EXPECT_EQ(record.count(Call::kDealloc, 1), 1);
}

// What a finalizer revives is not lost: a later collection of its generation finds it.
TEST_P(Ageing, TheRevivedAreFoundLater) {
    PyObject* saved = nullptr;
    record.on_finalize = [&](Thing* self) {
        if (self->id == 0) {
            saved = Py_NewRef(object(self));
        }
    };
    drop_ring(2, &FinalThingType);
    run_generation(0);
    ASSERT_NE(saved, nullptr);
    EXPECT_EQ(record.count(Call::kDealloc, 0), 0);
    Py_CLEAR(saved);
    run_generation(1);
    EXPECT_EQ(record.count(Call::kDealloc, 0), 1);
    EXPECT_EQ(record.count(Call::kFinalize), 2);
}

// Young garbage with a weak reference that is old, and the other way round. Source: CPython's tests
// of bug 1055820.
TEST_P(Ageing, AnOldWeakReferenceToYoungGarbageCallsBack) {
    PyObject* call = new_callback(1);
    PyObject* other = new_thing(99);
    PyObject* old_one = PyWeakref_NewRef(other, call);
    PyGC_Collect();
    const std::vector<PyObject*> things = ring(2);
    PyObject* young = PyWeakref_NewRef(things[0], call);
    drop(things);
    run_generation(0);
    EXPECT_EQ(record.count(Call::kCallback), 1);
    EXPECT_TRUE(is_dead(young));
    EXPECT_FALSE(is_dead(old_one));
    drop({other, old_one, young, call});
    EXPECT_EQ(record.count(Call::kCallback), 2);
}

// The weak reference is young garbage, its callback would revive old garbage: nothing may run that
// sees the old garbage half cleared.
TEST_P(Ageing, ACallbackSeesOldGarbageWhole) {
    const std::vector<PyObject*> old_ones = ring(2, &ThingType, 1);
    PyGC_Collect();
    PyObject* victim = new_thing(10);
    refer(victim, 0, victim);
    PyObject* call = new_callback(1, [&](PyObject*) {
        EXPECT_NE(thing(old_ones[0])->slots[0], nullptr);
        EXPECT_NE(thing(old_ones[1])->slots[0], nullptr);
    });
    callback(call)->held = Py_NewRef(old_ones[0]);
    PyObject* reference = PyWeakref_NewRef(victim, call);
    refer(old_ones[1], 1, reference);  // the old garbage owns the weak reference
    drop({reference, call, victim});
    drop(old_ones);
    run_generation(0);  // the victim is young garbage; the weak reference, held by the old, lives
    EXPECT_EQ(record.count(Call::kCallback), 1);
    PyGC_Collect();
    EXPECT_EQ(record.live, 0);
    EXPECT_EQ(record.count(Call::kCallback), 1);
}

EVERY_RUNTIME_WITH_A_MIDDLE(Ageing);

// Where pauses have a budget there is no middle generation: who survives a young collection is old.
class AgeingAtOnce : public Ageing {};

TEST_P(AgeingAtOnce, YoungGarbageGoesAtTheFirst) {
    drop_ring(3);
    run_generation(0);
    EXPECT_EQ(record.count(Call::kDealloc, 1), 1);
}

TEST_P(AgeingAtOnce, SurvivorsWaitForAFullOne) {
    const std::vector<PyObject*> things = ring(3);
    run_generation(0);
    drop(things);
    for (int i = 0; i < 9; ++i) {  // as many as CPython's policy has before one of the middle
        run_generation(0);
        EXPECT_EQ(record.cycles.back().generation, 0u);
    }
    EXPECT_EQ(record.count(Call::kDealloc, 1), 0);
    PyGC_Collect();
    EXPECT_EQ(record.count(Call::kDealloc, 1), 1);
}

// Beside a heap as small as this, it comes where the middle one would have come.
TEST_P(AgeingAtOnce, BesideASmallHeapThatComesAfterTen) {
    constexpr int kDueAfter = 12 * 2001, kBatch = 100;
    constexpr int kTurnOfEverything = 100 * 2000;  // and more
    const std::vector<PyObject*> things = ring(3);
    run_generation(0);
    drop(things);
    std::atomic<bool> gone = false;
    record.on_dealloc = [&](Thing* op) { gone = gone || op->id == 1; };
    int allocated = 0;
    for (; allocated < kTurnOfEverything && !gone; ++allocated) {
        drop_ring(1, &ThingType, kFiller);
        if (allocated > kDueAfter &&
            allocated % kBatch == 0) {  // it may run concurrently with the program
            const Detached outside;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }
    EXPECT_TRUE(gone);
    EXPECT_GT(allocated, kDueAfter / 2);
    PyGC_Collect();
    record.on_dealloc = nullptr;
}

INSTANTIATE_TEST_SUITE_P(Counts, AgeingAtOnce,
                         testing::Values("gil,engine=incremental", "biased,engine=concurrent",
                                         "gil,engine=snapshot", "gil,engine=concurrent-sync"),
                         runtime_name);

}  // namespace
}  // namespace ouro::test
