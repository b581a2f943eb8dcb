// A program's run: its steps are done to the objects of the library and told to the model, in that
// order that keeps the model true whenever user code is called.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "tests/program/boxes.hpp"
#include "tests/program/oracle.hpp"
#include "tests/program/step.hpp"

namespace ouro::program {

// Runs the program in a runtime started anew, compares it with the model all along, and ends the
// process with a report if they differ. At its end everything is dropped and collected, and nothing
// may be left. Not to be called with a runtime in use.
Counts run(const Program& program);

class World : private Listener {
public:
    explicit World(const Program& program);
    ~World() override;
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    void run();
    Counts counts() const { return oracle_.counts; }

private:
    static constexpr int kMostNodes = 600;

    // Whose code runs: a finalizer or clear of self, a callback self called with `argument`.
    struct Context {
        int self = kNothing;
        int argument = kNothing;
    };
    class Held;
    class Uncertain;
    class Busy;

    // Listener (objects.cpp)
    void finalize(PyObject* op) override;
    int clear(PyObject* op) override;
    void deallocate(PyObject* op) override;
    PyObject* call(PyObject* op, PyObject* weak) override;
    int clear_built_in(PyObject* op, inquiry original) override;
    void deallocate_built_in(PyObject* op, destructor original) override;
    void drop_slots(int node);

    // Steps (steps.cpp, making.cpp, collection_steps.cpp)
    void execute(const Step& step, const Context& context);
    void run_procedure(int number, const Context& context);
    void new_box(const Step& step);
    void new_built_in(Kind kind);
    void new_chain(const Step& step, const Context& context);
    PyObject* allocate_box(const Traits& traits, size_t slots, unsigned how, bool* tracked);
    int add(PyObject* op, const Traits& traits, size_t slots);
    void slot_step(const Step& step, const Context& context);
    void append(const Step& step, const Context& context);
    void drop(int node, bool with_error);
    void drop_held(int node);
    void clear_by_hand(int node);
    void track(int node, bool tracked);
    void resize(int node, const Step& step);
    void weak_reference_step(const Step& step, const Context& context);
    // A weak reference, new or shared, that is held.
    void make_weak_reference(int target, int callback, bool proxy);
    void use_weak_reference(int weak, const Step& step);
    void collect();
    void collect_with_error();
    void pressure(const Step& step);
    void visit(const Step& step);
    void finalize_by_hand(int node);

    // Operands (operands.cpp): nodes that this code can name.
    std::vector<int> nameable(const Context& context) const;
    int choose(uint8_t number, const Context& context,
               const std::function<bool(const Node&)>& wanted) const;
    int choose_near(const Step& step, const Context& context,
                    const std::function<bool(const Node&)>& wanted) const;
    bool has_fields(int node) const;
    PyObject** field(int node, size_t slot) const;
    bool can_hold(int node, size_t slot, int target) const;
    // node.slot = target, of which a temporary reference is stolen; drops what was there.
    void store(int node, size_t slot, int target);
    int steal_field(int node, size_t slot);

    PyObject* object(int node) const { return shadow_[node].op; }

    void check_at_rest();
    void finish();
    static void note_unraisable(PyObject* type, PyObject* value, PyObject* op, void* world);
    static void note_event(const OuroEvent* event, void* world);
    static int visit_one(PyObject* op, void* visit);

    Program program_;
    std::vector<Step> main_;
    std::vector<Step> procedures_[kProcedures];
    Shadow shadow_;
    Oracle oracle_;
    size_t tracked_before_ = 0;
    size_t raised_ = 0, unraisable_ = 0;
    size_t fuel_ = 200;           // steps that procedures may still take
    size_t pressure_fuel_ = 400;  // automatic collections that may still be forced
    int depth_ = 0;
    bool enabled_ = true;
    bool ending_ = false;
};

// A reference of the running step's own.
class World::Held {
public:
    Held(World& world, int node) : world_(world), node_(node) {
        ++world_.shadow_[node_].temporary;
        Py_INCREF(world_.object(node_));
    }
    ~Held() {
        --world_.shadow_[node_].temporary;
        Py_DECREF(world_.object(node_));
    }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;

private:
    World& world_;
    int node_;
};

// References that the library may hold while it runs.
class World::Uncertain {
public:
    Uncertain(World& world, const std::vector<int>& nodes) : world_(world) {
        for (const int node : nodes) {
            if (node != kNothing) {
                ++world_.shadow_[node].uncertain;
                nodes_.push_back(node);
            }
        }
    }
    ~Uncertain() {
        for (const int node : nodes_) {
            --world_.shadow_[node].uncertain;
        }
    }
    Uncertain(const Uncertain&) = delete;
    Uncertain& operator=(const Uncertain&) = delete;

private:
    World& world_;
    std::vector<int> nodes_;
};

// Code of the node's own runs: it must not move.
class World::Busy {
public:
    Busy(World& world, int node) : world_(world), node_(node) { ++world_.shadow_[node_].busy; }
    ~Busy() { --world_.shadow_[node_].busy; }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

private:
    World& world_;
    int node_;
};

}  // namespace ouro::program
