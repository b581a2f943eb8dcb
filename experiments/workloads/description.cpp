#include "experiments/workloads/description.hpp"

#include <algorithm>
#include <utility>

namespace ouro::workloads {
namespace {

std::vector<Description>& all() {
    static std::vector<Description> found;
    return found;
}

}  // namespace

const std::vector<Description>& descriptions() {
    return all();
}

Described::Described(Description description) {
    const auto place = std::ranges::lower_bound(all(), description.name, {}, &Description::name);
    all().insert(place, std::move(description));
}

}  // namespace ouro::workloads
