// A byte for each 16 bytes of memory, found by address: what the passes know of an object that has no room for it.
//
// No two objects begin in the same 16 bytes, so each has a byte of its own; memory that nothing was asked about costs
// nothing. A look-up is two loads that stay in the cache and one that does not, the byte's: prefetch it first.
// Memory: 64 KiB for each MiB in which an object was asked about, in pages, and 128 KiB for each 16 GiB of addresses.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/collector/deadline.hpp"
#include "core/heap/pages.hpp"

namespace ouro::bridge {

class AddressTable {
public:
    using Byte = int8_t;

    AddressTable() = default;
    ~AddressTable() { release(); }
    AddressTable(const AddressTable&) = delete;
    AddressTable& operator=(const AddressTable&) = delete;

    // The byte of whatever begins at p, made if there is none, zero at first. Without memory one that is nobody's, and
    // is_out_of_memory says so from then on.
    Byte* at(const void* p) {
        Byte* chunk = chunk_of(address(p));
        return (chunk != nullptr ? chunk : make_chunk(address(p))) + index_of(address(p));
    }
    // nullptr if there is none.
    Byte* find(const void* p) const {
        Byte* chunk = chunk_of(address(p));
        return chunk != nullptr ? chunk + index_of(address(p)) : nullptr;
    }
    bool is_out_of_memory() const { return out_of_memory_; }

    // Calls each(Byte* bytes, size_t count) for every MiB's, until the deadline; true when all have been.
    template <class Each>
    bool for_each_chunk(collector::Deadline& deadline, size_t& next, const Each& each) const {
        while (next < chunks_.size()) {
            each(chunks_[next], kBytesOfChunk);
            ++next;
            if (deadline.has_passed_now()) {
                break;
            }
        }
        return next == chunks_.size();
    }

    // All bytes are zero again when this has been called until it is true.
    bool clear(collector::Deadline& deadline, size_t& next);
    // Gives all memory back.
    void release();
    size_t bytes() const;

private:
    static constexpr unsigned kAddressBits = 47;  // of a program
    static constexpr unsigned kChunkBits = 20;
    static constexpr unsigned kLeafBits = 14;
    static constexpr unsigned kRootBits = kAddressBits - kChunkBits - kLeafBits;
    static constexpr size_t kBytesOfChunk = size_t{1} << (kChunkBits - 4);
    struct Leaf {
        std::array<Byte*, size_t{1} << kLeafBits> chunks;
    };

    static uintptr_t address(const void* p) { return reinterpret_cast<uintptr_t>(p); }
    static size_t index_of(uintptr_t address) { return address >> 4 & (kBytesOfChunk - 1); }
    Byte* chunk_of(uintptr_t address) const {
        const uintptr_t root = address >> (kChunkBits + kLeafBits);
        const Leaf* leaf = root < root_.size() ? root_[root] : nullptr;
        return leaf != nullptr
                   ? leaf->chunks[address >> kChunkBits & ((uintptr_t{1} << kLeafBits) - 1)]
                   : nullptr;
    }
    Byte* make_chunk(uintptr_t address);

    std::array<Leaf*, size_t{1} << kRootBits> root_{};
    heap::PageVector<Byte*> chunks_;
    size_t leaves_ = 0;
    bool out_of_memory_ = false;
    std::array<Byte, kBytesOfChunk> nobodys_{};
};

}  // namespace ouro::bridge
