#include "experiments/runner/run/experiment_fields.hpp"

#include <fmt/format.h>

namespace ouro::runner {

std::optional<unsigned> read_noise_floor(Fields& fields, Mistakes& mistakes) {
    const Toml* value = fields.take("noise-floor");
    if (value == nullptr) {
        return {};
    }
    if (value->is_boolean()) {
        return value->as_boolean() ? 1 : 0;
    }
    if (value->is_integer() && value->as_integer() >= 2 &&
        value->as_integer() <= kMostInvocations) {
        return static_cast<unsigned>(value->as_integer());
    }
    mistakes.add(*value, fmt::format("noise-floor: found {}; allowed: true, false, 2 to {}",
                                     spelling(*value), kMostInvocations));
    return {};
}

std::optional<Cpus> read_pin(Fields& fields, Mistakes& mistakes) {
    const Toml* value = fields.take("pin");
    if (value == nullptr) {
        return {};
    }
    std::optional<Cpus> cpus;
    if (value->is_string()) {
        cpus = parse_cpus(value->as_string().str);
    } else {
        std::string numbers;
        for (const Toml* each : alternatives(*value, "pin", mistakes)) {
            numbers += each->is_integer() ? fmt::format("{},", each->as_integer()) : "none,";
        }
        cpus = parse_cpus(numbers);
    }
    if (!cpus) {
        mistakes.add(*value, fmt::format("pin: found {}; allowed: processors, as in \"0\", "
                                         "\"0,2-3\" or [0, 2]",
                                         spelling(*value)));
    } else if (const Cpus missing = unusable(*cpus); !missing.empty()) {
        mistakes.add(*value, fmt::format("pin: this machine has no processor {} that can be "
                                         "used; allowed: {}",
                                         as_text(missing), as_text(usable_cpus())));
        return {};
    }
    return cpus;
}

std::vector<std::string> read_collecting(Fields& fields, Mistakes& mistakes) {
    const Toml* value = fields.take("collecting");
    if (value == nullptr) {
        return {kAsItIs};
    }
    std::vector<std::string> found;
    for (const Toml* each : alternatives(*value, "collecting", mistakes)) {
        if (const auto way = read_word(*each, "collecting",
                                       {kAsItIs, kBridge, "tuned", "freeze", "off"}, mistakes)) {
            found.push_back(*way);
        }
    }
    return found;
}

}  // namespace ouro::runner
