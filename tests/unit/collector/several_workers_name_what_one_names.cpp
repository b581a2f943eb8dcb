// label: concurrency
// However many threads take part in the slices of a concurrent pass, and whenever they come and go, it names what was
// garbage when it began, and, where nothing changes meanwhile, nothing else.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "core/collector/engines/old_pass.hpp"
#include "core/heap/heap.hpp"
#include "core/include/Python.h"
#include "core/mutator/traversal.hpp"
#include "core/mutator/world.hpp"
#include "tests/support/scale.hpp"

namespace ouro::collector {
namespace {

// Threads that take part as long as this lives, on and off.
class Joiners {
public:
    Joiners(SliceWorkers& workers, int threads) {
        for (int i = 0; i < threads; ++i) {
            threads_.emplace_back([this, &workers] {
                while (!over_.load(std::memory_order_relaxed)) {
                    joined_ += workers.join(Deadline(100'000)) ? 1 : 0;
                    std::this_thread::yield();
                }
            });
        }
    }
    ~Joiners() {
        over_ = true;
        for (std::thread& thread : threads_) {
            thread.join();
        }
    }
    Joiners(const Joiners&) = delete;
    Joiners& operator=(const Joiners&) = delete;

    int joined() const { return joined_; }

private:
    std::atomic<bool> over_{false};
    std::atomic<int> joined_{0};
    std::vector<std::thread> threads_;
};

// A pass beside mutators, of which there are none.
class Pass {
public:
    explicit Pass(SliceWorkers& workers) {
        const mutator::Stopped stopped;
        heap::clear_young();
        pass_.emplace(false, workers);
        traversal_.emplace();
        traversal_->pause();
    }

    Candidates run() {
        Candidates found;
        step([&](Deadline& d, World world) { return pass_->count(d, world); });
        step([&](Deadline& d, World world) { return pass_->colour(d, world); });
        step([&](Deadline& d, World world) { return pass_->mark(d, world); });
        step([&](Deadline& d, World) { return pass_->list(d, found); });
        for (const PyObject* op : found) {
            heap::tables.mark[heap::slot_of(op)] = heap::kNotSeen;
        }
        return found;
    }

private:
    template <class Step>
    void step(const Step& step) {
        Next next = Next::kMore;
        while (next != Next::kDone) {
            Deadline deadline(200'000);
            if (next == Next::kStop) {
                const mutator::Stopped stopped;
                next = step(deadline, World::kStopped);
            } else {
                traversal_->resume();
                next = step(deadline, World::kRunning);
                traversal_->pause();
            }
        }
    }

    std::optional<OldPass> pass_;
    std::optional<mutator::Traversal> traversal_;
};

class Workers : public testing::TestWithParam<unsigned> {
protected:
    void SetUp() override {
        Py_Initialize();
        PyGC_Disable();
    }
    void TearDown() override {
        PyGC_Enable();
        Py_Finalize();
    }

    static PyObject* list(Py_ssize_t size) {
        PyObject* made = PyList_New(size);
        for (Py_ssize_t i = 0; i < size; ++i) {
            PyList_SET_ITEM(made, i, Py_NewRef(Py_None));
        }
        return made;
    }
    static void refer(PyObject* from, Py_ssize_t i, PyObject* to) {
        EXPECT_EQ(PyList_SetItem(from, i, Py_NewRef(to)), 0);
    }
    // What a pass names, the lowest first; by `threads` of its own and as many that come and go.
    static std::vector<PyObject*> named(unsigned threads) {
        SliceWorkers workers(threads);
        const Joiners joiners(workers, threads > 1 ? 2 : 0);
        Candidates found = Pass(workers).run();
        std::vector<PyObject*> sorted(found.begin(), found.end());
        std::ranges::sort(sorted);
        return sorted;
    }
};

// A random graph, half of which hangs on what the test holds; chains against the sweep, so that stacks fill; an object with
// more references than a byte counts, from each worker's blocks.
TEST_P(Workers, NameWhatOneNames) {
    const size_t size = test::scaled(300'000, 150'000);
    std::mt19937_64 random(7);
    std::vector<PyObject*> live, dead;
    PyObject* hub = PyList_New(0);
    for (size_t i = 0; i < size; ++i) {
        live.push_back(list(3));
        dead.push_back(list(3));
        refer(live[i], 2, hub);
    }
    for (size_t i = 0; i < size; ++i) {
        refer(live[i], 0,
              live[i == 0 ? size - 1 : i - 1]);  // those before it in memory: behind the sweep
        refer(live[i], 1, live[random() % size]);
        refer(dead[i], 0, dead[(i + 1) % size]);
        refer(dead[i], 1, dead[random() % size]);
        refer(dead[i], 2, live[random() % size]);
    }
    PyObject* dead_hub = PyList_New(0);
    for (size_t i = 0; i < size; i += 2) {
        EXPECT_EQ(PyList_Append(dead_hub, dead[i]), 0);
    }
    refer(dead[0], 2, dead_hub);
    Py_DECREF(dead_hub);
    for (size_t i = 0; i < size; ++i) {
        Py_DECREF(dead[i]);
        if (i + 1 < size) {
            Py_DECREF(live[i]);
        }
    }
    std::vector<PyObject*> garbage = dead;
    garbage.push_back(dead_hub);
    std::ranges::sort(garbage);
    const std::vector<PyObject*> found = named(GetParam());
    EXPECT_EQ(found.size(), garbage.size());
    EXPECT_TRUE(found == garbage);  // not EXPECT_EQ, which would print them all
    Py_DECREF(live.back());
    Py_DECREF(hub);
    PyGC_Enable();
    EXPECT_EQ(PyGC_Collect(), static_cast<Py_ssize_t>(2 * size + 2));
}

INSTANTIATE_TEST_SUITE_P(Of, Workers, testing::Values(1U, 2U, 4U),
                         [](const auto& threads) { return std::to_string(threads.param); });

}  // namespace
}  // namespace ouro::collector
