// The parallel engine on heaps larger than a worker's share: random graphs with garbage in them, lists
// and tuples so large that they are put aside, chains that only one worker can follow, more
// references to one object than a byte counts. What it frees and what it leaves is what the serial
// engine frees and leaves.

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "experiments/workloads/instance.hpp"
#include "tests/oracle/runtime_test.hpp"
#include "tests/support/notes.hpp"
#include "tests/support/scale.hpp"

namespace ouro::test {
namespace {

using workloads::instances_deallocated;
using workloads::new_instance;
using workloads::slots_of;

constexpr size_t kDegree = 3;

struct Outcome {
    Py_ssize_t first, second;
    size_t freed_first, freed_second;
    bool operator==(const Outcome&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Outcome& o) {
    return out << o.first << ' ' << o.second << ' ' << o.freed_first << ' ' << o.freed_second;
}

// Part of the graph hangs on one list, part on a tuple, part on a chain, the rest on nothing.
Outcome collect_graph(size_t objects, uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto pick = [&](size_t limit) { return random() % limit; };
    PyTypeObject* type = workloads::instance_type(kDegree);
    std::vector<PyObject*> all;
    for (size_t i = 0; i < objects; ++i) {
        all.push_back(new_instance(type));
    }
    // Edges stay within a third of the objects, so that the last third is garbage as a whole.
    const size_t third = objects / 3;
    const size_t hubs = third / 256 + 1;  // of each third
    for (size_t i = 0; i < objects; ++i) {
        const size_t base = i / third * third;
        const size_t end = std::min(base + third, objects);
        for (size_t slot = 0; slot < kDegree; ++slot) {
            // One in four to a hub: some 200 references, more than the workers' bytes add up to.
            const size_t target =
                base + pick(pick(4) == 0 ? std::min(hubs, end - base) : end - base);
            slots_of(all[i])[slot] = Py_NewRef(all[target]);
        }
    }
    PyObject* list = PyList_New(static_cast<Py_ssize_t>(third));
    PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(third));
    for (size_t i = 0; i < third; ++i) {
        PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), Py_NewRef(all[third - 1 - i]));
        PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), Py_NewRef(all[third + i]));
    }
    // A chain in random order: each next one is reached through the one before alone.
    PyObject* chain = new_instance(type);
    PyObject* tail = chain;
    for (size_t i = 0; i < objects / 8; ++i) {
        PyObject* next = new_instance(type);
        slots_of(tail)[0] = next;
        tail = next;
    }
    slots_of(tail)[0] = Py_NewRef(chain);
    for (PyObject* op : all) {
        Py_DECREF(op);
    }
    Outcome outcome{};
    size_t before = instances_deallocated();
    outcome.first = PyGC_Collect();
    outcome.freed_first = instances_deallocated() - before;
    expect_no_notes();
    // Everything that lives can be walked.
    size_t reached = 0;
    for (size_t i = 0; i < third; ++i) {
        reached += Py_TYPE(PyList_GetItem(list, static_cast<Py_ssize_t>(i))) == type ? 1 : 0;
    }
    EXPECT_EQ(reached, third);
    before = instances_deallocated();
    Py_DECREF(list);
    Py_DECREF(tuple);
    Py_DECREF(chain);
    outcome.second = PyGC_Collect();
    outcome.freed_second = instances_deallocated() - before;
    expect_no_notes();
    return outcome;
}

TEST(ManyWorkers, FreeWhatOneFrees) {
    const size_t objects = scaled(600'000, 30'000);
    const uint64_t first_seed = seed();
    for (uint64_t round = 0; round < 2; ++round) {
        SCOPED_TRACE("seed " + std::to_string(first_seed + round));
        restart("engine=stw,workers=0,refcount=gil,verify=off");
        const Outcome one = collect_graph(objects, first_seed + round);
        EXPECT_GT(one.freed_first, objects / 4) << "there was no garbage, so this shows nothing";
        EXPECT_GT(one.freed_second, objects / 2);
        for (const int workers : {1, 2, 3, 8}) {
            SCOPED_TRACE(std::to_string(workers) + " workers");
            restart("engine=stw-parallel,verify=off,workers=" + std::to_string(workers));
            EXPECT_EQ(collect_graph(objects, first_seed + round), one);
        }
    }
    Py_Finalize();
}

// Everything hangs on one tuple too small to be put aside and lies behind it, so that one worker
// finds all of it and the others live on what it gives away.
TEST(ManyWorkers, TakeWorkFromTheOneWhoHasIt) {
    const size_t width = 40'000;
    const size_t length = scaled(20, 4);
    for (size_t round = 0; round < scaled(10, 3); ++round) {
        restart("engine=stw-parallel,workers=4,verify=off");
        PyTypeObject* type = workloads::instance_type(1);
        const size_t before = instances_deallocated();
        std::vector<PyObject*> chains;
        for (size_t i = 0; i < width; ++i) {
            PyObject* chain = nullptr;
            for (size_t j = 0; j < length; ++j) {
                PyObject* op = new_instance(type);
                slots_of(op)[0] = chain;
                chain = op;
            }
            chains.push_back(chain);
        }
        PyObject* root = PyTuple_New(static_cast<Py_ssize_t>(width));
        for (size_t i = 0; i < width; ++i) {
            PyTuple_SET_ITEM(root, static_cast<Py_ssize_t>(i), chains[i]);
        }
        EXPECT_EQ(PyGC_Collect(), 0);
        ASSERT_EQ(instances_deallocated(), before);
        expect_no_notes();
        Py_DECREF(root);
        EXPECT_EQ(instances_deallocated(), before + width * length);
    }
}

// The heap's size is right in the middle of what makes workers restart, share and end: many times.
TEST(ManyWorkers, AgreeOnSmallHeapsToo) {
    const uint64_t first_seed = seed();
    for (uint64_t round = 0; round < scaled(30, 5); ++round) {
        const size_t objects = 300 + round * 211;
        SCOPED_TRACE("seed " + std::to_string(first_seed + round));
        restart("engine=stw,refcount=atomic,verify=on");
        const Outcome one = collect_graph(objects, first_seed + round);
        restart("engine=stw-parallel,workers=4,verify=on");
        EXPECT_EQ(collect_graph(objects, first_seed + round), one);
    }
    restart("engine=stw,refcount=gil,verify=off,workers=0");
    Py_Finalize();
}

}  // namespace
}  // namespace ouro::test
