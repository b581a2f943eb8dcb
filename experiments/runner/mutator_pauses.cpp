#include "experiments/runner/mutator_pauses.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "experiments/runner/pauses.hpp"
#include "experiments/runner/row.hpp"

namespace ouro::runner {
namespace {

// A phase by its name, which a runtime may lack; -1 then.
int phase_named(std::string_view name) {
    for (int phase = 0; phase < OURO_PHASE_COUNT_; ++phase) {
        if (name == Ouro_PhaseName(static_cast<OuroPhase>(phase))) {
            return phase;
        }
    }
    return -1;
}

}  // namespace

MutatorPauses::MutatorPauses(const SliceClock* clock)
    : clock_(clock), held_back_(phase_named("wait")) {
    Ouro_AddListener(listen, this);
}

MutatorPauses::~MutatorPauses() {
    Ouro_RemoveListener(listen, this);
}

// A listener is called on the thread that did what the event tells of.
bool MutatorPauses::is_pause(const OuroEvent& event) const {
    if (event.phase == OURO_PHASE_SAFEPOINT || event.phase == OURO_PHASE_CHILD) {
        return false;  // in a pause, and of another thread; concurrently with the program, and of another process
    }
    if (std::this_thread::get_id() != thread_) {
        return event.phase == OURO_PHASE_PAUSE;
    }
    if (clock_ == nullptr) {
        return event.phase == OURO_PHASE_CYCLE || event.phase == held_back_;
    }
    return event.start_ns >= clock_->last_ns();
}

void MutatorPauses::listen(const OuroEvent* event, void* arg) {
    auto* self = static_cast<MutatorPauses*>(arg);
    self->children_.note(*event);
    if (self->is_pause(*event)) {
        // What lies in it has ended before: it is told of once.
        while (!self->pauses_.empty() && self->pauses_.back().start_ns >= event->start_ns &&
               self->pauses_.back().end_ns <= event->end_ns) {
            self->pauses_.pop_back();
        }
        self->pauses_.push_back({event->start_ns, event->end_ns, event->cpu_ns});
    }
    if (event->phase == OURO_PHASE_PAUSE) {
        self->to_safepoint_ns_.push_back(event->time_to_safepoint_ns);
    }
    if (event->phase == OURO_PHASE_CYCLE) {
        self->note_cycle(*event);
    }
}

void MutatorPauses::note_cycle(const OuroEvent& event) {
    const int64_t ns = event.end_ns - event.start_ns;
    Generation& generation =
        event.trigger == OURO_TRIGGER_SUSPECTS ? local_ : generations_.at(event.generation);
    ++generation.count;
    generation.total_ns += ns;
    generation.max_ns = std::max(generation.max_ns, ns);
    generation.condemned += event.condemned;
    collector_cpu_ns_ += event.cpu_ns;
    candidates_ += event.candidates;
    rejected_ += event.rejected;
    condemned_ += event.condemned;
    resurrected_ += event.resurrected;
    freed_ += event.freed;
}

nlohmann::json MutatorPauses::summary() const {
    return summary_of(std::vector<Intervals>{pauses()});
}

void MutatorPauses::add_pauses(Row& row) const {
    row["pauses"] = summary();
    nlohmann::json& wall = row["pause_samples_ns"] = nlohmann::json::array();
    nlohmann::json& cpu = row["pause_cpu_samples_ns"] = nlohmann::json::array();
    for (const Interval& each : pauses()) {
        wall.push_back(each.ns());
        cpu.push_back(each.cpu_ns);
    }
}

nlohmann::json MutatorPauses::points(int64_t begun_ns) const {
    return points_of(pauses(), begun_ns);
}

void MutatorPauses::add_cycles(Row& row) const {
    const auto of = [](const Generation& generation) -> nlohmann::json {
        return {{"count", generation.count},
                {"total_ns", generation.total_ns},
                {"max_ns", generation.max_ns},
                {"condemned", generation.condemned}};
    };
    row["collections"] = {{"young", of(generations_[0])},
                          {"middle", of(generations_[1])},
                          {"local", of(local_)},
                          {"full", of(generations_[2])}};
    row["collector_cpu_ns"] = collector_cpu_ns_;
    children_.add_to(row);
    row["candidates"] = candidates_;
    row["rejected"] = rejected_;
    row["condemned"] = condemned_;
    row["resurrected"] = resurrected_;
    row["freed"] = freed_;
}

nlohmann::json summary_of(const std::vector<Intervals>& mutators) {
    std::vector<int64_t> wall_ns;
    std::vector<int64_t> cpu_ns;
    for (const Intervals& pauses : mutators) {
        for (const Interval& each : pauses) {
            wall_ns.push_back(each.ns());
            cpu_ns.push_back(each.cpu_ns);
        }
    }
    return summary_of(wall_ns, cpu_ns);
}

nlohmann::json points_of(const Intervals& intervals, int64_t begun_ns) {
    nlohmann::json all = nlohmann::json::array();
    for (const Interval& each : intervals) {
        all.push_back({each.start_ns - begun_ns, each.ns()});
    }
    return all;
}

nlohmann::json mmu_of(const std::vector<Intervals>& mutators, int64_t start_ns, int64_t end_ns) {
    nlohmann::json row;
    for (const int64_t ms : {1, 10, 100}) {
        std::optional<double> least;
        for (const Intervals& pauses : mutators) {
            const auto found = least_utilisation(pauses, start_ns, end_ns, ms * 1'000'000);
            least = found && (!least || *found < *least) ? found : least;
        }
        row[std::to_string(ms) + "ms"] = least ? nlohmann::json(*least) : nlohmann::json();
    }
    return row;
}

void add_utilisation(Row& row, const std::vector<Intervals>& mutators, int64_t start_ns,
                     int64_t end_ns) {
    const int64_t budget_ns = std::stoll(Ouro_Setting("pause-budget-us")) * 1000;
    std::vector<Intervals> fewer;
    double stopped = 0;
    for (const Intervals& pauses : mutators) {
        fewer.push_back(merged(pauses, budget_ns));
        stopped += static_cast<double>(covered_ns(pauses, start_ns, end_ns));
    }
    row["pause_budget_ns"] = budget_ns;
    row["merged_pauses"] = summary_of(fewer);
    const auto time = static_cast<double>(std::max<int64_t>(end_ns - start_ns, 1));
    row["stopped_fraction"] =
        stopped / time / static_cast<double>(std::max(mutators.size(), size_t{1}));
    row["mmu"] = mmu_of(mutators, start_ns, end_ns);
}

}  // namespace ouro::runner
