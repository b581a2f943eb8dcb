// Random programs on the API - instances, lists, tuples and dicts that are linked, unlinked, moved
// from slot to slot without a change of any count, untracked and tracked, dropped, collected - against
// reference_model.hpp: after every step the same objects are deallocated, and after every collection
// it returned the same number, the same finalizers ran as often, and every count is the same.

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <unordered_map>
#include <vector>

#include "core/object/object.hpp"
#include "tests/oracle/reference_model.hpp"
#include "tests/oracle/runtime_test.hpp"
#include "tests/support/scale.hpp"

namespace ouro::test {
namespace {

class World;
World* world = nullptr;  // the one program that runs

// ---- a type whose instances have slots and may have a finalizer ------------------------------

constexpr size_t kSlots = 3;

struct Instance {
    PyObject_HEAD
    PyObject* slots[kSlots];
};

Instance* instance(PyObject* op) {
    return reinterpret_cast<Instance*>(op);
}

int instance_traverse(PyObject* op, visitproc visit, void* arg) {
    for (PyObject* slot : instance(op)->slots) {
        Py_VISIT(slot);
    }
    return 0;
}

int instance_clear(PyObject* op) {
    for (PyObject*& slot : instance(op)->slots) {
        Py_CLEAR(slot);
    }
    return 0;
}

void note_finalized(PyObject* op);
void note_dead(PyObject* op);

void instance_dealloc(PyObject* op) {
    note_dead(op);
    PyObject_GC_UnTrack(op);
    instance_clear(op);
    PyObject_GC_Del(op);
}

void finalize_not_at_all(PyObject* op) {
    note_finalized(op);
}
void finalize_by_resurrecting(PyObject* op) {
    note_finalized(op);
    Py_INCREF(op);
}
void finalize_by_releasing(PyObject* op) {
    note_finalized(op);
    OURO_STORE_FIELD(&instance(op)->slots[0], nullptr);
}
void finalize_by_clearing(PyObject* op) {
    note_finalized(op);
    instance_clear(op);
}

PyTypeObject make_type(destructor finalizer) {
    PyTypeObject type{};
    type.ob_base = {{OURO_BIASED_IMMORTAL, 0, nullptr}, 0};
    type.tp_name = "oracle.Instance";
    type.tp_basicsize = sizeof(Instance);
    type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC;
    type.tp_traverse = instance_traverse;
    type.tp_clear = instance_clear;
    type.tp_dealloc = instance_dealloc;
    type.tp_finalize = finalizer;
    return type;
}

// One for each Finalizer, in its order.
PyTypeObject instance_types[] = {make_type(nullptr), make_type(finalize_not_at_all),
                                 make_type(finalize_by_resurrecting),
                                 make_type(finalize_by_releasing), make_type(finalize_by_clearing)};

// The built-in types' deallocations are noted too: theirs is replaced by one that notes, then does it.
template <PyTypeObject* type>
struct Noted {
    static inline destructor original = nullptr;
    static void dealloc(PyObject* op) {
        note_dead(op);
        original(op);
    }
    static void install() {
        if (original == nullptr) {
            original = type->tp_dealloc;
            type->tp_dealloc = dealloc;
        }
    }
};

// ---- a program's steps ------------------------------------------------------------------------

enum class Do {
    kNewInstance,
    kNewList,
    kNewTuple,
    kNewDict,
    kLink,     // a.i = b
    kUnlink,   // a.i = nothing
    kAppend,   // a list's append
    kTake,     // the program refers to a.i too
    kTakeOut,  // the program owns what a.i owned; no count changes
    kPutIn,    // a.i owns what the program owned; no count changes but the old item's
    kMove,     // b.j owns what a.i owned; no count changes but the old item's
    kDrop,     // one reference of the program's
    kUntrack,
    kTrack,
    kCollect,
};
constexpr const char* kNames[] = {"new instance", "new list", "new tuple", "new dict", "link",
                                  "unlink",       "append",   "take",      "take out", "put in",
                                  "move",         "drop",     "untrack",   "track",    "collect"};
constexpr Do kWeighted[] = {
    Do::kNewInstance, Do::kNewInstance, Do::kNewInstance, Do::kNewInstance, Do::kNewList,
    Do::kNewTuple,    Do::kNewDict,     Do::kLink,        Do::kLink,        Do::kLink,
    Do::kLink,        Do::kLink,        Do::kLink,        Do::kUnlink,      Do::kAppend,
    Do::kTake,        Do::kTakeOut,     Do::kPutIn,       Do::kPutIn,       Do::kMove,
    Do::kMove,        Do::kDrop,        Do::kDrop,        Do::kDrop,        Do::kDrop,
    Do::kDrop,        Do::kUntrack,     Do::kTrack,       Do::kCollect,
};

// Operands are numbers that are taken modulo what there is to choose from.
struct Step {
    Do what;
    int a, i, b, j;
};

void showValue(const Step& step, std::ostream& out) {
    out << kNames[static_cast<size_t>(step.what)] << '(' << step.a << '.' << step.i << ", "
        << step.b << '.' << step.j << ')';
}

// What the programs of one property did, so that it is seen when they do nothing of interest.
struct Coverage {
    size_t collections, freed_by_collection, freed_by_counting, resurrected, kept_for_good,
        finalizers, moved;
} coverage;

// ---- the two worlds, side by side --------------------------------------------------------------

class World {
public:
    World() { world = this; }
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    // Frees what is left, whatever state a failed comparison has left it in.
    ~World() {
        std::vector<PyObject*> left;
        for (const auto& [op, node] : alive_) {
            left.push_back(Py_NewRef(op));
        }
        for (PyObject* op : left) {
            if (PyTuple_Check(op)) {
                for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(op); ++i) {
                    Py_CLEAR(reinterpret_cast<PyTupleObject*>(op)->ob_item[i]);
                }
            } else {
                Py_TYPE(op)->tp_clear(op);
            }
        }
        for (PyObject* op : left) {
            for (Py_ssize_t count = Py_REFCNT(op); count > 0; --count) {
                Py_DECREF(op);
            }
        }
        if (!alive_.empty()) {
            std::abort();
        }
        world = nullptr;
    }

