// The thread whose allocation makes a full collection due makes it, from beginning to end.
#pragma once

#include "core/collector/drivers/driver.hpp"
#include "core/collector/whole.hpp"

namespace ouro::collector {

class OnCaller final : public Driver {
public:
    explicit OnCaller(Whole& whole) : whole_(whole) {}

    void begin_full() override { whole_.collect_as_told(Scope::kFull, OURO_TRIGGER_ALLOCATION); }

private:
    Whole& whole_;
};

}  // namespace ouro::collector
