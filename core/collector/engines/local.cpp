// The engine local: searches around suspects, and full collections as those of incremental.
#include "core/collector/engines/local_search.hpp"
#include "core/collector/engines/sliced.hpp"

namespace ouro::collector {
namespace {

// Members of a search for each microsecond of a pause's budget.
constexpr size_t kMembersOfMicrosecond = 4;
// Of the time that young collections look at objects, searches for nothing may take one part in so many.
constexpr int64_t kPartOfYoung = 16;

class LocalEngine final : public SlicedEngine {
public:
    explicit LocalEngine(const option::Settings& settings)
        : SlicedEngine(1), searches_(settings.suspects > 0),
          search_({.first_bound = settings.search_bound == 0 ? SIZE_MAX : settings.search_bound,
                   .bound = settings.search_bound == 0
                                ? SIZE_MAX
                                : std::max(settings.search_bound,
                                           settings.pause_budget_us * kMembersOfMicrosecond)}) {}

    void begin(Cycle cycle, Candidates& candidates) override {
        SlicedEngine::begin(cycle, candidates);
        search_.forget_scores();
    }
    void note_young(int64_t ns) override { search_.add_credit(ns / kPartOfYoung); }
    bool takes_suspects() const override { return searches_; }
    size_t search(Candidates& candidates) override { return search_.run(candidates); }

private:
    const bool searches_;
    LocalSearch search_;
};

}  // namespace

std::unique_ptr<Engine> make_local(const option::Settings& settings) {
    return std::make_unique<LocalEngine>(settings);
}

}  // namespace ouro::collector
