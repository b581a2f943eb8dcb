// The side tables as one thread may use them. What it may read, and how, depends on which other threads run. Its role
// is a type, and what the role does not allow does not compile. All other rooms access the tables through a view.
//
//     Stopped     The world is stopped, by the calling thread or on its behalf, or the process is a forked copy with
//                 this one thread. Workers of one pass share the role. Everything but marks may be read with plain
//                 loads: a thread that traverses concurrently with mutators goes on in another thread's stop.
//     Concurrent  The traversing thread, concurrently with mutators (mutator::Traversal). Every read is one atomic
//                 load. It may use the entries of slots that is_old() accepts; all others belong to mutators and to
//                 collections of young objects.
//     Holding     The caller has a reference to the object, so its block and slot stay. Any attached thread; each
//                 member says what else it requires of the thread.
//
// A pass keeps a view as a member: a copy of the tables' addresses, so that stores to tables do not make the compiler
// load these addresses again. The view Holding refers to the tables, and costs nothing.
#pragma once

#include <cstdint>

#include "core/heap/block.hpp"
#include "core/heap/heap.hpp"
#include "core/heap/tables.hpp"
#include "core/heap/traversed.hpp"

namespace ouro::heap {

struct Stopped {};
struct Concurrent {};
struct Holding {};

// Eight slots, a byte each.
inline constexpr unsigned kLanes = 8;
inline constexpr uint64_t kEachLane = 0x0101010101010101;

template <class Role>
class HeapView;

template <>
class HeapView<Holding> {
public:
    // 0 for memory without metadata.
    uint32_t slot_of(const void* p) const { return heap::slot_of(p, tables_); }
    // Of a container in the heap.
    uint32_t slot_in_heap(const void* p) const { return heap::slot_in_heap(p, tables_); }

    uint8_t* state(uint32_t slot) const { return &tables_.state[slot]; }
    uint8_t* lock(uint32_t slot) const { return &tables_.lock[slot]; }
    bool is_condemned(uint32_t slot) const {
        return (load_mark(&tables_.mark[slot]) & kCondemned) != 0;
    }
    // By the collecting thread, of what it has condemned or is about to (inv.exact.one-owner).
    void condemn(uint32_t slot) const {
        store_mark(&tables_.mark[slot], load_mark(&tables_.mark[slot]) | kCondemned);
    }
    void acquit(uint32_t slot) const { store_mark(&tables_.mark[slot], kNotSeen); }

private:
    const Tables& tables_ = tables;
};

template <>
class HeapView<Stopped> {
public:
    uint32_t slot_of(const void* p) const { return heap::slot_of(p, tables_); }

    Block* first_block() const { return tables_.blocks; }
    Block* end_of_blocks() const { return tables_.blocks + block_limit(); }
    template <class Visit>
    void for_each_container_block(Visit visit) const {
        heap::for_each_container_block(visit);
    }
    // All slot numbers in use lie below it, a multiple of 64.
    size_t slot_limit() const {
        size_t limit = 1;
        for_each_container_block([&](const Block* block) {
            const size_t end = size_t{block->first_slot} + block->capacity;
            limit = end > limit ? end : limit;
        });
        return (limit + 63) / 64 * 64;
    }

    // Arrays from a slot number on.
    uint8_t* states(uint32_t slot) const { return tables_.state + slot; }
    uint8_t* marks(uint32_t slot) const { return tables_.mark + slot; }
    int8_t* near_counts(uint32_t slot) const { return tables_.near_count + slot; }
    // Of a slot.
    uint8_t state(uint32_t slot) const { return tables_.state[slot]; }
    uint8_t mark(uint32_t slot) const { return load_mark(&tables_.mark[slot]); }
    void set_mark(uint32_t slot, int value) const { store_mark(&tables_.mark[slot], value); }
    void prefetch_mark(uint32_t slot) const { __builtin_prefetch(&tables_.mark[slot], 1); }
    bool is_condemned(uint32_t slot) const { return (mark(slot) & kCondemned) != 0; }
    int8_t& near_count(uint32_t slot) const { return tables_.near_count[slot]; }
    void prefetch_near_count(uint32_t slot) const {
        __builtin_prefetch(&tables_.near_count[slot], 1);
    }
    uint32_t& count(uint32_t slot) const { return tables_.count[slot]; }
    // Words of the generations' bitmaps: slots 64 * word and following. Who stores one does it whole
    // (HeapView<Concurrent> may be reading it).
    uint64_t& young_word(size_t word) const { return tables_.young[word]; }
    uint64_t& middle_word(size_t word) const { return tables_.middle[word]; }
    bool is_old(uint32_t slot) const { return heap::is_old(slot, tables_); }

    // The near counts of a worker with an array of its own.
    void use_near_counts(int8_t* own) { tables_.near_count = own; }

