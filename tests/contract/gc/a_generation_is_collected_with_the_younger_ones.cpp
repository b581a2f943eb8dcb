// A collection that a program asks for looks at one generation and the younger ones, says what it
// found, makes the survivors a generation older and counts towards the automatic schedule as an
// automatic one would. Source: "gc", gc.collect(generation).

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

using testing::ElementsAre;

class Generation : public Things {
protected:
    // The ids that died since the last call.
    static std::vector<int> died() {
        std::vector<int> ids = record.ids(Call::kDealloc);
        record.calls.clear();
        std::ranges::sort(ids);
        return ids;
    }
    // Unreachable rings of each age: 0 and 1 old, 10 and 11 middle, 20 and 21 young.
    static void drop_one_of_each_age() {
        const std::vector<PyObject*> old_ones = ring(2, &ThingType, 0);
        EXPECT_EQ(Ouro_CollectGeneration(1), 0);
        const std::vector<PyObject*> middle = ring(2, &ThingType, 10);
        EXPECT_EQ(Ouro_CollectGeneration(0), 0);
        drop(old_ones);
        drop(middle);
        drop_ring(2, &ThingType, 20);
    }

    std::vector<PyObject*> living_;
};

TEST_P(Generation, TheYoungAlone) {
    drop_one_of_each_age();
    EXPECT_EQ(Ouro_CollectGeneration(0), 2);
    EXPECT_THAT(died(), ElementsAre(20, 21));
    EXPECT_EQ(Ouro_CollectGeneration(0), 0);
    EXPECT_EQ(PyGC_Collect(), 4);
}

TEST_P(Generation, TheMiddleWithTheYoung) {
    drop_one_of_each_age();
    EXPECT_EQ(Ouro_CollectGeneration(1), 4);
    EXPECT_THAT(died(), ElementsAre(10, 11, 20, 21));
    EXPECT_EQ(PyGC_Collect(), 2);
}

TEST_P(Generation, Everything) {
    drop_one_of_each_age();
    EXPECT_EQ(Ouro_CollectGeneration(2), 6);
    EXPECT_THAT(died(), ElementsAre(0, 1, 10, 11, 20, 21));
}

TEST_P(Generation, EventsNameIt) {
    for (const int generation : {0, 1, 2}) {
        Ouro_CollectGeneration(generation);
    }
    EXPECT_THAT(record.generations(), ElementsAre(0u, 1u, 2u));
}

TEST_P(Generation, FinalizersRunAndWhatTheyReviveIsNotCounted) {
    PyObject* saved = nullptr;
    record.on_finalize = [&](Thing* self) {
        if (self->id == 0) {
            saved = Py_NewRef(object(self));
        }
    };
    drop_ring(2, &FinalThingType);
    const std::vector<PyObject*> dying = ring(3, &FinalThingType, 10);
    drop(dying);
    EXPECT_EQ(Ouro_CollectGeneration(0), 3);
    EXPECT_THAT(died(), ElementsAre(10, 11, 12));
    ASSERT_NE(saved, nullptr);
    EXPECT_NE(thing(saved)->slots[0], nullptr);
    Py_CLEAR(saved);
    EXPECT_EQ(Ouro_CollectGeneration(1), 2);
}

// Ten young collections and one more make the next automatic one a middle one.
TEST_P(Generation, TheScheduleKnowsOfIt) {
    for (int i = 0; i < 11; ++i) {
        Ouro_CollectGeneration(0);
    }
    const size_t before = record.cycles.size();
    while (record.cycles.size() == before) {
        drop_ring(1);
    }
    EXPECT_EQ(record.cycles.back().generation, 1u);
    EXPECT_EQ(record.cycles.size(), 12u);
    PyGC_Collect();
}

// What was allocated before it does not bring the next automatic one nearer.
TEST_P(Generation, TheCountOfAllocationsBeginsAnew) {
    // How many living things are made until an automatic collection comes.
    const auto until_automatic = [this] {
        const size_t before = record.cycles.size();
        int made = 0;
        for (; record.cycles.size() == before; ++made) {
            living_.push_back(new_thing());
        }
        return made;
    };
    PyGC_Collect();
    const int whole = until_automatic();
    PyGC_Collect();
    for (int i = 0; i < whole - 10; ++i) {
        living_.push_back(new_thing());
    }
    EXPECT_EQ(Ouro_CollectGeneration(0), 0);
    EXPECT_EQ(until_automatic(), whole);
    drop(living_);
}

TEST_P(Generation, ThereAreThree) {
    for (const int generation : {-1, 3, 1000}) {
        EXPECT_EQ(Ouro_CollectGeneration(generation), -1);
        expect_raised(PyExc_ValueError, testing::HasSubstr(std::to_string(generation)));
    }
    EXPECT_TRUE(record.cycles.empty());
}

TEST_P(Generation, NothingIsCollectedWhileDisabledOrWithinACollection) {
    PyGC_Disable();
    drop_ring(2);
    EXPECT_EQ(Ouro_CollectGeneration(0), 0);
    PyGC_Enable();
    int asked = 0;
    record.on_clear = [&](Thing*) {
        ++asked;
        EXPECT_EQ(Ouro_CollectGeneration(0), 0);
        return true;
    };
    EXPECT_EQ(Ouro_CollectGeneration(0), 2);
    EXPECT_EQ(asked, 2);
    EXPECT_EQ(record.cycles.size(), 1u);
}

TEST_P(Generation, AnExceptionThatIsSetIsKept) {
    record.on_clear = [](Thing*) {
        PyErr_SetString(PyExc_TypeError, "from a clear");
        return true;
    };
    drop_ring(1);
    PyErr_SetString(PyExc_RuntimeError, "the caller's");
    EXPECT_EQ(Ouro_CollectGeneration(0), 1);
    expect_raised(PyExc_RuntimeError, testing::StrEq("the caller's"));
    EXPECT_THAT(take_unraisable(), ElementsAre("TypeError: from a clear"));
}
EVERY_RUNTIME_WITH_A_MIDDLE(Generation);

// Without generations each collection is a full one.
class WithoutGenerations : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        ASSERT_NO_FATAL_FAILURE(
            start_runtime(std::string("verify=on,generations=off,refcount=") + GetParam()));
    }
    void TearDown() override { stop_runtime(); }
};

TEST_P(WithoutGenerations, EachIsAFullOne) {
    const std::vector<PyObject*> things = ring(2);
    PyGC_Collect();
    drop(things);
    EXPECT_EQ(Ouro_CollectGeneration(0), 2);
    EXPECT_EQ(record.cycles.back().generation, 2u);
}
EVERY_RUNTIME(WithoutGenerations);

}  // namespace
}  // namespace ouro::test
