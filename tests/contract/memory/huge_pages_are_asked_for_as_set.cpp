// The setting huge-pages: what the system is asked about the heap's memory, as it says itself (/proc/self/smaps),
// in one run of the runtime after the other. auto: huge pages, unless collections go on while the program does.
// a process for each case

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/heap/layout.hpp"
#include "core/include/ouroboros.h"

namespace ouro::test {
namespace {

// What the mapping with this address is advised to: "hg", "nh", or neither.
std::string advice_for(const void* p) {
    std::ifstream maps("/proc/self/smaps");
    bool here = false;
    for (std::string line; std::getline(maps, line);) {
        uintptr_t start = 0;
        uintptr_t end = 0;
        char dash = 0;
        if (std::istringstream words(line); words >> std::hex >> start >> dash >> end) {
            here = start <= reinterpret_cast<uintptr_t>(p) && reinterpret_cast<uintptr_t>(p) < end;
        } else if (here && line.starts_with("VmFlags:")) {
            std::istringstream flags(line);
            for (std::string flag; flags >> flag;) {
                if (flag == "hg" || flag == "nh") {
                    return flag;
                }
            }
        }
    }
    return "";
}

// Of objects beyond the first huge page, which is never advised.
void expect_advice(const char* settings, const std::string& advice) {
    SCOPED_TRACE(settings);
    ASSERT_EQ(Ouro_Configure(settings, nullptr), 0);
    Py_Initialize();
    std::vector<PyObject*> all;
    for (size_t bytes = 0; bytes < 3 * heap::kHugePage; bytes += 4096) {
        all.push_back(PyTuple_New(500));
    }
    EXPECT_EQ(advice_for(all.back()), advice);
    for (PyObject* op : all) {
        Py_DECREF(op);
    }
    Py_FinalizeEx();
}

TEST(HugePages, AreAskedForAsSet) {
    if (!std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled")) {
        GTEST_SKIP() << "this system has none";
    }
    expect_advice("engine=stw,huge-pages=auto", "hg");
    expect_advice("engine=incremental,huge-pages=auto", "nh");
    expect_advice("engine=stw-parallel,huge-pages=auto", "hg");
    expect_advice("engine=incremental,huge-pages=on", "hg");
    expect_advice("engine=stw,huge-pages=off", "nh");
#ifndef OURO_REFCOUNT_PLAIN
    expect_advice("engine=concurrent-sync,huge-pages=auto", "hg");
    expect_advice("engine=concurrent,huge-pages=auto", "nh");
    expect_advice("engine=snapshot,huge-pages=auto", "nh");
#endif
}

}  // namespace
}  // namespace ouro::test
