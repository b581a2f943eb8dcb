// The check of a module: a child process that imports it, and from there one for each thing that is tried.
#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/builtins/module/elf_file.hpp"
#include "core/include/ouroboros.h"
#include "core/object/own.hpp"
#include "core/verify/contract/allocation_rules.hpp"
#include "core/verify/contract/channel.hpp"
#include "core/verify/contract/clear_rules.hpp"
#include "core/verify/contract/dealloc_rules.hpp"
#include "core/verify/contract/finalizer_rules.hpp"
#include "core/verify/contract/instances.hpp"
#include "core/verify/contract/leak_rules.hpp"
#include "core/verify/contract/life_rules.hpp"
#include "core/verify/contract/module_rules.hpp"
#include "core/verify/contract/module_types.hpp"
#include "core/verify/contract/object_rules.hpp"
#include "core/verify/contract/random_calls.hpp"
#include "core/verify/contract/reference_rules.hpp"
#include "core/verify/contract/script.hpp"
#include "core/verify/contract/signature.hpp"
#include "core/verify/contract/traverse_rules.hpp"
#include "core/verify/contract/ways.hpp"

namespace ouro::contract {
namespace {

using object::Own;

constexpr unsigned kSecondsOfStep = 20;
constexpr unsigned kSequences = 400;
constexpr unsigned kSecondsOfAll = 3600;

// Before anything of it runs: its calls go where they are checked. What cannot be loaded is left to the import, which
// says why.
void watch_module(const std::string& path) {
    if (module::read_elf_file(path).abi != OURO_ABI_VERSION) {
        return;
    }
    const bool has_slash = path.find('/') != std::string::npos;
    void* handle = dlopen((has_slash ? path : "./" + path).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        return;
    }
    static const ModuleCalls calls(handle);
    set_module(&calls);
    watch_types();
    watch_objects();
    watch_arguments();
}

std::string exception_text() {
    const Own raised(PyErr_GetRaisedException());
    const Own text(raised ? PyObject_Str(raised.get()) : nullptr);
    const char* utf8 = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
    return raised
               ? fmt::format("{}: {}", Py_TYPE(raised.get())->tp_name, utf8 == nullptr ? "" : utf8)
               : "no exception, and no module";
}

size_t types_with(const std::vector<Recipe>& recipes) {
    std::set<int> types;
    for (const Recipe& recipe : recipes) {
        types.insert(recipe.type);
    }
    return types.size();
}

void check_recipe(PyObject* module, const Recipe& recipe, unsigned seconds) {
    const std::string text = text_of(module, recipe);
    look_alone(seconds * 8, [&] {
        announce(Rule::kCallCrashes, "", {}, text);
        PyObject* op = make_instance(module, recipe);
        if (op != nullptr) {
            check_traversal(op, text, seconds);
            fill_attributes(op);
            check_traversal(op, text + ", its attributes set to lists", seconds);
            announce(Rule::kCallCrashes, Py_TYPE(op)->tp_name,
                     place_of(Py_TYPE(op), Py_TYPE(op)->tp_dealloc), "the death of " + text);
            Py_DECREF(op);
        }
    });
}

bool check(const std::string& path, const OuroCheckOptions& options) {
    const unsigned seconds = options.seconds;
    Py_Initialize();
    announce(Rule::kCallCrashes, "", {}, "the import");
    watch_module(path);
    PyObject* module = Ouro_ImportFile(path.c_str());
    if (module == nullptr) {
        report_problem(exception_text());
        return true;
    }
    if (options.script != nullptr && *options.script != '\0') {
        run_script(module, options.script, seconds);
    }
    check_module(module, seconds);
    number_types();
    check_bases();
    const std::vector<Recipe> recipes = find_recipes(module, seconds);
    report_count(module_types().size(), types_with(recipes));
    for (const Recipe& recipe : recipes) {
        check_recipe(module, recipe, seconds);
        check_references(module, recipe, seconds);
        check_end(module, recipe, seconds);
        check_clear(module, recipe, seconds);
        check_finalizer(module, recipe, seconds);
        check_dealloc(module, recipe, seconds);
        check_leaks(module, recipe, seconds);
        check_allocations(module, recipe, seconds);
    }
    check_random_calls(module, recipes, options);
    // Not to its end: what the module leaves behind is not asked.
    return true;
}

// What is wrong only where an allocation fails, where an instance was cleared, in a call that ends the process, or in a
// collection while an instance dies explains nothing of other calls.
bool may_explain_others(Rule rule) {
    return rule != Rule::kDeallocUntracksLate && rule != Rule::kCallNoMemory &&
           rule != Rule::kCallNoException && rule != Rule::kCallCrashes &&
           rule != Rule::kClearUnusable;
}

// What lets no more than cycles of instances survive.
bool explains_cycles_alone(Rule rule) {
    switch (rule) {
        case Rule::kTypeNoFlag:
        case Rule::kTypeNoClear:
        case Rule::kTypeClearNotInherited:
        case Rule::kTypeNotVisited:
        case Rule::kTypeManagedDict:
        case Rule::kObjectNeverTracked:
        case Rule::kTraverseForgets:
        case Rule::kClearLeaves:
            return true;
        default:
            return false;
    }
}

// Whose places are told apart: to leave something behind in one function says nothing of another.
bool is_of_a_place(Rule rule) {
    return rule == Rule::kCountsKept || rule == Rule::kCountsGivenAway;
}

// What the caller is told once.
using Key = std::tuple<unsigned, std::string, std::string, uint64_t, bool>;

struct Reader {
    OuroFindingCallback found;
    void* arg;
    OuroCheckSummary summary{};
    std::string problem{};
    std::set<Key> told{};
    // Whatever breaks a rule, and what does so without cycles of instances: everywhere (0), or in calls at a place.
    std::set<std::tuple<unsigned, std::string, uint64_t>> rules_of_types{}, broken_plainly{};
    std::set<std::string> wrong_types{}, wrong_in_cycles{};

