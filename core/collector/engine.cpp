#include "core/collector/engine.hpp"

#include <array>

namespace ouro::collector {

#define OURO_ENGINE(id, ...) std::unique_ptr<Engine> make_##id(const option::Settings& settings);
#include "core/option/engines.def"
#undef OURO_ENGINE

std::unique_ptr<Engine> make_off(const option::Settings&) {
    return nullptr;
}

std::unique_ptr<Engine> make_engine(const option::Settings& settings) {
    static constexpr std::array makers = {
#define OURO_ENGINE(id, ...) make_##id,
#include "core/option/engines.def"
#undef OURO_ENGINE
    };
    return makers[settings.engine](settings);
}

}  // namespace ouro::collector
