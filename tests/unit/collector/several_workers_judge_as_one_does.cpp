// label: concurrency
// However many threads read the references of a set and weigh its components, and whatever is dealt with as soon as it has
// been weighed: components come in the same order, with the same verdicts (inv.exact.nothing-live,
// inv.exact.nothing-missed).

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <random>
#include <unordered_set>
#include <vector>

#include "core/collector/engines/slice_workers.hpp"
#include "core/collector/exact_test.hpp"
#include "core/heap/heap.hpp"
#include "core/include/Python.h"
#include "core/mutator/traversal.hpp"
#include "core/mutator/world.hpp"
#include "tests/support/scale.hpp"

namespace ouro::collector {
namespace {

struct Judged {
    PyObject* first;  // of a component
    size_t size;
    Verdict verdict;  // of kTaken: kGarbage
    bool operator==(const Judged&) const = default;
};

std::unordered_set<PyObject*> not_reclaimed;
bool is_not_reclaimed(PyObject* op) {
    return not_reclaimed.contains(op);
}

std::atomic<size_t> taken;
bool take_none(std::span<PyObject* const>, uint32_t) {
    return false;
}
// Some, by their addresses.
bool take_some(std::span<PyObject* const> objects, uint32_t) {
    const bool takes = reinterpret_cast<uintptr_t>(objects[0]) / 64 % 3 != 0;
    taken += takes ? objects.size() : 0;
    return takes;
}

template <class Step>
void in_slices(const Step& step) {
    bool done = false;
    while (!done) {
        Deadline deadline(100'000);
        done = step(deadline);
    }
}

class Judgement : public testing::TestWithParam<unsigned> {
protected:
    void SetUp() override {
        Py_Initialize();
        PyGC_Disable();
    }
    void TearDown() override {
        for (PyObject* op : held_) {
            Py_DECREF(op);
        }
        not_reclaimed.clear();
        PyGC_Enable();
        PyGC_Collect();
        Py_Finalize();
    }

    // References in so large components are looked up together, and not all of it is in the cache at once.
    static constexpr size_t kLarge = 700;

    // Rings and chains of lists in a random order, of which some are held, and some refer to others.
    Candidates make(size_t size) {
        std::mt19937_64 random(11);
        Candidates all;
        for (size_t i = 0; i < size; ++i) {
            all.push_back(PyList_New(0));
        }
        std::ranges::shuffle(all, random);
        for (size_t i = 0; i < size;) {
            const size_t ring =
                std::min<size_t>(random() % 250 == 0 ? kLarge : 1 + random() % 6, size - i);
            for (size_t k = 0; k < ring; ++k) {
                refer(all[i + k], all[i + (k + 1) % ring]);
            }
            if (random() % 8 == 0) {
                refer(all[i], all[random() % size]);
            }
            const size_t what = random() % 64;
            if (what < 4) {
                held_.push_back(Py_NewRef(all[i]));
            } else if (what == 4) {
                not_reclaimed.insert(all[i + ring / 2]);
            }
            i += ring;
        }
        for (PyObject* op : all) {
            Py_DECREF(op);
        }
        std::ranges::sort(all);
        return all;
    }

    // What a test says of the set; nothing is done about it. In each verdict of garbage the collector takes a
    // reference to another member, now and then, which it accounts for.
    static std::vector<Judged> judged(const Candidates& set, ExactTest::Memory& memory,
                                      SliceWorkers* threads, bool world_runs,
                                      ExactTest::Take take) {
        std::vector<Judged> all;
        std::vector<PyObject*> references;
        std::optional<mutator::Traversal> traversal;
        {
            const mutator::Stopped stopped;
            heap::clear_young();
            traversal.emplace();
            traversal->pause();
        }
        ExactTest test(set, 0, memory, threads, is_not_reclaimed);
        traversal->resume();
        Deadline none = Deadline::none();
        EXPECT_TRUE(test.number(none));
        if (world_runs) {
            in_slices([&](Deadline& deadline) {
                const Next next = test.read(deadline, World::kRunning);
                EXPECT_NE(next, Next::kStop);
                return next == Next::kDone;
            });
        }
        traversal.reset();
        const mutator::Stopped stopped;
        if (!world_runs) {
            in_slices([&](Deadline& deadline) {
                return test.read(deadline, World::kStopped) == Next::kDone;
            });
        }
        EXPECT_TRUE(test.order(none));
        size_t next = 0;
        const auto verdict = [&](std::span<PyObject* const> objects, Verdict found) {
            all.push_back(
                {objects[0], objects.size(), found == Verdict::kTaken ? Verdict::kGarbage : found});
            if (found != Verdict::kLive && all.size() % 16 == 0) {
                next = (next + 7919) % set.size();
                references.push_back(Py_NewRef(set[next]));
                test.account(set[next]);
            }
        };
        in_slices([&](Deadline& deadline) { return test.test(deadline, take, verdict); });
        EXPECT_TRUE(test.forget(none));
        for (const PyObject* op : set) {
            EXPECT_EQ(heap::tables.count[heap::slot_of(op)], 0u);
        }
        for (PyObject* op : references) {
            Py_DECREF(op);
        }
        return all;
    }

private:
    static void refer(PyObject* from, PyObject* to) { EXPECT_EQ(PyList_Append(from, to), 0); }

    std::vector<PyObject*> held_;
};

TEST_P(Judgement, IsThatOfOne) {
    const Candidates set = make(test::scaled(200'000, 60'000));
    ExactTest::Memory memory;
    const std::vector<Judged> expected = judged(set, memory, nullptr, false, take_none);
    for (const Verdict verdict : {Verdict::kLive, Verdict::kGarbage, Verdict::kKept}) {
        EXPECT_GT(std::ranges::count(expected, verdict, &Judged::verdict), 100);
        EXPECT_TRUE(std::ranges::any_of(expected,
                                        [verdict](const Judged& judged) {
                                            return judged.verdict == verdict &&
                                                   judged.size >= kLarge;
                                        }))
            << "of many objects, " << static_cast<int>(verdict);
    }
    SliceWorkers threads(GetParam());
    for (const bool world_runs : {false, true}) {
        for (const ExactTest::Take take : {take_none, take_some}) {
            taken = 0;
            EXPECT_TRUE(judged(set, memory, &threads, world_runs, take) == expected);
            EXPECT_EQ(taken > 0, take == take_some);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(OfThreads, Judgement, testing::Values(1U, 2U, 4U),
                         [](const auto& threads) { return std::to_string(threads.param); });

}  // namespace
}  // namespace ouro::collector
