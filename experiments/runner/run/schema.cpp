#include "experiments/runner/run/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace ouro::runner {
namespace {

using nlohmann::json;

bool is_of(const json& value, const std::string& type) {
    return type == "null"      ? value.is_null()
           : type == "boolean" ? value.is_boolean()
           : type == "integer" ? value.is_number_integer()
           : type == "number"  ? value.is_number()
           : type == "string"  ? value.is_string()
           : type == "array"   ? value.is_array()
                               : type == "object" && value.is_object();
}

std::string shown(const json& value) {
    return value.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 60);
}

}  // namespace

std::vector<std::string> Schemas::problems(const json& value, const std::string& file) {
    std::vector<std::string> found;
    check(value, load(file), "", found);
    return found;
}

const json& Schemas::load(const std::string& file) {
    json& schema = loaded_[file];
    if (schema.is_null()) {
        std::ifstream stream(folder_ / file);
        schema = json::parse(stream, nullptr, false);
        if (schema.is_discarded()) {
            throw std::runtime_error(
                fmt::format("{}: cannot be read as a schema", (folder_ / file).string()));
        }
    }
    return schema;
}

void Schemas::check(const json& value, const json& schema, const std::string& where,
                    std::vector<std::string>& found) {
    if (schema.contains("$ref")) {
        check(value, load(schema["$ref"]), where, found);
        return;
    }
    const std::string here = where.empty() ? "the value" : where;
    const json kinds = !schema.contains("type")     ? json::array()
                       : schema["type"].is_string() ? json::array({schema["type"]})
                                                    : schema["type"];
    if (!kinds.empty() &&
        std::ranges::none_of(kinds, [&](const json& kind) { return is_of(value, kind); })) {
        found.push_back(fmt::format("{} should be {}, is {}", here, kinds.dump(), shown(value)));
        return;
    }
    if (schema.contains("enum") &&
        std::ranges::find(schema["enum"], value) == schema["enum"].end()) {
        found.push_back(fmt::format("{} should be one of {}, is {}", here, schema["enum"].dump(),
                                    shown(value)));
    }
    if (schema.contains("minimum") && value.is_number() && value < schema["minimum"]) {
        found.push_back(fmt::format("{} should be at least {}, is {}", here,
                                    schema["minimum"].dump(), shown(value)));
    }
    if (value.is_object()) {
        const json known = schema.value("properties", json::object());
        for (const json& key : schema.value("required", json::array())) {
            if (!value.contains(key.get<std::string>())) {
                found.push_back(fmt::format("{} lacks {}", here, key.get<std::string>()));
            }
        }
        for (const auto& [key, each] : value.items()) {
            if (known.contains(key)) {
                check(each, known[key], where.empty() ? key : fmt::format("{}.{}", where, key),
                      found);
            } else if (schema.value("additionalProperties", json(true)) == json(false)) {
                found.push_back(fmt::format("{} has an unknown key {}", here, key));
            }
        }
    }
    if (value.is_array() && schema.contains("items")) {
        for (size_t i = 0; i < value.size(); ++i) {
            check(value[i], schema["items"], fmt::format("{}[{}]", where, i), found);
        }
    }
}

}  // namespace ouro::runner
