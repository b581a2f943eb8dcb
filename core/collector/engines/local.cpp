// The engine local: searches around suspects, and full collections as those of incremental.
#include "core/collector/engines/local_search.hpp"
#include "core/collector/engines/sliced.hpp"

namespace ouro::collector {
namespace {

// Members of a search for each microsecond of a pause's budget.
constexpr size_t kMembersOfMicrosecond = 4;
// For so many objects that young collections have looked at, one member may be looked at for nothing: some 50 ns beside
// some 100.
constexpr size_t kYoungForMember = 2;

class LocalEngine final : public SlicedEngine {
public:
    explicit LocalEngine(const option::Settings& settings)
        : searches_(settings.suspects > 0),
          search_({.first_bound = settings.search_bound == 0 ? SIZE_MAX : settings.search_bound,
                   .bound = settings.search_bound == 0
                                ? SIZE_MAX
                                : std::max(settings.search_bound,
                                           settings.pause_budget_us * kMembersOfMicrosecond)}) {}

    void begin(Cycle cycle, Candidates& candidates) override {
        SlicedEngine::begin(cycle, candidates);
        search_.forget_scores();
    }
    void note_young(size_t objects) override { search_.allow(objects / kYoungForMember); }
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
