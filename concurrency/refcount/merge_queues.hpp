// A merge queue for each owner index, made when the index is first used: 65,533 indexes cost a table
// of 8 KiB until then, and 8 KiB for each 64 of them.
//
//     struct Policy { ... };                       // see MergePolicy
//     Policy policy;
//     MergeQueues queues(policy);
//     if (!queues.register_owner(index)) { ... }   // a thread attaches for the first time
//     queues.push(release.owner, object);          // a decrement was told kQueue
//     queues.drain(index);                         // the owner, at a safepoint
//     queues.unregister_owner(index);              // the thread exits
#pragma once

#include <memory>
#include <utility>

#include "concurrency/refcount/merge_queue.hpp"

namespace ouro::refcount {

// What the queues hold.
struct QueueUsage {
    size_t entries;     // objects that wait for their owner
    size_t bytes;       // memory for entries
    size_t peak_bytes;  // the most that it ever was
    size_t tables;      // memory for the queues themselves, never given back
};

template <class Policy, class Sync = StdSync>
class MergeQueues {
public:
    // `limit`: bytes of entries of all queues together, beyond which a pusher waits for an owner.
    // By default 64 MiB: 8 million objects.
    explicit MergeQueues(Policy& policy, size_t limit = size_t{64} << 20)
        : policy_(policy), memory_(limit) {}
    MergeQueues(const MergeQueues&) = delete;
    MergeQueues& operator=(const MergeQueues&) = delete;
    // Pre: no thread uses them any more.
    ~MergeQueues() {
        for (auto& group : groups_) {
            delete group.load(std::memory_order_relaxed);
        }
    }

    // See MergeQueue. False, and nothing happened, if there is no memory for the index's queue.
    bool register_owner(uint32_t owner) {
        MergeQueue<Policy, Sync>* queue = make(owner);
        if (queue == nullptr) {
            return false;
        }
        queue->register_owner();
        return true;
    }
    // Pre of the rest: the index was registered before, by somebody.
    void unregister_owner(uint32_t owner) { at(owner).unregister_owner(); }
    void push(uint32_t owner, void* object) { at(owner).push(object); }
    size_t drain(uint32_t owner) { return at(owner).drain(); }
    void merge_for(uint32_t owner) { at(owner).merge_for_owner(); }
    bool pending(uint32_t owner) const { return at(owner).entries() != 0; }

    // Each number is exact while no thread pushes or drains.
    QueueUsage usage() const {
        QueueUsage usage{0, memory_.bytes(), memory_.peak(), sizeof groups_};
        for (const auto& atomic_group : groups_) {
            // acquire: pairs with make.
            const Group* group = atomic_group.load(std::memory_order_acquire);
            if (group != nullptr) {
                usage.tables += sizeof(Group);
                for (const auto& queue : group->queues) {
                    usage.entries += queue.entries();
                }
            }
        }
        return usage;
    }

private:
    static constexpr uint32_t kGroupSize = 64;
    struct Group {
        Group(Policy& policy, QueueMemory<Sync>& memory, uint32_t first)
            : Group(policy, memory, first, std::make_integer_sequence<uint32_t, kGroupSize>()) {}
        template <uint32_t... i>
        Group(Policy& policy, QueueMemory<Sync>& memory, uint32_t first,
              std::integer_sequence<uint32_t, i...>)
            : queues{{policy, memory, first + i}...} {}

        MergeQueue<Policy, Sync> queues[kGroupSize];
    };

    // A group is made by the first thread that needs it.
    MergeQueue<Policy, Sync>* make(uint32_t owner) {
        OURO_REFCOUNT_ASSERT(owner >= OURO_OWNER_FIRST && owner <= OURO_OWNER_LAST);
        std::atomic<Group*>& place = groups_[owner / kGroupSize];
        // acquire: pairs with the release below.
        Group* group = place.load(std::memory_order_acquire);
        if (group == nullptr) {
            std::unique_ptr<Group> made(
                new (std::nothrow) Group(policy_, memory_, owner / kGroupSize * kGroupSize));
            if (made == nullptr) {
                return nullptr;
            }
            // release: the queues are whole before they are found; acquire: another's are.
            if (place.compare_exchange_strong(group, made.get(), std::memory_order_acq_rel,
                                              std::memory_order_acquire)) {
                group = made.release();
            }
        }
        return &group->queues[owner % kGroupSize];
    }

    const MergeQueue<Policy, Sync>& at(uint32_t owner) const {
        // acquire: pairs with make. A thread has an object of an owner only after the owner's registration.
        const Group* group = groups_[owner / kGroupSize].load(std::memory_order_acquire);
        OURO_REFCOUNT_ASSERT(group != nullptr);
        return group->queues[owner % kGroupSize];
    }
    MergeQueue<Policy, Sync>& at(uint32_t owner) {
        return const_cast<MergeQueue<Policy, Sync>&>(std::as_const(*this).at(owner));
    }

    Policy& policy_;
    QueueMemory<Sync> memory_;
    std::atomic<Group*> groups_[(OURO_OWNER_LAST + kGroupSize) / kGroupSize] = {};
};

}  // namespace ouro::refcount
