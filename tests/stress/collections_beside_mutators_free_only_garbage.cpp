// Engines that run concurrently with mutators, under fire: one or two threads replace rings, move references between
// live objects without a count changing, resize what is traversed, rehash, upgrade weak references to what is dying,
// hand objects over, end in the middle of a cycle, while full collections follow one another. Whoever takes or is
// shown an object checks its cookie (torture.hpp). The events tell how many cycles had the mutators' stores and
// counts between the beginning and the end of their mark; there must be some. When all is dropped and collected
// nothing is left, and finalizers and callbacks ran once each (inv.exact.nothing-live, inv.exact.weak-in-pause,
// inv.exact.anew).

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/mutator/world.hpp"
#include "tests/stress/torture.hpp"
#include "tests/support/attached.hpp"
#include "tests/support/runtimes.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/tracked_objects.hpp"

namespace ouro::test {
namespace {

// Instrumented code does in such a budget what other code does in a twentieth of it, but is paced by what is
// allocated.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool kInstrumented = true;
#else
constexpr bool kInstrumented = false;
#endif

// So many that a mark takes several slices. (Of 1,500, instrumented, the local engine's second slice came when the heap
// had grown to its limit, and did all the rest.)
constexpr size_t kRings = 6000;
constexpr int kBudgetUs = kInstrumented ? 2000 : 100;
// Collections asked for between two cycles that condemned something of themselves.
constexpr long kRequests = kInstrumented ? 1 : 4;
// Mutators are held back by milliseconds, in which an instrumented collector does next to nothing: so, beyond
// so many objects, garbage among them, they go on step by step. More than what engines whose mutators do the work
// keep by themselves: a mutator that sleeps collects nothing.
constexpr long kMostLive = kInstrumented ? 160'000 : 2'000'000;

// What mutators do, and what the events say of it.
struct Tally {
    std::atomic<uint64_t> stores{0};  // of references, counts unchanged
    std::atomic<uint64_t> counts{0};  // references taken or dropped

    std::atomic<uint64_t> stores_at_start{0}, counts_at_start{0};
    std::atomic<bool> marking{false};
    std::atomic<size_t> cycles{0}, busy_cycles{0}, fallbacks{0};
    std::atomic<size_t> condemned{0}, rejected{0};
    std::atomic<size_t> upgraded{0}, exits_in_cycle{0};
};
Tally tally;

void hear(const OuroEvent* event, void*) {
    if (event->generation != 2 || event->trigger != OURO_TRIGGER_ALLOCATION) {
        return;
    }
    switch (event->phase) {
        case OURO_PHASE_FORK:
        case OURO_PHASE_COUNT:
            tally.stores_at_start = tally.stores.load();
            tally.counts_at_start = tally.counts.load();
            tally.marking = true;
            break;
        case OURO_PHASE_MARK:
            if (tally.stores > tally.stores_at_start && tally.counts > tally.counts_at_start) {
                ++tally.busy_cycles;
            }
            break;
        case OURO_PHASE_FALLBACK:
            ++tally.fallbacks;
            break;
        case OURO_PHASE_CYCLE:
            tally.marking = false;
            ++tally.cycles;
            tally.condemned += event->condemned;
            // Not before: where the collector gets little time each cycle would be cut short by a request.
            if (event->condemned > 0) {
                census.requests = kRequests;
            }
            tally.rejected += event->rejected;
            break;
        default:
            break;
    }
}

// One mutator's graph, through all the threads that play it. No other writes to its objects; what lies in
// `shared` nobody writes to.
class Mutator {
public:
    Mutator(uint64_t seed, size_t rings, PyObject* shared)
        : random_(seed), rings_(static_cast<Py_ssize_t>(rings)), shared_(shared) {
        for (Py_ssize_t i = 0; i < rings_; ++i) {
            PyObject* op = ring();
            PyList_Append(table_, op);
            Py_DECREF(op);
        }
        for (Py_ssize_t i = 0; i < kWeak; ++i) {
            PyList_Append(weak_, Py_None);
        }
    }
    ~Mutator() = default;
    Mutator(const Mutator&) = delete;
    Mutator& operator=(const Mutator&) = delete;

