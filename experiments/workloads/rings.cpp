#include "experiments/workloads/rings.hpp"

#include <new>

#include "experiments/workloads/instance.hpp"
#include "experiments/workloads/ring.hpp"

namespace ouro::workloads {

Rings::Rings() : type_(instance_type(kRingSlots)) {
    if (type_ == nullptr) {
        throw std::bad_alloc();
    }
}

void Rings::step() {
    PyObject* ring = new_ring(type_, size_);
    if (ring == nullptr) {
        throw std::bad_alloc();
    }
    unreachable_.add(size_);
    size_ = size_ < kMost ? size_ + 1 : kLeast;
    Py_DECREF(ring);
}

}  // namespace ouro::workloads
