// However many references lie inside a dead cycle it is collected, and one reference from outside,
// or any number, keeps it: also where a number needs more than 8 or 16 bits, or is a multiple of
// 256. Source: "Supporting Cyclic Garbage Collection", PyGC_Collect.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

class Widths : public Things {
protected:
    // A node and a list that refers to it `inside` times and that it refers to. Both references are
    // the caller's.
    static std::pair<PyObject*, PyObject*> star(int inside) {
        PyObject* centre = new_thing();
        PyObject* list = PyList_New(0);
        for (int i = 0; i < inside; ++i) {
            EXPECT_EQ(PyList_Append(list, centre), 0);
        }
        refer(centre, 0, list);
        return {centre, list};
    }
};

constexpr int kInside[] = {1,   127, 128,    129,    255,    256,   257,
                           300, 512, 32'768, 65'535, 65'536, 70'000};

TEST_P(Widths, AnyNumberFromInsideIsGarbage) {
    for (const int inside : kInside) {
        const auto [centre, list] = star(inside);
        ASSERT_EQ(Py_REFCNT(centre), inside + 1);
        Py_DECREF(centre);
        Py_DECREF(list);
        EXPECT_EQ(PyGC_Collect(), 2) << inside;
        ASSERT_EQ(record.live, 0) << inside;
    }
}

TEST_P(Widths, OneFromOutsideKeepsIt) {
    for (const int inside : kInside) {
        const auto [centre, list] = star(inside);
        Py_DECREF(list);
        EXPECT_EQ(PyGC_Collect(), 0) << inside;
        ASSERT_EQ(Py_REFCNT(centre), inside + 1);
        Py_DECREF(centre);
        EXPECT_EQ(PyGC_Collect(), 2) << inside;
    }
}

// Of a multiple of 256 nothing is left in a byte.
TEST_P(Widths, AnyNumberFromOutsideKeepsIt) {
    for (const int outside : {1, 255, 256, 257, 512, 65'535, 65'536, 131'072}) {
        for (const int inside : {1, 300}) {
            const auto [centre, list] = star(inside);
            for (int i = 1; i < outside; ++i) {
                Py_INCREF(centre);
            }
            Py_DECREF(list);
            EXPECT_EQ(PyGC_Collect(), 0) << outside << " outside, " << inside << " inside";
            ASSERT_EQ(record.live, 1);
            for (int i = 0; i < outside; ++i) {
                Py_DECREF(centre);
            }
            EXPECT_EQ(PyGC_Collect(), 2) << outside << " outside, " << inside << " inside";
        }
    }
}

// The same numbers in the test that follows finalizers.
TEST_P(Widths, ATestAfterFinalizersCountsAsWell) {
    PyObject* rescued = nullptr;
    int outside = 0;
    record.on_finalize = [&](Thing* op) {
        for (int i = 0; i < outside; ++i) {
            Py_INCREF(rescued = object(op));
        }
    };
    for (outside = 0; outside <= 65'536; outside = outside * 256 + (outside == 0 ? 1 : 0)) {
        PyObject* centre = new_thing(0, &FinalThingType);
        PyObject* list = PyList_New(0);
        for (int i = 0; i < 300; ++i) {
            ASSERT_EQ(PyList_Append(list, centre), 0);
        }
        refer(centre, 0, list);
        drop({centre, list});
        EXPECT_EQ(PyGC_Collect(), outside == 0 ? 2 : 0) << outside;
        for (int i = 0; i < outside; ++i) {
            Py_DECREF(rescued);
        }
        EXPECT_EQ(PyGC_Collect(), outside == 0 ? 0 : 2) << outside;
    }
}

// Many objects that each carry: what is noted aside is a list, not a place.
TEST_P(Widths, OfManyObjectsAtOnce) {
    std::vector<PyObject*> centres;
    for (int i = 0; i < 200; ++i) {
        const auto [centre, list] = star(300);
        Py_DECREF(list);
        if (i % 2 == 0) {
            centres.push_back(centre);
        } else {
            Py_DECREF(centre);
        }
    }
    EXPECT_EQ(PyGC_Collect(), 200);
    EXPECT_EQ(record.live, 100);
    drop(centres);
    EXPECT_EQ(PyGC_Collect(), 200);
}

EVERY_RUNTIME(Widths);

}  // namespace
}  // namespace ouro::test
