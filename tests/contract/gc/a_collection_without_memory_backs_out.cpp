// A collection allocates lists of its own. Where memory is out at any of them it either completes or
// leaves all as it was: nothing live is lost, garbage waits for a later collection, finalizers and
// callbacks run at most once, and an exception that was set is still set. Source: "Supporting Cyclic
// Garbage Collection", PyGC_Collect; "gc", garbage.

#include "core/option/settings.hpp"
#include "tests/contract/things.hpp"
#include "tests/support/failing.hpp"
#include "tests/support/notes.hpp"

namespace ouro::test {
namespace {

void legacy_finalize(PyObject*) {}

PyTypeObject LegacyThingType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.LegacyThing",
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_base = &ThingType,
    .tp_del = legacy_finalize,
};

// Everything that a collection has to do with, in one heap.
class Scene {
public:
    static constexpr int kPlain = 100, kWatched = 200, kFinal = 300, kLegacy = 400, kKept = 500;

    // `in_slices`: a collection may end in the middle.
    explicit Scene(bool in_slices) : in_slices_(in_slices) {
        kept_ = ring(5, &ThingType, kKept);
        for (PyObject* op : kept_) {  // many references to one: counts are carried
            PyObject* fan = PyTuple_New(300);
            for (Py_ssize_t i = 0; i < 300; ++i) {
                PyTuple_SET_ITEM(fan, i, Py_NewRef(kept_[0]));
            }
            refer(op, 1, fan);
            Py_DECREF(fan);
        }
        drop_ring(4, &ThingType, kPlain);
        const auto watched_things = ring(3, &ThingType, kWatched);
        for (PyObject* op : watched_things) {
            references_.push_back(watched(op, thing(op)->id));
        }
        drop(watched_things);
        record.on_finalize = [this](Thing* op) {
            if (op->id == kFinal) {
                resurrected_.push_back(Py_NewRef(object(op)));
            }
            // A weak reference made by a finalizer, to something condemned.
            if (PyObject* reference = PyWeakref_NewRef(object(op), nullptr)) {
                references_.push_back(reference);
            } else {
                PyErr_Clear();
            }
        };
        drop_ring(3, &FinalThingType, kFinal);
        drop_ring(2, &FinalThingType, kFinal + 10);
        legacy_ = ring(2, &LegacyThingType, kLegacy);
        drop(legacy_);
    }

    // What must be true whatever failed.
    void check_safe() const {
        expect_no_notes(in_slices_);
        for (size_t i = 0; i < kept_.size(); ++i) {
            ASSERT_EQ(thing(kept_[i])->id, kKept + static_cast<int>(i));
            ASSERT_EQ(thing(kept_[i])->slots[0], kept_[(i + 1) % kept_.size()]);
            ASSERT_TRUE(PyObject_GC_IsTracked(kept_[i]));
        }
        for (const int id : {kFinal, kFinal + 1, kFinal + 2, kFinal + 10, kFinal + 11}) {
            EXPECT_LE(record.count(Call::kFinalize, id), 1) << id;
        }
        for (PyObject* op : resurrected_) {
            EXPECT_EQ(record.count(Call::kDealloc, thing(op)->id), 0);
            EXPECT_NE(thing(op)->slots[0], nullptr) << "resurrected, but cleared";
        }
    }

    // What must be true when collections have run with memory enough.
    void check_done() {
        check_safe();
        for (const int first : {kPlain, kWatched}) {
            for (int id = first; id < first + 3; ++id) {
                EXPECT_EQ(record.count(Call::kDealloc, id), 1) << id;
            }
        }
        for (int id = kWatched; id < kWatched + 3; ++id) {
            EXPECT_LE(record.count(Call::kCallback, id), 1);
        }
        // What could not be listed as uncollectable was reported; as in CPython it is listed later only
        // if nothing that is listed reaches it.
        const auto unlisted = std::erase_if(record.unraisable, [&](const Unraisable& error) {
            return error.type == "MemoryError" && std::ranges::count(legacy_, error.where) == 1;
        });
        const Py_ssize_t listed = PyList_Size(Ouro_Garbage());
        EXPECT_GE(listed, 1);
        EXPECT_GE(listed + static_cast<Py_ssize_t>(unlisted), 2);
        EXPECT_EQ(record.count(Call::kCallback) + static_cast<long>(record.unraisable.size()), 3)
            << "each callback was called, or the failure to call it reported";
        for (const std::string& error : take_unraisable()) {
            EXPECT_EQ(error, "MemoryError: ");
        }
        for (const int id : {kFinal, kFinal + 1, kFinal + 2, kFinal + 10, kFinal + 11}) {
            EXPECT_EQ(record.count(Call::kFinalize, id), 1) << id;
        }
        ASSERT_EQ(resurrected_.size(), 1u);
        EXPECT_EQ(record.count(Call::kDealloc, kFinal + 1), 0) << "what it reaches lives";
        EXPECT_EQ(record.count(Call::kDealloc, kFinal + 10), 1);
        EXPECT_EQ(record.count(Call::kDealloc, kLegacy), 0);
    }

