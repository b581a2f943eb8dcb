// What a step's operands name, and the slots of objects of all kinds.
#include "tests/program/report.hpp"
#include "tests/program/world.hpp"

namespace ouro::program {
namespace {

constexpr size_t kKeySlot = 2;  // of a dict: slots 0 and 1 are values of the keys 0 and 1

}  // namespace

// ---- operands ----------------------------------------------------------------------------------

std::vector<int> World::nameable(const Context& context) const {
    std::vector<int> nodes;
    for (const int special : {context.self, context.argument}) {
        if (special != kNothing) {
            nodes.push_back(special);
        }
    }
    for (int i = 0; i < shadow_.size(); ++i) {
        if (shadow_[i].held > 0) {
            nodes.push_back(i);
        }
    }
    return nodes;
}

int World::choose(uint8_t number, const Context& context,
                  const std::function<bool(const Node&)>& wanted) const {
    std::vector<int> nodes = nameable(context);
    std::erase_if(nodes, [&](int node) { return !wanted(shadow_[node]); });
    return nodes.empty() ? kNothing : nodes[number % nodes.size()];
}

// What a names, or, if j says so, what a.i refers to.
int World::choose_near(const Step& step, const Context& context,
                       const std::function<bool(const Node&)>& wanted) const {
    if ((step.j & 2) != 0) {
        const int from =
            choose(step.a, context, [](const Node& node) { return !node.slots.empty(); });
        const int node =
            from == kNothing ? kNothing : shadow_[from].slots[step.i % shadow_[from].slots.size()];
        if (node != kNothing && wanted(shadow_[node])) {
            return node;
        }
    }
    return choose(step.a, context, wanted);
}

bool World::has_fields(int node) const {
    const Kind kind = shadow_[node].traits.kind;
    return kind != Kind::kDict && kind != Kind::kWeak;
}

PyObject** World::field(int node, size_t slot) const {
    switch (shadow_[node].traits.kind) {
        case Kind::kBox:
            return &box(object(node))->slots[slot];
        case Kind::kList:
            return &reinterpret_cast<PyListObject*>(object(node))->ob_item[slot];
        case Kind::kTuple:
            return &reinterpret_cast<PyTupleObject*>(object(node))->ob_item[slot];
        default:
            return nullptr;
    }
}

// A key must be hashable.
bool World::can_hold(int node, size_t slot, int target) const {
    return shadow_[node].traits.kind != Kind::kDict || slot != kKeySlot ||
           shadow_[target].traits.kind == Kind::kBox;
}

// ---- slots -------------------------------------------------------------------------------------

void World::store(int node, size_t slot, int target) {
    // The stolen reference is a temporary one until it is stored.
    if (PyObject** place = shadow_[node].traits.kind == Kind::kList ? nullptr : field(node, slot)) {
        shadow_.set_slot(node, slot, target);
        if (target != kNothing) {
            --shadow_[target].temporary;
        }
        Py_XSETREF(*place, target == kNothing ? nullptr : object(target));
        return;
    }
    const Held held(*this, node);
    PyObject* stolen = target == kNothing ? nullptr : object(target);
    if (shadow_[node].traits.kind == Kind::kList) {
        shadow_.set_slot(node, slot, target);
        if (target != kNothing) {
            --shadow_[target].temporary;
        }
        if (PyList_SetItem(object(node), static_cast<Py_ssize_t>(slot), stolen) < 0) {
            fail("PyList_SetItem of o{} failed", node);
        }
        return;
    }
    const bool is_key = slot == kKeySlot;
    // Code that runs when the old one dies may store another.
    while (shadow_[node].slots[slot] != kNothing && (is_key || target == kNothing)) {
        const int old = shadow_[node].slots[slot];
        const Held old_held(*this, old);
        shadow_.set_slot(node, slot, kNothing);
        PyObject* key = is_key ? Py_NewRef(object(old)) : PyLong_FromLong(static_cast<long>(slot));
        if (PyDict_DelItem(object(node), key) < 0) {
            fail("PyDict_DelItem of o{} failed", node);
        }
        Py_DECREF(key);
    }
    if (target != kNothing) {
        shadow_.set_slot(node, slot, target);
        PyObject* key = is_key ? Py_NewRef(stolen) : PyLong_FromLong(static_cast<long>(slot));
        if (PyDict_SetItem(object(node), key, is_key ? Py_None : stolen) < 0) {
            fail("PyDict_SetItem of o{} failed", node);
        }
        Py_DECREF(key);
        --shadow_[target].temporary;
        Py_DECREF(stolen);
    }
}

// The reference in a field becomes a temporary one of the step's; no count changes.
int World::steal_field(int node, size_t slot) {
    const int target = shadow_[node].slots[slot];
    ++shadow_[target].temporary;
    shadow_.set_slot(node, slot, kNothing);
    OURO_STORE_FIELD(field(node, slot), nullptr);
    return target;
}

}  // namespace ouro::program
