// The side tables: metadata of slots, found from an object's address.
//
// Metadata is dense. A block of containers owns a contiguous range of slot numbers, and each kind of
// metadata is one array over slot numbers, so that a pass over the heap reads and writes as few
// cache lines as possible.
//
// Writers: the state byte is written by mutators alone, the mark byte and the counts by the collector
// alone. In one packed word two writers would lose updates.
//
// A count of references is in two parts. One pass over the heap increments counts at random, and its cost is
// dominated by the cache lines that it touches: at ten million objects, 16 ns an object with bytes, 29 with
// 32-bit words. Nearly every count fits the byte; the excess is carried, in units of 256, to a table of 32-bit
// words that is otherwise never touched.
//
// Concurrently with mutators one thread may read the map, the states and the bitmaps (traversed.hpp), so these are
// loaded and stored whole. A word of a bitmap has one writer at a time: the owner of the block, or
// whoever has stopped the world.
//
// Memory: 4.25 bytes a slot, and 8 + sizeof(Block) bytes a block; pages of the table of 32-bit words are mapped
// only while they are used.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/heap/layout.hpp"
#include "core/include/Python.h"

namespace ouro::heap {

// Bits of the state byte.
enum State : uint8_t {
    kAllocated = 1,
    kTracked = 2,  // collections examine it
    kFinalized = 4,
    kFrozen =
        8,  // instead of kTracked: tracked all the same, but no collection's until that is undone
};

// The mark byte: a colour while a collection runs, and flags.
enum Mark : uint8_t {
    kColourMask = 3,
    kNotSeen = 0,  // not a tracked container, or no collection has examined it
    kWhite = 1,    // tracked, not reached: a candidate if it stays so
    kGrey = 2,     // reached, its references not yet followed
    kBlack = 3,    // reached, its references followed or about to be
    kCondemned = 4,
    kMember = 8,  // in the scope of a young collection, which may run while a full one is in flight
    kReached = 16,  // and reached in it
};

// How to get from an offset in a block to a slot number: first + offset * reciprocal / 2^32.
// Blocks without metadata have {0, 0}: they map to slot 0, which is no object's, so that a visitor
// needs no branch for references to atoms.
struct alignas(8) SlotMap {
    uint32_t reciprocal;
    uint32_t first;
};

struct Block;

// One instance, all members fixed after start-up.
struct Tables {
    uintptr_t base = 0;  // of the reservation
    size_t size = 0;     // of the reservation in bytes; 0 before start-up
    SlotMap* maps = nullptr;
    Block* blocks = nullptr;
    uint8_t* state = nullptr;
    uint8_t* mark = nullptr;
    // The collecting thread's alone: of a pass that stops the world, zero before and after it; of OldPass, which clears
    // it first, from its first slice of counting to the end of colouring. Young collections do not use it.
    int8_t* near_count = nullptr;
    uint32_t* count = nullptr;  // what is carried from it; the exact test's counts; else zero
    uint8_t* lock = nullptr;
    // One bit a slot: allocated since the last collection; survived one. Neither: old.
    uint64_t* young = nullptr;
    uint64_t* middle = nullptr;
};
extern Tables tables;

// A mark byte, which threads may read while another writes it: workers of one pass, which write the same; and a
// concurrent traversal, which comes to slots of any age and judges by those of old objects alone.
inline uint8_t load_mark(const uint8_t* mark) {
    return __atomic_load_n(mark, __ATOMIC_RELAXED);
}
inline void store_mark(uint8_t* mark, int value) {
    __atomic_store_n(mark, static_cast<uint8_t>(value), __ATOMIC_RELAXED);
}

inline bool in_heap(const void* p) {
    return reinterpret_cast<uintptr_t>(p) - tables.base < tables.size;
}

inline uint32_t slot_in(SlotMap map, uintptr_t offset) {
    return map.first +
           static_cast<uint32_t>((offset & (kBlockSize - 1)) * uint64_t{map.reciprocal} >> 32);
}
// The slot number of an object in the heap. Its block must stay: view.hpp has the roles in which it does.
inline uint32_t slot_in_heap(const void* p, const Tables& known = tables) {
    const uintptr_t offset = reinterpret_cast<uintptr_t>(p) - known.base;
    return slot_in(known.maps[offset >> kBlockShift], offset);
}
// The same for any object; 0 for memory without metadata, and for what lies outside the heap.
inline uint32_t slot_of(const void* p, const Tables& known = tables) {
    return reinterpret_cast<uintptr_t>(p) - known.base < known.size ? slot_in_heap(p, known) : 0;
}

// Words of a bitmap of generations, and a slot's bit in one.
inline uint64_t load_bits(const uint64_t* bitmap, uint32_t slot, int order) {
    return __atomic_load_n(&bitmap[slot / 64], order);
}
inline void clear_words(uint64_t* words, size_t count) {
    for (uint64_t* end = words + count; words < end; ++words) {
        __atomic_store_n(words, uint64_t{0}, __ATOMIC_RELAXED);
    }
}
constexpr uint64_t bit_of(uint32_t slot) {
    return uint64_t{1} << (slot % 64);
}

// Whether a slot holds a tracked object that is neither young nor middle. In a stop; and concurrently with mutators
// for the traversing thread, between two of its quiescent points: then the object was old when the
// traversal began.
//
// For: the slot is not used again under the thread (traversed.hpp). One that was used since the
// traversal began was made young before its object was tracked, which is what the first acquire sees;
// and while a traversal lives no object loses both bits, nor is any re-tracked object made young
// (make_young). Who makes a young object middle stores the middle bit first and then, with release, takes
// the young one away, which is what the second acquire sees.
inline bool is_old(uint32_t slot, const Tables& known = tables) {
    // acquire: pairs with object::track. The fields are valid, and what was allocated is young.
    return (__atomic_load_n(&known.state[slot], __ATOMIC_ACQUIRE) & kTracked) != 0 &&
           // acquire: pairs with whoever took the bit away, the middle bit set.
           (load_bits(known.young, slot, __ATOMIC_ACQUIRE) & bit_of(slot)) == 0 &&
           (load_bits(known.middle, slot, __ATOMIC_RELAXED) & bit_of(slot)) == 0;
}

}  // namespace ouro::heap
