#include "experiments/runner/findings.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#ifdef OURO_HAVE_DWFL
#include <elfutils/libdwfl.h>
#endif

#include "ouroboros.h"

namespace ouro::runner {
namespace {

using nlohmann::json;

#ifdef OURO_HAVE_DWFL
// A shared object's debug information. Addresses are those of the file, as if it were loaded at 0.
class DebugInformation {
public:
    explicit DebugInformation(const std::string& module) : dwfl_(dwfl_begin(&kCallbacks)) {
        if (dwfl_ != nullptr) {
            dwfl_report_begin(dwfl_);
            module_ = dwfl_report_elf(dwfl_, module.c_str(), module.c_str(), -1, 0, 1);
            dwfl_report_end(dwfl_, nullptr, nullptr);
        }
    }
    ~DebugInformation() { dwfl_end(dwfl_); }
    DebugInformation(const DebugInformation&) = delete;
    DebugInformation& operator=(const DebugInformation&) = delete;

    void complete(Finding& finding) const {
        if (module_ == nullptr) {
            return;
        }
        if (const char* name = dwfl_module_addrname(module_, finding.offset)) {
            finding.symbol = name;
        }
        if (!finding.is_call && declared(finding)) {
            return;
        }
        Dwfl_Line* line = dwfl_module_getsrc(module_, finding.offset);
        const char* file = line == nullptr ? nullptr
                                           : dwfl_lineinfo(line, nullptr, &finding.line, nullptr,
                                                           nullptr, nullptr);
        finding.file = file == nullptr ? "" : file;
    }

private:
    struct Sought {
        Dwarf_Addr address;
        Finding* finding;
    };
    static int note_function(Dwarf_Die* function, void* arg) {
        const auto& sought = *static_cast<Sought*>(arg);
        Dwarf_Addr begin = 0;
        if (dwarf_entrypc(function, &begin) != 0 || begin != sought.address) {
            return DWARF_CB_OK;
        }
        const char* file = dwarf_decl_file(function);
        if (file != nullptr && dwarf_decl_line(function, &sought.finding->line) == 0) {
            sought.finding->file = file;
        }
        return DWARF_CB_ABORT;
    }
    // Where the function is declared that begins there. Its first instruction may be of what was inlined into it.
    bool declared(Finding& finding) const {
        Dwarf_Addr bias = 0;
        Dwarf_Die* unit = dwfl_module_addrdie(module_, finding.offset, &bias);
        Sought sought{finding.offset - bias, &finding};
        if (unit != nullptr) {
            dwarf_getfuncs(unit, note_function, &sought, 0);
        }
        return !finding.file.empty();
    }

    static constexpr Dwfl_Callbacks kCallbacks = {
        .find_elf = dwfl_build_id_find_elf,
        .find_debuginfo = dwfl_standard_find_debuginfo,
        .section_address = dwfl_offline_section_address,
        .debuginfo_path = nullptr,
    };
    Dwfl* dwfl_;
    Dwfl_Module* module_ = nullptr;
};
#endif

std::string here(const std::string& file) {
    std::error_code error;
    const std::filesystem::path path = std::filesystem::relative(file, error);
    return error || path.empty() || *path.begin() == ".." ? file : path.string();
}

}  // namespace

std::string Finding::where() const {
    if (!file.empty()) {
        return fmt::format("{}:{}", here(file), line);
    }
    if (module.empty()) {
        return type.empty() ? "the module" : type;
    }
    return symbol.empty() ? fmt::format("{}+{:#x}", here(module), offset)
                          : fmt::format("{}: {}", here(module), symbol);
}

Finding finding_of(const OuroFinding& finding) {
    return {finding.rule->tag,
            finding.rule->says,
            finding.rule->document,
            finding.rule->remedy,
            finding.certain != 0,
            finding.type,
            finding.detail,
            finding.file,
            finding.offset,
            finding.is_call != 0,
            finding.symbol,
            finding.script,
            finding.c};
}

void locate([[maybe_unused]] std::vector<Finding>& findings) {
#ifdef OURO_HAVE_DWFL
    std::map<std::string, DebugInformation> files;
    for (Finding& finding : findings) {
        if (!finding.module.empty()) {
            files.try_emplace(finding.module, finding.module).first->second.complete(finding);
        }
    }
#endif
}

json json_of(const std::vector<Finding>& findings, const OuroCheckSummary& summary,
             const std::string& module) {
    json list = json::array();
    for (const Finding& each : findings) {
        json row = {{"rule", each.rule},     {"certain", each.certain}, {"type", each.type},
                    {"detail", each.detail}, {"says", each.says},       {"document", each.document},
                    {"remedy", each.remedy}, {"module", each.module},   {"offset", each.offset},
                    {"symbol", each.symbol}, {"file", nullptr},         {"line", nullptr}};
        if (!each.file.empty()) {
            row["file"] = each.file;
            row["line"] = each.line;
        }
        if (!each.script.empty()) {
            row["script"] = each.script;
            row["c"] = each.c;
        }
        list.push_back(std::move(row));
    }
    return {{"module", module},
            {"types", summary.types},
            {"types_with_instances", summary.instances},
            {"steps", summary.steps},
            {"engine", Ouro_Setting("engine")},
            {"refcount", Ouro_Setting("refcount")},
            {"findings", std::move(list)}};
}

json sarif_of(const std::vector<Finding>& findings, bool strict) {
    json rules = json::array();
    for (size_t number = 0; const OuroRule* rule = Ouro_ContractRule(number); ++number) {
        rules.push_back({{"id", rule->tag},
                         {"shortDescription", {{"text", rule->says}}},
                         {"help", {{"text", rule->remedy}}}});
    }
    json results = json::array();
    for (const Finding& each : findings) {
        json place = {
            {"artifactLocation", {{"uri", each.file.empty() ? each.module : here(each.file)}}}};
        if (!each.file.empty()) {
            place["region"] = {{"startLine", each.line}};
        }
        json location = {{"physicalLocation", place}};
        if (!each.symbol.empty()) {
            location["logicalLocations"] =
                json::array({{{"name", each.symbol}, {"kind", "function"}}});
        }
        results.push_back({{"ruleId", each.rule},
                           {"level", each.certain ? "error"
                                     : strict     ? "warning"
                                                  : "note"},
                           {"message", {{"text", each.type + ": " + each.detail}}},
                           {"locations", json::array({location})}});
    }
    return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
            {"version", "2.1.0"},
            {"runs",
             json::array(
                 {{{"tool",
                    {{"driver",
                      {{"name", "ouro check"}, {"version", Ouro_Version()}, {"rules", rules}}}}},
                   {"results", results}}})}};
}

}  // namespace ouro::runner
