// Readers follow pointers that writers replace all the time, pass quiescent points, go offline and come
// back; writers free late what they took out, end, and leave the rest to others. A freed object is
// spoiled: no reader ever sees one that is. Afterwards nothing waits.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "concurrency/reclaim/limbo.hpp"
#include "tests/support/scale.hpp"

namespace ouro::reclaim {
namespace {

constexpr uint64_t kSound = 0x50FA'50FA'50FA'50FA;
constexpr size_t kSlots = 16;

struct Object {
    // Atomic only so that a wrong free is told by this test and not by a sanitizer alone.
    std::atomic<uint64_t> cookie{kSound};
};

std::atomic<size_t> freed{0};

void spoil(void* p) {
    auto* object = static_cast<Object*>(p);
    object->cookie.store(0, std::memory_order_relaxed);
    delete object;
    freed.fetch_add(1, std::memory_order_relaxed);
}

struct Shared {
    Epochs epochs;
    Limbo limbo{epochs, spoil};
    std::array<std::atomic<Object*>, kSlots> slots;
    std::atomic<bool> stop{false};
    std::atomic<size_t> reads{0};
    std::atomic<size_t> spoiled{0};
};

void read(Shared& shared, uint64_t seed) {
    std::mt19937_64 random(seed);
    Epochs::Reader reader;
    shared.epochs.add(reader);
    shared.epochs.enter(reader);
    std::vector<Object*> held;
    while (!shared.stop.load(std::memory_order_relaxed)) {
        for (size_t i = random() % 8; i < 8; ++i) {
            // acquire: pairs with the writer's release of an initialised object.
            held.push_back(shared.slots[random() % kSlots].load(std::memory_order_acquire));
        }
        for (Object* object : held) {
            shared.spoiled += object->cookie.load(std::memory_order_relaxed) != kSound ? 1 : 0;
            ++shared.reads;
        }
        held.clear();
        if (random() % 4 == 0) {
            shared.epochs.leave(reader);
            if (random() % 4 == 0) {
                std::this_thread::yield();
            }
            shared.epochs.enter(reader);
        } else {
            shared.epochs.quiesce(reader);
        }
    }
    shared.epochs.leave(reader);
    shared.epochs.remove(reader);
}

// Several writers one after the other: each leaves what waits to the next.
void write(Shared& shared, uint64_t seed, size_t replacements) {
    std::mt19937_64 random(seed);
    for (size_t done = 0; done < replacements;) {
        Epochs::Reader reader;
        shared.epochs.add(reader);
        shared.epochs.enter(reader);
        auto queue = std::make_unique<Limbo::Queue>();
        for (size_t i = 0; i < 1000; ++i, ++done) {
            queue->prepare();
            Object* old = shared.slots[random() % kSlots].exchange(
                new Object, std::memory_order_acq_rel);  // acquire: it was another writer's
            if (shared.limbo.defer(*queue, old, sizeof(Object))) {
                shared.epochs.quiesce(reader);
                shared.limbo.reclaim(*queue);
            }
        }
        shared.limbo.abandon(std::move(queue));
        shared.epochs.leave(reader);
        shared.epochs.remove(reader);
    }
}

TEST(NothingIsFreed, UnderAReader) {
    const uint64_t seed = test::seed();
    const size_t replacements = test::scaled(200'000);
    Shared shared;
    for (auto& slot : shared.slots) {
        slot.store(new Object, std::memory_order_release);
    }
    std::vector<std::thread> readers, writers;
    for (uint64_t i = 0; i < 2; ++i) {
        readers.emplace_back(read, std::ref(shared), seed + i);
    }
    for (uint64_t i = 0; i < 2; ++i) {
        writers.emplace_back(write, std::ref(shared), seed + 10 + i, replacements);
    }
    for (std::thread& writer : writers) {
        writer.join();
    }
    shared.stop = true;
    for (std::thread& reader : readers) {
        reader.join();
    }
    EXPECT_EQ(shared.spoiled, 0u);
    EXPECT_GT(shared.reads, 0u);
    Limbo::Queue rest;
    shared.limbo.reclaim(rest);  // nobody is online
    EXPECT_EQ(shared.limbo.bytes(), 0u);
    EXPECT_EQ(freed, 2 * ((replacements + 999) / 1000 * 1000));
    for (auto& slot : shared.slots) {
        delete slot.load(std::memory_order_relaxed);
    }
}

}  // namespace
}  // namespace ouro::reclaim
