// Containers nested a million deep die on a stack of 512 KiB: deallocations are put off instead of
// nested. It holds for the built-in containers and for an author's, with the trashcan macros and
// without; each object is deallocated once. Source: "Type Objects", tp_dealloc, and
// Py_TRASHCAN_BEGIN/END; CPython 3.14, where it needs nothing of the type.

#include <pthread.h>

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

constexpr int kDepth = 1000000;
constexpr size_t kStack = size_t{512} << 10;

// Puts `inner` (stolen) into something new.
using Wrap = PyObject* (*)(PyObject* inner);

PyObject* in_tuple(PyObject* inner) {
    PyObject* tuple = PyTuple_New(1);
    PyTuple_SET_ITEM(tuple, 0, inner);
    return tuple;
}

PyObject* in_list(PyObject* inner) {
    PyObject* list = PyList_New(1);
    PyList_SET_ITEM(list, 0, inner);
    return list;
}

PyObject* in_dict(PyObject* inner) {
    PyObject* dict = PyDict_New();
    PyDict_SetItem(dict, Py_True, inner);
    Py_DECREF(inner);
    return dict;
}

PyObject* in_thing(PyObject* inner) {
    PyObject* op = new_thing(0);
    thing(op)->slots[0] = inner;
    return op;
}

// As an author writes it who knows the macros.
struct Guarded {
    PyObject ob_base;
    PyObject* inner;
};
int guarded_deaths = 0;

void guarded_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    Py_TRASHCAN_BEGIN(op, guarded_dealloc)++ guarded_deaths;
    Py_CLEAR(reinterpret_cast<Guarded*>(op)->inner);
    Py_TYPE(op)->tp_free(op);
    Py_TRASHCAN_END
}

int guarded_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(reinterpret_cast<Guarded*>(op)->inner);
    return 0;
}

PyTypeObject GuardedType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Guarded",
    .tp_basicsize = sizeof(Guarded),
    .tp_dealloc = guarded_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = guarded_traverse,
};

PyObject* in_guarded(PyObject* inner) {
    auto* op = PyObject_GC_New(Guarded, &GuardedType);
    op->inner = inner;
    PyObject_GC_Track(op);
    return object(op);
}

// A list with a tp_dealloc of its own that hands on to its base's. Source: CPython's bpo-35983.
struct MyList {
    PyListObject list;
    int deallocated;
};
int my_deaths = 0;

void my_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    EXPECT_EQ(reinterpret_cast<MyList*>(op)->deallocated++, 0);
    ++my_deaths;
    PyList_Type.tp_dealloc(op);
}

PyTypeObject MyListType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.MyList",
    .tp_basicsize = sizeof(MyList),
    .tp_dealloc = my_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_base = &PyList_Type,
};

PyObject* in_my_list(PyObject* inner) {
    PyObject* op = PyType_GenericNew(&MyListType, nullptr, nullptr);
    PyList_Append(op, inner);
    Py_DECREF(inner);
    return op;
}

PyObject* nest(std::initializer_list<Wrap> wraps, int depth = kDepth) {
    PyObject* op = Py_NewRef(Py_None);
    for (int i = 0; i < depth; ++i) {
        op = wraps.begin()[static_cast<size_t>(i) % wraps.size()](op);
    }
    return op;
}

