// Who has no reference gets one only to an object that is alive and whole: through PyUnstable_TryIncRef,
// a weak reference, or an item of a container that another thread is changing.
// label: concurrency

#include "tests/contract/threads.hpp"

namespace ouro::test {
namespace {

using Taking = Threads;
class TakingBesideTheOwner : public Threads {};

TEST_P(Taking, WhileAReferenceIsHeld) {
    Fate fate;
    PyObject* op = new_thing(&fate);
    PyUnstable_EnableTryIncRef(op);
    EXPECT_EQ(PyUnstable_TryIncRef(op), 1);
    EXPECT_EQ(Py_REFCNT(op), 2);
    on_another_thread([op] {
        EXPECT_EQ(PyUnstable_TryIncRef(op), 1);
        EXPECT_EQ(Py_REFCNT(op), 3);
        Py_DECREF(op);
    });
    Py_DECREF(op);
    EXPECT_EQ(fate.died, 0);
    Py_DECREF(op);
    EXPECT_EQ(fate.died, 1);
}

TEST_P(Taking, NotFromADyingObject) {
    Fate fate;
    std::atomic<int> taken{-1};
    static std::atomic<int>* result;
    result = &taken;
    PyTypeObject* type = &FinalThingType;
    PyObject* op = new_thing(&fate, type);
    PyUnstable_EnableTryIncRef(op);
    PyObject* inner = new_thing(kUncounted);
    refer(op, 0, inner);
    Py_DECREF(inner);
    // The callback of a weak reference runs when nobody can come back.
    static PyMethodDef method = {"note",
                                 [](PyObject* self, PyObject*) {
                                     *result = PyUnstable_TryIncRef(static_cast<PyObject*>(
                                         PyCapsule_GetPointer(self, nullptr)));
                                     return Py_NewRef(Py_None);
                                 },
                                 METH_O, nullptr};
    PyObject* capsule = PyCapsule_New(op, nullptr, nullptr);
    PyObject* callback = PyCFunction_New(&method, capsule);
    PyObject* weak = PyWeakref_NewRef(op, callback);
    Py_DECREF(callback);
    Py_DECREF(capsule);
    Py_DECREF(op);
    EXPECT_EQ(taken, 0);
    EXPECT_EQ(fate.died, 1);
    Py_DECREF(weak);
}

TEST_P(Taking, UniqueMeansNobodyElse) {
    PyObject* op = new_thing(kUncounted);
    EXPECT_EQ(PyUnstable_Object_EnableDeferredRefcount(op), 0);
    EXPECT_EQ(PyUnstable_Object_IsUniquelyReferenced(op), 1);
    Py_INCREF(op);
    EXPECT_EQ(PyUnstable_Object_IsUniquelyReferenced(op), 0);
    Py_DECREF(op);
    EXPECT_EQ(PyUnstable_Object_IsUniquelyReferenced(op), 1);
    on_another_thread([op] { Py_INCREF(op); });
    EXPECT_EQ(PyUnstable_Object_IsUniquelyReferenced(op), 0);
    on_another_thread([op] { Py_DECREF(op); });
    EXPECT_EQ(PyUnstable_Object_IsUniquelyReferenced(op), 1);
    Py_DECREF(op);
}

// What only the owner could tell is not claimed.
TEST_P(TakingBesideTheOwner, NotUniqueForOthersWhileItHasAnOwner) {
    PyObject* op = new_thing(kUncounted);
    const int expected = std::string_view(GetParam()) == "biased" ? 0 : 1;
    on_another_thread([=] { EXPECT_EQ(PyUnstable_Object_IsUniquelyReferenced(op), expected); });
    EXPECT_EQ(PyUnstable_Object_IsUniquelyReferenced(op), 1);
    Py_DECREF(op);
}

// This thread has a reference to an object of another, which makes and hands out references all the
// time: there is never a moment at which this one's is the only one.
TEST_P(TakingBesideTheOwner, NeverUniqueWhileTheOwnerHasOne) {
    std::atomic<PyObject*> shared{nullptr}, handed{nullptr};
    std::atomic<bool> done{false};
    Crew crew;
    crew.add([&] {  // the owner
        PyObject* op = new_thing(kUncounted);
        Py_INCREF(op);
        shared = op;
        while (!done) {
            Py_INCREF(op);
            handed = op;
            run_until([&] { return handed == nullptr || done; });
        }
        if (handed.exchange(nullptr) != nullptr) {
            Py_DECREF(op);
        }
        Py_DECREF(op);
    });
    crew.add([&] {  // who drops what it is handed
        while (!done) {
            run_until([&] { return handed != nullptr || done; });
            if (PyObject* op = handed.exchange(nullptr)) {
                Py_DECREF(op);
            }
        }
    });
    run_until([&] { return shared != nullptr; });
    PyObject* op = shared;
    on_another_thread([op] { Py_INCREF(op); });  // into the shared half
    long unique = 0;
    const int64_t end = milliseconds() + 500;
    run_until([&] {
        for (int i = 0; i < 1000; ++i) {
            unique += PyUnstable_Object_IsUniquelyReferenced(op);
        }
        return milliseconds() > end;
    });
    EXPECT_EQ(unique, 0);
    done = true;
    crew.join();
    Py_DECREF(op);
    Py_DECREF(op);
}

// A weak reference is upgraded by one thread while the others drop the last references.
TEST_P(Taking, WeakReferencesBesideTheLastDecrement) {
    constexpr int kRounds = 2000;
    Fate fate;
    std::atomic<PyObject*> weak{nullptr};
    std::atomic<bool> done{false};
    std::atomic<long> upgraded{0};
    std::atomic<bool> reading{false};
    Crew crew;
    for (int t = 0; t < 2; ++t) {
        crew.add([&] {
            run_until([&] {
                // Under the flag, so that the reference to the weak reference is a good one.
                PyObject* reference = nullptr;
                if (!reading.exchange(true)) {
                    reference = Py_XNewRef(weak.load());
                    reading = false;
                }
                if (reference != nullptr) {
                    PyObject* op = nullptr;
                    if (PyWeakref_GetRef(reference, &op) == 1) {
                        EXPECT_TRUE(is_whole(op));
                        ++upgraded;
                        Py_DECREF(op);
                    }
                    Py_DECREF(reference);
                }
                return done.load();
            });
        });
    }
    for (int i = 0; i < kRounds; ++i) {
        PyObject* op = new_thing(&fate, &FinalThingType);
        PyObject* reference = PyWeakref_NewRef(op, nullptr);
        weak = reference;
        for (int spin = i % 50; spin > 0; --spin) {
            EXPECT_EQ(Py_MakePendingCalls(), 0);
        }
        Py_DECREF(op);
        run_until([&] { return !reading.exchange(true); });
        weak = nullptr;
        reading = false;
        run_until([&] { return fate.died == i + 1; });
        EXPECT_EQ(PyWeakref_IsDead(reference), 1);
        Py_DECREF(reference);
    }
    done = true;
    crew.join();
    EXPECT_EQ(fate.died, kRounds);
    EXPECT_EQ(fate.finalized, kRounds);
}

// Readers without a lock concurrently with a writer that grows, replaces, removes and clears.
TEST_P(Taking, ItemsOfAListThatIsChanged) {
    PyObject* list = PyList_New(0);
    std::atomic<bool> done{false};
    std::atomic<long> taken{0};
    Crew crew;
    for (int t = 0; t < 2; ++t) {
        crew.add([&] {
            run_until([&] {
                for (Py_ssize_t i = 0; i < 20; ++i) {
                    if (PyObject* op = PyList_GetItemRef(list, i)) {
                        EXPECT_TRUE(op == Py_None || is_whole(op));
                        ++taken;
                        Py_DECREF(op);
                    } else {
                        EXPECT_EQ(PyErr_Occurred(), PyExc_IndexError);
                        PyErr_Clear();
                    }
                }
                return done.load();
            });
        });
    }
    const int64_t end = milliseconds() + 500;
    Fate fate;
    long made = 0;
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(PyList_Append(list, Py_None), 0);
    }
    while (milliseconds() < end || taken < 1000) {
        for (int i = 0; i < 40; ++i) {
            PyObject* op = new_thing(&fate);
            EXPECT_EQ(PyList_SetItem(list, i % 20, op), 0);
            ++made;
        }
        for (int i = 0; i < 20; i += 3) {
            EXPECT_EQ(PyList_SetItem(list, i, Py_NewRef(Py_None)), 0);
        }
        EXPECT_EQ(Py_MakePendingCalls(), 0);
    }
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(PyList_SetItem(list, i, Py_NewRef(Py_None)), 0);
    }
    done = true;
    crew.join();
    run_until([&] { return fate.died == made; });
    Py_DECREF(list);
}

