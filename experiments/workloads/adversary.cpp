#include "experiments/workloads/adversary.hpp"

#include <algorithm>
#include <new>

#include "experiments/workloads/description.hpp"
#include "experiments/workloads/graph.hpp"
#include "experiments/workloads/instance.hpp"

namespace ouro::workloads {
namespace {

PyObject* required(PyObject* op) {
    if (op == nullptr) {
        throw std::bad_alloc();
    }
    return op;
}

class Graph final : public Adversary {
public:
    explicit Graph(const AdversaryParameters& parameters)
        : Adversary(parameters), heap_(build_random_graph({.objects = parameters.live / 2,
                                                           .degree = kDegree,
                                                           .shuffled = parameters.garbage.shuffled,
                                                           .seed = parameters.garbage.seed})),
          mutations_(parameters.live / 2, kDegree, parameters.garbage.seed) {}
    ~Graph() override { Py_XDECREF(heap_.root); }

    void step() override {
        for (int i = 0; i < kRepeat; ++i) {
            mutate(heap_.root, mutations_.next());
        }
        replace_ring();
    }
    void drop() override {
        Adversary::drop();
        Py_CLEAR(heap_.root);
        let_go(heap_.objects);
    }
    size_t live() const override { return Adversary::live() + heap_.objects; }

private:
    static constexpr uint32_t kDegree = 3;
    BuiltHeap heap_;
    MutationGenerator mutations_;
};

// Holders on a list, each with an instance of its own; instances change their holders.
class Moves final : public Adversary {
public:
    explicit Moves(const AdversaryParameters& parameters)
        : Adversary(parameters), random_(parameters.garbage.seed),
          holders_(std::max(parameters.live / 4, 1u)), root_(required(PyList_New(holders_))) {
        PyTypeObject* type = instance_type(1, "workload.Holder");
        for (uint32_t i = 0; i < holders_; ++i) {
            PyObject* holder = required(new_instance(type));
            PyList_SET_ITEM(root_, i, holder);
            fill_slot(holder, 0, required(new_instance(type)));
        }
    }
    ~Moves() override { Py_XDECREF(root_); }

    void step() override {
        for (int i = 0; i < kRepeat; ++i) {
            move(random_.below(holders_), random_.below(holders_));
        }
        replace_ring();
    }
    void drop() override {
        Adversary::drop();
        Py_CLEAR(root_);
        let_go(size_t{holders_} * 2);
    }
    size_t live() const override { return Adversary::live() + size_t{holders_} * 2; }

private:
    // As `tmp = self->x; self->x = NULL; return tmp` does it: for a moment the stack is the owner.
    static PyObject* steal(PyObject* holder) {
        PyObject* op = slots_of(holder)[0];
        fill_slot(holder, 0, nullptr);
        return op;
    }
    void move(uint32_t from, uint32_t to) {
        PyObject* a = PyList_GET_ITEM(root_, from);
        PyObject* b = PyList_GET_ITEM(root_, to);
        PyObject* first = steal(a);
        PyObject* second = steal(b);  // nothing, if both are one
        fill_slot(a, 0, second == nullptr ? first : second);
        if (second != nullptr) {
            fill_slot(b, 0, first);
        }
        // The holders change places too.
        PyList_SET_ITEM(root_, from, b);
        PyList_SET_ITEM(root_, to, a);
    }

    Random random_;
    uint32_t holders_;
    PyObject* root_;
};

class WeakReferences final : public Adversary {
public:
    explicit WeakReferences(const AdversaryParameters& parameters)
        : Adversary(parameters), random_(parameters.garbage.seed),
          type_(instance_type(kRingSlots, "workload.Referenced", {.weakly_referenced = true})),
          references_(kReferences, nullptr) {}
    ~WeakReferences() override { clear(); }

    // A new ring is garbage at once, but for its weak reference. An older one may still be there; it
    // is held until the next is found.
    void step() override {
        PyObject* ring = required(new_ring(type_, kRing));
        PyObject* reference = PyWeakref_NewRef(ring, nullptr);
        Py_DECREF(ring);
        let_go(kRing);
        Py_XSETREF(references_[random_.below(kReferences)], required(reference));
        PyObject* found = nullptr;
        if (PyObject* older = references_[random_.below(kReferences)];
            older != nullptr && PyWeakref_GetRef(older, &found) == 1) {
            Py_XSETREF(held_, found);
        }
        replace_ring();
    }
    void drop() override {
        Adversary::drop();
        clear();
    }

private:
    static constexpr uint32_t kReferences = 4096;
    static constexpr uint32_t kRing = 4;