// Runs `body` with the runtime on a thread with a stack of 512 KiB.
void on_a_small_stack(const char* policy, void (*body)()) {
    struct Task {
        const char* policy;
        void (*body)();
    } task{policy, body};
    pthread_attr_t attributes;
    ASSERT_EQ(pthread_attr_init(&attributes), 0);
    ASSERT_EQ(pthread_attr_setstacksize(&attributes, kStack), 0);
    pthread_t thread;
    const auto run = [](void* arg) -> void* {
        const auto* given = static_cast<Task*>(arg);
        // Verification is left out: a million-deep nest would be traced again in each collection.
        start_runtime(settings_for(given->policy, "verify=off,generations=on"));
        EXPECT_EQ(PyType_Ready(&GuardedType), 0);
        EXPECT_EQ(PyType_Ready(&MyListType), 0);
        guarded_deaths = my_deaths = 0;
        const size_t before = tracked_objects();
        given->body();
        EXPECT_EQ(tracked_objects(), before);
        stop_runtime();
        return nullptr;
    };
    ASSERT_EQ(pthread_create(&thread, &attributes, run, &task), 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
}

using DeepNests = testing::TestWithParam<const char*>;

TEST_P(DeepNests, OfTuples) {
    on_a_small_stack(GetParam(), [] { Py_DECREF(nest({in_tuple})); });
}

TEST_P(DeepNests, OfLists) {
    on_a_small_stack(GetParam(), [] { Py_DECREF(nest({in_list})); });
}

TEST_P(DeepNests, OfDicts) {
    on_a_small_stack(GetParam(), [] { Py_DECREF(nest({in_dict})); });
}

TEST_P(DeepNests, OfAnAuthorsContainers) {
    on_a_small_stack(GetParam(), [] {
        Py_DECREF(nest({in_thing}));
        EXPECT_EQ(record.count(Call::kDealloc), kDepth);
    });
}

TEST_P(DeepNests, OfContainersWithTheMacros) {
    on_a_small_stack(GetParam(), [] {
        Py_DECREF(nest({in_guarded}));
        EXPECT_EQ(guarded_deaths, kDepth) << "each once";
    });
}

TEST_P(DeepNests, OfASubclassThatCallsItsBase) {
    on_a_small_stack(GetParam(), [] {
        Py_DECREF(nest({in_my_list}));
        EXPECT_EQ(my_deaths, kDepth) << "each once";
    });
}

TEST_P(DeepNests, OfAllKindsMixed) {
    on_a_small_stack(GetParam(), [] {
        Py_DECREF(nest({in_tuple, in_thing, in_list, in_guarded, in_dict}));
        EXPECT_EQ(guarded_deaths, kDepth / 5);
        EXPECT_EQ(record.count(Call::kDealloc), kDepth / 5);
    });
}

// A nest in a cycle: the collection clears its way down.
TEST_P(DeepNests, InACycle) {
    on_a_small_stack(GetParam(), [] {
        PyObject* list = PyList_New(0);
        PyObject* inner = nest({in_list, in_tuple}, kDepth / 4);
        PyList_Append(list, list);
        PyList_Append(list, inner);
        Py_DECREF(inner);
        PyGC_Collect();  // it is old now; the count starts anew
        Py_DECREF(list);
        EXPECT_EQ(PyGC_Collect(), kDepth / 4 + 1);
    });
}

// A chain needs no memory to die, nor do many side by side, deep inside of others.
TEST_P(DeepNests, WithoutMemory) {
    on_a_small_stack(GetParam(), [] {
        constexpr int kEach = kDepth / 100;
        for (const Wrap wrap : {in_tuple, in_list, in_dict, in_thing, in_guarded}) {
            PyObject* op = PyTuple_New(40);
            for (Py_ssize_t i = 0; i < 40; ++i) {
                PyTuple_SET_ITEM(op, i, nest({wrap}, kEach));
            }
            for (int i = 0; i < kEach; ++i) {
                op = wrap(op);
            }
            Ouro_FailAllocations(0, UINT64_MAX);
            Py_DECREF(op);
            Ouro_FailAllocations(0, 0);
        }
        EXPECT_EQ(record.count(Call::kDealloc), 41 * kEach);
        EXPECT_EQ(guarded_deaths, 41 * kEach);
    });
}

// Chains of weak references' callbacks: each callback holds the next watched object.
TEST_P(DeepNests, OfCallbacks) {
    on_a_small_stack(GetParam(), [] {
        PyObject* op = new_thing(0);
        for (int i = 0; i < 100000; ++i) {
            PyObject* outer = new_thing(0);
            PyObject* call = new_callback();
            callback(call)->held = op;  // stolen
            thing(outer)->slots[0] = PyWeakref_NewRef(outer, call);
            Py_DECREF(call);
            op = outer;
        }
        Py_DECREF(op);
        EXPECT_EQ(record.live, 0);
        EXPECT_EQ(record.count(Call::kDealloc), 100001);
    });
}

// Two branches at every level share what is below: counts must be right when they are put off.
TEST_P(DeepNests, WithSharedParts) {
    on_a_small_stack(GetParam(), [] {
        PyObject* op = Py_NewRef(Py_None);
        for (int i = 0; i < kDepth / 10; ++i) {
            PyObject* tuple = PyTuple_New(2);
            PyTuple_SET_ITEM(tuple, 0, Py_NewRef(op));
            PyTuple_SET_ITEM(tuple, 1, in_list(op));
            op = tuple;
        }
        Py_DECREF(op);
    });
}

EVERY_RUNTIME(DeepNests);

}  // namespace
}  // namespace ouro::test
