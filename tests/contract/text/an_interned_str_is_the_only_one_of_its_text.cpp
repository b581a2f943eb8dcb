// label: concurrency
// Interning gives one str for each text, from whatever thread; a str interned in place is forgotten
// when nobody has it, one interned from C text stays. Source: "Unicode Objects and Codecs",
// PyUnicode_InternInPlace, PyUnicode_InternFromString.

#include <atomic>

#include "tests/contract/threads.hpp"

namespace ouro::test {
namespace {

using Interned = Threads;

TEST_P(Interned, IsTheSameForTheSameText) {
    PyObject* a = PyUnicode_InternFromString("same text for ever");
    PyObject* b = PyUnicode_InternFromString("same text for ever");
    EXPECT_EQ(a, b);
    EXPECT_TRUE(PyUnstable_IsImmortal(a));
    EXPECT_STREQ(PyUnicode_AsUTF8(a), "same text for ever");
    PyObject* other = PyUnicode_InternFromString("other text for ever");
    EXPECT_NE(other, a);
    PyObject* in_place = PyUnicode_FromString("same text for ever");
    EXPECT_NE(in_place, a);
    PyUnicode_InternInPlace(&in_place);
    EXPECT_EQ(in_place, a);
}

TEST_P(Interned, InPlaceIsReferenceNeutral) {
    PyObject* first = PyUnicode_FromString("interned in place");
    PyObject* op = first;
    PyUnicode_InternInPlace(&op);
    EXPECT_EQ(op, first) << "the first of its text is itself";
    EXPECT_EQ(Py_REFCNT(op), 1);
    PyUnicode_InternInPlace(&op);
    EXPECT_EQ(op, first);
    EXPECT_EQ(Py_REFCNT(op), 1);

    PyObject* second = PyUnicode_FromString("interned in place");
    PyObject* kept = Py_NewRef(second);
    PyUnicode_InternInPlace(&second);
    EXPECT_EQ(second, first);
    EXPECT_EQ(Py_REFCNT(first), 2);
    EXPECT_EQ(Py_REFCNT(kept), 1) << "its reference was dropped";
    for (PyObject* each : {op, second, kept}) {
        Py_DECREF(each);
    }
}

TEST_P(Interned, IsForgottenWithItsLastReference) {
    PyObject* first = PyUnicode_FromString("soon forgotten");
    PyUnicode_InternInPlace(&first);
    Py_DECREF(first);
    PyObject* second = PyUnicode_FromString("soon forgotten");
    PyObject* op = second;
    PyUnicode_InternInPlace(&op);
    EXPECT_EQ(op, second) << "a dead str is not found";
    EXPECT_EQ(Py_REFCNT(op), 1);
    PyObject* for_ever = PyUnicode_InternFromString("soon forgotten");
    EXPECT_EQ(for_ever, op) << "what is interned already is taken as it is";
    Py_DECREF(for_ever);
    Py_DECREF(op);
}

TEST_P(Interned, LeavesOtherObjectsAlone) {
    PyObject* none = nullptr;
    PyUnicode_InternInPlace(&none);
    EXPECT_EQ(none, nullptr);
    PyObject* number = PyLong_FromLong(1'000'000);
    PyObject* op = number;
    PyUnicode_InternInPlace(&op);
    EXPECT_EQ(op, number);
    EXPECT_EQ(Py_REFCNT(op), 1);
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    Py_DECREF(op);
}

// All intern the same few texts, keep them for a while and drop them, so that a str often dies on
// one thread while another finds it.
TEST_P(Interned, IsOneForAllThreads) {
    constexpr int kThreads = 3;
    constexpr int kDifferent = 4;
    const int rounds = is_free_threaded() ? 20'000 : 1000;
    std::atomic<int> wrong{0};
    Crew crew;
    for (int t = 0; t < kThreads; ++t) {
        crew.add([&wrong, rounds] {
            for (int i = 0; i < rounds; ++i) {
                PyObject* a = PyUnicode_FromFormat("shared %d", i % kDifferent);
                PyObject* b = PyUnicode_FromFormat("shared %d", i % kDifferent);
                PyUnicode_InternInPlace(&a);
                PyUnicode_InternInPlace(&b);
                PyObject* expected = PyUnicode_FromFormat("shared %d", i % kDifferent);
                wrong += a != b || PyUnicode_Compare(a, expected) != 0;
                Py_DECREF(a);
                Py_DECREF(b);
                Py_DECREF(expected);
            }
        });
    }
    crew.join();
    EXPECT_EQ(wrong, 0);
}

EVERY_RUNTIME(Interned);

}  // namespace
}  // namespace ouro::test
