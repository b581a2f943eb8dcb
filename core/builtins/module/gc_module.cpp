// The module gc: the collector as a program sees it. Source: CPython's documentation of gc, version 3.13.
//
// No function shows what is condemned: get_objects and get_referrers leave it out. get_referents shows it only
// where it is asked about an object that is condemned itself, which nobody but a finalizer can have.
#include <array>
#include <new>

#include "core/builtins/module/own_modules.hpp"
#include "core/collector/collector.hpp"
#include "core/collector/freeze.hpp"
#include "core/collector/observed.hpp"
#include "core/collector/visible.hpp"
#include "core/include/ouroboros.h"
#include "core/mutator/world.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using object::Own;

namespace {

using collector::kGenerations;

PyObject* none() {
    return Py_NewRef(Py_None);
}

PyObject* enable(PyObject*, PyObject*) {
    PyGC_Enable();
    return none();
}

PyObject* disable(PyObject*, PyObject*) {
    PyGC_Disable();
    return none();
}

PyObject* isenabled(PyObject*, PyObject*) {
    return PyBool_FromLong(PyGC_IsEnabled());
}

PyObject* collect(PyObject*, PyObject* args, PyObject* kwargs) {
    static const char* const names[] = {"generation", nullptr};
    int generation = kGenerations - 1;
    if (PyArg_ParseTupleAndKeywords(args, kwargs, "|i:collect", names, &generation) == 0) {
        return nullptr;
    }
    if (generation < 0 || generation >= static_cast<int>(kGenerations)) {
        PyErr_SetString(PyExc_ValueError, "invalid generation");
        return nullptr;
    }
    return PyLong_FromSsize_t(
        collector::collector().collect(static_cast<event::Scope>(generation), true));
}

PyObject* get_count(PyObject*, PyObject*) {
    const std::array<size_t, 3> counts = collector::collector().counts();
    return Py_BuildValue("(nnn)", counts[0], counts[1], counts[2]);
}

PyObject* get_threshold(PyObject*, PyObject*) {
    const collector::Policy::Thresholds thresholds = collector::collector().thresholds();
    return Py_BuildValue("(iii)", thresholds[0], thresholds[1], thresholds[2]);
}

PyObject* set_threshold(PyObject*, PyObject* args) {
    const Py_ssize_t count = PyTuple_GET_SIZE(args);
    if (count < 1 || count > static_cast<Py_ssize_t>(kGenerations)) {
        PyErr_SetString(PyExc_TypeError, "gc.set_threshold requires 1 to 3 arguments");
        return nullptr;
    }
    collector::Policy::Thresholds thresholds = collector::collector().thresholds();
    if (PyArg_ParseTuple(args, "i|ii:set_threshold", &thresholds[0], &thresholds[1],
                         &thresholds[2]) == 0) {
        return nullptr;
    }
    collector::collector().set_thresholds(thresholds);
    return none();
}

PyObject* get_debug(PyObject*, PyObject*) {
    return PyLong_FromLong(collector::debug_flags());
}

PyObject* set_debug(PyObject*, PyObject* arg) {
    int flags;
    if (PyArg_Parse(arg, "i:set_debug", &flags) == 0) {
        return nullptr;
    }
    collector::set_debug_flags(flags);
    return none();
}

PyObject* get_stats(PyObject*, PyObject*) {
    Own list(PyList_New(0));
    for (const collector::Statistics& its : collector::statistics()) {
        const Own dict(list ? Py_BuildValue("{snsnsn}", "collections", its.collections, "collected",
                                            its.collected, "uncollectable", its.uncollectable)
                            : nullptr);
        if (!dict || PyList_Append(list.get(), dict.get()) < 0) {
            return nullptr;
        }
    }
    return list.release();
}

PyObject* is_tracked(PyObject*, PyObject* op) {
    return PyBool_FromLong(PyObject_GC_IsTracked(op));
}

PyObject* is_finalized(PyObject*, PyObject* op) {
    return PyBool_FromLong(PyObject_GC_IsFinalized(op));
}

PyObject* freeze(PyObject*, PyObject*) {
    collector::collector().between_collections(collector::freeze);
    return none();
}

PyObject* unfreeze(PyObject*, PyObject*) {
    collector::collector().between_collections(collector::unfreeze);
    return none();
}

PyObject* get_freeze_count(PyObject*, PyObject*) {
    return PyLong_FromSize_t(collector::frozen_count());
}

// Objects found in a stop, each with a reference.
class Found {
public:
    Found() = default;
    ~Found() {
        for (PyObject* op : objects_) {
            Py_DECREF(op);
        }
    }
    Found(const Found&) = delete;
    Found& operator=(const Found&) = delete;

