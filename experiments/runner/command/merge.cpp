// `ouro merge`: the shards of an experiment as one.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "experiments/runner/command/command.hpp"
#include "experiments/runner/command/commands.hpp"
#include "experiments/runner/command/experiment_options.hpp"
#include "experiments/runner/run/merge.hpp"
#include "experiments/runner/run/record.hpp"

namespace ouro::runner {
namespace {

struct MergeArguments {
    std::vector<std::string> shards;
    std::string directory;
};

std::filesystem::path normal(const std::string& path) {
    std::filesystem::path found = std::filesystem::absolute(path).lexically_normal();
    return found.has_filename() ? found : found.parent_path();  // without the slash at its end
}

int merge(const MergeArguments& wanted) {
    try {
        std::vector<std::filesystem::path> shards;
        shards.reserve(wanted.shards.size());
        for (const std::string& each : wanted.shards) {
            shards.push_back(normal(each));
        }
        const std::filesystem::path directory = normal(wanted.directory);
        const Merged merged = merge_shards(shards, directory, command_line());
        for (const unsigned each : merged.lacks) {
            fmt::print(stderr, "ouro: warning: shard {} is not among them\n", each);
        }
        fmt::print("{} of {} runs have a result; raw data: {}\n",
                   merged.runs - merged.without_result, merged.runs,
                   (directory / "runs.jsonl").string());
        return merged.lacks.empty() && merged.without_result == 0 ? 0 : kExitFailed;
    } catch (const BadShards& error) {
        fmt::print(stderr, "ouro: merge: these do not fit together\n{}\n", error.what());
    } catch (const BadDirectory& error) {
        fmt::print(stderr, "ouro: merge: {}\n", error.what());
    }
    return kExitBadArguments;
}

constexpr const char* kMergeFooter = R"(
Each DIR is what `ouro run --shard` left, of the same experiment, made with copies of one build; the
machines may differ.

Exit status: 0 every run of every shard has a result; 1 some have not, the rest is there; 2 they do
not fit together, and nothing was written.)";

}  // namespace

Command add_merge(CLI::App& app) {
    const auto wanted = std::make_shared<MergeArguments>();
    CLI::App* command = app.add_subcommand("merge", "joins the results of an experiment's shards");
    command->add_option("DIR", wanted->shards, "a shard's results")->required();
    command->add_option("-o,--output", wanted->directory, "where they go: a new directory")
        ->type_name("DIR")
        ->required();
    command->footer(kMergeFooter);
    return {command, [wanted] { return merge(*wanted); }};
}

}  // namespace ouro::runner