    void take(const Record& record) {
        switch (record.kind) {
            case Record::kProblem:
                problem = record.detail;
                return;
            case Record::kCount:
                summary.types = record.types;
                summary.instances = record.instances;
                return;
            case Record::kFinding:
                break;
        }
        // Calls that break a rule which is known to be broken say nothing more; nor does what is only probable of a
        // type that is certainly wrong: it may come from that.
        const auto rule = static_cast<Rule>(record.rule);
        const bool is_script = record.script[0] != '\0';
        const bool is_plain = !is_script || record.calls_are_plain != 0;
        const std::tuple broken(record.rule, std::string(record.type),
                                is_script && is_of_a_place(rule) ? record.offset : 0);
        const auto& known = is_plain ? broken_plainly : rules_of_types;
        const bool is_known =
            known.contains(broken) || known.contains({record.rule, record.type, 0});
        rules_of_types.insert(broken);
        if (is_plain) {
            broken_plainly.insert(broken);
        }
        const bool is_wrong =
            wrong_types.contains(record.type) ||
            (record.calls_are_plain == 0 && wrong_in_cycles.contains(record.type));
        const bool is_crash = rule == Rule::kCallCrashes;
        if (explains_cycles_alone(rule)) {
            wrong_in_cycles.insert(record.type);
        } else if (record.certain != 0 && may_explain_others(rule)) {
            wrong_types.insert(record.type);
        }
        if (is_script && !is_crash && (is_known || (is_wrong && record.certain == 0))) {
            return;
        }
        if (told.emplace(record.rule, record.type, record.file, record.offset, is_plain).second) {
            const OuroFinding finding = {&rules::row_of(static_cast<Rule>(record.rule)),
                                         static_cast<int>(record.certain),
                                         record.type,
                                         record.detail,
                                         record.file,
                                         record.offset,
                                         static_cast<int>(record.is_call),
                                         record.symbol,
                                         record.script,
                                         record.c};
            found(&finding, arg);
        }
    }
};

}  // namespace
}  // namespace ouro::contract

using namespace ouro::contract;

int Ouro_CheckModule(const char* path, const OuroCheckOptions* options, OuroFindingCallback found,
                     void* arg, OuroCheckSummary* summary, const char** problem) {
    static std::string message;
    Reader reader{found, arg};
    OuroCheckOptions wanted = options == nullptr ? OuroCheckOptions{} : *options;
    wanted.seconds = wanted.seconds == 0 ? kSecondsOfStep : wanted.seconds;
    wanted.sequences = wanted.sequences == 0 ? kSequences : wanted.sequences;
    if (!open_channel()) {
        message = std::strerror(errno);
        *problem = message.c_str();
        return -1;
    }
    // The reader is this process; who waits for the checking one is another, which has nothing else to do.
    const pid_t waiting = fork();
    if (waiting == 0) {
        if (!in_child(kSecondsOfAll, [&] { return check(path, wanted); })) {
            report_problem("the process that imported it did not come to its end");
        }
        _exit(0);
    }
    close_writing_end();
    Record record;
    while (waiting > 0 && read_record(record)) {
        reader.take(record);
    }
    reader.summary.steps = children();
    reader.problem = waiting < 0 ? std::strerror(errno) : reader.problem;
    int status;
    while (waiting > 0 && waitpid(waiting, &status, 0) < 0 && errno == EINTR) {
    }
    close_channel();
    if (summary != nullptr) {
        *summary = reader.summary;
    }
    message = reader.problem;
    *problem = message.c_str();
    return message.empty() ? 0 : -1;
}