    // False if there is no memory for it.
    bool add(PyObject* op) {
        try {
            collector::make_room(objects_, 1);
        } catch (const std::bad_alloc&) {
            complete_ = false;
            return false;
        }
        objects_.push_back(Py_NewRef(op));
        return true;
    }

    // A list of them, when the world runs again. New reference, or nullptr with MemoryError.
    PyObject* list() const {
        if (!complete_) {
            return PyErr_NoMemory();
        }
        PyObject* made = PyList_New(static_cast<Py_ssize_t>(objects_.size()));
        for (size_t i = 0; made != nullptr && i < objects_.size(); ++i) {
            PyList_SET_ITEM(made, i, Py_NewRef(objects_[i]));
        }
        return made;
    }

private:
    collector::Candidates objects_;
    bool complete_ = true;
};

// -1 for all generations. False with an exception for what cannot be one.
bool generation_from(PyObject* arg, Py_ssize_t* generation) {
    *generation = -1;
    if (Py_IsNone(arg)) {
        return true;
    }
    if (PyIndex_Check(arg) == 0) {
        PyErr_Format(PyExc_TypeError, "argument should be integer or None, not '%.200s'",
                     Py_TYPE(arg)->tp_name);
        return false;
    }
    *generation = PyNumber_AsSsize_t(arg, PyExc_OverflowError);
    if (*generation == -1 && PyErr_Occurred() != nullptr) {
        return false;
    }
    if (*generation >= static_cast<Py_ssize_t>(kGenerations)) {
        PyErr_Format(PyExc_ValueError,
                     "generation parameter must be less than the number of available generations "
                     "(%i)",
                     static_cast<int>(kGenerations));
        return false;
    }
    if (*generation < 0) {
        PyErr_SetString(PyExc_ValueError, "generation parameter cannot be negative");
        return false;
    }
    return true;
}

PyObject* get_objects(PyObject*, PyObject* args, PyObject* kwargs) {
    static const char* const names[] = {"generation", nullptr};
    PyObject* arg = Py_None;
    Py_ssize_t generation;
    if (PyArg_ParseTupleAndKeywords(args, kwargs, "|O:get_objects", names, &arg) == 0 ||
        !generation_from(arg, &generation)) {
        return nullptr;
    }
    Found found;
    {
        const mutator::Stopped stopped;
        collector::for_each_visible(collector::Frozen::kLeftOut, [&](PyObject* op, uint32_t slot) {
            return op == args ||
                   (generation >= 0 && collector::generation_of(slot) != generation) ||
                   found.add(op);
        });
    }
    return found.list();
}

int is_one_of(PyObject* op, void* objects) {
    auto* tuple = static_cast<PyObject*>(objects);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
        if (PyTuple_GET_ITEM(tuple, i) == op) {
            return 1;
        }
    }
    return 0;
}

PyObject* get_referrers(PyObject*, PyObject* args) {
    Found found;
    {
        const mutator::Stopped stopped;
        collector::for_each_visible(collector::Frozen::kLeftOut, [&](PyObject* op, uint32_t) {
            return op == args || Py_TYPE(op)->tp_traverse(op, is_one_of, args) == 0 ||
                   found.add(op);
        });
    }
    return found.list();
}

PyObject* get_referents(PyObject*, PyObject* args) {
    Found found;
    struct Asked {
        Found* found;
        bool is_condemned;
    } asked{&found, false};
    {
        const mutator::Stopped stopped;
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
            PyObject* op = PyTuple_GET_ITEM(args, i);
            const traverseproc traverse = Py_TYPE(op)->tp_traverse;
            if (PyObject_IS_GC(op) == 0 || traverse == nullptr) {
                continue;
            }
            asked.is_condemned = collector::is_condemned(op);
            const auto visit = [](PyObject* referent, void* arg) {
                auto* its = static_cast<Asked*>(arg);
                if (Py_REFCNT(referent) == 0 ||
                    (collector::is_condemned(referent) && !its->is_condemned)) {
                    return 0;
                }
                return its->found->add(referent) ? 0 : 1;
            };
            if (traverse(op, visit, &asked) != 0) {
                break;
            }
        }
    }
    return found.list();
}