    // Calls visit(slot in block) for each slot of the block whose state has the tracked bit, in address order. Slot
    // ranges are padded to whole words, whose padding is zero.
    template <class Visit>
    void for_each_tracked(const Block* block, Visit visit) const {
        const uint8_t* state = states(block->first_slot);
        for (uint32_t first = 0; first < block->bump; first += kLanes) {
            visit_lanes(load_lanes(state + first) & (kEachLane * kTracked), first, visit);
        }
    }
    // The same for slots whose mark is white.
    template <class Visit>
    void for_each_white(const Block* block, Visit visit) const {
        const uint8_t* mark = marks(block->first_slot);
        for (uint32_t first = 0; first < block->bump; first += kLanes) {
            const uint64_t lanes = load_lanes(mark + first);
            visit_lanes(lanes & ~(lanes >> 1) & (kEachLane * kWhite), first, visit);
        }
    }
    // Eight bytes, which other workers may be storing one by one.
    static uint64_t load_lanes(const uint8_t* bytes) {
        return __atomic_load_n(reinterpret_cast<const uint64_t*>(bytes), __ATOMIC_RELAXED);
    }

private:
    template <class Visit>
    static void visit_lanes(uint64_t lanes, uint32_t first, Visit& visit) {
        for (; lanes != 0; lanes &= lanes - 1) {
            visit(first + static_cast<uint32_t>(__builtin_ctzll(lanes)) / 8);
        }
    }

    Tables tables_ = tables;
};

template <>
class HeapView<Concurrent> {
public:
    // The slot that p has, or had when it was an object; 0 if its block has been given back since, and for what lies
    // outside the heap.
    uint32_t slot_of(const void* p) const {
        const uintptr_t offset = reinterpret_cast<uintptr_t>(p) - tables_.base;
        if (offset >= tables_.size) {
            return 0;
        }
        SlotMap map;
        // relaxed: both halves are of one store of BlockPool's, which orders nothing here.
        __atomic_load(&tables_.maps[offset >> kBlockShift], &map, __ATOMIC_RELAXED);
        return slot_in(map, offset);
    }

    Block* first_block() const { return tables_.blocks; }
    // Whether it is a block of containers; then what its record says of its slots is fixed until the thread's next
    // quiescent point (inv.heap.map-first).
    bool has_containers(const Block* block) const {
        return container_block(static_cast<size_t>(block - tables_.blocks)) != nullptr;
    }

    // Whether the slot holds an object that was old when the traversal began. One that was used since was made young
    // before its object was tracked.
    bool is_old(uint32_t slot) const { return heap::is_old(slot, tables_); }
    // Of an address that the thread found in a slot's object since its last quiescent point, or keeps from before.
    bool is_old(const PyObject* op) const { return is_old(slot_of(op)); }
    // Of eight slots, the first a multiple of eight: a byte each, kTracked where the object's fields are valid; a bit
    // each, where it is young or middle. In this order.
    uint64_t tracked_lanes(uint32_t slot) const {
        // acquire: pairs with object::track.
        return __atomic_load_n(reinterpret_cast<const uint64_t*>(tables_.state + slot),
                               __ATOMIC_ACQUIRE) &
               (kEachLane * kTracked);
    }
    uint64_t younger_bits(uint32_t slot) const {
        // As is_old reads them.
        const uint64_t young = load_bits(tables_.young, slot, __ATOMIC_ACQUIRE);
        const uint64_t middle = load_bits(tables_.middle, slot, __ATOMIC_RELAXED);
        return (young | middle) >> (slot % 64) & 0xff;
    }

    // Marks. Read of any slot; written of old objects.
    uint8_t mark(uint32_t slot) const { return load_mark(&tables_.mark[slot]); }
    void set_mark(uint32_t slot, int value) const { store_mark(&tables_.mark[slot], value); }
    void prefetch_mark(uint32_t slot) const { __builtin_prefetch(&tables_.mark[slot], 1); }
    uint64_t mark_lanes(uint32_t slot) const {
        return __atomic_load_n(reinterpret_cast<const uint64_t*>(tables_.mark + slot),
                               __ATOMIC_RELAXED);
    }
    bool is_condemned(uint32_t slot) const { return (mark(slot) & kCondemned) != 0; }

    // The near counts are the thread's alone as long as the traversal counts (Tables::near_count), of any slot; or those of
    // a worker of it with an array of its own.
    int8_t& near_count(uint32_t slot) const { return tables_.near_count[slot]; }
    int8_t* near_counts(uint32_t slot) const { return tables_.near_count + slot; }
    void prefetch_near_count(uint32_t slot) const {
        __builtin_prefetch(&tables_.near_count[slot], 1);
    }
    void use_near_counts(int8_t* own) { tables_.near_count = own; }
    // Pre: is_old(slot), or slot 0, which is nobody's. Those of others belong to collections of young objects.
    uint32_t& count_of_old(uint32_t slot) const { return tables_.count[slot]; }
    // The same, of any slot: in that of slot 0 an engine beside may be counting what is no object.
    uint32_t load_count(uint32_t slot) const {
        return __atomic_load_n(&tables_.count[slot], __ATOMIC_RELAXED);
    }

private:
    Tables tables_ = tables;
};

}  // namespace ouro::heap