    void step() {
        switch (random_() % 32) {
            case 0:
            case 1:
            case 2:
            case 3:
                return steal();
            case 4:
            case 5:
                return hold(take(head()));
            case 6:
                return turn();
            case 7:
                return put_back();
            case 8:
            case 9:
            case 10:
                return change_container();
            case 11:
                return make_weak();
            case 12:
            case 13:
                return upgrade();
            case 14:
                return hand_over();
            case 15:
                return look_at_shared();
            case 16:
                return change_dict();
            case 17:
                return sort_table();
            case 18:
                return rare();
            default:
                return replace();
        }
    }

    // The whole graph; what was watched is still.
    void drop() {
        for (PyObject* op : {table_, weak_, dict_, held_}) {
            Py_XDECREF(op);
        }
        table_ = weak_ = dict_ = held_ = nullptr;
    }
    // Each watched ring is dead now, and its callback was called once.
    void check_and_drop_watches() {
        for (const auto& [reference, watch] : watches_) {
            EXPECT_EQ(PyWeakref_IsDead(reference), 1);
            EXPECT_EQ(calls_of(watch), 1);
            Py_DECREF(reference);
            Py_DECREF(watch);
        }
        watches_.clear();
    }
    size_t watches() const { return watches_.size(); }

private:
    static constexpr Py_ssize_t kWeak = 64;
    static constexpr size_t kWatches = 3000;

    bool one_in(unsigned n) { return random_() % n == 0; }
    Py_ssize_t place() { return static_cast<Py_ssize_t>(random_() % static_cast<size_t>(rings_)); }
    // Borrowed; nullptr if there is something else.
    PyObject* head() {
        PyObject* op = PyList_GET_ITEM(table_, place());
        check_used(op);
        return is_node(op) ? op : nullptr;
    }
    void hold(PyObject* op) {
        if (op != nullptr) {
            check_used(op);
            Py_XSETREF(held_, op);
            ++tally.counts;
        }
    }

    // A ring of a few, some with containers that refer to it. A new reference to one.
    PyObject* ring() {
        const size_t size = 1 + random_() % 5;
        PyObject* first = new_node(one_in(6));
        PyObject* last = first;
        for (size_t i = 1; i < size; ++i) {
            PyObject* next = new_node(one_in(6));
            OURO_STORE_FIELD(&node(last)->slots[0], next);
            last = next;
        }
        OURO_STORE_FIELD(&node(last)->slots[0], Py_NewRef(first));
        PyObject* container = nullptr;
        switch (random_() % 8) {
            case 0:
                container = PyList_New(0);
                PyList_Append(container, first);
                break;
            case 1:
                container = PyDict_New();
                PyDict_SetItem(container, Py_None, first);
                break;
            case 2:
                container = PyTuple_New(2);
                PyTuple_SET_ITEM(container, 0, Py_NewRef(first));
                PyTuple_SET_ITEM(container, 1, Py_NewRef(Py_None));
                break;
            case 3: {  // a weak reference that may die with what it refers to
                PyObject* watch = new_watch();
                container = PyWeakref_NewRef(first, watch);
                Py_DECREF(watch);
                break;
            }
            case 4:
            case 5:
            case 6:
                container = new_bag();
                bag_push(container, Py_NewRef(last));
                break;
            default:
                break;
        }
        OURO_STORE_FIELD(&node(last)->slots[1], container);
        if (one_in(16) && watches_.size() < kWatches) {
            PyObject* watch = new_watch();
            watches_.emplace_back(PyWeakref_NewRef(first, watch), watch);
        }
        return first;
    }

