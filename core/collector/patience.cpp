#include "core/collector/patience.hpp"

#include <fmt/format.h>

#include <ctime>
#include <fstream>
#include <string>

namespace ouro::collector {
namespace {

bool sleeps(pid_t thread) {
    std::ifstream file(fmt::format("/proc/self/task/{}/stat", thread));
    std::string line;
    std::getline(file, line);
    const size_t name_end = line.rfind(')');  // the name may have anything in it
    return name_end == std::string::npos || line.size() < name_end + 3 || line[name_end + 2] != 'R';
}

int64_t cpu_ns(pid_t thread) {
    // The clock of a thread's CPU time, as the kernel numbers it (clock_getcpuclockid(3) does the same for a
    // process): the complement of the thread's number, then two bits for a thread's and for the scheduler's.
    const auto clock = static_cast<clockid_t>((~static_cast<unsigned>(thread) << 3) | 6);
    timespec now;
    if (clock_gettime(clock, &now) != 0) {
        return 0;
    }
    return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

Activity activity_of(pid_t thread) {
    return {cpu_ns(thread), sleeps(thread)};
}

}  // namespace ouro::collector
