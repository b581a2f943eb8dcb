// What a check of a module finds: located, and as documents for tools.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "ouroboros/contract.h"

namespace ouro::runner {

struct Finding {
    std::string rule, says, document, remedy;
    bool certain;
    std::string type, detail;
    std::string module;  // the shared object that is at fault
    uint64_t offset;
    bool is_call;
    std::string symbol;
    std::string script, c;  // calls that bring it about, or ""
    std::string file;       // of its source, by the module's debug information
    int line = 0;

    // As compilers write it: "custom.c:12", "custom.so: Custom_traverse", "custom.so+0x1170".
    std::string where() const;
};

Finding finding_of(const OuroFinding& finding);
// Adds source file, line and function, as far as debug information and symbols tell.
void locate(std::vector<Finding>& findings);

nlohmann::json json_of(const std::vector<Finding>& findings, const OuroCheckSummary& summary,
                       const std::string& module);
// SARIF 2.1.0. What is probable is a warning if it counts, else a note; what is certain an error.
nlohmann::json sarif_of(const std::vector<Finding>& findings, bool strict);

}  // namespace ouro::runner
