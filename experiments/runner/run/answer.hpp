// What a run printed, as a result.
#pragma once

#include <nlohmann/json.hpp>

#include "experiments/runner/run/process.hpp"
#include "experiments/runner/run/schema.hpp"

namespace ouro::runner {

// The JSON object on its standard output; null, and the outcome turned to failed, if that is none.
nlohmann::json printed_object(Outcome& outcome);

// Whether it is a result by result.schema.json; if not, the outcome is turned to failed.
bool fits_schema(Outcome& outcome, const nlohmann::json& result, Schemas& schemas);

}  // namespace ouro::runner
