// The lists of a collection that found much are returned to the system in parts that a pause budget has room for, also
// those that have become shorter since: the pages behind their end are theirs, too.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "core/heap/layout.hpp"
#include "core/include/ouroboros.h"

namespace {

std::atomic<bool> watches;
std::atomic<size_t> most_at_once;  // bytes

size_t resident(void* begin, size_t size) {
    std::vector<unsigned char> pages((size + ouro::heap::kPage - 1) / ouro::heap::kPage);
    if (mincore(begin, size, pages.data()) != 0) {
        return 0;
    }
    return ouro::heap::kPage * static_cast<size_t>(std::ranges::count_if(
                                   pages, [](unsigned char page) { return (page & 1) != 0; }));
}

void look_at(void* begin, size_t size) {
    if (watches.exchange(false)) {  // not at what the look itself returns
        most_at_once = std::max(most_at_once.load(), resident(begin, size));
        watches = true;
    }
}

}  // namespace

// The C library's, but for the look.
extern "C" int munmap(void* begin, size_t size) noexcept {
    look_at(begin, size);
    return static_cast<int>(syscall(SYS_munmap, begin, size));
}

extern "C" int madvise(void* begin, size_t size, int advice) noexcept {
    if (advice == MADV_DONTNEED) {
        look_at(begin, size);
    }
    return static_cast<int>(syscall(SYS_madvise, begin, size, advice));
}

namespace {

class Lists : public testing::TestWithParam<const char*> {};

TEST_P(Lists, AreReturnedToTheSystemInParts) {
    constexpr int kLists = 400'000;  // their addresses are 3.2 MB
    ASSERT_EQ(Ouro_Configure("engine=incremental,pause-budget-us=20,young-threshold=0,verify=off",
                             nullptr),
              0);
    ASSERT_EQ(Ouro_Configure(GetParam(), nullptr), 0);
    Py_Initialize();
    for (int i = 0; i < kLists; ++i) {
        PyObject* list = PyList_New(0);
        PyList_Append(list, list);
        Py_DECREF(list);
    }
    most_at_once = 0;
    watches = true;
    EXPECT_EQ(PyGC_Collect(), kLists);
    watches = false;
    EXPECT_GT(most_at_once, 0u);
    EXPECT_LE(most_at_once, 1u << 20);
    Py_Finalize();
}

INSTANTIATE_TEST_SUITE_P(WhenAllOfItIs, Lists, testing::Values("refcount=gil", "refcount=biased"));

}  // namespace
