// What else took the machine's processors while a run was made.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/types.h>

namespace ouro::runner {

// From this many processors on (mean over a run) others are warned of: their part of two is then 5 %,
// and as much a difference of two subjects may be theirs.
inline constexpr double kOthersDisturb = 0.1;

// Processes that are neither this one nor come from it, from the making of the object on. The system
// counts in hundredths of a second.
class Others {
public:
    Others();

    // {"cores", "stolen", "processes": [{"name", "cores"}]}: how many processors they took, and the
    // hypervisor, in the mean; and the three names that took most. Null after less than a tenth of a
    // second, and where the system does not tell.
    nlohmann::json so_far() const;

private:
    struct Process {
        std::string name;
        uint64_t ticks;
    };
    struct Count {
        double seconds = 0;  // of a monotonic clock
        uint64_t busy = 0;   // ticks of all processors
        uint64_t stolen = 0;
        uint64_t ours = 0;  // of busy
        bool known = false;
        std::map<std::pair<pid_t, uint64_t>, Process> processes{};  // by number and start
    };
    static Count count();

    Count began_;
};

// "others 1.2 cores (cc1plus 0.9)"; empty if they did not disturb. `others` is what so_far() gave.
std::string disturbance(const nlohmann::json& others);

}  // namespace ouro::runner
