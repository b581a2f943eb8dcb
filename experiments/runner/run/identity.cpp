#include "experiments/runner/run/identity.hpp"

namespace ouro::runner {
namespace {

using nlohmann::json;

json texts_of(const json& meta) {
    json list = json::array();
    for (const json& each : meta.value("config", json::array())) {
        list.push_back(each.value("text", ""));
    }
    return list;
}

}  // namespace

std::string first_difference(const json& one, const json& other) {
    for (const char* key : {"seed", "overrides", "config", "subjects", "configurations"}) {
        const bool same = key == std::string("config") ? texts_of(one) == texts_of(other)
                                                       : one.contains(key) && other.contains(key) &&
                                                             one.at(key) == other.at(key);
        if (!same) {
            return key;
        }
    }
    return {};
}

}  // namespace ouro::runner
