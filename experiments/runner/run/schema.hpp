// Checks values against the part of JSON Schema that experiments/schema uses: type, enum, required,
// properties, additionalProperties, items, minimum and $ref to a file beside.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ouro::runner {

class Schemas {
public:
    explicit Schemas(std::filesystem::path folder) : folder_(std::move(folder)) {}

    // What is wrong with a value, a sentence each; empty if nothing is. Throws std::runtime_error if
    // there is no such schema.
    std::vector<std::string> problems(const nlohmann::json& value, const std::string& file);

private:
    const nlohmann::json& load(const std::string& file);
    void check(const nlohmann::json& value, const nlohmann::json& schema, const std::string& where,
               std::vector<std::string>& found);

    std::filesystem::path folder_;
    std::map<std::string, nlohmann::json> loaded_;
};

}  // namespace ouro::runner
