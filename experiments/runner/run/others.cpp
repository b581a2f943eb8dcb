#include "experiments/runner/run/others.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

namespace ouro::runner {
namespace {

using nlohmann::json;

constexpr double kShortest = 0.1;  // seconds
constexpr size_t kNamed = 3;

struct Stat {
    std::string name;
    pid_t parent = 0;
    uint64_t own = 0;       // ticks
    uint64_t children = 0;  // of those that it waited for
    uint64_t start = 0;
};

// proc(5): the name stands in parentheses and may hold any character.
std::optional<Stat> read_stat(const std::filesystem::path& folder) {
    std::ifstream file(folder / "stat");
    std::string line;
    if (!std::getline(file, line)) {
        return {};  // it has ended
    }
    const size_t open = line.find('(');
    const size_t close = line.rfind(')');
    if (open == std::string::npos || close == std::string::npos) {
        return {};
    }
    Stat found;
    found.name = line.substr(open + 1, close - open - 1);
    std::istringstream rest(line.substr(close + 1));
    std::string word;
    for (int field = 3; field <= 22 && rest >> word; ++field) {
        const uint64_t value = std::strtoull(word.c_str(), nullptr, 10);
        if (field == 4) {
            found.parent = static_cast<pid_t>(value);
        } else if (field == 14 || field == 15) {
            found.own += value;
        } else if (field == 16 || field == 17) {
            found.children += value;
        } else if (field == 22) {
            found.start = value;
        }
    }
    return found;
}

std::map<pid_t, Stat> all_processes() {
    std::map<pid_t, Stat> found;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
        const std::string name = entry.path().filename();
        pid_t id = 0;
        const auto [end, bad] = std::from_chars(name.data(), name.data() + name.size(), id);
        if (bad == std::errc() && end == name.data() + name.size()) {
            if (auto stat = read_stat(entry.path())) {
                found.emplace(id, std::move(*stat));
            }
        }
    }
    return found;
}

bool comes_from(pid_t id, pid_t ancestor, const std::map<pid_t, Stat>& processes) {
    for (size_t steps = 0; id > 1 && steps < processes.size(); ++steps) {
        if (id == ancestor) {
            return true;
        }
        const auto known = processes.find(id);
        if (known == processes.end()) {
            return false;
        }
        id = known->second.parent;
    }
    return false;
}

double rounded(double value) {
    return std::round(std::max(0.0, value) * 100) / 100;
}

}  // namespace

Others::Others() : began_(count()) {}

Others::Count Others::count() {
    Count now;
    now.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    std::ifstream file("/proc/stat");
    std::string word;
    uint64_t user = 0, nice = 0, system = 0, idle = 0, waiting = 0, hard = 0, soft = 0;
    now.known = static_cast<bool>(file >> word >> user >> nice >> system >> idle >> waiting >>
                                  hard >> soft >> now.stolen);
    now.busy = user + nice + system + hard + soft;
    const std::map<pid_t, Stat> all = all_processes();
    for (const auto& [id, stat] : all) {
        if (comes_from(id, getpid(), all)) {
            now.ours += stat.own + stat.children;
        } else {
            now.processes.emplace(std::pair(id, stat.start), Process{stat.name, stat.own});
        }
    }
    return now;
}

json Others::so_far() const {
    const Count now = count();
    const double seconds = now.seconds - began_.seconds;
    if (!now.known || !began_.known || seconds < kShortest) {
        return nullptr;
    }
    const double tick = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
    const auto cores = [&](uint64_t then, uint64_t later) {
        return (static_cast<double>(later) - static_cast<double>(then)) * tick / seconds;
    };
    std::map<std::string, uint64_t> by_name;
    for (const auto& [key, process] : now.processes) {
        const auto before = began_.processes.find(key);
        const uint64_t then = before == began_.processes.end() ? 0 : before->second.ticks;
        by_name[process.name] += process.ticks - std::min(then, process.ticks);
    }
    std::vector<std::pair<std::string, uint64_t>> most(by_name.begin(), by_name.end());
    std::ranges::stable_sort(most, std::greater<>(),
                             [](const auto& entry) { return entry.second; });
    json named = json::array();
    for (const auto& [name, ticks] : most) {
        if (named.size() < kNamed && rounded(cores(0, ticks)) > 0) {
            named.push_back({{"name", name}, {"cores", rounded(cores(0, ticks))}});
        }
    }
    return {{"cores", rounded(cores(began_.busy, now.busy) - cores(began_.ours, now.ours))},
            {"stolen", rounded(cores(began_.stolen, now.stolen))},
            {"processes", named}};
}

std::string disturbance(const json& others) {
    if (others.is_null() ||
        others.at("cores").get<double>() + others.at("stolen").get<double>() < kOthersDisturb) {
        return {};
    }
    std::string text = fmt::format("others {:.1f} cores", others.at("cores").get<double>());
    std::string more;
    for (const json& each : others.at("processes")) {
        more += fmt::format("{}{} {:.1f}", more.empty() ? "" : ", ",
                            each.at("name").get<std::string>(), each.at("cores").get<double>());
    }
    if (const double stolen = others.at("stolen").get<double>(); stolen >= kOthersDisturb) {
        more += fmt::format("{}hypervisor {:.1f}", more.empty() ? "" : ", ", stolen);
    }
    return more.empty() ? text : fmt::format("{} ({})", text, more);
}

}  // namespace ouro::runner
