#include "experiments/runner/run/answer.hpp"

#include <algorithm>

#include "experiments/runner/words.hpp"
#include "experiments/workloads/nesting.hpp"

namespace ouro::runner {
namespace {

using nlohmann::json;

json fail(Outcome& outcome, const std::string& why) {
    outcome.status = Outcome::Status::kFailed;
    outcome.reason = why;
    return {};
}

}  // namespace

json printed_object(Outcome& outcome) {
    json result = workloads::parse_json(outcome.output);
    if (result.is_discarded()) {
        return fail(outcome, "what it printed is not JSON: " + outcome.output.substr(0, 60));
    }
    return result.is_object() ? result : fail(outcome, "what it printed is not a JSON object");
}

bool fits_schema(Outcome& outcome, const json& result, Schemas& schemas) {
    std::vector<std::string> wrong = schemas.problems(result, "result.schema.json");
    if (wrong.empty()) {
        return true;
    }
    wrong.resize(std::min<size_t>(wrong.size(), 3));
    fail(outcome, "its result does not fit the schema: " + joined(wrong, "; "));
    return false;
}

}  // namespace ouro::runner
