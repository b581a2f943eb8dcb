// Threads that count one merged object at the same time: exactly one of them is told that it is dead
// (inv.count.dead-once), and it sees what all the others did to the object before.
// label: concurrency

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <barrier>
#include <random>
#include <thread>
#include <vector>

#include "concurrency/refcount/slow_path.hpp"
#include "core/heap/heap.hpp"
#include "core/include/ouroboros.h"
#include "tests/support/counted.hpp"
#include "tests/support/scale.hpp"

namespace ouro {
namespace {

constexpr size_t kThreads = 4;

using Payload = std::array<uint64_t, kThreads>;  // a word a thread, not atomic

uint64_t sum_of(const Payload& payload) {
    uint64_t sum = 0;
    for (const uint64_t word : payload) {
        sum += word;
    }
    return sum;
}

TEST(TheLastReference, OfTheCountWords) {
    const uint64_t seed = test::seed();
    const size_t rounds = test::scaled(50'000, 200);
    test::Counted counted{};
    Payload payload{};
    std::atomic<size_t> dead{0};
    std::atomic<size_t> misused{0};
    std::atomic<uint64_t> seen{0};
    size_t wrong = 0;
    const auto begin_round = [&] {
        counted = test::Counted::merged(kThreads);  // each thread owns one reference
        payload.fill(0);
        dead = 0;
        seen = 0;
    };
    begin_round();
    std::barrier all_dropped(kThreads, [&]() noexcept {
        wrong += dead != 1 || seen != kThreads || counted != test::Counted::merged(0);
        begin_round();
    });
    std::vector<std::jthread> threads;
    for (size_t self = 0; self < kThreads; ++self) {
        threads.emplace_back([&, self] {
            std::minstd_rand random(static_cast<unsigned>(seed + self));
            for (size_t round = 0; round < rounds; ++round) {
                const size_t pairs = random() % 32;
                size_t held = 1;
                for (size_t i = 0; i < pairs; ++i) {
                    if (held == 1 || random() % 2 == 0) {
                        counted.incref(test::kUnattachedWord);
                        ++held;
                    } else {
                        misused +=
                            counted.decref(test::kUnattachedWord) != refcount::Outcome::kAlive;
                        --held;
                    }
                }
                payload[self] = 1;
                while (held-- > 0) {
                    const auto outcome = counted.decref(test::kUnattachedWord);
                    misused += outcome == refcount::Outcome::kMisuse;
                    if (outcome == refcount::Outcome::kDead) {
                        ++dead;
                        seen = sum_of(payload);
                    }
                }
                all_dropped.arrive_and_wait();
            }
        });
    }
    threads.clear();
    EXPECT_EQ(wrong, 0u) << "of " << rounds << " rounds";
    EXPECT_EQ(misused, 0u);
}

// The same through the public macros, on objects of the heap, policy atomic.
struct Shared {
    PyObject_HEAD
    Payload payload;
};

std::atomic<size_t> deallocated{0};
std::atomic<size_t> seen_by_dealloc{0};

void shared_dealloc(PyObject* op) {
    seen_by_dealloc += sum_of(reinterpret_cast<Shared*>(op)->payload);
    ++deallocated;
    Py_TYPE(op)->tp_free(op);
}

PyTypeObject* shared_type() {
    static PyTypeObject type = {.ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name =
                                    "Shared",
                                .tp_basicsize = sizeof(Shared),
                                .tp_dealloc = shared_dealloc,
                                .tp_flags = Py_TPFLAGS_DEFAULT};
    return &type;
}

TEST(TheLastReference, OfAnObjectUnderPolicyAtomic) {
    const char* error = "";
    ASSERT_EQ(Ouro_Configure("refcount=atomic", &error), 0) << error;
    Py_Initialize();
    ASSERT_EQ(PyType_Ready(shared_type()), 0);
    const size_t rounds = test::scaled(5'000, 100);
    PyObject* op = nullptr;
    const auto new_object = [&]() noexcept {
        op = PyType_GenericAlloc(shared_type(), 0);
        for (size_t i = 1; i < kThreads; ++i) {
            Py_INCREF(op);
        }
    };
    std::barrier ready(kThreads + 1);
    std::barrier dropped(kThreads + 1);
    std::vector<std::jthread> threads;
    for (size_t self = 0; self < kThreads; ++self) {
        threads.emplace_back([&, self] {
            const PyGILState_STATE state = PyGILState_Ensure();
            for (size_t round = 0; round < rounds; ++round) {
                ready.arrive_and_wait();
                for (int i = 0; i < 16; ++i) {
                    Py_INCREF(op);
                }
                reinterpret_cast<Shared*>(op)->payload[self] = 1;
                for (int i = 0; i < 17; ++i) {
                    Py_DECREF(op);
                }
                dropped.arrive_and_wait();
            }
            PyGILState_Release(state);
        });
    }
    for (size_t round = 1; round <= rounds; ++round) {
        new_object();
        ready.arrive_and_wait();
        dropped.arrive_and_wait();
        EXPECT_EQ(deallocated, round);
        EXPECT_EQ(seen_by_dealloc, round * kThreads);
    }
    threads.clear();
    Py_Finalize();
}

}  // namespace
}  // namespace ouro