    void replace() {
        PyList_SetItem(table_, oldest_++ % rings_, ring());
        ++tally.counts;
    }
    // A slot's reference is the caller's.
    PyObject* take(PyObject* from) {
        if (from == nullptr) {
            return nullptr;
        }
        PyObject*& slot = node(from)->slots[random_() % 3];
        PyObject* op = slot;
        OURO_STORE_FIELD(&slot, nullptr);
        ++tally.stores;
        return op;
    }
    // From one live object's field to another's, or both ways.
    void steal() {
        PyObject* from = head();
        PyObject* to = head();
        if (from == nullptr || to == nullptr) {
            return;
        }
        PyObject*& source = node(from)->slots[random_() % 3];
        PyObject*& target = node(to)->slots[1 + random_() % 2];
        PyObject* op = source;
        OURO_STORE_FIELD(&source, target);
        OURO_STORE_FIELD(&target, op);
        ++tally.stores;
    }
    // What is held gives what it refers to, and is referred to by that in turn: no count changes.
    void turn() {
        if (!is_node(held_)) {
            return;
        }
        PyObject* other = node(held_)->slots[0];
        if (!is_node(other) || other == held_ || node(other)->slots[2] != nullptr) {
            return;
        }
        OURO_STORE_FIELD(&node(held_)->slots[0], nullptr);
        OURO_STORE_FIELD(&node(other)->slots[2], held_);
        held_ = other;
        tally.stores += 2;
        check_used(held_);
    }
    void put_back() {
        PyObject* to = head();
        if (to != nullptr && node(to)->slots[2] == nullptr) {
            OURO_STORE_FIELD(&node(to)->slots[2], held_);
            held_ = nullptr;
            ++tally.stores;
        }
    }
    void change_container() {
        PyObject* owner = head();
        if (owner == nullptr) {
            return;
        }
        PyObject* op = node(owner)->slots[1];
        if (op == nullptr) {
            OURO_STORE_FIELD(&node(owner)->slots[1], one_in(2) ? new_bag() : PyList_New(0));
        } else if (Py_IS_TYPE(op, &BagType)) {
            if (bag(op)->count > 12 || one_in(3)) {
                Py_XDECREF(bag_pop(op));
            } else {
                bag_push(op, one_in(2) ? new_node(false) : Py_NewRef(owner));
            }
        } else if (PyList_Check(op)) {
            if (one_in(8)) {
                PyList_Type.tp_clear(op);
            } else {
                PyList_Append(op, owner);
            }
        } else if (PyDict_Check(op)) {
            PyObject* key = PyLong_FromLong(1000 + static_cast<long>(random_() % 64));
            PyDict_SetItem(op, key, owner);
            Py_DECREF(key);
        } else if (one_in(4)) {
            Py_CLEAR(node(owner)->slots[1]);
        }
        ++tally.counts;
    }
    void make_weak() {
        if (PyObject* op = head()) {
            PyList_SetItem(weak_, static_cast<Py_ssize_t>(random_() % kWeak),
                           PyWeakref_NewRef(op, nullptr));
        }
    }
    // Perhaps of a ring that nothing else refers to any more; then it lives on in the table.
    void upgrade() {
        PyObject* reference = PyList_GET_ITEM(weak_, static_cast<Py_ssize_t>(random_() % kWeak));
        PyObject* op = nullptr;
        if (PyWeakref_Check(reference) && PyWeakref_GetRef(reference, &op) == 1) {
            ++tally.upgraded;
            ++tally.counts;
            check_used(op);
            if (one_in(2)) {
                PyList_SetItem(table_, place(), op);
            } else {
                Py_DECREF(op);
            }
        }
    }
    void hand_over() {
        PyList_SetItem(shared_, static_cast<Py_ssize_t>(random_() % 16), ring());
        ++tally.counts;
    }
    void look_at_shared() {
        PyObject* op = PyList_GetItemRef(shared_, static_cast<Py_ssize_t>(random_() % 16));
        check_used(op);
        Py_DECREF(op);
        PyObject* revived = census.revived.get();
        op = PyList_GetItemRef(revived, static_cast<Py_ssize_t>(random_() % kRevived));
        check_used(op);
        Py_DECREF(op);
        if (one_in(4)) {
            PyList_SetItem(revived, static_cast<Py_ssize_t>(random_() % kRevived),
                           Py_NewRef(Py_None));
        }
        Py_DECREF(revived);
        ++tally.counts;
    }
    void change_dict() {
        PyObject* key = PyLong_FromLong(1000 + static_cast<long>(random_() % 500));
        if (one_in(3)) {
            PyDict_DelItem(dict_, key);
            PyErr_Clear();
        } else {
            PyObject* op = ring();
            PyDict_SetItem(dict_, key, op);
            Py_DECREF(op);
        }
        Py_DECREF(key);
        if (one_in(2000)) {
            PyDict_Clear(dict_);
        }
    }
    // A part of the table, by address, in place.
    void sort_table() {
        const Py_ssize_t from = std::min(place(), rings_ - 8);
        for (Py_ssize_t i = from + 1; i < from + 8; ++i) {
            for (Py_ssize_t k = i; k > from; --k) {
                PyObject* a = PyList_GET_ITEM(table_, k - 1);
                PyObject* b = PyList_GET_ITEM(table_, k);
                if (a <= b) {
                    break;
                }
                PyList_SET_ITEM(table_, k - 1, b);
                PyList_SET_ITEM(table_, k, a);
            }
        }
        ++tally.stores;
    }
    void rare() {
        switch (random_() % 512) {
            case 0:
                if (may_request()) {
                    PyGC_Collect();
                }
                break;
            case 1:
                if (may_request()) {
                    Ouro_CollectGeneration(0);
                }
                break;
            case 2:
            case 3: {
                const Detached outside;
                std::this_thread::sleep_for(std::chrono::microseconds(100));
                break;
            }
            case 4:  // the graph shrinks, and grows again
                for (Py_ssize_t i = 0; i < rings_ / 2; ++i) {
                    PyList_SetItem(table_, oldest_++ % rings_, Py_NewRef(Py_None));
                }
                break;
            default:
                break;
        }
    }

