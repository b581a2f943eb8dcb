// A result row as a table for people.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace ouro::runner {

void print_table(const nlohmann::json& row);

}  // namespace ouro::runner