    void run(const Step& step);
    void compare() const;
    void died(PyObject* op) {
        const auto it = alive_.find(op);
        if (it != alive_.end()) {
            dead_[static_cast<size_t>(it->second)] = true;
            alive_.erase(it);
        }
    }
    void finalized(PyObject* op) { ++finalizations_[static_cast<size_t>(alive_.at(op))]; }

private:
    static constexpr int kKeySlot = 2;  // of a dict: slots 0 and 1 are values, 2 is a key

    void add(Kind kind, int finalizer);
    void collect();
    void set(int node, int slot, PyObject* stolen);
    PyObject** field(int node, int slot) const;
    PyObject* object(int node) const { return objects_[static_cast<size_t>(node)]; }
    bool can_hold(int node, int slot, int target) const;

    Model model_;
    std::vector<PyObject*> objects_;
    std::vector<bool> dead_;
    std::vector<int> finalizations_;
    std::unordered_map<PyObject*, int> alive_;
};

void note_finalized(PyObject* op) {
    world->finalized(op);
}
void note_dead(PyObject* op) {
    if (world != nullptr) {
        world->died(op);
    }
}

void World::add(Kind kind, int number) {
    PyObject* op = nullptr;
    auto finalizer = Finalizer::kNone;
    switch (kind) {
        case Kind::kInstance:
            // Half of them have none.
            finalizer = static_cast<Finalizer>(std::max(number % 8 - 3, 0));
            op = PyObject_GC_New(PyObject, &instance_types[static_cast<size_t>(finalizer)]);
            std::fill_n(instance(op)->slots, kSlots, nullptr);
            PyObject_GC_Track(op);
            break;
        case Kind::kList:
            op = PyList_New(kSlots);
            break;
        case Kind::kTuple:
            op = PyTuple_New(kSlots);
            break;
        case Kind::kDict:
            op = PyDict_New();
    }
    const int node = model_.add(kind, kSlots, finalizer);
    objects_.push_back(op);
    dead_.push_back(false);
    finalizations_.push_back(0);
    alive_.emplace(op, node);
}

PyObject** World::field(int node, int slot) const {
    PyObject* op = object(node);
    switch (model_[node].kind) {
        case Kind::kInstance:
            return &instance(op)->slots[slot];
        case Kind::kList:
            return &reinterpret_cast<PyListObject*>(op)->ob_item[slot];
        case Kind::kTuple:
            return &reinterpret_cast<PyTupleObject*>(op)->ob_item[slot];
        case Kind::kDict:
            break;
    }
    return nullptr;
}

// A key must be hashable.
bool World::can_hold(int node, int slot, int target) const {
    return model_[node].kind != Kind::kDict || slot != kKeySlot ||
           model_[target].kind == Kind::kInstance;
}

void World::set(int node, int slot, PyObject* stolen) {
    if (PyObject** address = field(node, slot)) {
        Py_XSETREF(*address, stolen);
        return;
    }
    PyObject* dict = object(node);
    const int old = model_[node].slots[static_cast<size_t>(slot)];
    const bool is_key = slot == kKeySlot;
    PyObject* key = is_key ? stolen : PyLong_FromLong(slot);
    int result = 0;
    if (old != Model::kEmpty && (is_key || stolen == nullptr)) {
        result = PyDict_DelItem(dict, is_key ? object(old) : key);
    }
    if (stolen != nullptr) {
        result |= PyDict_SetItem(dict, key, is_key ? Py_None : stolen);
        Py_DECREF(stolen);
    }
    RC_ASSERT(result == 0);
}

void World::run(const Step& step) {
    if (step.what == Do::kCollect) {
        collect();
        return;
    }
    if (step.what <= Do::kNewDict) {
        add(static_cast<Kind>(step.what), step.a);
        return;
    }
    const size_t before = alive_.size();
    std::vector<int> held;  // what the program can name
    for (int i = 0; i < model_.size(); ++i) {
        if (model_[i].external > 0) {
            held.push_back(i);
        }
    }
    if (held.empty()) {
        return;
    }
    const auto choose = [&](int number) { return held[static_cast<size_t>(number) % held.size()]; };
    const int a = choose(step.a);
    const int b = choose(step.b);
    Node& from = model_[a];
    const int i = step.i % static_cast<int>(from.slots.size());
    int& slot = from.slots[static_cast<size_t>(i)];
    const int target = slot;
    PyObject* item = target == Model::kEmpty ? nullptr : object(target);
    switch (step.what) {
        case Do::kLink:
            if (can_hold(a, i, b)) {
                set(a, i, Py_NewRef(object(b)));
                slot = b;
            }
            break;
        case Do::kUnlink:
            set(a, i, nullptr);
            slot = Model::kEmpty;
            break;
        case Do::kAppend:
            if (from.kind == Kind::kList) {
                RC_ASSERT(PyList_Append(object(a), object(b)) == 0);
                from.slots.push_back(b);
            }
            break;
        case Do::kTake:
            if (item != nullptr) {
                Py_INCREF(item);
                ++model_[target].external;
            }
            break;
        case Do::kTakeOut:
            if (item != nullptr && field(a, i) != nullptr) {
                OURO_STORE_FIELD(field(a, i), nullptr);
                slot = Model::kEmpty;
                ++model_[target].external;
                ++coverage.moved;
            }
            break;
        case Do::kPutIn:
            if (can_hold(a, i, b)) {
                set(a, i, object(b));
                slot = b;
                --model_[b].external;
                ++coverage.moved;
            }
            break;
        case Do::kMove: {
            Node& to = model_[b];
            const int j = step.j % static_cast<int>(to.slots.size());
            if (item != nullptr && field(a, i) != nullptr && (a != b || i != j) &&
                can_hold(b, j, target)) {
                OURO_STORE_FIELD(field(a, i), nullptr);
                slot = Model::kEmpty;
                set(b, j, item);
                to.slots[static_cast<size_t>(j)] = target;
                ++coverage.moved;
            }
            break;
        }
        case Do::kDrop:
            --from.external;
            Py_DECREF(object(a));
            break;
        case Do::kUntrack:
            PyObject_GC_UnTrack(object(a));
            from.tracked = false;
            break;
        case Do::kTrack:
            if (!from.tracked) {
                PyObject_GC_Track(object(a));
                from.tracked = true;
            }
            break;
        default:
            break;
    }
    model_.settle();
    coverage.freed_by_counting += before - alive_.size();
}

void World::collect() {
    const size_t before = alive_.size();
    const Py_ssize_t found = PyGC_Collect();
    const size_t expected = model_.collect();
    RC_ASSERT(static_cast<size_t>(found) == expected);
    RC_ASSERT(PyErr_Occurred() == nullptr);
    compare();
    for (int i = 0; i < model_.size(); ++i) {
        RC_ASSERT(finalizations_[static_cast<size_t>(i)] == model_[i].finalizations);
        if (model_[i].alive) {
            RC_ASSERT(Py_REFCNT(object(i)) == model_.count(i));
            RC_ASSERT((PyObject_GC_IsTracked(object(i)) != 0) == model_[i].tracked);
        }
    }
    ++coverage.collections;
    coverage.freed_by_collection += before - alive_.size();
    coverage.kept_for_good += expected > before - alive_.size() ? 1 : 0;
    for (const auto& [op, node] : alive_) {
        coverage.resurrected += model_[node].finalizations > 0 ? 1 : 0;
        coverage.finalizers += model_[node].finalizer == Finalizer::kNone ? 0 : 1;
    }
}

void World::compare() const {
    for (int i = 0; i < model_.size(); ++i) {
        if (dead_[static_cast<size_t>(i)] == model_[i].alive) {
            RC_FAIL("object " + std::to_string(i) +
                    (model_[i].alive ? " was deallocated, but can be reached"
                                     : " is alive, but should have been deallocated"));
        }
    }
}

// ---- the property ------------------------------------------------------------------------------

void check_programs() {
    const auto operand = rc::gen::inRange(0, 1 << 16);
    const auto step = rc::gen::build<Step>(
        rc::gen::set(&Step::what, rc::gen::elementOf(
                                      std::vector<Do>(std::begin(kWeighted), std::end(kWeighted)))),
        rc::gen::set(&Step::a, operand), rc::gen::set(&Step::i, operand),
        rc::gen::set(&Step::b, operand), rc::gen::set(&Step::j, operand));
    const auto program = *rc::gen::scale(4.0, rc::gen::container<std::vector<Step>>(step));
    World both;
    for (const Step& each : program) {
        both.run(each);
        both.compare();
    }
    // Once for what there is, again for what finalizers made or kept.
    both.run({.what = Do::kCollect, .a = 0, .i = 0, .b = 0, .j = 0});
    both.run({.what = Do::kCollect, .a = 0, .i = 0, .b = 0, .j = 0});
}

class RandomPrograms : public RuntimeTest {
protected:
    static void SetUpTestSuite() {
        // RC_PARAMS, if somebody set it (to repeat a failure, say), goes before.
        const std::string parameters =
            "seed=" + std::to_string(seed()) + " max_success=" + std::to_string(scaled(2000, 100));
        ::setenv("RC_PARAMS", parameters.c_str(), 0);
    }
    void SetUp() override {
        RuntimeTest::SetUp();
        for (PyTypeObject& type : instance_types) {
            ASSERT_EQ(PyType_Ready(&type), 0);
        }
        Noted<&PyList_Type>::install();
        Noted<&PyTuple_Type>::install();
        Noted<&PyDict_Type>::install();
        coverage = {};
    }
};

TEST_P(RandomPrograms, FreeWhatANaiveModelFrees) {
    ASSERT_TRUE(rc::check("random programs agree with the model", check_programs));
    EXPECT_GT(coverage.freed_by_collection, 0u);
    EXPECT_GT(coverage.freed_by_counting, 0u);
    EXPECT_GT(coverage.resurrected, 0u);
    EXPECT_GT(coverage.kept_for_good, 0u);
    EXPECT_GT(coverage.finalizers, 0u);
    EXPECT_GT(coverage.moved, 0u);
    std::printf("%zu collections freed %zu objects\n", coverage.collections,
                coverage.freed_by_collection);
}
OURO_TEST_EACH_POLICY(RandomPrograms);

}  // namespace
}  // namespace ouro::test
