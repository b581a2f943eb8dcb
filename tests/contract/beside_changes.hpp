// Operations on shared containers while another thread changes them: a fixture that runs every operation of
// a table beside every change of another one.
//
//     const Operation operations[] = {
//         {OURO_OPERATION(of_size(PyList_Size(s.list))), kNothing, &PyLong_Type}, ...};
//     const Change changes[] = {{"append", [](const Stage& s) { ... }}, ...};
//     run(operations, changes, scaled(100));
#pragma once

#include <span>

#include "tests/contract/threads.hpp"
#include "tests/support/scale.hpp"

namespace ouro::test {

// What an operation may raise because of what others do meanwhile, or always.
enum Raises : unsigned {
    kNothing = 0,
    kIndexError = 1,
    kKeyError = 2,
    kValueError = 4,
    kRuntimeError = 8,
    kTypeError = 16,
    kAttributeError = 32,
    kReferenceError = 64,
};

// Cells that can be compared and hashed. Few hashes and comparisons that come to a safepoint: another thread
// may change a container in the midst of each.
inline PyObject* sample_compare(PyObject* a, PyObject* b, int operation) {
    PyObject* garbage = PyList_New(0);
    Py_XDECREF(garbage);
    switch (operation) {
        case Py_LT:
            return PyBool_FromLong(a < b);
        case Py_LE:
            return PyBool_FromLong(a <= b);
        case Py_EQ:
            return PyBool_FromLong(a == b);
        case Py_NE:
            return PyBool_FromLong(a != b);
        case Py_GT:
            return PyBool_FromLong(a > b);
        default:
            return PyBool_FromLong(a >= b);
    }
}

inline Py_hash_t sample_hash(PyObject* op) {
    return static_cast<Py_hash_t>((reinterpret_cast<uintptr_t>(op) >> 5) % 11);
}

inline PyTypeObject SampleType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Sample",
    .tp_hash = sample_hash,
    .tp_flags = Py_TPFLAGS_DEFAULT | OURO_TPFLAGS_CONCURRENT_TRAVERSE,
    .tp_richcompare = sample_compare,
    .tp_base = &ThingType,
};

inline PyObject* new_sample() {
    return new_thing(kUncounted, &SampleType);
}

// Results of functions that return numbers, as objects: nullptr where those say that there is an exception.
inline PyObject* of_size(Py_ssize_t size) {
    return size < 0 ? nullptr : PyLong_FromSsize_t(size);
}
inline PyObject* of_truth(int truth) {
    return truth < 0 ? nullptr : PyBool_FromLong(truth);
}
inline PyObject* of_status(int status) {
    return status < 0 ? nullptr : Py_NewRef(Py_None);
}
// One or nothing, None if there is none.
inline PyObject* of_found(int found, PyObject* value) {
    return found < 0 ? nullptr : value == nullptr ? Py_NewRef(Py_None) : value;
}
// A function's result and the object that only it was made for.
template <class Use>
PyObject* with(PyObject* made, const Use& use) {
    PyObject* result = made == nullptr ? nullptr : use(made);
    Py_XDECREF(made);
    return result;
}
// What an iterator, which is stolen, still gives.
inline PyObject* drained(PyObject* iterator) {
    return with(iterator, PySequence_List);
}
template <class... Arguments>
PyObject* method(PyObject* op, const char* name, Arguments... arguments) {
    return with(PyUnicode_FromString(name), [&](PyObject* text) {
        return PyObject_CallMethodObjArgs(op, text, arguments..., static_cast<PyObject*>(nullptr));
    });
}
inline PyObject* called(PyTypeObject& type, PyObject* argument) {
    return PyObject_CallOneArg(reinterpret_cast<PyObject*>(&type), argument);
}

// Steals.
inline void put(PyObject* list, PyObject* op) {
    PyList_Append(list, op);
    Py_DECREF(op);
}
inline void forget(PyObject* result) {
    PyErr_Clear();
    Py_XDECREF(result);
}

inline PyMethodDef nothing = {"nothing", [](PyObject*, PyObject*) { return Py_NewRef(Py_None); },
                              METH_NOARGS, nullptr};

