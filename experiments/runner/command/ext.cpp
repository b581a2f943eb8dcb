// `ouro ext`: an extension module, imported, and a function of it called.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "experiments/runner/bench_ext.hpp"
#include "experiments/runner/command/commands.hpp"
#include "experiments/runner/command/workload.hpp"
#include "experiments/runner/decimal.hpp"

namespace ouro::runner {

Command add_ext(CLI::App& app) {
    struct Wanted {
        Common common;
        ExtOptions ext;
    };
    const auto wanted = std::make_shared<Wanted>();
    wanted->common.command = "ext";
    CLI::App* command = app.add_subcommand(
        "ext", "import an extension module, written for CPython, and call a function of it");
    command->add_option("module", wanted->ext.module, "the module's shared object")->required();
    command
        ->add_option("--call", wanted->ext.call,
                     "a function of the module, and arguments: each an int, else a float, else a "
                     "str; prints the repr of the result")
        ->expected(1, 1 << 16);
    command->add_option("--repeat", wanted->ext.repeat, "calls of each thread")
        ->check(decimal(1, 1'000'000'000'000))
        ->capture_default_str();
    command->add_option("--threads", wanted->ext.threads, "that call the function at once")
        ->check(decimal(1, 1024))
        ->capture_default_str();
    add_common(command, wanted->common);
    return {command, [wanted] {
                return run_workload(
                    wanted->ext.module, wanted->common,
                    [&]() -> Measured { return [&] { return bench_ext(wanted->ext); }; },
                    // What a program would print; the numbers are for files.
                    [](const nlohmann::json& row) {
                        fmt::print("{}\n", row.at("result").get<std::string>());
                    });
            }};
}

}  // namespace ouro::runner
