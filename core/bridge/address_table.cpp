#include "core/bridge/address_table.hpp"

#include <sys/mman.h>

#include <cstring>
#include <new>

namespace ouro::bridge {
namespace {

void* map(size_t bytes) {
    void* p = heap::allocation_fails() ? MAP_FAILED
                                       : mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? nullptr : p;
}

}  // namespace

AddressTable::Byte* AddressTable::make_chunk(uintptr_t address) {
    const uintptr_t root = address >> (kChunkBits + kLeafBits);
    try {
        if (root >= root_.size()) {
            throw std::bad_alloc();
        }
        if (root_[root] == nullptr) {
            root_[root] = static_cast<Leaf*>(map(sizeof(Leaf)));
            leaves_ += root_[root] != nullptr;
        }
        if (root_[root] == nullptr) {
            throw std::bad_alloc();
        }
        chunks_.push_back(nullptr);
        auto* chunk = static_cast<Byte*>(map(kBytesOfChunk));
        if (chunk == nullptr) {
            chunks_.pop_back();
            throw std::bad_alloc();
        }
        chunks_.back() = chunk;
        root_[root]->chunks[address >> kChunkBits & ((uintptr_t{1} << kLeafBits) - 1)] = chunk;
        return chunk;
    } catch (const std::bad_alloc&) {
        out_of_memory_ = true;
        return nobodys_.data();
    }
}

bool AddressTable::clear(collector::Deadline& deadline, size_t& next) {
    if (!for_each_chunk(deadline, next,
                        [](Byte* bytes, size_t count) { std::memset(bytes, 0, count); })) {
        return false;
    }
    nobodys_.fill(0);
    out_of_memory_ = false;
    return true;
}

void AddressTable::release() {
    for (Byte* chunk : chunks_) {
        munmap(chunk, kBytesOfChunk);
    }
    heap::PageVector<Byte*>().swap(chunks_);
    for (Leaf*& leaf : root_) {
        if (leaf != nullptr) {
            munmap(leaf, sizeof(Leaf));
            leaf = nullptr;
        }
    }
    leaves_ = 0;
    nobodys_.fill(0);
    out_of_memory_ = false;
}

size_t AddressTable::bytes() const {
    return chunks_.size() * kBytesOfChunk + leaves_ * sizeof(Leaf);
}

}  // namespace ouro::bridge
