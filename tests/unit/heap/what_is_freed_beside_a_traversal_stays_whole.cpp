// label: concurrency
// While one thread traverses objects concurrently with mutators, what they free stays whole until that thread has
// passed a quiescent point, under every policy; then it is given back: by the thread that freed it, or by
// others if that has ended. It is bounded, double frees are noticed, nothing is resized in place, and a
// thread without memory to remember what it freed waits (inv.heap.freed-whole).

#include <array>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>

#include "core/heap/traversed.hpp"
#include "core/mutator/hooks.hpp"
#include "core/mutator/traversal.hpp"
#include "core/mutator/world.hpp"
#include "tests/contract/threads.hpp"

namespace ouro::test {
namespace {

// The test's thread is a mutator; the traversing thread is another, which does what it is told.
class BesideATraversal : public Threads {
protected:
    void SetUp() override {
        Threads::SetUp();
        clear_queue();
    }
    void TearDown() override {
        end();
        clear_queue();
        EXPECT_EQ(mutator::limbo_bytes(), 0u) << "something was not given back";
        Threads::TearDown();
    }

    // Begins a traversal on a thread that then obeys `tell` and is not attached.
    void begin() {
        const Detached outside;
        thread_ = std::thread([this] {
            std::optional<mutator::Traversal> traversal;
            {
                const Attached attached;
                const mutator::Stopped stopped;
                traversal.emplace();
                traversal->pause();  // to detach may be to wait
            }
            traversal->resume();
            ready_ = true;
            for (unsigned number = obeyed_;;) {
                asked_.wait(number);
                ++number;
                const Order order = order_;
                if (order == Order::kEnd) {
                    traversal.reset();
                    obeyed_ = number;
                    return;
                }
                if (order == Order::kQuiesce) {
                    traversal->quiesce();
                } else if (order == Order::kPause) {
                    traversal->pause();
                } else if (order == Order::kResume) {
                    traversal->resume();
                }
                obeyed_ = number;
                obeyed_.notify_all();
            }
        });
        wait_until([this] { return ready_.load(); });
    }
    enum class Order { kQuiesce, kPause, kResume, kEnd };
    void tell(Order order) {
        order_ = order;
        const unsigned number = ++asked_;
        asked_.notify_all();
        if (order != Order::kEnd) {
            for (unsigned seen = obeyed_; seen != number; seen = obeyed_) {
                obeyed_.wait(seen);
            }
        }
    }
    void end() {
        if (thread_.joinable()) {
            tell(Order::kEnd);
            thread_.join();
            ready_ = false;
        }
    }
    static void safepoint() { EXPECT_EQ(Py_MakePendingCalls(), 0); }
    static void clear_queue() {
        mutator::current->limbo_due = true;
        safepoint();
    }
    // Whether memory of that size that is allocated now, as much as fits some blocks, is p's.
    static bool is_used_again(const void* p, size_t bytes) {
        std::vector<void*> all;
        bool found = false;
        for (size_t i = 0; i < 2 * heap::kBlockSize / bytes + 2 && !found; ++i) {
            all.push_back(PyMem_Malloc(bytes));
            found = all.back() == p;
        }
        for (void* each : all) {
            PyMem_Free(each);
        }
        return found;
    }

