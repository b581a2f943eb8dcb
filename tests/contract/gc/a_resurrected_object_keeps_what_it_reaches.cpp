// What a finalizer makes reachable again lives on, whole, with all that it reaches; the rest of the
// garbage is freed and is all that is counted. Its finalizer never runs again, and it is collected
// when it is dropped. Source: "Type Objects", tp_finalize.

#include "tests/contract/things.hpp"
#include "tests/support/scale.hpp"

namespace ouro::test {
namespace {

class Resurrected : public Things {
protected:
    // Lets the finalizer of the node with that id store a reference to it.
    void rescue(int id) {
        record.on_finalize = [this, id](Thing* op) {
            if (op->id == id) {
                rescued = Py_NewRef(object(op));
            }
        };
    }
    PyObject* rescued = nullptr;
};

TEST_P(Resurrected, AMemberKeepsItsCycleAndNoOther) {
    rescue(2);
    drop_ring(4, &FinalThingType);
    drop_ring(5, &FinalThingType, 10);
    EXPECT_EQ(PyGC_Collect(), 5) << "the other cycle";
    EXPECT_EQ(record.count(Call::kFinalize), 9);
    EXPECT_EQ(record.count(Call::kClear), 5);
    PyObject* op = rescued;
    for (int step = 0; step < 4; ++step, op = thing(op)->slots[0]) {
        EXPECT_EQ(thing(op)->id, (2 + step) % 4);
        EXPECT_EQ(Py_REFCNT(op), step == 0 ? 2 : 1) << "no reference of the collector's is left";
        EXPECT_TRUE(PyObject_GC_IsTracked(op));
    }
    EXPECT_EQ(op, rescued);

    EXPECT_EQ(PyGC_Collect(), 0) << "it is held";
    Py_DECREF(rescued);
    EXPECT_EQ(PyGC_Collect(), 4) << "and is not";
    EXPECT_EQ(record.count(Call::kFinalize), 9) << "no finalizer runs twice";
    EXPECT_EQ(record.live, 0);
}

// front -> back; the finalizer of back's member rescues back alone.
TEST_P(Resurrected, APartDoesNotKeepWhatRefersToIt) {
    const std::vector<PyObject*> front = ring(3, &FinalThingType, 0);
    const std::vector<PyObject*> back = ring(3, &FinalThingType, 10);
    refer(front[0], 1, back[0]);
    rescue(11);
    drop(front);
    drop(back);
    EXPECT_EQ(PyGC_Collect(), 3);
    EXPECT_EQ(record.live, 3);
    EXPECT_EQ(Py_REFCNT(back[0]), 1);
    Py_DECREF(rescued);
    EXPECT_EQ(PyGC_Collect(), 3);
}

TEST_P(Resurrected, APartKeepsWhatItRefersTo) {
    const std::vector<PyObject*> front = ring(3, &FinalThingType, 0);
    const std::vector<PyObject*> back = ring(3, &FinalThingType, 10);
    PyObject* list = PyList_New(0);
    PyObject* dict = PyDict_New();
    ASSERT_EQ(PyDict_SetItemString(dict, "back", back[0]), 0);
    ASSERT_EQ(PyList_Append(list, dict), 0);
    refer(front[2], 1, list);
    rescue(0);
    drop(front);
    drop(back);
    drop({list, dict});
    EXPECT_EQ(PyGC_Collect(), 0);
    ASSERT_EQ(PyList_Size(list), 1);
    EXPECT_EQ(PyDict_GetItemString(PyList_GetItem(list, 0), "back"), back[0]);
    EXPECT_EQ(thing(back[0])->slots[0], back[1]);
    EXPECT_EQ(record.count(Call::kClear), 0);
    Py_DECREF(rescued);
    EXPECT_EQ(PyGC_Collect(), 8);
}

// Stored in a live container and not in a C variable.
TEST_P(Resurrected, ByAReferenceFromALiveContainer) {
    PyObject* live = PyList_New(0);
    record.on_finalize = [&](Thing* op) {
        if (op->id == 1) {
            EXPECT_EQ(PyList_Append(live, object(op)), 0);
        }
    };
    drop_ring(3, &FinalThingType);
    EXPECT_EQ(PyGC_Collect(), 0);
    EXPECT_EQ(record.live, 3);
    Py_DECREF(live);
    EXPECT_EQ(PyGC_Collect(), 3);
}

// A finalizer takes a reference away again: nobody is rescued by what is gone when the last one
// ends.
TEST_P(Resurrected, IsDecidedAfterTheLastFinalizer) {
    record.on_finalize = [this](Thing* op) {
        const long turn = record.count(Call::kFinalize);
        if (turn == 1) {
            rescued = Py_NewRef(op->slots[0]);
        } else if (turn == 3) {
            Py_CLEAR(rescued);
        }
    };
    drop_ring(3, &FinalThingType);
    EXPECT_EQ(PyGC_Collect(), 3);
}

// References moved within the garbage rescue nobody.
TEST_P(Resurrected, NotByANewReferenceFromGarbage) {
    const std::vector<PyObject*> a = ring(2, &FinalThingType, 0);
    const std::vector<PyObject*> b = ring(2, &FinalThingType, 10);
    record.on_finalize = [&](Thing* op) {
        if (op->id == 0) {
            refer(object(op), 1, b[0]);
            refer(b[1], 1, object(op));
        }
    };
    drop(a);
    drop(b);
    EXPECT_EQ(PyGC_Collect(), 4);
}

EVERY_RUNTIME(Resurrected);

int pauses = 0;

void count_pause(const OuroEvent* event, void*) {
    pauses += event->phase == OURO_PHASE_PAUSE ? 1 : 0;
}

// So many that it takes more than one pause to find out: a chain of cycles, one of which is rescued.
TEST_P(Resurrected, AMemberOfAChainKeepsTheRestOfIt) {
    // What is verified is the whole heap, in each pause.
    const int rings = static_cast<int>(scaled(20'000, 2000));
    rescue(rings);
    const std::vector<PyObject*> head = ring(2, &FinalThingType);
    PyObject* last = head[0];
    for (int i = 1; i < rings; ++i) {
        const std::vector<PyObject*> next = ring(2, &FinalThingType, 2 * i);
        refer(last, 1, next[0]);
        last = next[0];
        drop(next);
    }
    drop(head);
    pauses = 0;
    ASSERT_EQ(Ouro_AddListener(count_pause, nullptr), 0);
    EXPECT_EQ(PyGC_Collect(), rings) << "the half before it";
    Ouro_RemoveListener(count_pause, nullptr);
    EXPECT_GT(pauses, 3) << "all was tested in one pause";
    EXPECT_EQ(record.live, rings);
    EXPECT_EQ(Py_REFCNT(rescued), 2);
    Py_DECREF(rescued);
    EXPECT_EQ(PyGC_Collect(), rings);
    EXPECT_EQ(record.live, 0);
}

}  // namespace
}  // namespace ouro::test
