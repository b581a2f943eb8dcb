// How much memory a process can have here, and what cannot fit in it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace ouro::runner {

struct MemoryLimit {
    uint64_t bytes = 0;  // 0: the system does not tell
    std::string source;  // "the memory of this machine", "memory.max of /sys/fs/cgroup/a"
};

// The least of: the memory of the machine, without swap; and, of the control group that the process is in and of
// each group around it, memory.max and memory.high (version 2) or memory.limit_in_bytes (version 1).
// `root`: the directory that is taken for /.
MemoryLimit memory_limit(const std::filesystem::path& root = "/");

// "needs at least 95367 MiB, there are 24105 MiB (the memory of this machine)"; empty if so many bytes fit.
std::string does_not_fit(double bytes, const MemoryLimit& limit);

}  // namespace ouro::runner