    std::thread thread_;
    std::atomic<bool> ready_{false};
    std::atomic<unsigned> asked_{0}, obeyed_{0};
    std::atomic<Order> order_{Order::kQuiesce};
};

constexpr size_t kBytes = 304;

void* filled(size_t bytes) {
    void* p = PyMem_Malloc(bytes);
    std::memset(p, 0x5A, bytes);
    return p;
}

bool is_whole(const void* p, size_t bytes) {
    const auto* all = static_cast<const unsigned char*>(p);
    return std::count(all, all + bytes, 0x5A) == static_cast<long>(bytes);
}

TEST_P(BesideATraversal, MemoryIsUsedAgainAfterAQuiescentPoint) {
    begin();
    void* p = filled(kBytes);
    PyMem_Free(p);
    EXPECT_GT(mutator::limbo_bytes(), 0u);
    clear_queue();
    EXPECT_TRUE(is_whole(p, kBytes));
    EXPECT_FALSE(is_used_again(p, kBytes));
    tell(Order::kQuiesce);
    clear_queue();
    tell(Order::kQuiesce);
    clear_queue();
    EXPECT_TRUE(is_used_again(p, kBytes));
}

TEST_P(BesideATraversal, AStopIsNoQuiescentPoint) {
    begin();
    void* p = filled(kBytes);
    PyMem_Free(p);
    clear_queue();
    { const mutator::Stopped stopped; }
    PyGC_Collect();
    clear_queue();
    EXPECT_TRUE(is_whole(p, kBytes));
    EXPECT_FALSE(is_used_again(p, kBytes));
}

TEST_P(BesideATraversal, LargeMemoryStaysMapped) {
    begin();
    constexpr size_t kLarge = size_t{2} << 20;
    void* p = filled(kLarge);
    PyMem_Free(p);
    PyGC_Collect();  // purges
    EXPECT_TRUE(is_whole(p, kLarge));
}

TEST_P(BesideATraversal, ObjectsKeepTheirFields) {
    begin();
    PyObject* inner = new_thing(kUncounted);
    PyObject* outer = new_thing(kUncounted);
    refer(outer, 0, inner);
    auto* before = thing(outer);
    const auto* type = Py_TYPE(outer);
    Py_DECREF(inner);
    EXPECT_TRUE(heap::address_is_object(outer));
    Py_DECREF(outer);
    EXPECT_FALSE(heap::address_is_object(outer)) << "it is not tracked any more";
    EXPECT_EQ(Py_TYPE(&before->ob_base), type);
    for (int i = 0; i < 10'000; ++i) {
        PyObject* other = new_thing(kUncounted);
        ASSERT_NE(other, outer);
        ASSERT_NE(other, inner);
        Py_DECREF(other);
    }
    EXPECT_EQ(thing(inner)->cookie.load(), 0u) << "as its deallocation left it";
}

TEST_P(BesideATraversal, ArraysOfContainersStayWhole) {
    begin();
    PyObject* list = PyList_New(0);
    PyObject* dict = PyDict_New();
    PyObject* set = PySet_New(nullptr);
    for (long i = 0; i < 4; ++i) {
        PyList_Append(list, Py_None);
    }
    PyObject** const items = reinterpret_cast<PyListObject*>(list)->ob_item;
    for (long i = 0; i < 1000; ++i) {
        PyObject* key = PyLong_FromLong(1000 + i);
        PyList_Append(list, key);
        PyDict_SetItem(dict, key, key);
        PySet_Add(set, key);
        Py_DECREF(key);
    }
    void* const table = reinterpret_cast<PyDictObject*>(dict)->ma_table;
    std::vector<char> copy(heap::usable_size(table));
    std::memcpy(copy.data(), table, copy.size());
    PyDict_Clear(dict);
    PySet_Clear(set);
    Py_DECREF(list);
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(items[i], Py_None);
    }
    EXPECT_EQ(std::memcmp(copy.data(), table, copy.size()), 0);
    Py_DECREF(dict);
    Py_DECREF(set);
}

TEST_P(BesideATraversal, NothingIsResizedInPlace) {
    void* p = filled(100);
    p = PyMem_Realloc(p, 101);
    EXPECT_EQ(PyMem_Realloc(p, 102), p) << "there is room, and nobody traverses";
    begin();
    for (const size_t bytes : {103, 90, 64}) {
        void* moved = PyMem_Realloc(p, bytes);
        EXPECT_NE(moved, p);
        EXPECT_TRUE(is_whole(p, 90)) << "the old array is whole";
        EXPECT_TRUE(is_whole(moved, 64));
        p = moved;
    }
    void* again = PyObject_Realloc(p, 65);
    EXPECT_NE(again, p);
    PyMem_Free(again);

    PyObject* op = reinterpret_cast<PyObject*>(PyObject_GC_NewVar(PyVarObject, &PyTuple_Type, 4));
    for (Py_ssize_t i = 0; i < 4; ++i) {
        PyTuple_SET_ITEM(op, i, Py_NewRef(Py_None));
    }
    PyObject* moved = &PyObject_GC_Resize(PyVarObject, op, 3)->ob_base;
    EXPECT_NE(moved, op);
    Py_DECREF(moved);
    EXPECT_EQ(Py_SIZE(op), 4) << "the old tuple is whole";
}

// Until then the traversing thread finds the old place in the field, at any time.
TEST_P(BesideATraversal, AnOldPlaceStaysWholeUntilTheNewOneIsStored) {
    begin();
    void* p = filled(kBytes);
    void* other = filled(kBytes);
    void* moved = PyMem_Realloc(p, kBytes + 100);
    for (int i = 0; i < 300; ++i) {
        PyMem_Free(filled(64));
        if (i % 10 == 0) {
            tell(Order::kQuiesce);
        }
    }
    EXPECT_TRUE(is_whole(p, kBytes));
    EXPECT_FALSE(is_used_again(p, kBytes));

    // The next resizing says that it is stored; a safepoint, too.
    void* moved_too = PyMem_Realloc(other, kBytes + 100);
    for (void* old : {p, other}) {
        clear_queue();
        tell(Order::kQuiesce);
        clear_queue();
        EXPECT_TRUE(is_used_again(old, kBytes));
    }
    PyMem_Free(moved);
    PyMem_Free(moved_too);
}

TEST_P(BesideATraversal, WithoutMemoryWhatCannotMoveStays) {
    void* p = filled(kBytes);
    begin();
    Ouro_FailAllocations(0, UINT64_MAX);
    void* same = PyMem_Realloc(p, kBytes - 100);
    Ouro_FailAllocations(0, 0);
    EXPECT_EQ(same, p);
    PyMem_Free(same);
}

// Every allocation fails: each thing that is freed is waited for.
TEST_P(BesideATraversal, WithoutMemoryToRememberItAThreadWaits) {
    std::array<void*, 400> all;
    for (void*& p : all) {
        p = filled(kBytes);
    }
    std::atomic<bool> stop{false};
    std::atomic<unsigned> quiescent{0};
    begin();
    std::thread teller([&] {
        while (!stop) {
            tell(Order::kQuiesce);
            ++quiescent;
            std::this_thread::sleep_for(std::chrono::microseconds(100));
        }
    });
    const unsigned before = quiescent;
    Ouro_FailAllocations(0, UINT64_MAX);
    for (void* p : all) {
        PyMem_Free(p);
    }
    const uint64_t failed = Ouro_FailAllocations(0, 0);
    EXPECT_GT(failed, 100u) << "there was room";
    EXPECT_GE(quiescent - before + 1, failed / 2) << "freed without waiting";
    stop = true;
    teller.join();
    EXPECT_LT(mutator::limbo_bytes(), 400 * kBytes);
    EXPECT_TRUE(is_used_again(all.back(), kBytes));
}

TEST_P(BesideATraversal, APausedTraversalIsNotWaitedFor) {
    begin();
    tell(Order::kPause);
    void* p = filled(kBytes);
    Ouro_FailAllocations(0, UINT64_MAX);
    PyMem_Free(p);
    Ouro_FailAllocations(0, 0);
    std::array<void*, 200> all;
    for (void*& each : all) {
        each = filled(kBytes);
    }
    for (void* each : all) {
        PyMem_Free(each);
    }
    clear_queue();
    EXPECT_EQ(mutator::limbo_bytes(), 0u);
    tell(Order::kResume);
    p = filled(kBytes);
    PyMem_Free(p);
    clear_queue();
    EXPECT_GT(mutator::limbo_bytes(), 0u);
}

TEST_P(BesideATraversal, WhatIsKeptIsBounded) {
    begin();
    std::atomic<bool> stop{false};
    std::thread teller([&] {
        while (!stop) {
            tell(Order::kQuiesce);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    });
    static std::atomic<int> waits;
    waits = 0;
    mutator::hooks.note_wait_for_traversal = [](int64_t from, int64_t to) {
        EXPECT_LT(from, to);
        ++waits;
    };
    size_t most = 0;
    for (int i = 0; i < 4000; ++i) {  // 512 MiB, and no safepoint
        PyMem_Free(PyMem_Malloc(size_t{128} << 10));
        most = std::max(most, mutator::limbo_bytes());
    }
    PyMem_Free(PyMem_Malloc(size_t{40} << 20));
    most = std::max(most, mutator::limbo_bytes());
    mutator::hooks.note_wait_for_traversal = nullptr;
    stop = true;
    teller.join();
    EXPECT_LT(most, size_t{24} << 20);
    EXPECT_GT(waits, 0);
}

TEST_P(BesideATraversal, OthersGiveBackWhatAnEndedThreadFreed) {
    begin();
    void* p = nullptr;
    on_another_thread([&p] {
        p = filled(kBytes);
        PyMem_Free(p);
    });
    EXPECT_TRUE(is_whole(p, kBytes));
    clear_queue();
    EXPECT_GT(mutator::limbo_bytes(), 0u);
    tell(Order::kQuiesce);
    tell(Order::kQuiesce);
    clear_queue();
    tell(Order::kQuiesce);
    clear_queue();
    EXPECT_EQ(mutator::limbo_bytes(), 0u);
}

// A thread without a state has nowhere to keep what it frees.
TEST_P(BesideATraversal, AThreadThatIsNotAttachedWaits) {
    void* p = filled(kBytes);
    begin();
    std::atomic<bool> done{false};
    std::thread freeing([&] {
        PyMem_Free(p);
        done = true;
    });
    sleep_ms(20);
    EXPECT_FALSE(done);
    EXPECT_TRUE(is_whole(p, kBytes));
    tell(Order::kQuiesce);
    freeing.join();
}

TEST_P(BesideATraversal, WhenItEndsMemoryIsFreedAtOnce) {
    begin();
    end();
    void* p = filled(kBytes);
    PyMem_Free(p);
    EXPECT_EQ(mutator::limbo_bytes(), 0u);
    EXPECT_EQ(PyMem_Malloc(kBytes), p);
    PyMem_Free(p);
    begin();  // and another may begin
    PyMem_Free(filled(kBytes));
    EXPECT_GT(mutator::limbo_bytes(), 0u);
}

using BesideATraversalDeathTest = BesideATraversal;

TEST_P(BesideATraversalDeathTest, AnObjectFreedTwiceIsReported) {
    begin();
    EXPECT_DEATH(
        {
            PyObject* op = new_thing(kUncounted);
            PyObject_GC_Del(op);
            PyObject_GC_Del(op);
        },
        "is not allocated|count");
}

TEST_P(BesideATraversalDeathTest, OnlyOneTraversalLives) {
    begin();
    EXPECT_DEATH(mutator::Traversal(), "begins while another lives");
}

// ---- what a type promises ----------------------------------------------------------------------

TEST_P(BesideATraversal, BuiltInContainersKeepThePromise) {
    for (PyTypeObject* type :
         {&PyList_Type, &PyTuple_Type, &PyDict_Type, &PySet_Type, &PyFrozenSet_Type,
          &PyCFunction_Type, &_PyWeakref_RefType, &_PyWeakref_ProxyType,
          &_PyWeakref_CallableProxyType, &PyType_Type}) {
        EXPECT_TRUE(PyType_HasFeature(type, OURO_TPFLAGS_CONCURRENT_TRAVERSE)) << type->tp_name;
    }
    for (PyTypeObject* type : {&PyLong_Type, &PyUnicode_Type, &PyBaseObject_Type}) {
        EXPECT_FALSE(PyType_HasFeature(type, OURO_TPFLAGS_CONCURRENT_TRAVERSE)) << type->tp_name;
    }
}

EVERY_RUNTIME(BesideATraversal);
EVERY_RUNTIME(BesideATraversalDeathTest);

}  // namespace
}  // namespace ouro::test
