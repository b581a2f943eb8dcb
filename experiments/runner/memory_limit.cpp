#include "experiments/runner/memory_limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <vector>

#include "experiments/runner/words.hpp"

namespace ouro::runner {
namespace {

namespace fs = std::filesystem;

// Where control groups that limit memory are mounted.
struct Mount {
    bool version_2;
    fs::path group;  // that is at the directory
    fs::path directory;
};

std::vector<std::string> lines_of(const fs::path& file) {
    std::ifstream stream(file);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

bool has(const std::vector<std::string>& list, const std::string& word) {
    return std::ranges::find(list, word) != list.end();
}

// proc_pid_mountinfo(5): ID PARENT DEVICE GROUP DIRECTORY OPTIONS [FIELD...] - TYPE SOURCE OPTIONS
std::vector<Mount> mounts(const fs::path& root) {
    std::vector<Mount> found;
    for (const std::string& line : lines_of(root / "proc/self/mountinfo")) {
        const std::vector<std::string> fields = words(line, ' ');
        const auto dash = std::ranges::find(fields, "-");
        if (fields.size() < 6 || fields.end() - dash < 4) {
            continue;
        }
        const bool version_2 = dash[1] == "cgroup2";
        if (version_2 || (dash[1] == "cgroup" && has(words(dash[3], ','), "memory"))) {
            found.push_back({version_2, fields[3], fields[4]});
        }
    }
    return found;
}

// cgroups(7): a line is HIERARCHY:CONTROLLERS:GROUP, without controllers in version 2.
std::optional<fs::path> own_group(const fs::path& root, bool version_2) {
    for (const std::string& line : lines_of(root / "proc/self/cgroup")) {
        const size_t first = line.find(':');
        const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos) {
            continue;
        }
        const std::string controllers = line.substr(first + 1, second - first - 1);
        if (version_2 ? controllers.empty() : has(words(controllers, ','), "memory")) {
            return line.substr(second + 1);
        }
    }
    return {};
}

// Nothing if there is no such file, or no number in it ("max").
std::optional<uint64_t> number_in_file(const fs::path& file) {
    std::ifstream stream(file);
    uint64_t number;
    return stream >> number ? std::optional(number) : std::nullopt;
}

// The directories of the process's group and of those around it, as far as they are mounted.
std::vector<fs::path> groups(const Mount& mount, const fs::path& own) {
    fs::path below = own.lexically_relative(mount.group);
    if (below.empty() || *below.begin() == ".." || below == ".") {
        below.clear();
    }
    std::vector<fs::path> all = {mount.directory};
    for (const fs::path& part : below) {
        all.push_back(all.back() / part);
    }
    return all;
}

uint64_t machine_memory(const fs::path& root) {
    for (const std::string& line : lines_of(root / "proc/meminfo")) {
        if (line.starts_with("MemTotal:")) {
            return std::stoull(words(line, ' ').at(1)) << 10;
        }
    }
    return 0;
}

}  // namespace

MemoryLimit memory_limit(const fs::path& root) {
    MemoryLimit least = {machine_memory(root), "the memory of this machine"};
    for (const Mount& mount : mounts(root)) {
        const std::optional<fs::path> own = own_group(root, mount.version_2);
        for (const fs::path& group : groups(mount, own.value_or("/"))) {
            const fs::path directory = root / group.relative_path();
            for (const char* file : {"memory.max", "memory.high", "memory.limit_in_bytes"}) {
                const auto limit = number_in_file(directory / file);
                if (limit && (least.bytes == 0 || *limit < least.bytes)) {
                    least = {*limit, fmt::format("{} of {}", file, group.string())};
                }
            }
        }
    }
    return least;
}

std::string does_not_fit(double bytes, const MemoryLimit& limit) {
    if (limit.bytes == 0 || bytes <= static_cast<double>(limit.bytes)) {
        return {};
    }
    return fmt::format("needs at least {:.0f} MiB, there are {} MiB ({})", bytes / (1 << 20),
                       limit.bytes >> 20, limit.source);
}

}  // namespace ouro::runner