    void clear() {
        for (PyObject*& each : references_) {
            Py_CLEAR(each);
        }
        Py_CLEAR(held_);
    }

    Random random_;
    PyTypeObject* type_;
    std::vector<PyObject*> references_;
    PyObject* held_ = nullptr;
};

// A list in a list in a list, each with an instance beside, which are what is counted.
class Deep final : public Adversary {
public:
    explicit Deep(const AdversaryParameters& parameters)
        : Adversary(parameters), depth_(parameters.depth),
          type_(instance_type(1, "workload.Level")) {}
    ~Deep() override { Py_XDECREF(chain_); }

    void step() override {
        for (int i = 0; i < kRepeat; ++i) {
            wrap();
        }
        replace_ring();
    }
    void drop() override {
        Adversary::drop();
        Py_CLEAR(chain_);
        let_go(levels_);
        levels_ = 0;
    }

private:
    void wrap() {
        PyObject* level = required(new_instance(type_));
        PyObject* outer = required(PyList_New(2));
        PyList_SET_ITEM(outer, 0, chain_ == nullptr ? Py_NewRef(Py_None) : chain_);
        PyList_SET_ITEM(outer, 1, level);
        if (chain_ == nullptr) {
            innermost_ = level;
        }
        chain_ = outer;
        if (++levels_ == depth_) {
            if (++chains_ % 2 == 0) {
                fill_slot(innermost_, 0, Py_NewRef(chain_));
            }
            Py_CLEAR(chain_);
            let_go(levels_);
            levels_ = 0;
        }
    }

    uint32_t depth_;
    PyTypeObject* type_;
    PyObject* chain_ = nullptr;
    PyObject* innermost_ = nullptr;  // borrowed: the chain keeps it
    uint32_t levels_ = 0;
    uint64_t chains_ = 0;
};

}  // namespace

Adversary::Adversary(const AdversaryParameters& parameters)
    : rings_([&] {
          ChurnParameters half = parameters.garbage;
          half.live = parameters.live / 2;
          half.oldest_first = true;
          return half;
      }()) {}

const std::vector<std::string>& adversary_kinds() {
    static const std::vector<std::string> all = {"graph", "moves", "weakrefs", "deep", "types"};
    return all;
}

std::unique_ptr<Load> new_adversary(const AdversaryParameters& parameters) {
    if (parameters.kind == "graph") {
        return std::make_unique<Graph>(parameters);
    }
    if (parameters.kind == "moves") {
        return std::make_unique<Moves>(parameters);
    }
    if (parameters.kind == "weakrefs") {
        return std::make_unique<WeakReferences>(parameters);
    }
    if (parameters.kind == "deep") {
        return std::make_unique<Deep>(parameters);
    }
    return new_buffer_adversary(parameters);
}

namespace {

std::unique_ptr<Load> made(const Values& values, uint64_t seed) {
    return new_adversary({.kind = values.at("kind"),
                          .garbage = rings_of(values, seed),
                          .live = values.at("live"),
                          .depth = values.at("depth")});
}

double bytes(Kind, const Values& values) {
    const std::string kind = values.at("kind");
    const double each = kind == "graph" ? 50 : kind == "moves" || kind == "types" ? 38 : 20;
    return each * values.at("live").get<double>();
}

const Described adversary({
    .name = "adversary",
    .summary = "what is hard on a concurrent collector, and lru besides",
    .parameters =
        with_rings({Parameter::live(),
                    Parameter::word("kind", adversary_kinds(), "what the mutators do all the time"),
                    Parameter::number("depth", 10'000, 1, 1 << 24, "deep: lists of a chain")}),
    .size = "live",
    .least = {2, "cycle-size"},
    .make = made,
    .bytes = bytes,
    // "adversary:moves": each kind is a workload of its own.
    .title =
        [](const Values& values) { return "adversary:" + values.at("kind").get<std::string>(); },
    .not_covered = "each kind is an extreme of one thing, and like no program",
});

}  // namespace

}  // namespace ouro::workloads