    std::mt19937_64 random_;
    const Py_ssize_t rings_;
    PyObject* const shared_;
    PyObject* table_ = PyList_New(0);
    PyObject* weak_ = PyList_New(0);
    PyObject* dict_ = PyDict_New();
    PyObject* held_ = nullptr;
    Py_ssize_t oldest_ = 0;
    std::vector<std::pair<PyObject*, PyObject*>> watches_;  // weak references and what they call
};

// A mutator's life, on one thread after another; every second one ends in the first cycle that marks.
void play(Mutator& mutator, const std::atomic<bool>& stop) {
    for (bool ends_in_cycle = false; !stop.load(std::memory_order_relaxed);
         ends_in_cycle = !ends_in_cycle) {
        std::thread([&] {
            const Attached attached;
            for (int i = 0; i < 4000 && !stop.load(std::memory_order_relaxed); ++i) {
                if (ends_in_cycle && tally.marking.load()) {
                    break;
                }
                mutator.step();
                if (census.live > kMostLive) {
                    const Detached outside;
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                }
                if (i % 64 == 0) {
                    EXPECT_EQ(Py_MakePendingCalls(), 0);
                }
            }
            tally.exits_in_cycle += tally.marking.load() ? 1 : 0;
        }).join();
    }
}

double cpu_seconds() {
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

PyObject* list_of_none(Py_ssize_t size) {
    PyObject* list = PyList_New(size);
    for (Py_ssize_t i = 0; i < size; ++i) {
        PyList_SET_ITEM(list, i, Py_NewRef(Py_None));
    }
    return list;
}

class Collections : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        const std::string settings = settings_for(
            GetParam(), fmt::format("verify=off,generations=off,pause-budget-us={}", kBudgetUs));
        ASSERT_EQ(Ouro_Configure(settings.c_str(), nullptr), 0);
        Py_Initialize();
        for (PyTypeObject* type : {&NodeType, &FinalNodeType, &BagType, &WatchType}) {
            ASSERT_EQ(PyType_Ready(type), 0);
        }
        census.live = census.final_made = census.finalized = census.resurrected = 0;
        census.requests = kRequests;
        for (auto* each : {&tally.cycles, &tally.busy_cycles, &tally.fallbacks, &tally.condemned,
                           &tally.rejected, &tally.upgraded, &tally.exits_in_cycle}) {
            *each = 0;
        }
        tally.marking = false;
        PyGC_Collect();
        tracked_before_ = tracked_objects();
        ASSERT_EQ(Ouro_AddListener(hear, nullptr), 0);
    }
    void TearDown() override {
        Ouro_RemoveListener(hear, nullptr);
        Py_FinalizeEx();
    }

