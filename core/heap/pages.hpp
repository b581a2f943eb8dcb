// Memory for the collector's own lists, straight from the system: it goes back when the list goes,
// and a stop never waits for a lock of the C library's allocator that a stopped thread may hold.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <vector>

#include "core/heap/fault.hpp"

namespace ouro::heap {

template <class T>
struct PageAllocator {
    using value_type = T;

    PageAllocator() = default;
    template <class U>
    PageAllocator(const PageAllocator<U>&) {}

    T* allocate(size_t count) {
        void* p = allocation_fails() ? MAP_FAILED
                                     : mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE,
                                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED) {
            throw std::bad_alloc();
        }
        return static_cast<T*>(p);
    }
    void deallocate(T* p, size_t count) { munmap(p, count * sizeof(T)); }

    template <class U>
    bool operator==(const PageAllocator<U>&) const {
        return true;
    }
};

// Pages are touched only as far as the vector is filled, so reserving much costs little.
template <class T>
using PageVector = std::vector<T, PageAllocator<T>>;

}  // namespace ouro::heap
