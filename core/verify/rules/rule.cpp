#include "core/verify/rules/rule.hpp"

#include <iterator>

namespace ouro::rules {
namespace {

constexpr OuroRule kRows[] = {
#define X(name, tag, certainty, how, document, says, remedy) {tag, says, document, how, remedy},
#include "core/verify/rules/rules.def"
#undef X
};

constexpr Certainty kCertainties[] = {
#define X(name, tag, certainty, how, document, says, remedy) Certainty::certainty,
#include "core/verify/rules/rules.def"
#undef X
};

}  // namespace

const OuroRule& row_of(Rule rule) {
    return kRows[static_cast<size_t>(rule)];
}

Certainty certainty_of(Rule rule) {
    return kCertainties[static_cast<size_t>(rule)];
}

}  // namespace ouro::rules

const OuroRule* Ouro_ContractRule(size_t number) {
    return number < std::size(ouro::rules::kRows) ? &ouro::rules::kRows[number] : nullptr;
}
