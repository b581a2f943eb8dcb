#include "experiments/workloads/churn.hpp"

#include <new>

#include "experiments/workloads/instance.hpp"
#include "experiments/workloads/ring.hpp"

namespace ouro::workloads {

Churn::Churn(const ChurnParameters& parameters)
    : cycle_size_(parameters.cycle_size), type_(instance_type(kRingSlots)),
      places_(parameters.live / parameters.cycle_size, parameters.replace_percent, parameters.seed),
      deallocated_before_(instances_deallocated()),
      root_(PyList_New(parameters.live / parameters.cycle_size)) {
    if (type_ == nullptr || root_ == nullptr) {
        throw std::bad_alloc();
    }
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(root_); ++i) {
        PyList_SET_ITEM(root_, i, new_group());
        live_ += cycle_size_;
    }
}

PyObject* Churn::new_group() {
    PyObject* group = new_ring(type_, cycle_size_);
    if (group == nullptr) {
        throw std::bad_alloc();
    }
    made_ += cycle_size_;
    return group;
}

void Churn::step() {
    const uint32_t place = places_.next();
    PyObject* group = new_group();
    if (place == PlaceGenerator::kNone) {
        Py_DECREF(group);
    } else {
        PyList_SetItem(root_, place, group);
    }
    unreachable_ += cycle_size_;
}

void Churn::drop() {
    Py_CLEAR(root_);
    unreachable_ += live_;
    live_ = 0;
}

size_t Churn::backlog() const {
    return unreachable_ - (instances_deallocated() - deallocated_before_);
}

}  // namespace ouro::workloads
