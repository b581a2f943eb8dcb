#include "experiments/workloads/load.hpp"

#include "experiments/workloads/instance.hpp"

namespace ouro::workloads {

Load::Load() : deallocated_before_(instances_deallocated()) {}

size_t Load::backlog() const {
    return unreachable() - (instances_deallocated() - deallocated_before_);
}

}  // namespace ouro::workloads
