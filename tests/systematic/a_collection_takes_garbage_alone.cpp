// A collection beside threads that read, take and drop references finds all that was garbage when it began,
// and nothing else; what a weak reference gave meanwhile lives on.

#include "tests/systematic/runtime.hpp"

namespace ouro::test {
namespace {

class ACollection : public Runtime {};

void make_garbage() {
    PyObject* first = new_witness(1);
    PyObject* second = new_witness(2);
    OURO_STORE_FIELD(&witness(first)->other, second);
    OURO_STORE_FIELD(&witness(second)->other, first);  // the references are theirs
}

// One reads, from a list, what another takes out; both leave references to each other's objects in queues.
TEST_P(ACollection, BesideAReaderOfAList) {
    explore_runtime(300, [](Execution& run) {
        auto list = hold(PyList_New(0));
        for (long i = 0; i < 2; ++i) {
            PyObject* item = new_shared_witness(i);
            OURO_STORE_FIELD(&witness(item)->other,
                             Py_NewRef(list->get()));  // a cycle, held by the main thread
            PyList_Append(list->get(), item);
            Py_DECREF(item);
        }
        run.thread("collects", [] {
            const Attached here;
            make_garbage();
            PyGC_Collect();
            EXPECT_EQ(died, 2);
        });
        run.thread("reads", [list] {
            const Attached here;
            for (int i = 0; i < 4; ++i) {
                PyObject* item = PyList_GetItemRef(list->get(), i % 2);
                ASSERT_NE(item, nullptr);
                safepoint();
                EXPECT_EQ(take_number(item), i % 2);
            }
        });
        run.after([list] {
            EXPECT_EQ(died, 2);
            EXPECT_EQ(PyList_Size(list->get()), 2);
            EXPECT_EQ(Py_REFCNT(list->get()), 3);
            for (Py_ssize_t i = 0; i < 2; ++i) {
                EXPECT_EQ(number_of(PyList_GET_ITEM(list->get(), i)), i);
                EXPECT_EQ(Py_REFCNT(PyList_GET_ITEM(list->get(), i)), 1);
                Py_CLEAR(witness(PyList_GET_ITEM(list->get(), i))->other);
            }
        });
    });
}

// A ring that only a weak reference leads to: whoever gets it has all of it, or it is all gone.
TEST_P(ACollection, BesideAnUpgradeOfAWeakReferenceToGarbage) {
    explore_runtime(300, [](Execution& run) {
        PyObject* first = new_witness(7);
        PyObject* second = new_witness(8);
        OURO_STORE_FIELD(&witness(first)->other, second);
        OURO_STORE_FIELD(&witness(second)->other, first);
        auto weak = hold(PyWeakref_NewRef(first, nullptr));
        run.thread("collects", [] {
            const Attached here;
            PyGC_Collect();
        });
        run.thread("asks", [weak] {
            const Attached here;
            PyObject* op = nullptr;
            PyWeakref_GetRef(weak->get(), &op);
            if (op == nullptr) {
                return;
            }
            safepoint();
            EXPECT_EQ(number_of(op), 7);
            EXPECT_EQ(number_of(witness(op)->other), 8);
            EXPECT_EQ(died, 0);
            Py_DECREF(op);
        });
        run.after([weak] {
            PyGC_Collect();
            EXPECT_EQ(died, 2);
            EXPECT_EQ(PyWeakref_IsDead(weak->get()), 1);
        });
    });
}

// The reference that a thread dropped to another's object waits in a queue when that thread collects; the
// owner has perhaps begun to look.
TEST_P(ACollection, BesideADropThatWaitsForItsOwner) {
    explore_runtime(300, [](Execution& run) {
        auto given = std::make_shared<std::atomic<PyObject*>>(nullptr);
        run.thread("owns", [given] {
            const Attached here;
            PyObject* ring = new_witness(7);
            OURO_STORE_FIELD(&witness(ring)->other, Py_NewRef(ring));
            *given = ring;
            run_until([] { return died == 1; });
        });
        run.thread("drops", [given] {
            const Attached here;
            run_until([&] { return given->load() != nullptr; });
            EXPECT_EQ(take_number(given->load()), 7);
            PyGC_Collect();
            EXPECT_EQ(died, 1);
            run_until([] {
                PyGC_Collect();
                return died == 1;
            });
        });
    });
}

// Two want to collect: one does, and what it does not find another collection will.
TEST_P(ACollection, BesideAnotherThatIsRefused) {
    explore_runtime(300, [](Execution& run) {
        for (int i = 0; i < 2; ++i) {
            run.thread("collects", [] {
                const Attached here;
                make_garbage();
                PyGC_Collect();
                make_garbage();
            });
        }
        run.after([] {
            PyGC_Collect();
            EXPECT_EQ(died, 8);
        });
    });
}

FREE_RUNTIMES(ACollection);

}  // namespace
}  // namespace ouro::test
