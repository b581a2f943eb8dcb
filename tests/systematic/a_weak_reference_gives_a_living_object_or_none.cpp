// A weak reference that is asked while the last reference goes gives the object, which then lives on, or
// nothing; the object dies once, its callback is called once, and then nobody gets it any more.

#include "tests/systematic/runtime.hpp"

namespace ouro::test {
namespace {

class AWeakReference : public Runtime {};

struct Referred {
    std::shared_ptr<Held> weak;
    PyObject* strong = nullptr;  // the last reference, which some thread drops
    std::atomic<bool> ready{false};
    std::atomic<int> called{0};
};

// What a callback of the runtime's counts.
std::atomic<int>* calls = nullptr;

PyObject* note_call(PyObject*, PyObject*) {
    ++*calls;
    return Py_NewRef(Py_None);
}
PyMethodDef note_call_method = {"note_call", note_call, METH_O, nullptr};

std::shared_ptr<Held> weak_to(PyObject* op, Referred& referred, bool callback) {
    calls = &referred.called;
    PyObject* call = callback ? PyCFunction_New(&note_call_method, nullptr) : nullptr;
    auto weak = hold(PyWeakref_NewRef(op, call));
    Py_XDECREF(call);
    return weak;
}

// Whether there was an object; it was alive.
bool upgrade(const Referred& referred) {
    PyObject* op = nullptr;
    const int found = PyWeakref_GetRef(referred.weak->get(), &op);
    EXPECT_EQ(found, op != nullptr ? 1 : 0);
    if (op == nullptr) {
        return false;
    }
    point("has it");
    EXPECT_EQ(take_number(op), 7);
    return true;
}

// Once it was gone it does not come back.
void upgrade_twice(const Referred& referred) {
    const bool first = upgrade(referred);
    const bool second = upgrade(referred);
    EXPECT_TRUE(first || !second);
}

void expect_end(Referred& referred, bool callback, long deaths) {
    EXPECT_EQ(died, deaths);
    EXPECT_FALSE(upgrade(referred));
    EXPECT_EQ(referred.called, callback ? 1 : 0);
}

enum class Dropper { kOwner, kOther };

// The thread that is asked for the object is not its owner.
void ask_beside_the_end(Execution& run, Dropper who, bool callback, int askers) {
    auto referred = std::make_shared<Referred>();
    if (who == Dropper::kOther) {
        referred->strong = new_witness(7);  // the main thread's, which is outside
        referred->weak = weak_to(referred->strong, *referred, callback);
        run.thread("drops", [referred] {
            const Attached here;
            Py_DECREF(referred->strong);
        });
        referred->ready = true;
    } else {
        run.thread("owns", [referred, callback] {
            const Attached here;
            PyObject* op = new_witness(7);
            referred->weak = weak_to(op, *referred, callback);
            referred->ready = true;
            point("owns");
            Py_DECREF(op);
            // Where it was there may be another now, which the weak reference does not lead to.
            PyObject* elsewhere = new_shared_witness(8);
            point("elsewhere");
            Py_DECREF(elsewhere);
        });
    }
    for (int i = 0; i < askers; ++i) {
        run.thread("asks", [referred] {
            const Attached here;
            wait_until([&] { return referred->ready.load(); });
            upgrade_twice(*referred);
        });
    }
    run.after([referred, callback, who] {
        expect_end(*referred, callback, who == Dropper::kOwner ? 2 : 1);
    });
}

TEST_P(AWeakReference, AskedWhileTheOwnerDropsTheLast) {
    explore_runtime(400, [](Execution& run) { ask_beside_the_end(run, Dropper::kOwner, true, 2); });
}

TEST_P(AWeakReference, AskedWhileAnotherDropsTheLast) {
    explore_runtime(400, [](Execution& run) { ask_beside_the_end(run, Dropper::kOther, true, 2); });
}

TEST_P(AWeakReference, AskedWhileAnotherDropsTheLastInEverySchedule) {
    exhaust_runtime(2, [](Execution& run) { ask_beside_the_end(run, Dropper::kOther, false, 1); });
}

// Each makes a weak reference of its own, which may be the one that all share.
TEST_P(AWeakReference, MadeWhileOthersComeAndGo) {
    explore_runtime(400, [](Execution& run) {
        auto op = hold(new_witness(7));
        for (int i = 0; i < 3; ++i) {
            run.thread("makes", [op] {
                const Attached here;
                PyObject* weak = PyWeakref_NewRef(op->get(), nullptr);
                EXPECT_NE(weak, nullptr);
                PyObject* found = nullptr;
                EXPECT_EQ(PyWeakref_GetRef(weak, &found), 1);
                EXPECT_EQ(found, op->get());
                Py_XDECREF(found);
                Py_DECREF(weak);
            });
        }
        run.after([op] {
            EXPECT_EQ(witness(op->get())->weak_references, nullptr);
            EXPECT_EQ(Py_REFCNT(op->get()), 1);
        });
    });
}

FREE_RUNTIMES(AWeakReference);

}  // namespace
}  // namespace ouro::test
