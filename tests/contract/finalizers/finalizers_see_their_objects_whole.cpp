// When a finalizer runs, its object and all that it reaches are as the program left them, whatever
// else was condemned with it and in whatever order finalizers come; what they revive, or free
// themselves, is sorted out afterwards. Source: "Type Objects", tp_finalize; the situations of
// CPython's test_finalization: simple, self cycle, chains of cycles; alone, reviving, suicidal.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

class Whole : public Things {
protected:
    void SetUp() override {
        Things::SetUp();
        saved_.clear();
        record.on_finalize = [this](Thing* self) {
            check(self);
            if (act) {
                act(self);
            }
        };
    }
    // All of it can be used: what it refers to has its type, references, and fields.
    static void check(Thing* self) {
        EXPECT_TRUE(PyObject_TypeCheck(object(self), &ThingType));
        EXPECT_GT(Py_REFCNT(object(self)), 0);
        for (PyObject* slot : self->slots) {
            if (slot != nullptr) {
                EXPECT_TRUE(PyObject_TypeCheck(slot, &ThingType));
                EXPECT_NE(thing(slot)->slots[0], nullptr) << "intact";
            }
        }
    }
    // A chain of `size` in both directions: each refers to the next and to the previous; the ends
    // to themselves. Every third has no finalizer if `mixed`.
    static void drop_chain(int size, bool mixed) {
        std::vector<PyObject*> chain;
        for (int i = 0; i < size; ++i) {
            chain.push_back(new_thing(i, mixed && i % 3 == 1 ? &ThingType : &FinalThingType));
        }
        for (size_t i = 0; i < chain.size(); ++i) {
            refer(chain[i], 0, chain[std::min(i + 1, chain.size() - 1)]);
            refer(chain[i], 1, chain[i == 0 ? 0 : i - 1]);
        }
        drop(chain);
    }
    std::function<void(Thing*)> act;
    std::vector<PyObject*> saved_;
};

TEST_P(Whole, ASelfCycle) {
    PyObject* op = new_thing(1, &FinalThingType);
    refer(op, 0, op);
    Py_DECREF(op);
    EXPECT_EQ(PyGC_Collect(), 1);
    EXPECT_EQ(record.count(Call::kFinalize), 1);
}

TEST_P(Whole, ASelfCycleThatBreaksItself) {
    act = [](Thing* self) { drop_slots(object(self)); };
    PyObject* op = new_thing(1, &FinalThingType);
    refer(op, 0, op);
    Py_DECREF(op);
    EXPECT_EQ(PyGC_Collect(), 0) << "it dies of its count";
    EXPECT_EQ(record.count(Call::kFinalize), 1);
    EXPECT_EQ(record.count(Call::kClear), 0);
    EXPECT_EQ(record.live, 0);
}

TEST_P(Whole, AChain) {
    for (const bool mixed : {false, true}) {
        record.calls.clear();
        drop_chain(9, mixed);
        EXPECT_EQ(PyGC_Collect(), 9);
        EXPECT_EQ(record.count(Call::kFinalize), mixed ? 6 : 9);
        EXPECT_EQ(record.live, 0);
    }
}

TEST_P(Whole, AChainWithOneThatIsRevived) {
    for (const bool mixed : {false, true}) {
        record.calls.clear();
        act = [this](Thing* self) {
            if (self->id == 3) {
                saved_.push_back(Py_NewRef(object(self)));
            }
        };
        drop_chain(9, mixed);
        PyGC_Collect();
        EXPECT_EQ(record.live, 9) << "the chain reaches all of itself";
        EXPECT_EQ(record.count(Call::kClear), 0);
        for (PyObject* op = saved_[0]; thing(op)->slots[0] != op; op = thing(op)->slots[0]) {
            check(thing(op));
        }
        drop(saved_);
        saved_.clear();
        EXPECT_EQ(PyGC_Collect(), 9);
        EXPECT_EQ(record.count(Call::kFinalize), mixed ? 6 : 9) << "once each";
        EXPECT_EQ(record.live, 0);
    }
}

