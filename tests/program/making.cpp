// Steps that make objects.
#include <algorithm>
#include <optional>

#include "tests/program/report.hpp"
#include "tests/program/world.hpp"

namespace ouro::program {
namespace {

constexpr size_t kBuiltInSlots = 3;
constexpr size_t kExtraBytes = 40 * 1024;  // more than fits a block: a large object

// The bits of an operand, taken from the lowest up.
class Bits {
public:
    explicit Bits(uint8_t bits) : bits_(bits) {}
    uint8_t take(unsigned count) {
        const auto result = static_cast<uint8_t>(bits_ & ((1u << count) - 1));
        bits_ = static_cast<uint8_t>(bits_ >> count);
        return result;
    }

private:
    uint8_t bits_;
};

std::string words(const Traits& traits) {
    std::string text;
    if (traits.weak_list) {
        text += ", weak list";
    }
    if (traits.finalizer) {
        text += fmt::format(", finalizer runs procedure {}", traits.finalizer_runs);
    }
    if (traits.callable) {
        text += fmt::format(", call runs procedure {}", traits.call_runs);
    }
    if (traits.del) {
        text += ", tp_del";
    }
    if (!traits.has_clear) {
        return text + ", no tp_clear";
    }
    switch (traits.clear) {
        case Clear::kAll:
            break;
        case Clear::kAllButProcedure:
            text += fmt::format(", tp_clear runs procedure {} first", traits.clear_runs);
            break;
        case Clear::kAllThenProcedure:
            text += fmt::format(", tp_clear runs procedure {} at last", traits.clear_runs);
            break;
        case Clear::kAllAndRaise:
            text += ", tp_clear raises";
            break;
        case Clear::kDoesNothing:
            text += ", tp_clear does nothing";
            break;
    }
    return text;
}

}  // namespace

int World::add(PyObject* op, const Traits& traits, size_t slots) {
    if (op == nullptr) {
        fail("an allocation failed");
    }
    if (shadow_.find(op) != kNothing) {
        fail("a new object lies where o{} is alive", shadow_.find(op));
    }
    const int node = shadow_.add(op, traits, slots);
    shadow_[node].held = 1;
    if (traits.kind == Kind::kBox) {
        box(op)->node = node;
    }
    return node;
}

PyObject* World::allocate_box(const Traits& traits, size_t slots, unsigned how, bool* tracked) {
    PyTypeObject* type = box_type(traits);
    const auto items = static_cast<Py_ssize_t>(slots);
    *tracked = true;
    PyObject* op;
    switch (how) {
        case 0:  // tracked by tp_alloc
            return type->tp_alloc(type, items);
        case 1:
            op = PyUnstable_Object_GC_NewWithExtraData(type, kExtraBytes);
            Py_SET_SIZE(op, items);
            break;
        default:
            op = reinterpret_cast<PyObject*>(PyObject_GC_NewVar(Box, type, items));
            box(op)->weak_references = nullptr;
            std::fill_n(box(op)->slots, slots, nullptr);
            break;
    }
    if (how == 2) {
        *tracked = false;
    } else {
        PyObject_GC_Track(op);
    }
    return op;
}

void World::new_box(const Step& step) {
    Bits shape(step.a), kind(step.i), procedures(step.b), clear(step.j);
    Traits traits;
    traits.weak_list = shape.take(1) != 0;
    traits.finalizer = shape.take(1) != 0;
    traits.callable = shape.take(1) != 0;
    traits.del = shape.take(3) == 7;
    traits.has_clear = shape.take(2) != 3;
    traits.finalizer_runs = procedures.take(2);
    traits.call_runs = procedures.take(2);
    traits.clear_runs = procedures.take(2);
    constexpr Clear kClears[] = {Clear::kAll,
                                 Clear::kAll,
                                 Clear::kAll,
                                 Clear::kAll,
                                 Clear::kDoesNothing,
                                 Clear::kAllAndRaise,
                                 Clear::kAllButProcedure,
                                 Clear::kAllThenProcedure};
    traits.clear = kClears[clear.take(3)];
    const unsigned how = kind.take(3);
    const size_t slots = 1 + size_t{kind.take(2)};
    bool tracked;
    PyObject* op = allocate_box(traits, slots, how, &tracked);
    const int node = add(op, traits, slots);
    shadow_[node].tracked = tracked;
    report.say("o{} = new box, {} slots{}{}{}", node, slots, how == 1 ? ", large" : "",
               tracked ? "" : ", not tracked", words(traits));
}

void World::new_built_in(Kind kind) {
    PyObject* op;
    const char* name;
    if (kind == Kind::kList) {
        op = PyList_New(kBuiltInSlots);
        name = "list";
    } else if (kind == Kind::kTuple) {
        op = PyTuple_New(kBuiltInSlots);
        name = "tuple";
    } else {
        op = PyDict_New();
        name = "dict";
    }
    report.say("o{} = new {}",
               add(op, {.kind = kind, .has_clear = kind != Kind::kTuple}, kBuiltInSlots), name);
}

// Each refers to the one before it; the last is held, or weakly referenced, or a ring is garbage.
void World::new_chain(const Step& step, const Context& context) {
    const int length = 2 + step.a % 130;
    if (shadow_.size() + length > kMostNodes) {
        return;
    }
    Traits traits;
    traits.finalizer = (step.b & 1) != 0;
    traits.weak_list = (step.b & 2) != 0;
    traits.finalizer_runs = static_cast<uint8_t>(step.b >> 2 & 3);
    const bool lists = step.i % 4 == 1, tuples = step.i % 4 == 2;
    // An allocation may collect, and code that runs then drop all that it can name: the ends of the
    // chain are held by the step itself.
    std::optional<Held> first_held;
    int first = kNothing, last = kNothing;
    for (int i = 0; i < length; ++i) {
        int node;
        if (lists || tuples) {
            PyObject* op = lists ? PyList_New(1) : PyTuple_New(1);
            node = add(op, {.kind = lists ? Kind::kList : Kind::kTuple, .has_clear = lists}, 1);
        } else {
            bool tracked;
            PyObject* op = allocate_box(traits, 1, 3, &tracked);
            node = add(op, traits, 1);
        }
        --shadow_[node].held;
        ++shadow_[node].temporary;
        if (last == kNothing) {
            first = node;
            first_held.emplace(*this, node);
        } else {
            shadow_.set_slot(node, 0, last);
            --shadow_[last].temporary;
            OURO_STORE_FIELD(field(node, 0), object(last));
        }
        last = node;
    }
    --shadow_[last].temporary;
    ++shadow_[last].held;
    const bool closed = (step.j & 1) != 0;
    report.say("o{}..o{} = new chain of {}{}, each refers to the one before{}", first, last,
               lists    ? "lists"
               : tuples ? "tuples"
                        : "boxes",
               lists || tuples ? "" : words(traits), closed ? ", the first to the last" : "");
    if (closed) {
        ++shadow_[last].temporary;
        Py_INCREF(object(last));
        store(first, 0, last);
    }
    first_held.reset();
    if ((step.j & 4) != 0) {
        make_weak_reference(last,
                            choose(static_cast<uint8_t>(step.j >> 3), context,
                                   [](const Node& node) { return node.traits.callable; }),
                            false);
    }
    if ((step.j & 2) != 0) {
        drop(last, false);
    }
}

}  // namespace ouro::program
