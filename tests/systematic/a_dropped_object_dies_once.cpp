// An object whose references are dropped by threads that do not own it dies exactly once, and not before
// the last: at its owner's next safepoint at the latest if the owner runs, at once if it is outside, when
// it exits if it does that meanwhile.

#include "tests/systematic/runtime.hpp"

namespace ouro::test {
namespace {

class ADroppedObject : public Runtime {};

struct Given {
    std::atomic<PyObject*> op{nullptr};
    std::atomic<int> dropped{0};
};

void drop(Given& given) {
    wait_until([&] { return given.op != nullptr; });
    EXPECT_EQ(number_of(given.op), 7);
    Py_DECREF(given.op.load());
    ++given.dropped;
}

void make(Given& given, int references) {
    PyObject* op = new_witness(7);
    for (int i = 1; i < references; ++i) {
        Py_INCREF(op);
    }
    given.op = op;
}

void droppers(Execution& run, const std::shared_ptr<Given>& given, int count) {
    for (int i = 0; i < count; ++i) {
        run.thread("drops", [given] {
            const Attached here;
            drop(*given);
        });
    }
}

// The owner runs until all is dropped, then takes one safepoint.
void drop_beside_a_running_owner(Execution& run, int others) {
    auto given = std::make_shared<Given>();
    run.thread("owns", [given, others] {
        const Attached here;
        make(*given, others + 1);
        point("runs");
        drop(*given);
        wait_until([&] { return given->dropped == others + 1; });
        safepoint();
        EXPECT_EQ(died, 1);
    });
    droppers(run, given, others);
    run.after([] { EXPECT_EQ(died, 1); });
}

TEST_P(ADroppedObject, BesideARunningOwner) {
    explore_runtime(400, [](Execution& run) { drop_beside_a_running_owner(run, 2); });
}

TEST_P(ADroppedObject, BesideARunningOwnerInEverySchedule) {
    exhaust_runtime(2, [](Execution& run) { drop_beside_a_running_owner(run, 1); });
}

// The owner goes outside and waits there for the end of the object.
void drop_beside_an_owner_that_goes_outside(Execution& run, int others) {
    auto given = std::make_shared<Given>();
    run.thread("owns", [given, others] {
        const Attached here;
        make(*given, others);
        const Detached outside;
        wait_until([&] { return died == 1; });
    });
    droppers(run, given, others);
    run.after([] { EXPECT_EQ(died, 1); });
}

TEST_P(ADroppedObject, BesideAnOwnerThatGoesOutside) {
    explore_runtime(400, [](Execution& run) { drop_beside_an_owner_that_goes_outside(run, 2); });
}

TEST_P(ADroppedObject, BesideAnOwnerThatGoesOutsideInEverySchedule) {
    exhaust_runtime(2, [](Execution& run) { drop_beside_an_owner_that_goes_outside(run, 1); });
}

// The owner comes and goes while others drop.
TEST_P(ADroppedObject, BesideAnOwnerThatComesAndGoes) {
    explore_runtime(400, [](Execution& run) {
        auto given = std::make_shared<Given>();
        run.thread("owns", [given] {
            const Attached here;
            make(*given, 3);
            for (int i = 0; i < 3; ++i) {
                const Detached outside;
                point("outside");
            }
            drop(*given);
        });
        droppers(run, given, 2);
        run.after([] { EXPECT_EQ(died, 1); });
    });
}

// Its index, and with it the object, may be a newcomer's before the others are done.
TEST_P(ADroppedObject, BesideAnOwnerThatExits) {
    explore_runtime(500, [](Execution& run) {
        auto given = std::make_shared<Given>();
        run.thread("owns", [given] {
            const Attached here;
            make(*given, 2);
        });
        droppers(run, given, 2);
        run.thread("comes", [given] {
            wait_until([&] { return given->op != nullptr; });
            const Attached here;
            safepoint();
        });
        run.after([] { EXPECT_EQ(died, 1); });
    });
}

TEST_P(ADroppedObject, BesideAnOwnerThatExitsInEverySchedule) {
    exhaust_runtime(2, [](Execution& run) {
        auto given = std::make_shared<Given>();
        run.thread("owns", [given] {
            const Attached here;
            make(*given, 1);
        });
        droppers(run, given, 1);
        run.after([] { EXPECT_EQ(died, 1); });
    });
}

// All take and give references at the same time; the count is right afterwards.
TEST_P(ADroppedObject, NotWhileAReferenceIsLeft) {
    explore_runtime(400, [](Execution& run) {
        auto op = hold(new_witness(7));
        for (int i = 0; i < 3; ++i) {
            run.thread("counts", [op] {
                const Attached here;
                for (int round = 0; round < 2; ++round) {
                    Py_INCREF(op->get());
                    Py_INCREF(op->get());
                    point("between");
                    Py_DECREF(op->get());
                    EXPECT_EQ(take_number(op->get()), 7);
                }
            });
        }
        run.after([op] {
            EXPECT_EQ(died, 0);
            EXPECT_EQ(Py_REFCNT(op->get()), 1);
        });
    });
}

FREE_RUNTIMES(ADroppedObject);

}  // namespace
}  // namespace ouro::test
