// The heap of a program that an interpreter runs, captured anew in each invocation of an experiment; and the
// interpreter's figures on it, as a result like any other.
#pragma once

#include <nlohmann/json.hpp>

#include "experiments/runner/run/catalogue.hpp"

namespace ouro::runner {

// It is described here and not registered, as other workloads are: what it is called in `ouro bench` is the workload
// that reads its file, and its programs are files of this build, which are looked up when they are asked for.
Workload captured_heap();
// Ours collects what was captured. The first interpreter's command is that of server_words().
Steps captured_commands(const Call& call);
// The program, kept alive (capture/SERVE.md): the first interpreter runs it, from a first run that captures its heap
// for ours to read, to a later one that collects that heap beside ours, and then drops it. No other one takes part.
Words server_words(const Call& call);

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
