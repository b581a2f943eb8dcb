// Freeing what the heap did not allocate, or what is free already, is a fatal error that says so, as
// far as side metadata tells; with OURO_POISON so is writing to an object after its death.

#include <cstdlib>

#include "core/include/Python.h"
#include "tests/support/heap_test.hpp"

namespace ouro::heap {
namespace {

class MemoryFreedWronglyDeathTest : public test::HeapTest {};

TEST_F(MemoryFreedWronglyDeathTest, OutsideTheHeap) {
    int on_stack = 0;
    void* raw = PyMem_RawMalloc(64);
    EXPECT_DEATH(heap::free(&on_stack), "Fatal Python error: .*freed.*does not lie in the heap");
    EXPECT_DEATH(PyMem_Free(raw), "does not lie in the heap");
    EXPECT_DEATH(PyObject_Free(raw), "does not lie in the heap");
    EXPECT_DEATH(PyObject_GC_Del(&on_stack), "does not lie in the heap");
    PyMem_RawFree(raw);
}

TEST_F(MemoryFreedWronglyDeathTest, Twice) {
    for (const BlockKind kind : test::kContainerKinds) {
        void* keep = allocate(kind, 48);
        void* p = allocate(kind, 48);
        free(p);
        EXPECT_DEATH(heap::free(p), "is not allocated") << test::name_of(kind);
        free(keep);
    }
    for (const BlockKind kind : test::kAllKinds) {
        void* large = allocate(kind, 2 * kBlockSize);
        free(large);
        EXPECT_DEATH(heap::free(large), "is not allocated") << test::name_of(kind);
    }
}

TEST_F(MemoryFreedWronglyDeathTest, InTheMiddleOfALargeObject) {
    auto* large = static_cast<char*>(allocate(BlockKind::kBuffer, 3 * kBlockSize));
    EXPECT_DEATH(heap::free(large + kBlockSize), "is not allocated");
    EXPECT_DEATH(heap::free(large + 2 * kBlockSize + 512), "is not allocated");
    free(large);
}

TEST_F(MemoryFreedWronglyDeathTest, WhereNothingWasEverAllocated) {
    void* beyond = reinterpret_cast<void*>(tables.base + (block_limit() << kBlockShift) + 64);
    EXPECT_DEATH(heap::free(beyond), "is not allocated");
    void* last = reinterpret_cast<void*>(tables.base + tables.size - 64);
    EXPECT_DEATH(heap::free(last), "is not allocated");
}

TEST_F(MemoryFreedWronglyDeathTest, ThenWrittenTo) {
#ifndef OURO_POISON
    GTEST_SKIP() << "needs OURO_POISON";
#else
    for (const BlockKind kind : test::kAllKinds) {
        EXPECT_DEATH(
            {
                auto* p = static_cast<volatile char*>(allocate(kind, 48));
                heap::free(const_cast<char*>(p));
                p[40] = 1;
                allocate(kind, 48);
            },
            // The address sanitizer sees the write itself.
            "was written to, (40|56) bytes after its start|use-after-poison")
            << test::name_of(kind);
    }
#endif
}

}  // namespace
}  // namespace ouro::heap
