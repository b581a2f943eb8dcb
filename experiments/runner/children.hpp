// What processes that a collector makes cost: the CPU time that they took, which is in no clock of this
// process, and what it took to make them.
#pragma once

#include <cstdint>
#include <vector>

#include "ouroboros.h"

namespace ouro::runner {

class Row;

class Children {
public:
    // Of any event; a fork is told of before the child that it made.
    void note(const OuroEvent& event);

    int64_t cpu_ns() const { return cpu_ns_; }
    // child_cpu_ns, and where there were any forks {count, wall, cpu, samples}: the samples are
    // [wall ns, CPU ns of the thread, resident bytes of the child, bytes of its page tables], and null for
    // what a child did not live to say.
    void add_to(Row& row) const;

private:
    struct Fork {
        uint64_t cycle;
        int64_t wall_ns, cpu_ns;
        size_t resident_bytes, page_table_bytes;
    };

    std::vector<Fork> forks_;
    int64_t cpu_ns_ = 0;
};

}  // namespace ouro::runner
