#include "core/verify/rules/rule.hpp"

#include <iterator>

namespace ouro::rules {
namespace {

constexpr OuroRule kRows[] = {
#define X(name, tag, certainty, how, document, says, remedy) \
    {tag, says, document, how, remedy, Certainty::certainty == Certainty::kProbable},
#include "core/verify/rules/rules.def"
#undef X
};

}  // namespace

const OuroRule& row_of(Rule rule) {
    return kRows[static_cast<size_t>(rule)];
}

Certainty certainty_of(Rule rule) {
    return row_of(rule).probable != 0 ? Certainty::kProbable : Certainty::kCertain;
}

}  // namespace ouro::rules

const OuroRule* Ouro_ContractRule(size_t number) {
    return number < std::size(ouro::rules::kRows) ? &ouro::rules::kRows[number] : nullptr;
}
