// The last reference to an object may wait in the queue of its owner, which is merged when a collection begins. What the
// object kept alive is garbage for that collection, whichever engine looks for it. Source: "Supporting Cyclic Garbage
// Collection", PyGC_Collect: a full collection.
// label: concurrency

#include "tests/contract/threads.hpp"

namespace ouro::test {
namespace {

class AWaitingReference : public Threads {};

TEST_P(AWaitingReference, KeepsNothingThatACollectionIsAskedFor) {
    Fate fate;
    PyObject* first = new_thing(&fate);
    PyObject* second = new_thing(&fate);
    refer(first, 0, second);
    refer(second, 0, first);
    PyObject* holder = new_thing(&fate);
    refer(holder, 0, first);
    Py_DECREF(first);
    Py_DECREF(second);

    Py_INCREF(holder);
    std::atomic<bool> is_dropped{false};
    std::thread other([&] {
        const Attached attached;
        Py_DECREF(holder);
        is_dropped = true;
    });
    while (!is_dropped.load()) {  // attached: nobody else may merge what this thread owns
    }
    Py_DECREF(holder);
    EXPECT_EQ(PyGC_Collect(), 2);
    EXPECT_EQ(fate.died.load(), 3);
    const Detached outside;
    other.join();
}

#ifdef OURO_REFCOUNT_PLAIN
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(AWaitingReference);
#else
INSTANTIATE_TEST_SUITE_P(Engines, AWaitingReference,
                         testing::Values("atomic", "biased", "biased,engine=stw-parallel,workers=2",
                                         "biased,engine=incremental", "biased,engine=concurrent",
                                         "biased,engine=snapshot", "biased,engine=snapshot-sync"),
                         runtime_name);
#endif

}  // namespace
}  // namespace ouro::test
