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
    // Makes the first `bytes` usable, zero at first; false if the system refuses. `huge`: beyond the
    // first huge page, memory is advised to be mapped by huge pages; a program with a small heap
    // does not pay for one in each table. Not for tables that are touched sparsely.
    bool make_usable(size_t bytes, bool huge = true);
    // Gives the pages that lie wholly in [offset, offset + bytes) back to the system; they read as
    // zero from then on.
    void purge(size_t offset, size_t bytes);

    uintptr_t base() const { return base_; }
    size_t size() const { return size_; }
    template <class T>
    T* as() const {
        return reinterpret_cast<T*>(base_);
    }

private:
    uintptr_t base_ = 0;
    size_t size_ = 0;
    size_t usable_ = 0;
};

}  // namespace ouro::heap
