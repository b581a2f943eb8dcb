// `contract=on`: what can be seen of the rules in a program's own heap, when a full collection has ended.
#pragma once

namespace ouro::rules {

// In a stop. Traverses every tracked object some times, and looks at what the handlers of types that are not the
// runtime's do. What is found is printed to standard error, once a rule and type. The program goes on.
void check_tracked() noexcept;

}  // namespace ouro::rules
