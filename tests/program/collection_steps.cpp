// Steps that use weak references, collect, and look at all objects.
#include <utility>

#include "core/collector/policy.hpp"
#include "core/mutator/allocation_trigger.hpp"
#include "core/object/object.hpp"
#include "tests/program/report.hpp"
#include "tests/program/world.hpp"

namespace ouro::program {

// ---- weak references ---------------------------------------------------------------------------

void World::weak_reference_step(const Step& step, const Context& context) {
    const int target = choose_near(step, context, [](const Node&) { return true; });
    int callback = kNothing;
    if (step.what == What::kWeakCallback) {
        callback = choose(step.b, context, [](const Node& node) { return node.traits.callable; });
        if (callback == kNothing) {
            return;
        }
    }
    if (target != kNothing) {
        make_weak_reference(target, callback, (step.j & 1) != 0);
    }
}

void World::make_weak_reference(int target, int callback, bool proxy) {
    const bool with_callback = callback != kNothing;
    const auto make = proxy ? PyWeakref_NewProxy : PyWeakref_NewRef;
    const Held held(*this, target);
    if (!shadow_[target].traits.weak_list) {
        if (make(object(target), nullptr) != nullptr || PyErr_Occurred() != PyExc_TypeError) {
            fail("o{} cannot be weakly referenced, and was, or not refused with TypeError", target);
        }
        PyErr_Clear();
        return;
    }
    // One without a callback is shared.
    const auto shared = [&] {
        for (int i = 0; i < shadow_.size(); ++i) {
            const Node& weak = shadow_[i];
            if (weak.target == target && weak.slots[0] == kNothing && weak.traits.proxy == proxy &&
                shadow_.references(i) > 0) {
                return i;
            }
        }
        return kNothing;
    };
    const int shared_before = with_callback ? kNothing : shared();
    PyObject* op;
    if (with_callback) {
        const Held callback_held(*this, callback);
        op = make(object(target), object(callback));
        shadow_.set_slot(add(op, {.kind = Kind::kWeak, .proxy = proxy}, 1), 0, callback);
    } else {
        op = make(object(target), nullptr);
        const int found = op == nullptr ? kNothing : shadow_.find(op);
        if (shared_before != kNothing && shared_before == shared() && found != shared_before) {
            fail("the weak reference o{} is not shared", shared_before);
        }
        if (found != kNothing) {
            const Node& weak = shadow_[found];
            if (weak.target != target || weak.slots[0] != kNothing || weak.traits.proxy != proxy) {
                fail("o{} is given out as a weak reference to o{}", found, target);
            }
            ++shadow_[found].held;
            report.say("hold o{}, the weak reference to o{}", found, target);
            return;
        }
        add(op, {.kind = Kind::kWeak, .proxy = proxy}, 1);
    }
    const int weak = shadow_.find(op);
    shadow_[weak].target = target;
    report.say("o{} = new weak {} to o{}{}", weak, proxy ? "proxy" : "reference", target,
               with_callback ? fmt::format(", callback o{}", callback) : "");
}

void World::use_weak_reference(int weak, const Step& step) {
    const Held held(*this, weak);
    const int before = shadow_[weak].target;
    const bool proxy = shadow_[weak].traits.proxy;
    bool alive = false;
    PyObject* op = nullptr;  // a new reference
    bool names_it = true;    // whether it was asked what it refers to
    switch (step.i % 4) {
        case 0:
            alive = PyWeakref_GetRef(object(weak), &op) == 1;
            break;
        case 1:
            op = Py_NewRef(PyWeakref_GetObject(object(weak)));
            break;
        case 2:
            alive = PyWeakref_IsDead(object(weak)) == 0;
            names_it = false;
            break;
        default:
            if (!proxy) {
                op = PyObject_CallNoArgs(object(weak));  // may collect
                break;
            }
            alive = PyObject_RichCompareBool(object(weak), Py_None, Py_EQ) == 0;
            names_it = false;
            if (!alive && PyErr_Occurred() != PyExc_ReferenceError) {
                fail("a comparison with the dead proxy o{} does not raise ReferenceError", weak);
            }
            PyErr_Clear();
            break;
    }
    if (op == Py_None) {
        Py_CLEAR(op);
    }
    if (names_it) {
        alive = op != nullptr;
    }
    const int target = shadow_[weak].target;
    report.say("use o{}: {}", weak, alive ? fmt::format("alive, o{}", before) : "dead");
    if (alive && target == kNothing) {
        fail("the weak reference o{} should be dead", weak);
    }
    if (!alive && target != kNothing && shadow_.count(target) > 0) {
        fail("the weak reference o{} to o{} should be alive", weak, target);
    }
    if (op == nullptr) {
        return;
    }
    if (shadow_.find(op) != before) {
        fail("the weak reference o{} gives o{}, not o{}", weak, shadow_.find(op), before);
    }
    ++shadow_[before].held;
    ++oracle_.counts.upgraded;
    if ((step.j & 1) != 0) {
        drop(before, false);
    }
}

// ---- collections -------------------------------------------------------------------------------

void World::collect() {
    report.say("collect");
    const bool runs = enabled_ && !oracle_.collecting();
    const size_t before = oracle_.cycles();
    const Py_ssize_t found = PyGC_Collect();
    if (oracle_.cycles() - before != (runs ? 1 : 0) || (runs && oracle_.generation() != 2)) {
        fail("PyGC_Collect made {} collections", oracle_.cycles() - before);
    }
    const size_t expected = runs ? oracle_.found() : 0;
    if (static_cast<size_t>(found) != expected) {
        fail("PyGC_Collect returned {}, not {}", found, expected);
    }
    if (PyErr_Occurred() != nullptr) {
        fail("PyGC_Collect left an exception");
    }
}

void World::collect_with_error() {
    report.say("set an exception, collect");
    PyErr_SetString(PyExc_ValueError, "kept");
    PyGC_Collect();
    if (PyErr_Occurred() != PyExc_ValueError) {
        fail("PyGC_Collect lost the exception that was set");
    }
    PyErr_Clear();
}

// The automatic trigger counts allocations; it is moved to where the next one is due.
void World::pressure(const Step& step) {
    if (!collects_at_once(program_.settings.engine)) {
        return;
    }
    // Enough for a young, a middle and a full collection by CPython's policy.
    const int times = step.a < 160 ? 1 : step.a < 250 ? 12 : 135;
    report.say("allocate until {} automatic collections are due", times);
    for (int i = 0; i < times && pressure_fuel_ > 0; ++i, --pressure_fuel_) {
        mutator::allocation_trigger.settle();
        mutator::reset_allocation_total(collector::Policy::kYoungThreshold);
        mutator::allocation_trigger.limit = 0;
        const size_t before = oracle_.cycles();
        const bool due = enabled_ && !oracle_.collecting();
        Py_DECREF(PyList_New(0));
        if (oracle_.cycles() - before != (due ? 1 : 0)) {
            fail("{} automatic collections where {} is due", oracle_.cycles() - before,
                 due ? "one" : "none");
        }
    }
}

void World::finalize_by_hand(int node) {
    report.say("call the finalizer of o{}", node);
    const Held held(*this, node);
    const bool due = shadow_[node].traits.finalizer && !shadow_[node].finalized;
    const int before = oracle_.expect(due ? node : kNothing);
    PyObject_CallFinalizer(object(node));
    oracle_.expect_again(before);
    if (due && !shadow_[node].finalized) {
        fail("PyObject_CallFinalizer did not call that of o{}", node);
    }
}

// ---- visiting all ------------------------------------------------------------------------------

namespace {

struct Visit {
    World* world;
    size_t stop_after;
    int procedure;
    std::vector<int> seen;
    size_t calls = 0;
};

}  // namespace

int World::visit_one(PyObject* op, void* arg) {
    auto& visit = *static_cast<Visit*>(arg);
    World& world = *visit.world;
    if (visit.calls == visit.stop_after) {
        fail("a visit goes on after 0 was returned");
    }
    const bool go_on = ++visit.calls != visit.stop_after;
    const int number = world.shadow_.find(op);
    if (number == kNothing) {
        return go_on;  // the runtime's own
    }
    Node& node = world.shadow_[number];
    if (!node.tracked || (node.condemned && world.oracle_.condemned_are_hidden())) {
        fail("an untracked or condemned object is visited: {}", world.shadow_.describe(number));
    }
    visit.seen.push_back(number);
    ++node.temporary;
    if (visit.procedure != 0) {
        world.run_procedure(visit.procedure, {.self = number});
        if (PyErr_Occurred() != nullptr) {
            PyErr_Clear();
            --world.raised_;
        }
    }
    --world.shadow_[number].temporary;
    return go_on;
}

void World::visit(const Step& step) {
    Visit visit{.world = this,
                .stop_after = step.a % 3 == 1 ? size_t{1} + step.b : SIZE_MAX,
                .procedure = step.a % 3 == 2 ? step.b % kProcedures : 0,
                .seen = {}};
    report.say("visit all objects{}{}", step.a % 3 == 1 ? ", some" : "",
               visit.procedure != 0 ? fmt::format(": procedure {}", visit.procedure) : "");
    const bool was_enabled = std::exchange(enabled_, false);
    PyUnstable_GC_VisitObjects(visit_one, &visit);
    enabled_ = enabled_ || was_enabled;
    if (visit.procedure != 0 || visit.stop_after != SIZE_MAX) {
        return;
    }
    std::vector<int> times(static_cast<size_t>(shadow_.size()));
    for (const int node : visit.seen) {
        ++times[static_cast<size_t>(node)];
        ++oracle_.counts.visited;
    }
    for (int i = 0; i < shadow_.size(); ++i) {
        const Node& node = shadow_[i];
        const bool wanted = node.alive && node.tracked && shadow_.references(i) > 0 &&
                            !(node.condemned && oracle_.collecting());
        if (times[static_cast<size_t>(i)] > 1 || (wanted && times[static_cast<size_t>(i)] == 0)) {
            fail("visited {} times: {}", times[static_cast<size_t>(i)], shadow_.describe(i));
        }
    }
}

}  // namespace ouro::program
