#include "experiments/runner/bench_churn.hpp"

#include <nlohmann/json.hpp>

#include "experiments/runner/bench_steps.hpp"
#include "experiments/runner/row.hpp"

namespace ouro::runner {
namespace {

nlohmann::json parameters_of(const ChurnOptions& options) {
    nlohmann::json params = {{"live", options.churn.live},
                             {"replace", options.churn.replace_percent},
                             {"cycle_size", options.churn.cycle_size}};
    if (options.seconds) {
        params["seconds"] = *options.seconds;
    } else {
        params["objects"] = options.objects;
    }
    return params;
}

}  // namespace

nlohmann::json bench_churn(const ChurnOptions& options) {
    Row row("churn");
    row["params"] = parameters_of(options);
    workloads::Churn churn(options.churn);
    const uint64_t size = options.churn.cycle_size;
    return bench_steps(
        row, churn,
        {.operations = (options.objects + size - 1) / size, .seconds = options.seconds});
}

}  // namespace ouro::runner
