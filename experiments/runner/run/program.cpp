#include "experiments/runner/run/program.hpp"

#include <string>
#include <vector>

namespace ouro::runner {
namespace {

using workloads::Values;

std::string title(const Values& values) {
    return "program:" + values.at("program").get<std::string>();
}

// Of what they load and do by default.
double seconds(workloads::Kind, const Values&) {
    return 25;
}

double bytes(workloads::Kind, const Values&) {
    return 400 << 20;
}

}  // namespace

Workload python_program() {
    return {.name = "program",
            .summary = "a real Python program: requests, documents, analyses",
            .parameters = {{.name = "program",
                            .type = Parameter::Type::kWord,
                            .initial = "django_admin",
                            .allowed = scripts_in(places().experiments / "peers" / "cpython" /
                                                  "programs")},
                           {.name = "size",
                            .least = 1,
                            .greatest = 1 << 30,
                            .help = "of what it keeps alive; the program's own if it is not said"},
                           {.name = "operations",
                            .least = 1,
                            .greatest = 1 << 30,
                            .help = "the program's own if it is not said"},
                           Parameter::number("rate", 0, 0, 1'000'000,
                                             "operations that are due a second; 0: one after "
                                             "the other")},
            .script = "program.py",
            .packages = "programs",
            .seconds = seconds,
            .bytes = bytes,
            .title = title,
            .not_covered = "one process with one thread that does the work; what asks for it is in "
                           "that process too, so no network is"};
}

}  // namespace ouro::runner
