#include "experiments/workloads/cyclotron.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <new>

#include "experiments/workloads/btree.hpp"
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

}  // namespace ouro::workloads
