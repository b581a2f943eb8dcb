// Steps that link, move and drop objects; and the way from a step to what it does.
#include <algorithm>

#include "tests/program/report.hpp"
#include "tests/program/world.hpp"

namespace ouro::program {
namespace {

constexpr size_t kManySlots = 2500;  // more than fit a block: a large object
// More references than the narrower counters of a collection hold.
constexpr int kManyTimes = 300;
constexpr uint8_t kManyTimesFrom = 240;

bool is_any(const Node&) {
    return true;
}

}  // namespace

// ---- slots -------------------------------------------------------------------------------------

void World::slot_step(const Step& step, const Context& context) {
    const auto container = [](const Node& node) {
        return node.traits.kind != Kind::kWeak && !node.slots.empty();
    };
    const int a = choose(step.a, context, container);
    if (a == kNothing) {
        return;
    }
    const size_t i = step.i % shadow_[a].slots.size();
    const int item = shadow_[a].slots[i];
    const bool can_steal = item != kNothing && has_fields(a);
    switch (step.what) {
        case What::kLink: {
            const int b = choose(step.b, context, is_any);
            if (can_hold(a, i, b)) {
                report.say("o{}[{}] = o{}", a, i, b);
                ++shadow_[b].temporary;
                Py_INCREF(object(b));
                store(a, i, b);
            }
            return;
        }
        case What::kUnlink:
            report.say("o{}[{}] = nothing", a, i);
            return store(a, i, kNothing);
        case What::kTake:
            if (item != kNothing) {
                report.say("hold o{}, which is o{}[{}]", item, a, i);
                ++shadow_[item].held;
                Py_INCREF(object(item));
            }
            return;
        case What::kTakeOut:
            if (can_steal) {
                report.say("take o{} out of o{}[{}]", item, a, i);
                steal_field(a, i);
                --shadow_[item].temporary;
                ++shadow_[item].held;
                ++oracle_.counts.moved;
            }
            return;
        case What::kPutIn: {
            const int b = choose(step.b, context, [](const Node& node) { return node.held > 0; });
            if (b != kNothing && can_hold(a, i, b)) {
                report.say("put o{} into o{}[{}]", b, a, i);
                --shadow_[b].held;
                ++shadow_[b].temporary;
                store(a, i, b);
                ++oracle_.counts.moved;
            }
            return;
        }
        default:
            break;
    }
    const int b = choose(step.b, context, container);
    const size_t j = step.j % shadow_[b].slots.size();
    if (!can_steal || (a == b && i == j) || !can_hold(b, j, item)) {
        return;
    }
    if (step.what == What::kMove) {
        report.say("move o{} from o{}[{}] to o{}[{}]", item, a, i, b, j);
        store(b, j, steal_field(a, i));
        ++oracle_.counts.moved;
    } else if (has_fields(b)) {
        const int other = shadow_[b].slots[j];
        report.say("swap o{}[{}] and o{}[{}]", a, i, b, j);
        shadow_.set_slot(a, i, other);
        shadow_.set_slot(b, j, item);
        PyObject* moved = *field(a, i);
        OURO_STORE_FIELD(field(a, i), *field(b, j));
        OURO_STORE_FIELD(field(b, j), moved);
        ++oracle_.counts.moved;
    }
}

void World::append(const Step& step, const Context& context) {
    const int list =
        choose(step.a, context, [](const Node& node) { return node.traits.kind == Kind::kList; });
    if (list == kNothing) {
        return;
    }
    const int item = choose(step.b, context, is_any);
    const int times = step.j >= kManyTimesFrom ? kManyTimes : 1;
    report.say("append o{} to o{}{}", item, list, times > 1 ? ", many times" : "");
    for (int i = 0; i < times; ++i) {
        shadow_.append_slot(list, item);
        if (PyList_Append(object(list), object(item)) < 0) {
            fail("PyList_Append to o{} failed", list);
        }
    }
}

// ---- references, tracking ----------------------------------------------------------------------

void World::drop(int node, bool with_error) {
    report.say("drop o{}{}", node, with_error ? ", while an exception is set" : "");
    --shadow_[node].held;
    if (with_error) {
        PyErr_SetString(PyExc_ValueError, "kept");
    }
    Py_DECREF(object(node));
    if (with_error) {
        if (PyErr_Occurred() != PyExc_ValueError) {
            fail("the exception that was set is lost");
        }
        PyErr_Clear();
    }
}

void World::clear_by_hand(int node) {
    const inquiry tp_clear = Py_TYPE(object(node))->tp_clear;
    if (tp_clear == nullptr) {
        return;
    }
    report.say("tp_clear(o{})", node);
    const Held held(*this, node);
    const int before = oracle_.expect(node);
    tp_clear(object(node));
    oracle_.expect_again(before);
    if (PyErr_Occurred() != nullptr) {
        PyErr_Clear();
        --raised_;  // it does not get to the hook
    }
}

void World::track(int node, bool tracked) {
    if (tracked == shadow_[node].tracked) {
        return;
    }
    report.say("{} o{}", tracked ? "track" : "untrack", node);
    shadow_[node].tracked = tracked;
    if (tracked) {
        shadow_[node].age = Age::kYoung;
        PyObject_GC_Track(object(node));
    } else {
        shadow_[node].was_untracked = true;
        PyObject_GC_UnTrack(object(node));
    }
}

void World::resize(int node, const Step& step) {
    const size_t slots = step.i >= 240 ? kManySlots : 1 + size_t{step.i} % 6;
    const auto size = static_cast<Py_ssize_t>(slots);
    if ((step.j & 4) != 0) {
        track(node, false);
    }
    if (shadow_[node].tracked) {
        report.say("resize o{} to {} slots, which is tracked", node, slots);
        const Py_ssize_t before = Py_SIZE(object(node));
        if (PyObject_GC_Resize(Box, object(node), size) != nullptr ||
            PyErr_Occurred() != PyExc_SystemError || Py_SIZE(object(node)) != before) {
            fail("o{} is tracked and was resized, or not refused with SystemError", node);
        }
        PyErr_Clear();
        return;
    }
    for (size_t i = slots; i < shadow_[node].slots.size(); ++i) {
        store(node, i, kNothing);
    }
    // It may move: nobody else may refer to it, no code of its own run.
    const auto is_target = [&] {
        for (int i = 0; i < shadow_.size(); ++i) {
            if (shadow_[i].target == node) {
                return true;
            }
        }
        return false;
    };
    const Node& it = shadow_[node];
    if (!it.alive || it.tracked || it.held != 1 || shadow_.references(node) != 1 ||
        it.uncertain > 0 || it.busy > 0 || is_target()) {
        return;
    }
    report.say("resize o{} to {} slots", node, slots);
    const size_t before = it.slots.size();
    PyObject* old = object(node);
    auto* op = reinterpret_cast<PyObject*>(PyObject_GC_Resize(Box, old, size));
    if (op == nullptr) {
        fail("resizing o{} failed", node);
    }
    for (size_t i = before; i < slots; ++i) {
        box(op)->slots[i] = nullptr;
    }
    shadow_.resize(node, slots);
    if (op != old) {
        shadow_.move(node, op);
        oracle_.moved(node);
    }
    ++oracle_.counts.resized;
}

// ---- one step ----------------------------------------------------------------------------------

void World::run_procedure(int number, const Context& context) {
    if (ending_ || number == 0 || depth_ >= 8) {
        return;
    }
    ++depth_;
    report.enter();
    for (const Step& step : procedures_[number]) {
        if (fuel_ == 0 || PyErr_Occurred() != nullptr) {
            break;
        }
        --fuel_;
        execute(step, context);
    }
    report.leave();
    --depth_;
}

void World::execute(const Step& step, const Context& context) {
    ++oracle_.counts.steps;
    const auto chosen = [&](bool (*wanted)(const Node&), auto action) {
        const int node = choose_near(step, context, wanted);
        if (node != kNothing) {
            action(node);
        }
    };
    const auto is_held = [](const Node& node) { return node.held > 0; };
    const auto is_weak = [](const Node& node) { return node.traits.kind == Kind::kWeak; };
    const auto is_box = [](const Node& node) { return node.traits.kind == Kind::kBox; };
    if (step.what <= What::kNewDict && shadow_.size() >= kMostNodes) {
        return;
    }
    switch (step.what) {
        case What::kNewBox:
            return new_box(step);
        case What::kNewList:
            return new_built_in(Kind::kList);
        case What::kNewTuple:
            return new_built_in(Kind::kTuple);
        case What::kNewDict:
            return new_built_in(Kind::kDict);
        case What::kNewChain:
            return new_chain(step, context);
        case What::kLink:
        case What::kUnlink:
        case What::kTake:
        case What::kTakeOut:
        case What::kPutIn:
        case What::kMove:
        case What::kSwap:
            return slot_step(step, context);
        case What::kAppend:
            return append(step, context);
        case What::kClear:
            return chosen(is_any, [this](int node) { clear_by_hand(node); });
        case What::kHold:
            return chosen(is_any, [&](int node) {
                const int times = step.b >= kManyTimesFrom ? kManyTimes : 1;
                report.say("hold o{}{}", node, times > 1 ? ", many times" : "");
                for (int i = 0; i < times; ++i) {
                    ++shadow_[node].held;
                    Py_INCREF(object(node));
                }
            });
        case What::kDrop:
            return chosen(is_held, [&](int node) {
                drop(node, false);
                if (step.b >= kManyTimesFrom && shadow_[node].held > 0) {
                    report.say("drop o{} altogether", node);
                    drop_held(node);
                }
            });
        case What::kDropWithError:
            return chosen(is_held, [this](int node) { drop(node, true); });
        case What::kTrack:
            return chosen(is_any, [this](int node) { track(node, true); });
        case What::kUntrack:
            return chosen(is_any, [this](int node) { track(node, false); });
        case What::kWeakReference:
        case What::kWeakCallback:
            return weak_reference_step(step, context);
        case What::kUseWeak:
            return chosen(is_weak, [&](int node) { use_weak_reference(node, step); });
        case What::kCollect:
            return collect();
        case What::kCollectWithError:
            return collect_with_error();
        case What::kPressure:
            return pressure(step);
        case What::kDisable:
        case What::kEnable: {
            const bool enable = step.what == What::kEnable;
            report.say("{} collection", enable ? "enable" : "disable");
            if ((enable ? PyGC_Enable() : PyGC_Disable()) != (enabled_ ? 1 : 0)) {
                fail("collection was {}abled before", enabled_ ? "en" : "dis");
            }
            enabled_ = enable;
            return;
        }
        case What::kResize:
            return chosen(is_box, [&](int node) { resize(node, step); });
        case What::kVisit:
            return visit(step);
        case What::kFinalize:
            return chosen(is_box, [this](int node) { finalize_by_hand(node); });
        case What::kRaise:
            if (depth_ > 0) {
                report.say("raise");
                PyErr_SetString(PyExc_RuntimeError, "raised");
                ++raised_;
            }
            return;
        case What::kCount_:
            return;
    }
}

}  // namespace ouro::program
