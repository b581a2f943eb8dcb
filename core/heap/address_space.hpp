// Reserved address space of which a prefix is usable memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ouro::heap {

class AddressSpace {
public:
    // Reserves `bytes`, aligned to a huge page; false if the system refuses. Nothing is usable yet.
    bool reserve(size_t bytes);
    // Gives the whole reservation back.
    void release();
    // Makes the first `bytes` usable, zero at first; false if the system refuses.
    bool make_usable(size_t bytes);
    // Advises the system to map usable memory, now and later, with huge pages, or not to; initially not. The
    // first huge page's worth is excepted, so that a program with a small heap does not pay for one in each
    // table. Not for tables that are touched sparsely. What is mapped already stays as it is.
    void use_huge_pages(bool use);
    // Gives the pages that lie wholly in [offset, offset + bytes) back to the system; they read as
    // zero from then on.
    void purge(size_t offset, size_t bytes);

    uintptr_t base() const { return base_; }
    size_t size() const { return size_; }
    // Bytes from the start that are usable.
    size_t usable() const { return usable_; }
    template <class T>
    T* as() const {
        return reinterpret_cast<T*>(base_);
    }

private:
    void advise(size_t from, size_t to) const;

    uintptr_t base_ = 0;
    size_t size_ = 0;
    size_t usable_ = 0;
    bool huge_ = false;
};

}  // namespace ouro::heap
