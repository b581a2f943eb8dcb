#include "tests/program/world.hpp"

#include <fmt/ranges.h>

#include "tests/program/report.hpp"
#include "tests/support/tracked_objects.hpp"

namespace ouro::program {
namespace {

using test::tracked_objects;

std::string words(const Settings& settings) {
    return fmt::format("pause-budget-us=0,engine={},refcount={},generations={},verify={}",
                       text_of(settings.engine), settings.atomic ? "atomic" : "gil",
                       settings.generations ? "on" : "off", settings.verify ? "on" : "off");
}

}  // namespace

Counts run(const Program& program) {
    World world(program);
    world.run();
    return world.counts();
}

World::World(const Program& program)
    : program_(program), oracle_(shadow_, ages_at_once(program.settings.engine)) {
    for (const Step& step : program_.steps) {
        std::vector<Step>& procedure = procedures_[step.procedure];
        if (step.procedure != 0 && procedure.size() < kLongestProcedure) {
            procedure.push_back(step);
        } else if (main_.size() < kLongestProgram) {
            main_.push_back(step);
        }
    }
    const std::string settings = words(program_.settings);
    report.begin(fmt::format("with {}\nbytes {:02x}", settings, fmt::join(encode(program_), "")));
    Py_Finalize();
    const char* error = nullptr;
    if (Ouro_Configure(settings.c_str(), &error) < 0) {
        fail("{}", error);
    }
    Py_Initialize();
    ready_types();
    Ouro_Garbage();
    PyGC_Enable();
    PyGC_Collect();  // what the policy has counted so far is of the last program
    tracked_before_ = tracked_objects();
    Ouro_SetUnraisableHook(note_unraisable, this);
    Ouro_AddListener(note_event, this);
    listener = this;
}

World::~World() {
    listener = nullptr;
    Ouro_RemoveListener(note_event, this);
    Ouro_SetUnraisableHook(nullptr, nullptr);
    Py_Finalize();
    report.end();
}

void World::note_unraisable(PyObject*, PyObject*, PyObject*, void* world) {
    ++static_cast<World*>(world)->unraisable_;
}

void World::note_event(const OuroEvent* event, void* world) {
    static_cast<World*>(world)->oracle_.on_event(*event);
}

void World::run() {
    ++oracle_.counts.programs;
    for (const Step& step : main_) {
        execute(step, {});
        check_at_rest();
    }
    finish();
    oracle_.counts.raised += raised_;
}

// Between two steps nothing is uncertain: the model and the library agree about everything.
void World::check_at_rest() {
    if (oracle_.collecting()) {
        fail("a collection did not end");
    }
    if (PyErr_Occurred() != nullptr) {
        fail("an exception is left");
    }
    if (raised_ != unraisable_) {
        fail("{} exceptions were raised in finalizers, callbacks and clears, {} got to the hook",
             raised_, unraisable_);
    }
    if ((PyGC_IsEnabled() != 0) != enabled_) {
        fail("collection is {}", enabled_ ? "disabled" : "enabled");
    }
    for (int i = 0; i < shadow_.size(); ++i) {
        const Node& node = shadow_[i];
        if (!node.alive) {
            continue;
        }
        if (node.temporary != 0 || node.uncertain != 0 || node.busy != 0) {
            fail("the model has forgotten that a step is over: {}", shadow_.describe(i));
        }
        if (shadow_.count(i) == 0) {
            fail("not deallocated: {}", shadow_.describe(i));
        }
        if (Py_REFCNT(node.op) != shadow_.count(i)) {
            fail("has a count of {}: {}", Py_REFCNT(node.op), shadow_.describe(i));
        }
        if ((PyObject_GC_IsTracked(node.op) != 0) != node.tracked ||
            (PyObject_GC_IsFinalized(node.op) != 0) != node.finalized) {
            fail("tracked {}, finalized {}: {}", PyObject_GC_IsTracked(node.op),
                 PyObject_GC_IsFinalized(node.op), shadow_.describe(i));
        }
        if (node.traits.kind == Kind::kWeak &&
            (PyWeakref_IsDead(node.op) != 0) != (node.target == kNothing)) {
            fail("the weak reference o{} should be {}", i,
                 node.target == kNothing ? "dead" : "alive");
        }
    }
}

void World::drop_held(int node) {
    while (shadow_[node].alive && shadow_[node].held > 0) {
        --shadow_[node].held;
        Py_DECREF(object(node));
    }
}

// Drops everything. What no collector can free - cycles of tuples, of what has a tp_del or no
// tp_clear - is taken apart first. Procedures do nothing any more.
void World::finish() {
    report.say("the end: drop everything and collect");
    ending_ = true;
    PyGC_Enable();
    enabled_ = true;
    for (int i = 0; i < shadow_.size(); ++i) {
        if (!shadow_[i].alive) {
            continue;
        }
        const Held held(*this, i);
        if (!shadow_[i].tracked) {
            track(i, true);
        }
        if (!shadow_[i].traits.has_clear || shadow_[i].traits.del) {
            for (size_t slot = 0; slot < shadow_[i].slots.size(); ++slot) {
                store(i, slot, kNothing);
            }
        }
    }
    for (int i = 0; i < shadow_.size(); ++i) {
        drop_held(i);
    }
    collect();
    check_at_rest();
    // Garbage may have referred to objects with tp_del: those were listed, and do not do so again.
    while (PyList_Size(Ouro_Garbage()) > 0) {
        for (int i = 0; i < shadow_.size(); ++i) {
            shadow_[i].held += shadow_[i].listed;
            for (; shadow_[i].listed > 0; --shadow_[i].listed) {
                Py_INCREF(object(i));
            }
        }
        PyObject* list = Ouro_Garbage();
        Py_TYPE(list)->tp_clear(list);
        for (int i = 0; i < shadow_.size(); ++i) {
            drop_held(i);
        }
        collect();
        check_at_rest();
    }
    for (int i = 0; i < shadow_.size(); ++i) {
        if (shadow_[i].alive) {
            fail("left over at the end: {}", shadow_.describe(i));
        }
    }
    if (tracked_objects() != tracked_before_) {
        fail("{} tracked objects are left that are not the program's",
             tracked_objects() - tracked_before_);
    }
}

}  // namespace ouro::program
