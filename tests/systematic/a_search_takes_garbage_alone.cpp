// Engine local: searches around what threads let go of, beside threads that let go of, take and get the same objects,
// condemn nothing that one of them has.

#include "tests/systematic/runtime.hpp"

namespace ouro::test {
namespace {

class ASearch : public Runtime {};

// Two that refer to each other, old: a decrement that leaves one alive is noted. References to both (new).
std::array<PyObject*, 2> old_pair() {
    PyObject* first = new_shared_witness(1);
    PyObject* second = new_shared_witness(2);
    OURO_STORE_FIELD(&witness(first)->other, Py_NewRef(second));
    OURO_STORE_FIELD(&witness(second)->other, Py_NewRef(first));
    PyGC_Collect();
    return {first, second};
}

// An allocation: what waits is searched around.
void search() {
    Py_XDECREF(PyList_New(0));
}

TEST_P(ASearch, BesideAnotherThatLetsGoOfTheSameCycle) {
    explore_runtime(300, [](Execution& run) {
        const auto pair = old_pair();
        for (PyObject* mine : pair) {
            run.thread("lets go", [mine] {
                const Attached here;
                EXPECT_EQ(number_of(mine), witness(mine)->number);
                Py_DECREF(mine);
                search();
            });
        }
        run.after([] {
            PyGC_Collect();
            EXPECT_EQ(died, 2);
        });
    });
}

TEST_P(ASearch, BesideAThreadThatGoesFromOneToTheOther) {
    explore_runtime(300, [](Execution& run) {
        const auto pair = old_pair();
        run.thread("lets go", [pair] {
            const Attached here;
            Py_DECREF(pair[1]);
            search();
            search();
        });
        run.thread("goes on", [pair] {
            const Attached here;
            PyObject* other = Py_NewRef(witness(pair[0])->other);
            Py_DECREF(pair[0]);
            search();
            safepoint();
            EXPECT_EQ(number_of(other), 2);
            EXPECT_EQ(number_of(witness(other)->other), 1);
            EXPECT_EQ(died, 0);
            Py_DECREF(other);
            search();
        });
        run.after([] {
            PyGC_Collect();
            EXPECT_EQ(died, 2);
        });
    });
}

TEST_P(ASearch, BesideAnUpgradeOfAWeakReference) {
    explore_runtime(300, [](Execution& run) {
        const auto pair = old_pair();
        auto weak = hold(PyWeakref_NewRef(pair[0], nullptr));
        run.thread("lets go", [pair] {
            const Attached here;
            Py_DECREF(pair[0]);
            Py_DECREF(pair[1]);
            search();
        });
        run.thread("asks", [weak] {
            const Attached here;
            PyObject* op = nullptr;
            PyWeakref_GetRef(weak->get(), &op);
            if (op == nullptr) {
                return;
            }
            safepoint();
            EXPECT_EQ(number_of(op), 1);
            EXPECT_EQ(number_of(witness(op)->other), 2);
            EXPECT_EQ(died, 0);
            Py_DECREF(op);
            search();
        });
        run.after([weak] {
            PyGC_Collect();
            EXPECT_EQ(died, 2);
            EXPECT_EQ(PyWeakref_IsDead(weak->get()), 1);
        });
    });
}

// What threads have noted when they end is not lost.
TEST_P(ASearch, AroundWhatThreadsNotedThatHaveEnded) {
    explore_runtime(300, [](Execution& run) {
        for (PyObject* mine : old_pair()) {
            run.thread("lets go", [mine] {
                const Attached here;
                Py_DECREF(mine);
            });
        }
        run.after([] {
            search();
            EXPECT_EQ(died, 2);
        });
    });
}

#ifndef OURO_REFCOUNT_PLAIN
INSTANTIATE_TEST_SUITE_P(Counts, ASearch,
                         testing::Values("biased,engine=local,suspects=1",
                                         "atomic,engine=local,suspects=1"),
                         runtime_name);
#else
FREE_RUNTIMES(ASearch);
#endif

}  // namespace
}  // namespace ouro::test
