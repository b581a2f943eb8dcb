// What a run's log begins and ends with, so that it can be judged by itself.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace ouro::runner {

// Command, seed, commit, compiler, flags, kernel, processor, huge pages, load: from meta.json and the
// row as it begins. Lines that begin with '#'.
std::string log_prologue(const nlohmann::json& meta, const nlohmann::json& row);

// How it ended.
std::string log_end(const nlohmann::json& row);

// Adds text to a file. Throws std::runtime_error if that fails.
void add_to_log(const std::filesystem::path& log, const std::string& text);

}  // namespace ouro::runner
