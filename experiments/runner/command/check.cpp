// `ouro check`: an extension module against the rules of the documents.
#include <fmt/color.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "experiments/runner/command/command.hpp"
#include "experiments/runner/command/commands.hpp"
#include "experiments/runner/decimal.hpp"
#include "experiments/runner/findings.hpp"
#include "ouroboros/contract.h"

namespace ouro::runner {
namespace {

struct CheckArguments {
    std::string module;
    std::map<std::string, std::string> settings{};
    std::string json{}, sarif{}, script{};
    std::vector<std::string> call{};
    unsigned seconds = 20;
    uint64_t seed = 1;
    unsigned sequences = 400;
    bool strict = false;
    bool rules = false;
};

// As the README of core/verify/rules has it.
int print_rules() {
    fmt::print("| rule | what it asks | from | how it is seen |\n|---|---|---|---|\n");
    for (size_t number = 0; const OuroRule* rule = Ouro_ContractRule(number); ++number) {
        fmt::print("| `{}` | {} | {} | {}{} |\n", rule->tag, rule->says, rule->document, rule->how,
                   rule->probable != 0 ? ", probable" : "");
    }
    return 0;
}

bool write_file(const std::string& place, const nlohmann::json& document) {
    std::FILE* file = open_output(place);
    // A name in a module, or what was read where something wrote over it, need not be UTF-8.
    return file != nullptr &&
           write_output(
               file, document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void print_lines(const char* title, const std::string& lines) {
    fmt::print("    {}:\n", title);
    std::istringstream stream(lines);
    for (std::string line; std::getline(stream, line);) {
        fmt::print("        {}\n", line);
    }
}

void print_finding(const Finding& finding) {
    const bool colour = isatty(STDOUT_FILENO) == 1;
    const auto bold = [colour](const std::string& text) {
        return colour ? fmt::format(fmt::emphasis::bold, "{}", text) : text;
    };
    fmt::print("{}: {}{} [{}]\n", bold(finding.where()),
               finding.certain ? "" : "probably: ", finding.says, finding.rule);
    fmt::print("    {}{}\n", finding.type.empty() ? "" : finding.type + ": ", finding.detail);
    if (!finding.script.empty()) {
        print_lines("calls", finding.script);
        print_lines("in C", finding.c);
    }
    fmt::print("    rule: {} ({})\n", finding.says, finding.document);
    fmt::print("    to do: {}\n", finding.remedy);
}

// What --script and --call ask for; false if the file cannot be read.
bool script_of(const CheckArguments& wanted, std::string& text) {
    if (!wanted.script.empty()) {
        const auto lines = read_file(wanted.script);
        if (!lines) {
            return false;
        }
        text = *lines;
    }
    if (!wanted.call.empty()) {
        text += fmt::format("result = {}({})\n", wanted.call.front(),
                            fmt::join(wanted.call.begin() + 1, wanted.call.end(), ", "));
    }
    return true;
}

int run_check(const CheckArguments& wanted) {
    if (wanted.rules) {
        return print_rules();
    }
    if (!configure_from_environment()) {
        return kExitBadArguments;
    }
    configure("check", wanted.settings);
    std::vector<Finding> findings;
    std::string script;
    if (!script_of(wanted, script)) {
        fmt::print(stderr, "ouro: check: {} cannot be read\n", wanted.script);
        return kExitBadArguments;
    }
    const OuroCheckOptions options = {wanted.seconds, script.c_str(), wanted.seed,
                                      wanted.sequences};
    OuroCheckSummary summary = {};
    const char* problem = nullptr;
    const int done = Ouro_CheckModule(
        wanted.module.c_str(), &options,
        [](const OuroFinding* finding, void* arg) {
            static_cast<std::vector<Finding>*>(arg)->push_back(finding_of(*finding));
        },
        &findings, &summary, &problem);
    locate(findings);
    const bool prints = wanted.json != "-" && wanted.sarif != "-";
    size_t counted = 0, probable = 0;
    for (const Finding& finding : findings) {
        const bool counts = finding.certain || wanted.strict;
        ++(counts ? counted : probable);
        if (prints && counts) {
            print_finding(finding);
        }
    }
    for (const auto& [place, document] :
         {std::pair(wanted.json, json_of(findings, summary, wanted.module)),
          std::pair(wanted.sarif, sarif_of(findings, wanted.strict))}) {
        if (!place.empty() && !write_file(place, document)) {
            fmt::print(stderr, "ouro: check: {} cannot be written\n", place);
            return kExitBadArguments;
        }
    }
    if (done != 0) {
        fmt::print(stderr, "ouro: check {}: {}\n", wanted.module, problem);
        return kExitFailed;
    }
    if (prints) {
        fmt::print("{}: {} types, {} of them with instances, seed {}; {} found{}\n", wanted.module,
                   summary.types, summary.instances, wanted.seed, counted,
                   probable == 0 ? "" : fmt::format(", {} more probable (--strict)", probable));
    }
    return counted == 0 ? 0 : kExitFailed;
}

}  // namespace

Command add_check(CLI::App& app) {
    const auto wanted = std::make_shared<CheckArguments>();
    CLI::App* command = app.add_subcommand(
        "check", "check the types of an extension module against the rules of the documents");
    CLI::Option* module = command->add_option("module", wanted->module, "its shared object");
    CLI::Option* rules =
        command->add_flag("--rules", wanted->rules, "print the rules, and check nothing");
    command->add_flag("--strict", wanted->strict, "what is only probable counts, too");
    command->add_option("--json", wanted->json,
                        "write what was found to this file, - for standard output");
    command->add_option("--sarif", wanted->sarif, "the same as SARIF 2.1.0, for code reviews");
    command->add_option("--seconds", wanted->seconds, "that one step may take")
        ->check(decimal(1, 3600))
        ->capture_default_str();
    command->add_option("--seed", wanted->seed, "of the random calls")->capture_default_str();
    command
        ->add_option("--sequences", wanted->sequences,
                     "of random calls, and as many again for each type")
        ->check(decimal(1, 1'000'000))
        ->capture_default_str();
    command->add_option("--script", wanted->script,
                        "lines to be run and looked at as well: README of core/verify/contract");
    command->add_option("--call", wanted->call,
                        "a function or type of the module and its arguments, as in a script");
    add_settings(*command, wanted->settings);
    command->callback([module, rules] {
        if (module->empty() && rules->empty()) {
            throw CLI::RequiredError("module");
        }
    });
    return {command, [wanted] { return run_check(*wanted); }};
}

}  // namespace ouro::runner
