// CPython's figures on a heap that it captured, as a result like any other.
#pragma once

#include <nlohmann/json.hpp>

#include "experiments/runner/run/catalogue.hpp"

namespace ouro::runner {

// The command that describes a heap file.
Pipe describe_captured(const Call& call);

// Puts into such a result what a server (capture/SERVE.md) answered to `collect` and to `drop`.
void take_collections(nlohmann::json& result, const nlohmann::json& collect,
                      const nlohmann::json& drop);

// The result that the description of a heap file (`heapgraph.py --describe --json`) amounts to. What
// the capture did not measure is null. Throws nlohmann::json::exception if the description lacks
// something.
nlohmann::json captured_result(const nlohmann::json& described, const Call& call);

}  // namespace ouro::runner
