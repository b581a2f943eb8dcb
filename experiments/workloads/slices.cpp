#include "experiments/workloads/slices.hpp"

#include <new>
#include <numeric>
#include <utility>

#include "experiments/workloads/instance.hpp"

namespace ouro::workloads {
namespace {

constexpr size_t kNext = 0;
constexpr size_t kOther = 1;
constexpr size_t kSlots = 2;

}  // namespace

std::vector<uint32_t> SlicePlaces::order(uint32_t count) {
    std::vector<uint32_t> places(count);
    std::iota(places.begin(), places.end(), 0u);
    for (uint32_t i = count - 1; i > 0; --i) {
        std::swap(places[i], places[below(i + 1)]);
    }
    return places;
}

Slices::Slices(const SlicesParameters& parameters)
    : type_(instance_type(kSlots)), places_(parameters.seed), shuffled_(parameters.shuffled),
      root_(PyList_New(parameters.live / kRing)) {
    if (type_ == nullptr || root_ == nullptr) {
        throw std::bad_alloc();
    }
    const auto rings = static_cast<uint32_t>(PyList_GET_SIZE(root_));
    std::vector<uint32_t> order;
    if (shuffled_) {
        order = places_.order(rings);
    }
    for (uint32_t i = 0; i < rings; ++i) {
        PyList_SET_ITEM(root_, shuffled_ ? order[i] : i, new_ring());
        live_ += kRing;
    }
}

// New reference to the first; each keeps the next.
PyObject* Slices::new_ring() {
    PyObject* first = new_instance(type_);
    PyObject* last = first;
    for (uint32_t i = 1; i < kRing && last != nullptr; ++i) {
        PyObject* next = new_instance(type_);
        if (next != nullptr) {
            fill_slot(last, kNext, next);
        } else {
            Py_DECREF(first);
        }
        last = next;
    }
    if (last == nullptr) {
        throw std::bad_alloc();
    }
    fill_slot(last, kNext, Py_NewRef(first));
    return first;
}

uint32_t Slices::next_place() {
    const auto rings = static_cast<uint32_t>(PyList_GET_SIZE(root_));
    if (shuffled_) {
        return places_.below(rings);
    }
    const uint32_t place = oldest_;
    oldest_ = place + 1 < rings ? place + 1 : 0;
    return place;
}

void Slices::step() {
    const uint32_t place = next_place();
    PyList_SetItem(root_, place, new_ring());
    unreachable_.add(kRing);
}

void Slices::drop_all() {
    Py_CLEAR(root_);
    unreachable_.add(live_);
    live_ = 0;
}

uint64_t Slices::places_checksum() const {
    constexpr uint32_t kPlaces = 1000;
    const auto rings = static_cast<uint32_t>(PyList_GET_SIZE(root_));
    SlicePlaces places = places_;
    uint64_t sum = 14695981039346656037u;
    for (uint32_t i = 0; i < kPlaces; ++i) {
        sum = (sum ^ (shuffled_ ? places.below(rings) : i % rings)) * 1099511628211u;
    }
    return sum;
}

bool Slices::intact() const {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(root_); ++i) {
        PyObject* first = PyList_GET_ITEM(root_, i);
        PyObject* each = first;
        for (uint32_t k = 1; k <= kRing; ++k) {
            if (slots_of(each)[kOther] != nullptr) {
                return false;
            }
            each = slots_of(each)[kNext];
            if (each == nullptr || (each == first) != (k == kRing)) {
                return false;
            }
        }
    }
    return true;
}

}  // namespace ouro::workloads