    void end() {
        record.on_finalize = nullptr;
        std::vector<PyObject*> legacy;
        for (Py_ssize_t i = 0; i < PyList_Size(Ouro_Garbage()); ++i) {
            legacy.push_back(Py_NewRef(PyList_GetItem(Ouro_Garbage(), i)));
        }
        PyList_Type.tp_clear(Ouro_Garbage());
        for (PyObject* op : legacy) {
            drop_slots(op);
        }
        for (const auto* each : {&legacy, &references_, &resurrected_, &kept_}) {
            drop(*each);
        }
        PyGC_Collect();
        EXPECT_EQ(record.live, 0);
        record.calls.clear();
    }

private:
    const bool in_slices_;
    std::vector<PyObject*> kept_, references_, resurrected_;
    std::vector<PyObject*> legacy_;  // borrowed: nothing frees them
};

class Shortage : public Things {
protected:
    void SetUp() override {
        Things::SetUp();
        ASSERT_EQ(PyType_Ready(&LegacyThingType), 0);
    }
    // Whether full collections are, and there are none of the middle generation.
    static bool in_slices() { return option::settings().engine_row().is_budgeted(); }
};

TEST_P(Shortage, OfAnExplicitCollection) {
    int completed = 0;
    const int failures = fail_each_allocation([&](Failing& failing) {
        Scene scene(in_slices());
        PyErr_SetString(PyExc_KeyError, "set before");
        const Py_ssize_t found = failing([] { return PyGC_Collect(); });
        completed += found > 0 ? 1 : 0;
        expect_raised(PyExc_KeyError, testing::StrEq("set before"));
        scene.check_safe();
        PyGC_Collect();
        PyGC_Collect();  // what the first finalized for nothing
        scene.check_done();
        scene.end();
    });
    EXPECT_GT(failures, 10) << "a collection allocates more lists than that";
    EXPECT_GT(completed, 2) << "some failures come when all is decided";
}

TEST_P(Shortage, OfWhatIsFoundAgainIsTheSame) {
    Py_ssize_t all = 0;
    fail_each_allocation([&](Failing& failing) {
        drop_ring(50);
        const Py_ssize_t first = failing([] { return PyGC_Collect(); });
        const Py_ssize_t second = PyGC_Collect();
        if (failing.failed() == 0) {
            EXPECT_EQ(first, 50);
        }
        EXPECT_EQ(first + second, 50) << "found once, whichever collection it was";
        all += first + second;
        EXPECT_EQ(record.live, 0);
    });
    EXPECT_GT(all, 100);
}

// An automatic one inside somebody's allocation: the first is of the young, the twelfth of the middle.
TEST_P(Shortage, OfAnAutomaticCollection) {
    for (const size_t cycles_before : {0, 11}) {
        SCOPED_TRACE(cycles_before);
        const int failures = fail_each_allocation([&](Failing& failing) {
            PyGC_Collect();
            record.cycles.clear();
            while (record.cycles.size() < cycles_before) {
                drop_ring(1);
            }
            Scene scene(in_slices());
            while (record.cycles.size() == cycles_before) {
                PyObject* op = failing([] { return PyList_New(0); });
                if (op == nullptr) {
                    expect_raised(PyExc_MemoryError);
                    op = PyList_New(0);
                }
                PyList_Append(op, op);
                Py_DECREF(op);
            }
            EXPECT_EQ(record.cycles.back().generation, cycles_before == 0 || in_slices() ? 0u : 1u);
            scene.check_safe();
            PyGC_Collect();
            PyGC_Collect();
            scene.check_done();
            scene.end();
        });
        EXPECT_GT(failures, 5);
    }
}

EVERY_RUNTIME(Shortage);
#ifndef OURO_REFCOUNT_PLAIN
INSTANTIATE_TEST_SUITE_P(InOneStop, Shortage,
                         testing::Values("biased,engine=concurrent-sync",
                                         "atomic,engine=concurrent-sync",
                                         "gil,engine=snapshot-sync"),
                         runtime_name);
#endif

}  // namespace
}  // namespace ouro::test
