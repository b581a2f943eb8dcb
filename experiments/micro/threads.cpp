// What being one of several threads costs, uncontended: locks, critical sections, detaching and
// attaching, safepoints, references without owning one, and what a thread leaves to an owner.
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "experiments/micro/fixture.hpp"

namespace {

using ouro::micro::Counts;

void mutex(benchmark::State& state) {
    PyMutex lock{};
    for (auto _ : state) {
        PyMutex_Lock(&lock);
        PyMutex_Unlock(&lock);
    }
}
BENCHMARK(mutex)->Name("thread/mutex");

void section(benchmark::State& state) {
    if (const Counts counts(state, "biased"); counts) {
        PyObject* op = PyList_New(0);
        for (auto _ : state) {
            Py_BEGIN_CRITICAL_SECTION(op);
            Py_END_CRITICAL_SECTION();
        }
        Py_DECREF(op);
    }
}
BENCHMARK(section)->Name("thread/critical_section");

void detach(benchmark::State& state, const char* refcount) {
    if (const Counts counts(state, refcount); counts) {
        for (auto _ : state) {
            Py_BEGIN_ALLOW_THREADS
            Py_END_ALLOW_THREADS
        }
    }
}
BENCHMARK_CAPTURE(detach, gil, "gil")->Name("thread/detach_and_attach/gil");
BENCHMARK_CAPTURE(detach, biased, "biased")->Name("thread/detach_and_attach/biased");

void safepoint(benchmark::State& state) {
    if (const Counts counts(state, "biased"); counts) {
        for (auto _ : state) {
            Py_MakePendingCalls();
        }
    }
}
BENCHMARK(safepoint)->Name("thread/safepoint");

// A thread that is attached; it comes to a safepoint when it is asked to, and at no other time.
class Owner {
public:
    Owner() {
        Py_BEGIN_ALLOW_THREADS
        thread_ = std::thread([this] { live(); });
        await([this] { return answered_.load() == asked_; });
        Py_END_ALLOW_THREADS
    }
    ~Owner() {
        over_ = true;
        ask([] {});
        Py_BEGIN_ALLOW_THREADS
        thread_.join();
        Py_END_ALLOW_THREADS
    }
    Owner(const Owner&) = delete;
    Owner& operator=(const Owner&) = delete;

    // Has it do something, and pass a safepoint after it.
    template <class Work>
    void ask(Work work) {
        work_ = work;
        asked_.fetch_add(1);
        await([this] { return answered_.load() == asked_.load(); });
    }

private:
    template <class Condition>
    static void await(const Condition& condition) {
        while (!condition()) {
            std::this_thread::yield();
        }
    }
    void live() {
        const PyGILState_STATE state = PyGILState_Ensure();
        answered_ = asked_.load();
        while (!over_) {
            await([this] { return answered_.load() != asked_.load(); });
            work_();
            Py_MakePendingCalls();
            answered_ = asked_.load();
        }
        PyGILState_Release(state);
    }

    std::atomic<int> asked_{1}, answered_{0};
    std::atomic<bool> over_{false};
    std::function<void()> work_;
    std::thread thread_;
};

void try_incref(benchmark::State& state, bool own) {
    const Counts counts(state, "biased");
    if (!counts) {
        return;
    }
    Owner owner;
    PyObject* op = nullptr;
    const auto make = [&] { op = PyList_New(0); };
    if (own) {
        make();
    } else {
        owner.ask(make);
    }
    PyUnstable_EnableTryIncRef(op);
    for (auto _ : state) {
        benchmark::DoNotOptimize(PyUnstable_TryIncRef(op));
        Py_DECREF(op);
    }
    const auto drop = [&] { Py_DECREF(op); };
    if (own) {
        drop();
    } else {
        owner.ask(drop);
    }
}
BENCHMARK_CAPTURE(try_incref, own, true)->Name("thread/try_incref_and_drop/owner");
BENCHMARK_CAPTURE(try_incref, other, false)->Name("thread/try_incref_and_drop/non-owner");

// A reference more than a thread has added is left to the owner: each of these is queued. The owner's
// part, which merges and frees, is not timed.
void leave_to_owner(benchmark::State& state) {
    const Counts counts(state, "biased");
    if (!counts) {
        return;
    }
    Owner owner;
    std::vector<PyObject*> objects;
    size_t next = 0;
    for (auto _ : state) {
        if (next == objects.size()) {
            state.PauseTiming();
            objects.resize(10'000);
            owner.ask([&] {
                for (PyObject*& op : objects) {
                    op = PyFloat_FromDouble(1);
                }
            });
            next = 0;
            state.ResumeTiming();
        }
        Py_DECREF(objects[next++]);
    }
    while (next < objects.size()) {
        Py_DECREF(objects[next++]);
    }
    owner.ask([] {});
}
BENCHMARK(leave_to_owner)->Name("thread/left_to_owner");

}  // namespace
