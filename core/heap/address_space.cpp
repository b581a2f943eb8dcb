#include "core/heap/address_space.hpp"

#include <sys/mman.h>

#include <algorithm>

#include "core/heap/fault.hpp"
#include "core/heap/layout.hpp"

namespace ouro::heap {
namespace {

constexpr uintptr_t round_up(uintptr_t value, size_t unit) {
    return (value + unit - 1) / unit * unit;
}
constexpr uintptr_t round_down(uintptr_t value, size_t unit) {
    return value / unit * unit;
}

void* at(uintptr_t address) {
    return reinterpret_cast<void*>(address);
}

}  // namespace

bool AddressSpace::reserve(size_t bytes) {
    bytes = round_up(bytes, kHugePage);
    void* p = mmap(nullptr, bytes + kHugePage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) {
        return false;
    }
    const uintptr_t start = reinterpret_cast<uintptr_t>(p);
    base_ = round_up(start, kHugePage);
    if (base_ > start) {
        munmap(p, base_ - start);
    }
    if (const size_t tail = start + kHugePage - base_; tail > 0) {
        munmap(at(base_ + bytes), tail);
    }
    size_ = bytes;
    usable_ = 0;
    return true;
}

void AddressSpace::release() {
    if (size_ > 0) {
        munmap(at(base_), size_);
    }
    *this = AddressSpace();
}

// Advice only: whether it is taken does not matter here.
void AddressSpace::advise(size_t from, size_t to) const {
    from = std::max(from, kHugePage);
    if (to > from) {
        madvise(at(base_ + from), to - from, huge_ ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    }
}

void AddressSpace::use_huge_pages(bool use) {
    if (use != huge_) {
        huge_ = use;
        advise(0, usable_);
    }
}

bool AddressSpace::make_usable(size_t bytes) {
    if (bytes <= usable_) {
        return true;
    }
    if (bytes > size_ || allocation_fails()) {
        return false;
    }
    // At least an eighth more than before: the kernel is asked seldom however slowly we grow.
    const size_t target =
        std::min(round_up(std::max(bytes, usable_ + usable_ / 8), kHugePage), size_);
    if (mprotect(at(base_ + usable_), target - usable_, PROT_READ | PROT_WRITE) != 0) {
        return false;
    }
    advise(usable_, target);
    usable_ = target;
    return true;
}

void AddressSpace::purge(size_t offset, size_t bytes) {
    const uintptr_t start = round_up(base_ + offset, kPage);
    const uintptr_t end = std::min(round_down(base_ + offset + bytes, kPage), base_ + usable_);
    if (start < end) {
        madvise(at(start), end - start, MADV_DONTNEED);
    }
}

}  // namespace ouro::heap
