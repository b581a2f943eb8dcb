// The rules that the documents have for authors of types (rules.def).
#pragma once

#include <cstddef>

#include "core/include/ouroboros/contract.h"

namespace ouro::rules {

enum class Rule : unsigned {
#define X(name, tag, certainty, how, document, says, remedy) name,
#include "core/verify/rules/rules.def"
#undef X
};

enum class Certainty : unsigned { kProbable, kCertain };

const OuroRule& row_of(Rule rule);
// Of a finding that says no more than its rule was broken.
Certainty certainty_of(Rule rule);

}  // namespace ouro::rules
