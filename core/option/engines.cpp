#include "core/option/engines.hpp"

#include <array>

namespace ouro::option {

std::span<const Engine> engines() {
    static constexpr std::array rows = {
#define OURO_ENGINE(id, name, driver, finds, pauses, summary) \
    Engine{name, Driver::driver, Engine::finds, Engine::pauses, summary},
#include "core/option/engines.def"
#undef OURO_ENGINE
    };
    return rows;
}

}  // namespace ouro::option
