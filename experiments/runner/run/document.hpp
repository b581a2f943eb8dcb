// The files of an experiment as one table: what they include, then what the command line overrides.
#pragma once

#include <string>
#include <vector>

#include "experiments/runner/run/experiment.hpp"
#include "experiments/runner/run/fields.hpp"

namespace ouro::runner {

struct Document {
    Toml table;                     // each value knows its file, line and column
    std::vector<SourceFile> files;  // in the order in which they count
};

// Reads a file, or a text without includes. `include = ["other.toml"]` (paths from the file's own folder) is read first: its
// lists of tables come before the file's own, its other keys give way to the file's own. Then each
// override, "key=value" or "workload.NAME.key=value" (every workload of that name), whose value is
// TOML or, if it is none, a text. Mistakes are added; the table is then empty or lacks something.
Document read_document(const ConfigSource& source, const std::vector<std::string>& overrides,
                       Mistakes& mistakes);

}  // namespace ouro::runner