// What all threads use. Each container is one that the others do not have, and changes.
struct Stage {
    PyObject *list, *list2, *pairs, *strs, *bytes;
    PyObject *dict, *dict2, *keys, *values, *items, *proxy;
    PyObject *set, *set2;
    PyObject *frozen, *tuple, *sample;  // the sample is in both, and at times in the others
    PyObject *iterators, *targets;      // lists of what is replaced when it is used up
    PyObject *type, *object, *slotted, *error, *function;
    PyObject *two, *slice, *stride;
};

// How many items they begin with.
inline constexpr int kItems = 10;

// As many again.
inline void refill(const Stage& s) {
    for (int i = 0; i < kItems; ++i) {
        PyObject* op = i == kItems / 2 ? Py_NewRef(s.sample) : new_sample();
        for (PyObject* list : {s.list, s.list2}) {
            PyList_Append(list, op);
        }
        PyDict_SetItem(s.dict, op, op);
        PyDict_SetItem(s.dict2, op, op);
        PySet_Add(s.set, op);
        PySet_Add(s.set2, op);
        PyObject* pair = PyList_New(0);
        PyList_Append(pair, op);
        PyList_Append(pair, op);
        put(s.pairs, pair);
        put(s.strs, PyUnicode_FromFormat("%d", i));
        put(s.bytes, PyBytes_FromFormat("%d", i));
        put(s.targets, PySet_New(nullptr));
        Py_DECREF(op);
    }
    PyErr_Clear();
}

struct Operation {
    const char* name;
    PyObject* (*run)(const Stage&);  // a new reference, or nullptr with an exception
    unsigned raises;
    PyTypeObject* gives;  // nullptr: anything
};
#define OURO_OPERATION(...) #__VA_ARGS__, [](const Stage& s) -> PyObject* { return __VA_ARGS__; }

struct Change {
    const char* name;
    void (*run)(const Stage&, int round);
};

class BesideChanges : public Threads {
protected:
    static constexpr Py_ssize_t kMost = 24;

    void SetUp() override {
        Threads::SetUp();
        ASSERT_EQ(PyType_Ready(&SampleType), 0);
        Stage& s = stage_;
        for (PyObject** list :
             {&s.list, &s.list2, &s.pairs, &s.strs, &s.bytes, &s.iterators, &s.targets}) {
            *list = PyList_New(0);
        }
        s.dict = PyDict_New();
        s.dict2 = PyDict_New();
        s.set = PySet_New(nullptr);
        s.set2 = PySet_New(nullptr);
        s.sample = new_sample();
        refill(s);
        s.frozen = PyFrozenSet_New(s.list);
        s.tuple = PyList_AsTuple(s.list);
        s.keys = method(s.dict, "keys");
        s.values = method(s.dict, "values");
        s.items = method(s.dict, "items");
        s.proxy = PyDictProxy_New(s.dict);
        s.type = PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyType_Type), "s(){}", "Thing");
        s.object = PyObject_CallNoArgs(s.type);
        s.slotted = with(PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyType_Type),
                                               "s(){s(s)}", "Slotted", "__slots__", "x"),
                         PyObject_CallNoArgs);
        s.error = PyObject_CallNoArgs(PyExc_OSError);
        s.function = PyCFunction_New(&nothing, nullptr);
        s.two = PyLong_FromLong(2);
        s.slice = PySlice_New(Py_None, s.two, Py_None);
        s.stride = with(PyLong_FromLong(-2),
                        [](PyObject* step) { return PySlice_New(Py_None, Py_None, step); });
        ASSERT_EQ(PyErr_Occurred(), nullptr);
    }

    void TearDown() override {
        // An object refers to its class, which is garbage by itself.
        for (PyObject* op :
             {stage_.list,      stage_.list2,    stage_.pairs,  stage_.strs,   stage_.bytes,
              stage_.iterators, stage_.targets,  stage_.keys,   stage_.values, stage_.items,
              stage_.proxy,     stage_.dict,     stage_.dict2,  stage_.set,    stage_.set2,
              stage_.frozen,    stage_.tuple,    stage_.sample, stage_.object, stage_.slotted,
              stage_.error,     stage_.function, stage_.type,   stage_.two,    stage_.slice,
              stage_.stride}) {
            Py_DECREF(op);
        }
        stage_ = {};
        PyGC_Collect();
        Threads::TearDown();
    }

    // For each change: threads that do all operations, one forwards and one backwards, and one that
    // makes the change as long as they do. `rounds` is how often each operation is done by each.
    void run(std::span<const Operation> operations, std::span<const Change> changes,
             size_t rounds) {
        for (const Change& change : changes) {
            std::atomic<int> working{2};
            Crew crew;
            for (const bool backwards : {false, true}) {
                crew.add([&, backwards] {
                    for (size_t i = 0; i < rounds; ++i) {
                        for (size_t k = 0; k < operations.size(); ++k) {
                            perform(operations[backwards ? operations.size() - 1 - k : k], change);
                        }
                    }
                    --working;
                });
            }
            crew.add([&] {
                for (int round = 0; working > 0; ++round) {
                    change.run(stage_, round);
                    PyErr_Clear();
                    keep_small();
                    const Detached outside;  // not every change comes to a safepoint
                }
            });
            crew.join();
        }
    }

    const Stage& stage() const { return stage_; }