TEST_P(Whole, AChainWithAllRevived) {
    act = [this](Thing* self) { saved_.push_back(Py_NewRef(object(self))); };
    drop_chain(9, false);
    PyGC_Collect();
    EXPECT_EQ(saved_.size(), 9u);
    EXPECT_EQ(record.live, 9);
    drop(saved_);
    EXPECT_EQ(PyGC_Collect(), 9);
    EXPECT_EQ(record.live, 0);
}

// Each finalizer cuts its object out of the chain: the next one's neighbours are fewer.
TEST_P(Whole, AChainThatBreaksItself) {
    for (const bool mixed : {false, true}) {
        record.on_finalize = [](Thing* self) { drop_slots(object(self)); };
        drop_chain(9, mixed);
        EXPECT_EQ(PyGC_Collect(), 0) << "each dies of its count";
        EXPECT_EQ(record.count(Call::kClear), 0);
        EXPECT_EQ(record.live, 0);
    }
}

// A finalizer takes a member's references and gives them to the living.
TEST_P(Whole, StealingFromTheGarbage) {
    PyObject* thief = new_thing(100);
    record.on_finalize = [&](Thing* self) {
        if (self->id == 0) {
            std::swap(thing(thief)->slots[0], self->slots[0]);
        }
    };
    const std::vector<PyObject*> things = ring(3, &FinalThingType);
    drop(things);
    PyGC_Collect();
    EXPECT_EQ(thing(thief)->slots[0], things[1]);
    EXPECT_EQ(thing(things[1])->slots[0], things[2]);
    EXPECT_EQ(thing(things[2])->slots[0], things[0]) << "what was stolen reaches all of them";
    EXPECT_EQ(record.live, 4);
    Py_DECREF(thief);
    PyGC_Collect();
    EXPECT_EQ(record.live, 0);
}

// Two garbage cycles; the finalizer of one revives itself, the other's is undisturbed and goes.
TEST_P(Whole, OneCycleRevivedAnotherFreed) {
    act = [this](Thing* self) {
        if (self->id == 0) {
            saved_.push_back(Py_NewRef(object(self)));
        }
    };
    drop_ring(2, &FinalThingType, 0);
    drop_ring(3, &FinalThingType, 10);
    PyGC_Collect();
    EXPECT_EQ(record.live, 2);
    EXPECT_EQ(record.count(Call::kDealloc), 3);
    drop(saved_);
    EXPECT_EQ(PyGC_Collect(), 2);
}

// A finalizer that adds to and removes from garbage containers, at random but repeatably. Source:
// CPython's bug 21435.
TEST_P(Whole, MutationsInFinalizers) {
    unsigned random = 12345;
    const auto next = [&] { return random = random * 1664525 + 1013904223; };
    std::vector<PyObject*> members;
    record.on_finalize = [&](Thing* self) {
        PyObject* fresh = new_thing(1000);
        refer(object(self), (next() >> 8) % kSlots, fresh);
        Py_DECREF(fresh);
        refer(object(self), (next() >> 8) % kSlots, nullptr);
        refer(fresh == self->slots[0] ? fresh : object(self), 1, object(self));
    };
    for (int round = 0; round < 20; ++round) {
        members.clear();
        for (int i = 0; i < 30; ++i) {
            members.push_back(new_thing(i, i % 2 == 0 ? &FinalThingType : &ThingType));
        }
        for (PyObject* op : members) {
            for (size_t slot = 0; slot < kSlots; ++slot) {
                refer(op, slot, members[(next() >> 8) % members.size()]);
            }
        }
        drop(members);
        PyGC_Collect();
        PyGC_Collect();
        ASSERT_EQ(record.live, 0);
    }
}

EVERY_RUNTIME(Whole);

}  // namespace
}  // namespace ouro::test
