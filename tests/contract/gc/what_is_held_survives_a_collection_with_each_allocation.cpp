// stress=1, under every engine: a collection begins with each allocation, or one goes on concurrently with it, and
// all that a program has in its hands at the time lives; what it has let go dies. On one thread and on two.

#include <array>

#include "tests/contract/threads.hpp"

namespace ouro::test {
namespace {

constexpr int kRing = 5;
std::atomic<int> collections{0};
Fate fate_of_cells;
std::atomic<long> made{0};  // cells

void hear(const OuroEvent* event, void*) {
    collections += event->phase == OURO_PHASE_CYCLE ? 1 : 0;
}

PyObject* new_ring() {
    PyObject* first = new_thing(&fate_of_cells);
    PyObject* last = first;
    for (int i = 1; i < kRing; ++i) {
        PyObject* next = new_thing(&fate_of_cells, i % 2 == 0 ? &ThingType : &FinalThingType);
        refer(last, 0, next);
        Py_DECREF(next);
        last = next;
    }
    refer(last, 0, first);
    made += kRing;
    return first;
}

bool is_whole_ring(PyObject* first) {
    PyObject* each = first;
    for (int i = 0; i < kRing; ++i) {
        if (!is_whole(each)) {
            return false;
        }
        each = thing(each)->slots[0];
    }
    return each == first;
}

// Makes rings, of which each one is held while the next three are made.
void work() {
    std::array<PyObject*, 4> held{};
    for (size_t i = 0; i < 100; ++i) {
        PyObject*& place = held[i % held.size()];
        Py_XDECREF(place);
        place = new_ring();
        for (PyObject* ring : held) {
            ASSERT_TRUE(ring == nullptr || is_whole_ring(ring));
        }
    }
    for (PyObject* ring : held) {
        Py_DECREF(ring);
    }
}

class EachAllocation : public Threads {
protected:
    void SetUp() override {
        ASSERT_EQ(Ouro_Configure("stress=1", nullptr), 0);
        Threads::SetUp();
        collections = 0;
        made = fate_of_cells.died = fate_of_cells.finalized = 0;
        ASSERT_EQ(Ouro_AddListener(hear, nullptr), 0);
    }
    void TearDown() override {
        EXPECT_GT(collections.load(), 100);
        Ouro_RemoveListener(hear, nullptr);
        PyGC_Collect();
        EXPECT_EQ(fate_of_cells.died.load(), made.load());
        EXPECT_EQ(fate_of_cells.finalized.load(), made.load() / kRing * (kRing / 2));
        Threads::TearDown();
        ASSERT_EQ(Ouro_Configure("stress=0", nullptr), 0);
    }
};

TEST_P(EachAllocation, OfOneThread) {
    work();
}

TEST_P(EachAllocation, OfTwoThreads) {
    Crew crew;
    crew.add(work);
    crew.add(work);
    crew.join();
}

EVERY_RUNTIME(EachAllocation);

}  // namespace
}  // namespace ouro::test
