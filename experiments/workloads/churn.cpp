#include "experiments/workloads/churn.hpp"

#include <new>
#include <vector>

#include "experiments/workloads/description.hpp"
#include "experiments/workloads/instance.hpp"

namespace ouro::workloads {

Churn::Churn(const ChurnParameters& parameters)
    : cycle_size_(parameters.cycle_size), types_(parameters.unflagged_percent, parameters.seed),
      places_(parameters.live / parameters.cycle_size, parameters.replace_percent, parameters.seed),
      oldest_first_(parameters.oldest_first),
      root_(PyList_New(parameters.live / parameters.cycle_size)) {
    if (root_ == nullptr) {
        throw std::bad_alloc();
    }
    if (parameters.shuffled) {
        build_shuffled(parameters.seed);
    } else {
        build_in_order();
    }
}

void Churn::build_in_order() {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(root_); ++i) {
        PyList_SET_ITEM(root_, i, new_group());
        live_ += cycle_size_;
    }
}

// All instances first, then rings of any of them.
void Churn::build_shuffled(uint64_t seed) {
    const auto rings = static_cast<uint32_t>(PyList_GET_SIZE(root_));
    const uint32_t objects = rings * cycle_size_;
    std::vector<PyObject*> all(objects);
    for (PyObject*& op : all) {
        op = new_instance(types_.next());
        if (op == nullptr) {
            throw std::bad_alloc();
        }
        ++made_;
    }
    const std::vector<uint32_t> order = root_order(objects, true, seed);
    for (uint32_t ring = 0; ring < rings; ++ring) {
        const uint32_t* members = &order[size_t{ring} * cycle_size_];
        for (uint32_t i = 0; i < cycle_size_; ++i) {
            link_ring(all[members[i]], all[members[(i + 1) % cycle_size_]]);
        }
        PyList_SET_ITEM(root_, ring, all[members[0]]);
        for (uint32_t i = 1; i < cycle_size_; ++i) {
            Py_DECREF(all[members[i]]);  // the ring keeps it
        }
        live_ += cycle_size_;
    }
}

PyObject* Churn::new_group() {
    PyObject* group = new_ring(types_, cycle_size_);
    if (group == nullptr) {
        throw std::bad_alloc();
    }
    made_ += cycle_size_;
    return group;
}

uint32_t Churn::next_place() {
    if (!oldest_first_) {
        return places_.next();
    }
    const uint32_t place = oldest_;
    oldest_ = place + 1 < static_cast<uint32_t>(PyList_GET_SIZE(root_)) ? place + 1 : 0;
    return place;
}

void Churn::step() {
    const uint32_t place = next_place();
    PyObject* group = new_group();
    if (place == PlaceGenerator::kNone) {
        Py_DECREF(group);
    } else {
        PyList_SetItem(root_, place, group);
    }
    unreachable_.add(cycle_size_);
}

void Churn::drop_all() {
    Py_CLEAR(root_);
    unreachable_.add(live_);
    live_ = 0;
}

std::vector<Parameter> with_rings(std::vector<Parameter> own) {
    own.push_back(Parameter::number("cycle-size", 4, 1, 1 << 20, "containers in a ring"));
    own.push_back(
        Parameter::toggle("shuffled", "what is alive lies in the heap in a random order"));
    own.push_back(Parameter::number("unflagged", 0, 0, 100,
                                    "per cent of the containers that are of a type which is not "
                                    "traversed concurrently"));
    return own;
}

ChurnParameters rings_of(const nlohmann::json& values, uint64_t seed) {
    return {.cycle_size = values.at("cycle-size"),
            .shuffled = values.at("shuffled"),
            .unflagged_percent = values.at("unflagged"),
            .seed = seed};
}

namespace {

const Described lru({
    .name = "lru",
    .summary = "a cache of rings: each operation replaces the oldest; automatic collection",
    .parameters = with_rings({Parameter::live()}),
    .size = "live",
    .least = {1, "cycle-size"},
    .make = [](const Values& values, uint64_t seed) -> std::unique_ptr<Load> {
        ChurnParameters rings = rings_of(values, seed);
        rings.live = values.at("live");
        rings.oldest_first = true;
        return std::make_unique<Churn>(rings);
    },
    .bytes =
        [](Kind, const Values& values) {
            return (36 + 8 / values.at("cycle-size").get<double>()) *
                   values.at("live").get<double>();
        },
    .not_covered =
        "the oldest dies first; one shape of ring; no finalizers; the mutator does little but "
        "allocate",
});

}  // namespace

}  // namespace ouro::workloads
