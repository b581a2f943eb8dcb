// Checks values against the JSON Schemas of experiments/schema, by valijson 1.0, which takes whole numbers from 2^63 on
// for negative ones: what can be so large has no minimum in its schema.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace valijson {
class Schema;
}

namespace ouro::runner {

class Schemas {
public:
    explicit Schemas(std::filesystem::path folder) : folder_(std::move(folder)) {}

    // What is wrong with a value, a sentence each, with the place and what is allowed there; empty if nothing is.
    // Throws std::runtime_error if there is no such schema.
    std::vector<std::string> problems(const nlohmann::json& value, const std::string& file);

private:
    struct Loaded {  // NOLINT(bugprone-exception-escape): a json is moved without a throw
        nlohmann::json rules;
        std::shared_ptr<valijson::Schema> compiled;
    };
    // With what it refers to in its place: valijson knows references by absolute addresses alone.
    nlohmann::json read(const std::string& file) const;
    void include(nlohmann::json& rule) const;

    std::filesystem::path folder_;
    std::map<std::string, Loaded> loaded_;
};

}  // namespace ouro::runner
