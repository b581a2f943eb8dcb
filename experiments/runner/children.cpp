#include "experiments/runner/children.hpp"

#include <nlohmann/json.hpp>

#include "experiments/runner/pauses.hpp"
#include "experiments/runner/row.hpp"

namespace ouro::runner {
namespace {

nlohmann::json known(size_t bytes) {
    return bytes != 0 ? nlohmann::json(bytes) : nlohmann::json();
}

}  // namespace

void Children::note(const OuroEvent& event) {
    if (event.phase == OURO_PHASE_FORK) {
        forks_.push_back({event.cycle, event.end_ns - event.start_ns, event.cpu_ns, 0, 0});
    } else if (event.phase == OURO_PHASE_CHILD) {
        cpu_ns_ += event.cpu_ns;
        if (!forks_.empty() && forks_.back().cycle == event.cycle) {
            forks_.back().resident_bytes = event.rss_bytes;
            forks_.back().page_table_bytes = event.page_table_bytes;
        }
    }
}

void Children::add_to(Row& row) const {
    row["child_cpu_ns"] = cpu_ns_;
    if (forks_.empty()) {
        return;
    }
    std::vector<int64_t> wall_ns;
    std::vector<int64_t> cpu_ns;
    nlohmann::json samples = nlohmann::json::array();
    for (const Fork& each : forks_) {
        wall_ns.push_back(each.wall_ns);
        cpu_ns.push_back(each.cpu_ns);
        samples.push_back(
            {each.wall_ns, each.cpu_ns, known(each.resident_bytes), known(each.page_table_bytes)});
    }
    row["forks"] = {{"count", forks_.size()},
                    {"wall", percentiles(wall_ns)},
                    {"cpu", percentiles(cpu_ns)},
                    {"samples", std::move(samples)}};
}

}  // namespace ouro::runner
