#include "core/verify/contract/rule.hpp"

#include <iterator>

namespace ouro::contract {
namespace {

constexpr OuroRule kRows[] = {
#define X(name, tag, certainty, how, document, says, remedy) {tag, says, document, how, remedy},
#include "core/verify/contract/rules.def"
#undef X
};

constexpr Certainty kCertainties[] = {
#define X(name, tag, certainty, how, document, says, remedy) Certainty::certainty,
#include "core/verify/contract/rules.def"
#undef X
};

}  // namespace

const OuroRule& row_of(Rule rule) {
    return kRows[static_cast<size_t>(rule)];
}

Certainty certainty_of(Rule rule) {
    return kCertainties[static_cast<size_t>(rule)];
}

}  // namespace ouro::contract

const OuroRule* Ouro_ContractRule(size_t number) {
    return number < std::size(ouro::contract::kRows) ? &ouro::contract::kRows[number] : nullptr;
}
