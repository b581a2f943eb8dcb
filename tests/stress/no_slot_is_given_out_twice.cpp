// Threads allocate, pass objects on, free what others allocated, purge, end, and are replaced by new
// ones that inherit or adopt what they left. Each object carries a cookie over all of its bytes, which
// whoever frees it checks: had a slot been given out twice, one of the two would find the other's.
// Afterwards the heap is as empty as it was.

#include <atomic>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "tests/support/heap_test.hpp"
#include "tests/support/scale.hpp"

namespace ouro::heap {
namespace {

using NoSlot = test::HeapTest;

constexpr size_t kThreads = 4;
constexpr size_t kMailboxes = 256;

// In the first granules of the object; the rest of it repeats the cookie.
struct Header {
    uint64_t cookie;
    uint64_t bytes;
};

std::atomic<uint64_t> next_cookie{1};
std::atomic<uint64_t> spoiled{0};
std::atomic<uint64_t> freed_for_others{0};

void* make(BlockKind kind, size_t bytes) {
    bytes = bytes / 8 * 8;
    auto* p = static_cast<char*>(allocate(kind, bytes));
    if (p == nullptr) {
        ++spoiled;
        return nullptr;
    }
    // Odd cookies are never the pattern of a dead slot.
    const uint64_t cookie =
        next_cookie.fetch_add(2, std::memory_order_relaxed) * 0x9E3779B97F4A7C15;
    const Header header = {cookie, bytes};
    std::memcpy(p, &header, sizeof header);
    for (size_t offset = sizeof header; offset < bytes; offset += 8) {
        std::memcpy(p + offset, &cookie, 8);
    }
    return p;
}

void check_and_free(void* object) {
    if (object == nullptr) {
        return;
    }
    auto* p = static_cast<char*>(object);
    Header header;
    std::memcpy(&header, p, sizeof header);
    bool sound = header.bytes <= usable_size(p);
    for (size_t offset = sizeof header; sound && offset < header.bytes; offset += 8) {
        sound = std::memcmp(p + offset, &header.cookie, 8) == 0;
    }
    if (has_metadata(p)) {
        sound = sound && __atomic_load_n(&test::state_of(p), __ATOMIC_RELAXED) == kAllocated;
    }
    spoiled += sound ? 0 : 1;
    heap::free(p);
}

size_t random_size(std::minstd_rand& random) {
    switch (random() % 256) {
        case 0:
            return kLargestSlot + random() % kBlockSize;
        case 1:
        case 2:
            return 1024 + random() % (kLargestSlot - 1024);
        default:
            return 16 + random() % 128;
    }
}

// One thread's life: it keeps some objects, swaps others through the mailboxes, and leaves what it
// has kept there for others when it ends.
void live(std::vector<std::atomic<void*>>& mailboxes, unsigned seed, size_t operations) {
    attach_thread();
    std::minstd_rand random(seed);
    std::vector<void*> kept;
    const auto pass_on = [&](void* p) {
        // acq_rel: whoever takes the object out sees its cookie, and whoever put it in is done.
        return mailboxes[random() % mailboxes.size()].exchange(p, std::memory_order_acq_rel);
    };
    for (size_t i = 0; i < operations; ++i) {
        switch (random() % 8) {
            case 0:
            case 1:
            case 2:
                kept.push_back(make(test::kAllKinds[random() % 4], random_size(random)));
                break;
            case 3:
            case 4:
                if (void* theirs =
                        pass_on(make(test::kAllKinds[random() % 4], random_size(random)))) {
                    check_and_free(theirs);
                    freed_for_others.fetch_add(1, std::memory_order_relaxed);
                }
                break;
            case 5:
                if (void* theirs = pass_on(nullptr)) {
                    kept.push_back(theirs);
                }
                break;
            default:
                if (!kept.empty()) {
                    std::swap(kept[random() % kept.size()], kept.back());
                    check_and_free(kept.back());
                    kept.pop_back();
                }
        }
        // A burst of one size fills blocks; freeing it from the front empties them.
        if (random() % 1024 == 0) {
            const BlockKind kind = test::kAllKinds[random() % 4];
            const size_t bytes = 1024 + random() % 3072;
            std::vector<void*> burst(random() % 600);
            for (void*& p : burst) {
                p = make(kind, bytes);
            }
            for (void* p : burst) {
                check_and_free(random() % 8 == 0 ? pass_on(p) : p);
            }
        }
        if (random() % 4096 == 0) {
            purge();
        }
    }
    for (void* p : kept) {
        check_and_free(pass_on(p));
    }
    detach_thread();
}

TEST_F(NoSlot, IsGivenOutTwiceAndNoneIsLost) {
    purge();
    const Usage before = usage();
    const auto seed = static_cast<unsigned>(test::seed());
    const size_t generations = test::scaled(16, 2);
    const size_t operations = test::scaled(30'000, 500);
    std::vector<std::atomic<void*>> mailboxes(kMailboxes);
    // A thread that ends is replaced at once, so that others are running while it is adopted.
    std::vector<std::jthread> chains;
    for (size_t chain = 0; chain < kThreads; ++chain) {
        chains.emplace_back([&, chain] {
            for (size_t generation = 0; generation < generations; ++generation) {
                const auto own = static_cast<unsigned>(chain * generations + generation);
                const size_t length = operations / 2 + own * 7919 % operations;
                std::thread(live, std::ref(mailboxes), seed + own, length).join();
            }
        });
    }
    chains.clear();
    for (auto& mailbox : mailboxes) {
        check_and_free(mailbox.exchange(nullptr));
    }
    purge();
    EXPECT_EQ(spoiled, 0u);
    EXPECT_GT(freed_for_others, 0u);
    EXPECT_EQ(usage().heap_bytes, before.heap_bytes);
    EXPECT_EQ(usage().metadata_bytes, before.metadata_bytes);
    size_t blocks = 0;
    for_each_container_block([&](const Block*) { ++blocks; });
    EXPECT_EQ(blocks, 0u);
}

// One thread frees into the blocks of a thread that has ended while another adopts them, block by
// block and at about the same time: no free is lost, whoever owned the block when it was made.
TEST_F(NoSlot, IsLostWhenItsBlockChangesHands) {
    purge();
    const size_t before = usage().heap_bytes;
    constexpr size_t kSlots = kBlockSize / kLargestSlot;
    constexpr size_t kBlocks = 128;
    const size_t rounds = test::scaled(60, 10);
    std::minstd_rand random(static_cast<unsigned>(test::seed()));
    size_t lost = 0;
    for (size_t round = 0; round < rounds && lost == 0; ++round) {
        std::vector<void*> objects(kSlots * kBlocks);
        std::thread([&] {
            attach_thread();
            for (void*& p : objects) {
                p = allocate(BlockKind::kAtom, kLargestSlot);
                std::memset(p, 0, 64);  // no page fault delays its free
            }
            for (size_t i = 0; i < objects.size(); i += kSlots) {
                free(objects[i]);  // the block has room, and is the first to be adopted
            }
            detach_thread();
        }).join();
        std::vector<void*> adopted;
        std::atomic<size_t> progress{0};  // blocks adopted; the other thread frees into the next
        std::jthread adopter([&] {
            attach_thread();
            for (const Block* last = nullptr; progress < kBlocks;) {
                adopted.push_back(allocate(BlockKind::kAtom, kLargestSlot));
                if (block_of(adopted.back()) != last) {
                    last = block_of(adopted.back());
                    progress.fetch_add(1, std::memory_order_relaxed);
                }
            }
            for (void* p : adopted) {
                free(p);
            }
            detach_thread();
        });
        for (size_t next = 0; next < kBlocks; ++next) {
            // Those that had room last go first; the very last was in the list from the beginning.
            const size_t block = (2 * kBlocks - 2 - next) % kBlocks;
            while (progress.load(std::memory_order_relaxed) < next) {
                std::this_thread::yield();
            }
            for (unsigned delay = random() % 512; delay > 0; --delay) {
                std::atomic_signal_fence(std::memory_order_seq_cst);  // a delay of any length
            }
            free(objects[block * kSlots + 1]);
        }
        adopter.join();
        for (size_t i = 0; i < objects.size(); ++i) {
            if (i % kSlots > 1) {
                free(objects[i]);
            }
        }
        purge();
        lost = usage().heap_bytes - before;
    }
    EXPECT_EQ(lost, 0u) << "bytes of blocks that are thought to be in use";
}

}  // namespace
}  // namespace ouro::heap
