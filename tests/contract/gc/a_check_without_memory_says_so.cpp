// Where the system refuses the memory that a check of a collection needs, the check says so: verify=on ends the program,
// because what was not checked is not verified; contract=on lets it go on.
// a process for each case

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <fstream>
#include <string>

#include "core/include/ouroboros.h"
#include "tests/support/attached.hpp"

namespace ouro::test {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr bool kRefusesMemory = false;  // the sanitizer ends the process itself
#else
constexpr bool kRefusesMemory = true;
#endif

// No more data than there are now.
void refuse_memory() {
    std::ifstream file("/proc/self/statm");
    std::array<size_t, 6> pages{};
    for (size_t& each : pages) {
        file >> each;
    }
    const rlimit limit = {pages[5] * 4096, RLIM_INFINITY};
    ASSERT_EQ(setrlimit(RLIMIT_DATA, &limit), 0);
}

// A collection of many objects under a limit, with a check.
void collect_without_memory(const char* check) {
    const std::string settings = std::string("engine=stw,generations=off,") + check;
    ASSERT_EQ(Ouro_Configure(settings.c_str(), nullptr), 0);
    Py_Initialize();
    PyGC_Disable();
    PyObject* const all = PyList_New(0);
    for (int i = 0; i < 300'000; ++i) {
        PyObject* const list = PyList_New(0);
        PyList_Append(all, list);
        Py_DECREF(list);
    }
    PyGC_Enable();
    refuse_memory();
    PyGC_Collect();
    std::_Exit(PyList_Size(all) == 300'000 ? 0 : 1);
}

TEST(ACheckWithoutMemoryDeathTest, OfACollectionEndsTheProgram) {
    if (!kRefusesMemory) {
        GTEST_SKIP() << "the sanitizer's allocator ends the process itself";
    }
    EXPECT_DEATH(collect_without_memory("verify=on"),
                 "verify: there is no memory to check the collection with");
}

TEST(ACheckWithoutMemoryDeathTest, OfTypesLetsItGoOn) {
    if (!kRefusesMemory) {
        GTEST_SKIP() << "the sanitizer's allocator ends the process itself";
    }
    EXPECT_EXIT(collect_without_memory("contract=on"), testing::ExitedWithCode(0),
                "contract: there is no memory to look at the heap with");
}

}  // namespace
}  // namespace ouro::test