PyMethodDef functions[] = {
    {"enable", enable, METH_NOARGS, PyDoc_STR("Enable automatic garbage collection.")},
    {"disable", disable, METH_NOARGS, PyDoc_STR("Disable automatic garbage collection.")},
    {"isenabled", isenabled, METH_NOARGS,
     PyDoc_STR("Returns true if automatic garbage collection is enabled.")},
    {"set_debug", set_debug, METH_O, PyDoc_STR("Set the garbage collection debugging flags.")},
    {"get_debug", get_debug, METH_NOARGS, PyDoc_STR("Get the garbage collection debugging flags.")},
    {"get_count", get_count, METH_NOARGS,
     PyDoc_STR("Return a three-tuple of the current collection counts.")},
    {"set_threshold", set_threshold, METH_VARARGS,
     PyDoc_STR("set_threshold(threshold0, [threshold1, [threshold2]])\n"
               "Set the collection thresholds. Zero as the first disables collection.")},
    {"get_threshold", get_threshold, METH_NOARGS,
     PyDoc_STR("Return the current collection thresholds.")},
    {"collect", _PyCFunction_CAST(collect), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("Run the garbage collector: of a generation and all younger ones.\n\n"
               "Returns the number of unreachable objects.")},
    {"get_objects", _PyCFunction_CAST(get_objects), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("Return a list of the objects tracked by the collector, of one generation or all.")},
    {"get_stats", get_stats, METH_NOARGS,
     PyDoc_STR("Return a list of dictionaries with statistics of each generation.")},
    {"is_tracked", is_tracked, METH_O,
     PyDoc_STR("Returns true if the object is tracked by the garbage collector.")},
    {"is_finalized", is_finalized, METH_O,
     PyDoc_STR("Returns true if the object has been already finalized by the GC.")},
    {"get_referrers", get_referrers, METH_VARARGS,
     PyDoc_STR("Return the list of objects that directly refer to any of objs.")},
    {"get_referents", get_referents, METH_VARARGS,
     PyDoc_STR("Return the list of objects that are directly referred to by objs.")},
    {"freeze", freeze, METH_NOARGS,
     PyDoc_STR("Freeze all current tracked objects and ignore them for future collections.")},
    {"unfreeze", unfreeze, METH_NOARGS,
     PyDoc_STR("Unfreeze all objects: they are of the oldest generation.")},
    {"get_freeze_count", get_freeze_count, METH_NOARGS,
     PyDoc_STR("Return the number of frozen objects.")},
    {nullptr, nullptr, 0, nullptr},
};

int execute(PyObject* self) {
    constexpr long kLeak =
        collector::kDebugCollectable | collector::kDebugUncollectable | collector::kDebugSaveAll;
    const bool done =
        PyModule_AddObjectRef(self, "garbage", Ouro_Garbage()) == 0 &&
        PyModule_AddObjectRef(self, "callbacks", collector::callbacks()) == 0 &&
        PyModule_AddIntConstant(self, "DEBUG_STATS", collector::kDebugStats) == 0 &&
        PyModule_AddIntConstant(self, "DEBUG_COLLECTABLE", collector::kDebugCollectable) == 0 &&
        PyModule_AddIntConstant(self, "DEBUG_UNCOLLECTABLE", collector::kDebugUncollectable) == 0 &&
        PyModule_AddIntConstant(self, "DEBUG_SAVEALL", collector::kDebugSaveAll) == 0 &&
        PyModule_AddIntConstant(self, "DEBUG_LEAK", kLeak) == 0;
    return done ? 0 : -1;
}

PyModuleDef_Slot slots[] = {
    {Py_mod_exec, reinterpret_cast<void*>(execute)},
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
    {0, nullptr},
};

PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "gc",
    .m_doc = PyDoc_STR("This module provides access to the garbage collector for reference "
                       "cycles."),
    .m_methods = functions,
    .m_slots = slots,
};

}  // namespace

PyObject* module::init_gc() {
    return PyModuleDef_Init(&definition);
}
