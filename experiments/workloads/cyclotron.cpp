#include "experiments/workloads/cyclotron.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <new>
#include <string>

#include "experiments/workloads/btree.hpp"
#include "experiments/workloads/description.hpp"
#include "experiments/workloads/instance.hpp"

namespace ouro::workloads {
namespace {

constexpr size_t kNext = 0;
constexpr size_t kPayload = 1;
constexpr size_t kWitness = 2;
constexpr size_t kNodeSlots = 3;
// Of a tree, beside what is its own.
constexpr size_t kTreeLoop = 1;
constexpr size_t kTreeWitness = 2;
static_assert(kTreeWitness < kBTreeSlots);

constexpr uint32_t kMillion = 1'000'000;

PyObject* required(PyObject* op) {
    if (op == nullptr) {
        throw std::bad_alloc();
    }
    return op;
}

// Objects of units whose finalizers ran, on whichever thread.
std::atomic<uint64_t> witnessed{0};

struct Witness {
    PyObject ob_base;
    uint32_t count;
};

int witness_traverse(PyObject*, visitproc, void*) {
    return 0;
}

void witness_finalize(PyObject* op) {
    witnessed.fetch_add(reinterpret_cast<Witness*>(op)->count, std::memory_order_relaxed);
}

void witness_dealloc(PyObject* op) {
    if (PyObject_CallFinalizerFromDealloc(op) < 0) {
        return;
    }
    PyObject_GC_UnTrack(op);
    PyObject_GC_Del(op);
}

// A container, as instances of a class with __slots__ are.
PyTypeObject* witness_type() {
    static PyTypeObject* const ready = [] {
        static PyTypeObject type{};
        type.ob_base = {{OURO_BIASED_IMMORTAL, 0, nullptr}, 0};
        type.tp_name = "workload.Witness";
        type.tp_basicsize = sizeof(Witness);
        type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | OURO_TPFLAGS_CONCURRENT_TRAVERSE;
        type.tp_traverse = witness_traverse;
        type.tp_finalize = witness_finalize;
        type.tp_dealloc = witness_dealloc;
        return PyType_Ready(&type) < 0 ? nullptr : &type;
    }();
    if (ready == nullptr) {
        throw std::bad_alloc();
    }
    return ready;
}

}  // namespace

Cyclotron::Cyclotron(const CyclotronParameters& parameters)
    : parameters_(parameters), random_(parameters.seed),
      cyclic_in_a_million_(
          static_cast<uint32_t>(std::lround(parameters.cyclic_fraction * kMillion))),
      places_((parameters.live_objects + parameters.cycle_size - 1) / parameters.cycle_size),
      node_type_(instance_type(kNodeSlots, "workload.Node")), held_(PyList_New(places_)),
      witnessed_before_(witnessed.load(std::memory_order_relaxed)) {
    if (node_type_ == nullptr || held_ == nullptr) {
        throw std::bad_alloc();
    }
    for (uint32_t i = 0; i < places_; ++i) {
        PyList_SET_ITEM(held_, i, Py_NewRef(Py_None));
    }
}

PyObject* Cyclotron::new_witness() const {
    PyObject* op = required(PyObject_GC_New(PyObject, witness_type()));
    reinterpret_cast<Witness*>(op)->count = parameters_.cycle_size;
    PyObject_GC_Track(op);
    return op;
}

PyObject* Cyclotron::new_chain(bool cyclic) {
    PyObject* first = required(new_instance(node_type_));
    PyObject* last = first;
    for (uint32_t i = 1; i < parameters_.cycle_size; ++i) {
        PyObject* node = required(new_instance(node_type_));
        fill_slot(last, kNext, node);
        last = node;
    }
    if (parameters_.extra_bytes > 0) {
        PyObject* payload = required(PyBytes_FromStringAndSize(nullptr, parameters_.extra_bytes));
        std::fill_n(PyBytes_AsString(payload), parameters_.extra_bytes, '\0');
        fill_slot(first, kPayload, payload);
    }
    fill_slot(first, kWitness, new_witness());
    if (cyclic) {
        fill_slot(last, kNext, Py_NewRef(first));
    }
    return first;
}

// About cycle_size containers: a record, and the item that leads to it.
PyObject* Cyclotron::new_tree(bool cyclic) {
    PyObject* records =
        new_records(std::max(parameters_.cycle_size / 2, 1u), parameters_.extra_bytes, random_);
    PyObject* tree = new_record_tree(records, random_);
    Py_DECREF(records);
    fill_slot(tree, kTreeWitness, new_witness());
    if (cyclic) {
        fill_slot(tree, kTreeLoop, Py_NewRef(tree));
    }
    return tree;
}

void Cyclotron::let_go(size_t units) {
    unreachable_.add(units * parameters_.cycle_size);
}

// What becomes unreachable counts before it does: counting may free it at once.
void Cyclotron::step() {
    const bool cyclic = random_.below(kMillion) < cyclic_in_a_million_;
    PyObject* unit =
        parameters_.shape == CyclotronShape::kTree ? new_tree(cyclic) : new_chain(cyclic);
    ++made_;
    if (parameters_.shape == CyclotronShape::kQueue) {
        if (made_ > places_) {
            let_go(1);
        }
        PyList_SetItem(held_, next_, unit);
        next_ = next_ + 1 < places_ ? next_ + 1 : 0;
        return;
    }
    PyList_SetItem(held_, next_, unit);
    if (++next_ == places_) {
        let_go(places_);
        for (uint32_t i = 0; i < places_; ++i) {
            PyList_SetItem(held_, i, Py_NewRef(Py_None));
        }
        next_ = 0;
    }
}

void Cyclotron::drop() {
    if (held_ != nullptr) {
        let_go(made_ - unreachable_.get() / parameters_.cycle_size);
        Py_CLEAR(held_);
    }
}

size_t Cyclotron::live() const {
    return size_t{places_} * parameters_.cycle_size;
}

size_t Cyclotron::backlog() const {
    const uint64_t collected = witnessed.load(std::memory_order_relaxed) - witnessed_before_;
    const size_t gone = unreachable();
    return gone > collected ? gone - collected : 0;
}

namespace {

// In the order of CyclotronShape.
const std::vector<std::string> kShapes = {"chain", "tree", "queue"};

CyclotronShape shape_of(const Values& values) {
    const auto found = std::ranges::find(kShapes, values.at("shape").get<std::string>());
    return static_cast<CyclotronShape>(found - kShapes.begin());
}

std::unique_ptr<Load> made(const Values& values, uint64_t seed) {
    return std::make_unique<Cyclotron>(
        CyclotronParameters{.shape = shape_of(values),
                            .cycle_size = values.at("cycle-size"),
                            .extra_bytes = values.at("extra-bytes"),
                            .live_objects = values.at("live-objects"),
                            .cyclic_fraction = values.at("cyclic-fraction"),
                            .seed = seed});
}

double units(const Values& values, const char* objects) {
    return values.at(objects).get<double>() / values.at("cycle-size").get<double>();
}

double seconds(Kind kind, const Values& values) {
    const bool interpreter = kind != Kind::kOurs;
    const double each = (interpreter ? 1.5e-6 : 0.3e-6) * (values.at("shape") == "tree" ? 4 : 1);
    return 0.1 + each * values.at("total-objects").get<double>() +
           units(values, "total-objects") * 0.2e-9 * values.at("extra-bytes").get<double>();
}

// In a tree, what its records hold in the mean.
double bytes(Kind, const Values& values) {
    const bool tree = values.at("shape") == "tree";
    const double extra = values.at("extra-bytes").get<double>();
    return (tree ? 150 : 75) * values.at("live-objects").get<double>() +
           units(values, "live-objects") * (tree ? 400 + extra / 2 : 80 + extra);
}

// "cyclotron:chain of 100 +10000 B": each shape, and each kind of unit, is a workload of its own.
std::string title(const Values& values) {
    std::string words = fmt::format("cyclotron:{} of {}", values.at("shape").get<std::string>(),
                                    values.at("cycle-size").dump());
    if (values.at("extra-bytes") != 0) {
        words += fmt::format(" +{} B", values.at("extra-bytes").dump());
    }
    if (values.at("cyclic-fraction") != 1.0) {
        words += fmt::format(", {} cyclic", values.at("cyclic-fraction").dump());
    }
    return words;
}

const Described cyclotron({
    .name = "cyclotron",
    .summary = "cyclic garbage beside a small live set; after Schemenauer's benchmark of 2026",
    .parameters =
        {Parameter::word("shape", kShapes,
                         "rings of nodes, or trees of records, all dropped together; or rings in a "
                         "queue"),
         Parameter::number("cycle-size", 4, 1, 1 << 24, "objects of a ring or a tree"),
         Parameter::number("extra-bytes", 0, 0, 1 << 30,
                           "that a ring also holds; that a record of a tree holds at most"),
         Parameter::number("live-objects", 10'000, 1, 1 << 30,
                           "that there are before all are dropped; that a queue holds"),
         Parameter::number("total-objects", 1'000'000, 1, int64_t{1} << 50, "that are made"),
         Parameter::decimal("cyclic-fraction", 1, 0, 1,
                            "of the rings or trees; the others have no cycle, and counting frees "
                            "them")},
    .size = "live-objects",
    .least = {1, "cycle-size"},
    .make = made,
    .operations =
        [](const Values& values) {
            const uint64_t size = values.at("cycle-size");
            return (values.at("total-objects").get<uint64_t>() + size - 1) / size;
        },
    .look_every = 16,
    .script = "cyclotron.py",
    .generator = {"numbers"},
    .seconds = seconds,
    .bytes = bytes,
    .title = title,
    .not_covered =
        "units of one size that are dropped together or in turn; the mutator does nothing "
        "but make them, so that its time is the collector's",
});

}  // namespace

}  // namespace ouro::workloads
