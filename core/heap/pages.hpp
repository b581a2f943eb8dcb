// Memory for the collector's own lists, directly from the system: it is returned when the list is destroyed,
// and a stop never waits for a lock of the C library's allocator that a stopped thread may hold.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/heap/fault.hpp"
#include "core/heap/layout.hpp"

namespace ouro::heap {

// `Huge`, std::true_type or std::false_type: whether large lists use huge pages. For lists that are read at random;
// the first touch of each huge page takes up to a millisecond.
template <class T, class Huge>
struct PageAllocator {
    using value_type = T;

    PageAllocator() = default;
    template <class U>
    PageAllocator(const PageAllocator<U, Huge>&) {}

    T* allocate(size_t count) {
        void* p = allocation_fails() ? MAP_FAILED
                                     : mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE,
                                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED) {
            throw std::bad_alloc();
        }
        if (Huge::value && count * sizeof(T) >= kHugePage) {
            madvise(p, count * sizeof(T), MADV_HUGEPAGE);  // advice only
        }
        return static_cast<T*>(p);
    }
    void deallocate(T* p, size_t count) { munmap(p, count * sizeof(T)); }

    // Elements made without a value have what the pages hold: zero, in pages never used before. So
    // resizing a table does not touch it.
    template <class U>
    void construct(U* p) {
        if constexpr (!std::is_trivially_default_constructible_v<U>) {
            ::new (static_cast<void*>(p)) U();
        }
    }
    template <class U, class... Args>
    void construct(U* p, Args&&... args) {
        ::new (static_cast<void*>(p)) U(std::forward<Args>(args)...);
    }

    template <class U>
    bool operator==(const PageAllocator<U, Huge>&) const {
        return true;
    }
};

// Pages are touched only as far as the vector is filled, so reserving much costs little.
template <class T>
using PageVector = std::vector<T, PageAllocator<T, std::false_type>>;
template <class T>
using HugePageVector = std::vector<T, PageAllocator<T, std::true_type>>;

// Removes elements from the end of a list, about `bytes` of memory, and returns that to the system; true
// when the list is empty. For lists so large that returning all at once takes long.
template <class T>
bool drop_pages(PageVector<T>& list, size_t bytes) {
    const size_t all = list.size() * sizeof(T);
    const size_t keep = (all > bytes ? all - bytes : 0) / kPage * kPage;
    if (all > keep) {
        madvise(reinterpret_cast<char*>(list.data()) + keep, all - keep, MADV_DONTNEED);
        list.resize(keep / sizeof(T));
    }
    if (list.empty()) {
        PageVector<T>().swap(list);
    }
    return list.empty();
}

// How much memory a list that will be used again may keep.
inline constexpr size_t kKeptBytes = size_t{256} << 10;

// Empties a list that will be used again, and keeps its memory if that is not more than kKeptBytes.
template <class T>
void empty_pages(PageVector<T>& list) {
    list.clear();
    if (list.capacity() * sizeof(T) > kKeptBytes) {
        PageVector<T>().swap(list);
    }
}

}  // namespace ouro::heap
