// gc.callbacks of collections that go on concurrently with the program: "start" on the thread whose allocation began
// one, "stop" where it ends, on the collector's thread, and never while the world is stopped; one that is given up
// has found nothing. Each "start" has its "stop". Freezing ends a collection that is in flight. Source: "gc - Garbage
// Collector interface", callbacks, freeze; core/collector/observed.hpp.
// label: concurrency

#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <utility>

#include "tests/contract/flight.hpp"

namespace ouro::test {
namespace {

// Callbacks may run on two threads, attached; under biased and atomic at once.
std::atomic<int> told_starts{0}, told_stops{0}, told_elsewhere{0};
std::atomic<Py_ssize_t> told_collected{0};

// What a callback does besides, once.
std::function<void()> on_told;

PyObject* count_told(PyObject*, PyObject* args) {
    const std::string_view phase = PyUnicode_AsUTF8(PyTuple_GetItem(args, 0));
    PyObject* info = PyTuple_GetItem(args, 1);
    if (PyLong_AsLong(PyDict_GetItemString(info, "generation")) == 2) {
        const Py_ssize_t found = PyLong_AsSsize_t(PyDict_GetItemString(info, "collected"));
        if (phase == "start") {
            EXPECT_EQ(std::this_thread::get_id(), test_thread);
            EXPECT_EQ(found, 0);
            ++told_starts;
        } else {
            told_elsewhere += std::this_thread::get_id() != test_thread ? 1 : 0;
            told_collected += found;
            ++told_stops;
        }
        EXPECT_EQ(Py_MakePendingCalls(), 0) << "a safepoint: nobody has stopped the world";
        if (on_told && phase == "start") {
            std::exchange(on_told, nullptr)();
        }
    }
    return Py_NewRef(Py_None);
}
PyMethodDef count_told_def = {"note_told", count_told, METH_VARARGS, nullptr};

class Told : public Flight {
protected:
    void SetUp() override {
        Flight::SetUp();
        told_starts = told_stops = told_elsewhere = 0;
        told_collected = 0;
        PyObject* gc = PyImport_ImportModule("gc");
        ASSERT_NE(gc, nullptr);
        callbacks_ = PyObject_GetAttrString(gc, "callbacks");
        freeze_ = PyObject_GetAttrString(gc, "freeze");
        unfreeze_ = PyObject_GetAttrString(gc, "unfreeze");
        Py_DECREF(gc);
        PyObject* function = PyCFunction_New(&count_told_def, nullptr);
        ASSERT_EQ(PyList_Append(callbacks_, function), 0);
        Py_DECREF(function);
    }
    void TearDown() override {
        gate().closed = false;
        PyGC_Collect();
        EXPECT_EQ(told_starts.load(), told_stops.load());
        PyList_SetSlice(callbacks_, 0, 1, nullptr);
        Py_DECREF(callbacks_);
        Py_DECREF(freeze_);
        Py_DECREF(unfreeze_);
        Flight::TearDown();
    }
    static void allocate_until(const std::function<bool()>& done) {
        while (!done()) {
            Py_DECREF(thing_ring(3, kUncounted));
            EXPECT_EQ(Py_MakePendingCalls(), 0);
        }
    }
    static void call(PyObject* function) {
        PyObject* result = PyObject_CallNoArgs(function);
        ASSERT_NE(result, nullptr);
        Py_DECREF(result);
    }

    PyObject* callbacks_ = nullptr;
    PyObject* freeze_ = nullptr;
    PyObject* unfreeze_ = nullptr;
};

TEST_P(Told, WhereItBeganAndWhereItEnded) {
    Fate fate;
    Py_DECREF(thing_ring(1000, &fate, &FinalThingType));
    allocate_until([&] { return fate.died.load() == 1000 && told_elsewhere.load() > 0; });
    EXPECT_GE(told_starts.load(), 1);
    EXPECT_GE(told_collected.load(), 1000);
}

TEST_P(Told, OneThatIsGivenUpHasFoundNothing) {
    take_off();
    const int before = told_starts.load();
    EXPECT_EQ(told_stops.load(), before - 1) << "one is in flight";
    const Py_ssize_t found = told_collected.load();
    PyGC_Disable();
    gate().closed = false;
    run_until([&] { return told_stops.load() == before; });
    EXPECT_EQ(told_collected.load(), found);
    PyGC_Enable();
}

TEST_P(Told, ARequestIsTheNext) {
    Fate fate;
    take_off();
    Py_DECREF(thing_ring(100, &fate));
    gate().closed = false;
    PyGC_Collect();
    EXPECT_EQ(told_starts.load(), told_stops.load());
    EXPECT_GE(told_starts.load(), 2);
    EXPECT_EQ(fate.died.load(), 100);
}

// The child has no such thread: what was told of goes on in another way there, and has its end.
TEST_P(Told, ACallbackMayFork) {
    pid_t child = -1;
    on_told = [&] { child = fork(); };
    while (child == -1) {
        Py_DECREF(thing_ring(3, kUncounted));
    }
    if (child == 0) {
        gate().of = getpid();
        Fate fate;
        Py_DECREF(thing_ring(100, &fate));
        allocate_until([&] { return fate.died.load() == 100; });
        PyGC_Collect();
        _exit(told_starts.load() == told_stops.load() && !testing::Test::HasFailure() ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST_P(Told, FreezingEndsIt) {
    Fate fate;
    take_off();
    const int before = told_starts.load();
    Py_DECREF(thing_ring(100, &fate));
    gate().closed = false;
    call(freeze_);
    EXPECT_EQ(told_stops.load(), before);
    PyGC_Collect();
    EXPECT_EQ(fate.died.load(), 0);
    call(unfreeze_);
    EXPECT_GE(PyGC_Collect(), 100);
    EXPECT_EQ(fate.died.load(), 100);
}

EVERY_FLIGHT(Told);

}  // namespace
}  // namespace ouro::test
