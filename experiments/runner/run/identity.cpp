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

// As a file has it.
json noise_floor(unsigned every) {
    return every < 2 ? json(every == 1) : json(every);
}

}  // namespace

const char* name_of(Subject::Kind kind) {
    switch (kind) {
        case Subject::Kind::kOurs:
            return "ouro";
        case Subject::Kind::kPython:
            return "cpython";
        case Subject::Kind::kPeer:
            return "peer";
    }
    return "";
}

json identity_of(const Experiment& experiment) {
    json identity = {{"title", experiment.title},
                     {"seed", experiment.seed},
                     {"noise_floor", noise_floor(experiment.noise_floor)},
                     {"events", experiment.events},
                     {"order", experiment.fill_in ? "fill-in" : "random"},
                     {"overrides", experiment.overrides},
                     {"config", json::array()},
                     {"configurations", json::array()},
                     {"subjects", json::array()}};
    for (const SourceFile& each : experiment.files) {
        identity["config"].push_back({{"path", each.path}, {"text", each.text}});
    }
    for (const Configuration& each : experiment.configurations) {
        identity["configurations"].push_back(
            {{"workload", each.workload->title_of(each.parameters)},
             {"parameters", each.parameters},
             {"invocations", each.invocations},
             {"timeout", each.timeout},
             {"events", each.events},
             {"noise_floor", noise_floor(each.noise_floor)}});
        if (!each.workload->not_covered.empty()) {
            identity["configurations"].back()["not_covered"] = each.workload->not_covered;
        }
    }
    for (const Subject& each : experiment.subjects) {
        json settings = json::object();
        for (const auto& [key, value] : each.settings) {
            settings[key] = value;
        }
        identity["subjects"].push_back({{"name", each.name},
                                        {"kind", name_of(each.kind)},
                                        {"program", each.program},
                                        {"settings", settings},
                                        {"version", each.version}});
        json& subject = identity["subjects"].back();
        if (each.kind == Subject::Kind::kPython) {
            subject["configured"] = each.configured;
        }
        if (each.kind == Subject::Kind::kPeer) {
            subject["arguments"] = each.arguments;
            subject["environment"] = json::object();
            for (const auto& [key, value] : each.environment) {
                subject["environment"][key] = value;
            }
        }
    }
    return identity;
}

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

std::string machine_difference(const json& one, const json& other) {
    const json mine = one.value("machine", json::object());
    const json its = other.value("machine", json::object());
    for (const char* key : {"cpu", "cores", "kernel"}) {
        if (!mine.contains(key) || !its.contains(key) || mine.at(key) != its.at(key)) {
            return key;
        }
    }
    return {};
}

}  // namespace ouro::runner
