// Processors that a run is bound to.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ouro::runner {

// By the system's numbers, ascending, each once; empty: not bound.
using Cpus = std::vector<unsigned>;

// "0", "0,2-3"; nothing if the text is none.
std::optional<Cpus> parse_cpus(const std::string& text);

// The inverse: "0,2-3".
std::string as_text(const Cpus& cpus);

// Those that this process may use.
Cpus usable_cpus();

// Those of `cpus` that this process may not use.
Cpus unusable(const Cpus& cpus);

}  // namespace ouro::runner