TEST_P(Taking, ValuesOfADictThatIsChanged) {
    PyObject* dict = PyDict_New();
    std::vector<PyObject*> keys;
    for (long i = 0; i < 20; ++i) {
        keys.push_back(PyLong_FromLong(1000 + i));
    }
    std::atomic<bool> done{false};
    std::atomic<long> taken{0};
    Crew crew;
    for (int t = 0; t < 2; ++t) {
        crew.add([&] {
            run_until([&] {
                for (PyObject* key : keys) {
                    PyObject* op = nullptr;
                    const int found = PyDict_GetItemRef(dict, key, &op);
                    EXPECT_EQ(found == 1, op != nullptr);
                    EXPECT_NE(found, -1);
                    if (op != nullptr) {
                        EXPECT_TRUE(is_whole(op));
                        ++taken;
                        Py_DECREF(op);
                    }
                }
                return done.load();
            });
        });
    }
    const int64_t end = milliseconds() + 500;
    Fate fate;
    long made = 0;
    const auto store = [&](PyObject* key) {
        PyObject* op = new_thing(&fate);
        ++made;
        EXPECT_EQ(PyDict_SetItem(dict, key, op), 0);
        Py_DECREF(op);
    };
    while (milliseconds() < end || taken < 1000) {
        for (int round = 0; round < 3; ++round) {
            for (PyObject* key : keys) {
                store(key);
            }
        }
        for (size_t i = 0; i < keys.size(); i += 3) {
            EXPECT_EQ(PyDict_DelItem(dict, keys[i]), 0);
        }
        PyDict_Clear(dict);
        EXPECT_EQ(Py_MakePendingCalls(), 0);
    }
    done = true;
    crew.join();
    run_until([&] { return fate.died == made; });
    for (PyObject* key : keys) {
        Py_DECREF(key);
    }
    Py_DECREF(dict);
}

EVERY_RUNTIME(Taking);
EVERY_FREE_RUNTIME(TakingBesideTheOwner);

}  // namespace
}  // namespace ouro::test
