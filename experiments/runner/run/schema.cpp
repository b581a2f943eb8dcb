#include "experiments/runner/run/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

namespace ouro::runner {
namespace {

using nlohmann::json;
using valijson::adapters::NlohmannJsonAdapter;

// Where a value lies, what is wrong with it, and what its rule allows: valijson says the first and the second.
std::string sentence(const valijson::ValidationResults::Error& error, json value, json rule) {
    std::string place;
    for (size_t i = 1; i < error.context.size(); ++i) {  // "<root>", then "[KEY]" or "[NUMBER]"
        const std::string& step = error.context[i];
        const std::string key = step.substr(1, step.size() - 2);
        if (value.is_array()) {
            place += step;
            value = json(value.at(std::stoul(key)));
            rule = json(rule.value("items", json::object()));
        } else {
            place += fmt::format("{}{}", place.empty() ? "" : ".", key);
            value = json(value.at(key));
            rule = rule.value("properties", json::object())
                       .value(key, rule.value("additionalProperties", json::object()));
        }
    }
    const std::string here = place.empty() ? "the value" : place;
    if (error.description.starts_with("Missing required property '")) {
        const size_t begin = error.description.find('\'') + 1;
        return fmt::format("{} lacks {}", here,
                           error.description.substr(begin, error.description.rfind('\'') - begin));
    }
    for (const char* key : {"$schema", "title", "description", "properties", "required", "items"}) {
        rule.erase(key);  // not said of the value itself
    }
    return fmt::format("{}: {} Found {}; allowed: {}", here, error.description,
                       value.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 60),
                       rule.dump());
}

}  // namespace

std::vector<std::string> Schemas::problems(const json& value, const std::string& file) {
    Loaded& schema = loaded_[file];
    if (schema.compiled == nullptr) {
        schema = {read(file), std::make_shared<valijson::Schema>()};
        valijson::SchemaParser().populateSchema(NlohmannJsonAdapter(schema.rules),
                                                *schema.compiled);
    }
    valijson::ValidationResults results;
    valijson::Validator().validate(*schema.compiled, NlohmannJsonAdapter(value), &results);
    std::vector<std::string> found;
    for (const auto& error : results) {
        // Behind what is wrong with a value comes each of those that it lies in.
        if (found.empty() || !error.description.starts_with("Failed to validate ")) {
            found.push_back(sentence(error, value, schema.rules));
        }
    }
    return found;
}

json Schemas::read(const std::string& file) const {
    std::ifstream stream(folder_ / file);
    json schema = json::parse(stream, nullptr, false);
    if (schema.is_discarded()) {
        throw std::runtime_error(
            fmt::format("{}: cannot be read as a schema", (folder_ / file).string()));
    }
    include(schema);
    return schema;
}

void Schemas::include(json& rule) const {
    if (rule.is_object() && rule.contains("$ref")) {
        rule = read(rule["$ref"]);
    } else if (rule.is_structured()) {
        std::ranges::for_each(rule, [this](json& each) { include(each); });
    }
}

}  // namespace ouro::runner