    void run(size_t count) {
        const uint64_t seed = test::seed();
        PyObject* shared = list_of_none(16);
        PyObject* revived = list_of_none(kRevived);
        census.revived.set(revived);
        Py_DECREF(revived);
        std::vector<std::unique_ptr<Mutator>> mutators;
        for (size_t i = 0; i < count; ++i) {
            mutators.push_back(std::make_unique<Mutator>(seed + i, kRings / count, shared));
        }
        play_until_enough(mutators);
        census.revived.set(nullptr);
        Py_DECREF(shared);
        for (auto& mutator : mutators) {
            mutator->drop();
        }
        PyGC_Collect();
        PyGC_Collect();  // what the first finalized for nothing
        for (auto& mutator : mutators) {
            EXPECT_GT(mutator->watches(), 10u);
            mutator->check_and_drop_watches();
        }
        EXPECT_EQ(census.live, 0) << "objects that nobody refers to are left";
        EXPECT_EQ(census.finalized, census.final_made);
        EXPECT_EQ(tracked_objects(), tracked_before_);
        EXPECT_EQ(tally.fallbacks, 0u) << "a child ended before its work was done";
        EXPECT_GT(tally.condemned, 0u);
        EXPECT_GT(tally.upgraded, 0u);
        EXPECT_GT(census.resurrected, 0);
    }

private:
    static void play_until_enough(std::vector<std::unique_ptr<Mutator>>& mutators) {
        const size_t enough = scaled(3, 3);
        // Of its own time, not the machine's, which may have none for it.
        const double limit = cpu_seconds() + 60 + 30 * scale();
        std::atomic<bool> stop{false};
        {
            const Detached outside;
            std::vector<std::thread> threads;
            for (auto& mutator : mutators) {
                threads.emplace_back([&, m = mutator.get()] { play(*m, stop); });
            }
            while (
                (tally.busy_cycles < enough || tally.exits_in_cycle == 0 || tally.condemned == 0) &&
                cpu_seconds() < limit) {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
            stop = true;
            for (std::thread& thread : threads) {
                thread.join();
            }
        }
        EXPECT_GE(tally.busy_cycles, enough) << "cycles whose mark ran beside mutators";
        EXPECT_GT(tally.exits_in_cycle, 0u);
        std::printf(
            "%zu full cycles, %zu beside mutators; %zu condemned, %zu rejected; %zu upgrades, "
            "%zu threads ended in a cycle; %ld finalized, %ld resurrected; %ld live\n",
            tally.cycles.load(), tally.busy_cycles.load(), tally.condemned.load(),
            tally.rejected.load(), tally.upgraded.load(), tally.exits_in_cycle.load(),
            census.finalized.load(), census.resurrected.load(), census.live.load());
    }

    size_t tracked_before_ = 0;
};

TEST_P(Collections, BesideAMutatorFreeOnlyGarbage) {
    run(1);
}

TEST_P(Collections, BesideTwoMutatorsFreeOnlyGarbage) {
    run(2);
}

#ifdef OURO_REFCOUNT_PLAIN
INSTANTIATE_TEST_SUITE_P(Engines, Collections, testing::Values("plain,engine=incremental"),
                         runtime_name);
#else
INSTANTIATE_TEST_SUITE_P(Engines, Collections,
                         testing::Values("gil,engine=incremental", "biased,engine=incremental",
                                         "atomic,engine=incremental", "gil,engine=concurrent",
                                         "biased,engine=concurrent", "atomic,engine=concurrent",
                                         "gil,engine=concurrent,traverse=optimistic",
                                         "biased,engine=concurrent,traverse=optimistic",
                                         "atomic,engine=concurrent,traverse=optimistic",
                                         "gil,engine=concurrent,workers=3",
                                         "biased,engine=concurrent,workers=3", "gil,engine=local",
                                         "biased,engine=local", "atomic,engine=local",
                                         "gil,engine=snapshot", "biased,engine=snapshot",
                                         "atomic,engine=snapshot"),
                         runtime_name);
#endif

}  // namespace
}  // namespace ouro::test
