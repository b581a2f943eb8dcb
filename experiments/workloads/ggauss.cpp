#include "experiments/workloads/ggauss.hpp"

#include <new>

#include "experiments/workloads/description.hpp"
#include "experiments/workloads/instance.hpp"

namespace ouro::workloads {
namespace {

// The variance of four uniform numbers is a third: their deviation times this is one.
constexpr int64_t kRootOfThree = 1774;  // of 1024
constexpr unsigned kRootBits = 10;

}  // namespace

int64_t gaussian_distance(Random& random, uint32_t deviation) {
    constexpr uint32_t kHalf = 1u << 15;
    int64_t sum = -2 * int64_t{2} * kHalf;
    for (int i = 0; i < 4; ++i) {
        sum += random.below(2 * kHalf);
    }
    return sum * deviation * kRootOfThree >> (16 + kRootBits);
}

GaussianGraphs::GaussianGraphs(const GaussParameters& parameters)
    : parameters_(parameters), random_(parameters.seed),
      graphs_(parameters.live / parameters.nodes),
      type_(instance_type(parameters.degree, "workload.Gauss")), root_(PyList_New(graphs_)) {
    if (type_ == nullptr || root_ == nullptr) {
        throw std::bad_alloc();
    }
    for (uint32_t i = 0; i < graphs_; ++i) {
        PyList_SET_ITEM(root_, i, new_graph());
    }
}

uint32_t GaussianGraphs::neighbour(uint32_t node) {
    const int64_t nodes = parameters_.nodes;
    const int64_t place = (node + gaussian_distance(random_, parameters_.deviation)) % nodes;
    return static_cast<uint32_t>(place < 0 ? place + nodes : place);
}

PyObject* GaussianGraphs::new_graph() {
    PyObject* graph = PyList_New(parameters_.nodes);
    if (graph == nullptr) {
        throw std::bad_alloc();
    }
    for (uint32_t i = 0; i < parameters_.nodes; ++i) {
        PyObject* node = new_instance(type_);
        if (node == nullptr) {
            throw std::bad_alloc();
        }
        PyList_SET_ITEM(graph, i, node);
    }
    for (uint32_t i = 0; i < parameters_.nodes; ++i) {
        for (uint32_t slot = 0; slot < parameters_.degree; ++slot) {
            PyObject* to = PyList_GET_ITEM(graph, neighbour(i));
            fill_slot(PyList_GET_ITEM(graph, i), slot, Py_NewRef(to));
        }
    }
    return graph;
}

void GaussianGraphs::mutate() {
    PyObject* graph = PyList_GET_ITEM(root_, random_.below(graphs_));
    const uint32_t from = random_.below(parameters_.nodes);
    const uint32_t slot = random_.below(parameters_.degree);
    PyObject* node = PyList_GET_ITEM(graph, from);
    PyObject* before = slots_of(node)[slot];
    fill_slot(node, slot, Py_NewRef(PyList_GET_ITEM(graph, neighbour(from))));
    Py_DECREF(before);
}

void GaussianGraphs::step() {
    PyObject* graph = new_graph();
    for (uint64_t i = uint64_t{parameters_.nodes} * parameters_.mutations; i > 0; --i) {
        mutate();
    }
    unreachable_.add(parameters_.nodes);
    PyList_SetItem(root_, random_.below(graphs_), graph);
}

void GaussianGraphs::drop() {
    if (root_ != nullptr) {
        unreachable_.add(live());
        Py_CLEAR(root_);
    }
}

namespace {

std::unique_ptr<Load> made(const Values& values, uint64_t seed) {
    return std::make_unique<GaussianGraphs>(GaussParameters{.live = values.at("live"),
                                                            .nodes = values.at("nodes"),
                                                            .degree = values.at("degree"),
                                                            .deviation = values.at("deviation"),
                                                            .mutations = values.at("mutations"),
                                                            .seed = seed});
}

double seconds(Kind kind, const Values& values) {
    const bool interpreter = kind != Kind::kOurs;
    const double draws =
        values.at("degree").get<double>() + 2 * values.at("mutations").get<double>();
    const double nodes = values.at("objects").get<double>() + values.at("live").get<double>();
    return 0.1 + nodes * (interpreter ? 1e-6 + 1.5e-6 * draws : 0.2e-6 + 0.05e-6 * draws);
}

double bytes(Kind, const Values& values) {
    return (60 + 10 * values.at("degree").get<double>()) * values.at("live").get<double>();
}

const Described ggauss({
    .name = "ggauss",
    .summary = "random graphs of Gaussian neighbours that change and are dropped; after Bacon and "
               "Rajan's torture test",
    .parameters =
        {Parameter::number("live", 100'000, 1, 1 << 30, "nodes that are alive all the time"),
         Parameter::number("nodes", 1000, 1, 1 << 24, "of a graph"),
         Parameter::number("degree", 3, 1, 2000, "references each of them holds"),
         Parameter::number("deviation", 10, 0, 1 << 20, "of the distance of a neighbour"),
         Parameter::number("mutations", 4, 0, 1'000'000,
                           "references of live graphs that are changed for each node that is made"),
         Parameter::number("objects", 1'000'000, 1, int64_t{1} << 50,
                           "nodes made, after the live ones")},
    .size = "live",
    .least = {1, "nodes"},
    .make = made,
    .operations =
        [](const Values& values) {
            const uint64_t nodes = values.at("nodes");
            return (values.at("objects").get<uint64_t>() + nodes - 1) / nodes;
        },
    .script = "ggauss.py",
    .generator = {"numbers"},
    .seconds = seconds,
    .bytes = bytes,
    .not_covered =
        "random graphs, like no program; objects without data, and no work but references",
});

}  // namespace

}  // namespace ouro::workloads