private:
    void perform(const Operation& operation, const Change& change) {
        PyObject* result = operation.run(stage_);
        PyObject* raised = PyErr_Occurred();
        if (result == nullptr && raised == nullptr) {
            ADD_FAILURE() << operation.name << " failed beside " << change.name
                          << " and raised nothing";
        } else if (result == nullptr) {
            EXPECT_TRUE(may_raise(operation.raises))
                << operation.name << " beside " << change.name << ": "
                << reinterpret_cast<PyTypeObject*>(raised)->tp_name;
        } else {
            EXPECT_EQ(raised, nullptr) << operation.name;
            EXPECT_TRUE(operation.gives == nullptr || Py_IS_TYPE(result, operation.gives))
                << operation.name << " gave a " << Py_TYPE(result)->tp_name;
            expect_whole(result);
        }
        PyErr_Clear();
        Py_XDECREF(result);
        keep_small();
    }

    static bool may_raise(unsigned raises) {
        const std::pair<unsigned, PyObject*> kinds[] = {
            {kIndexError, PyExc_IndexError},        {kKeyError, PyExc_KeyError},
            {kValueError, PyExc_ValueError},        {kRuntimeError, PyExc_RuntimeError},
            {kTypeError, PyExc_TypeError},          {kAttributeError, PyExc_AttributeError},
            {kReferenceError, PyExc_ReferenceError}};
        return std::ranges::any_of(kinds, [raises](const auto& kind) {
            return (raises & kind.first) != 0 && PyErr_ExceptionMatches(kind.second) != 0;
        });
    }

    static void expect_whole(PyObject* op) {
        if (PyObject_TypeCheck(op, &ThingType)) {
            EXPECT_TRUE(is_whole(op));
        } else if (PyTuple_Check(op)) {
            for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(op); ++i) {
                ASSERT_NE(PyTuple_GET_ITEM(op, i), nullptr);
                expect_whole(PyTuple_GET_ITEM(op, i));
            }
        } else if (PyList_Check(op) || PyAnySet_Check(op)) {
            PyObject* copy = PySequence_Tuple(op);  // of a set that others change perhaps none
            PyErr_Clear();
            if (copy != nullptr) {
                expect_whole(copy);
                Py_DECREF(copy);
            }
        }
    }

    // What operations and changes added goes again.
    void keep_small() {
        for (PyObject* list :
             {stage_.list, stage_.list2, stage_.pairs, stage_.strs, stage_.bytes}) {
            if (PyList_Size(list) > kMost) {
                PyList_SetSlice(list, kItems, kMost, nullptr);
            }
        }
        for (PyObject* dict : {stage_.dict, stage_.dict2}) {
            while (PyDict_Size(dict) > kMost) {
                forget(method(dict, "popitem"));
            }
        }
        for (PyObject* set : {stage_.set, stage_.set2}) {
            while (PySet_Size(set) > kMost) {
                forget(PySet_Pop(set));
            }
        }
    }

    Stage stage_{};
};

}  // namespace ouro::test
