// Where memory is out a function returns NULL or -1 with MemoryError, and everything is as it was.
// Each function is made to fail at each of its allocations. Source: "Memory Management", "Exception
// Handling" (PyErr_NoMemory), "Supporting Cyclic Garbage Collection" (PyObject_GC_Resize).

#include "tests/contract/things.hpp"
#include "tests/support/failing.hpp"

namespace ouro::test {
namespace {

class MemoryFailure : public Things {
protected:
    void SetUp() override {
        Things::SetUp();
        target_ = new_thing(1);
    }
    void TearDown() override {
        Py_CLEAR(target_);
        Things::TearDown();
    }
    PyObject* target_ = nullptr;
};

// An object that is its own atom and one that is a container with items.
struct PlainItems {
    PyVarObject ob_base;
    PyObject* items[1];
};
PyTypeObject AtomType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Atom",
    .tp_basicsize = sizeof(PyVarObject),
    .tp_itemsize = 8,
    .tp_flags = Py_TPFLAGS_DEFAULT,
};
PyTypeObject PlainItemsType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Items",
    .tp_basicsize = sizeof(PyVarObject),
    .tp_itemsize = sizeof(PyObject*),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = [](PyObject*, visitproc, void*) { return 0; },
};

PyObject* return_none(PyObject*, PyObject*) {
    return Py_NewRef(Py_None);
}
PyMethodDef method_def = {"method", return_none, METH_NOARGS, nullptr};

// A list of twenty times the same.
PyObject* filled_list(PyObject* op) {
    PyObject* list = PyList_New(20);
    for (Py_ssize_t i = 0; list != nullptr && i < 20; ++i) {
        PyList_SET_ITEM(list, i, Py_NewRef(op));
    }
    return list;
}
// What `use` makes of one.
template <class Use>
PyObject* with_list(PyObject* op, Use use) {
    PyObject* list = filled_list(op);
    PyObject* result = list == nullptr ? nullptr : use(list);
    Py_XDECREF(list);
    return result;
}
// What `use` makes of a dict.
template <class Use>
PyObject* with_dict(PyObject* op, Use use) {
    PyObject* dict = Py_BuildValue("{sOsO}", "a", op, "b", op);
    PyObject* result = dict == nullptr ? nullptr : use(dict);
    Py_XDECREF(dict);
    return result;
}
PyObject* done_if(bool ok) {
    return ok ? Py_NewRef(Py_None) : nullptr;
}
PyMethodDef fast_method_def = {"fast",
                               _PyCFunction_CAST(+[](PyObject*, PyObject* const*, Py_ssize_t,
                                                     PyObject*) { return Py_NewRef(Py_None); }),
                               METH_FASTCALL | METH_KEYWORDS, nullptr};

struct ObjectMaker {
    const char* name;
    PyObject* (*make)(PyObject* target);
};
const ObjectMaker kObjectMakers[] = {
    {"int", [](PyObject*) { return PyLong_FromLong(1L << 40); }},
    {"int of a size", [](PyObject*) { return PyLong_FromSsize_t(-(Py_ssize_t{1} << 40)); }},
    {"float", [](PyObject*) { return PyFloat_FromDouble(0.5); }},
    {"str", [](PyObject*) { return PyUnicode_FromString("a text of some length"); }},
    {"str of a size", [](PyObject*) { return PyUnicode_FromStringAndSize("a text", 6); }},
    {"tuple", [](PyObject*) { return PyTuple_New(3); }},
    {"list", [](PyObject*) { return PyList_New(0); }},
    {"list of a size", [](PyObject*) { return PyList_New(5); }},
    {"dict", [](PyObject*) { return PyDict_New(); }},
    {"capsule", [](PyObject*) { return PyCapsule_New(&method_def, "name", nullptr); }},
    {"built-in function", [](PyObject* op) { return PyCFunction_NewEx(&method_def, op, nullptr); }},
    {"weak reference", [](PyObject* op) { return PyWeakref_NewRef(op, nullptr); }},
    {"weak reference with a callback",
     [](PyObject* op) { return PyWeakref_NewRef(op, reinterpret_cast<PyObject*>(&PyList_Type)); }},
    {"proxy", [](PyObject* op) { return PyWeakref_NewProxy(op, nullptr); }},
    {"New", [](PyObject*) { return PyObject_New(PyObject, &AtomType); }},
    {"NewVar", [](PyObject*) { return object(PyObject_NewVar(PyVarObject, &AtomType, 7)); }},
    {"GC_New", [](PyObject*) { return PyObject_GC_New(PyObject, &PlainItemsType); }},
    {"GC_NewVar",
     [](PyObject*) { return object(PyObject_GC_NewVar(PyVarObject, &PlainItemsType, 7)); }},
    {"a large one",
     [](PyObject*) { return object(PyObject_GC_NewVar(PyVarObject, &PlainItemsType, 1 << 20)); }},
    {"NewWithExtraData",
     [](PyObject*) { return PyUnstable_Object_GC_NewWithExtraData(&ThingType, 100); }},
    {"GenericAlloc", [](PyObject*) { return PyType_GenericAlloc(&PlainItemsType, 7); }},
    {"GenericNew", [](PyObject*) { return PyType_GenericNew(&AtomType, nullptr, nullptr); }},
    {"tuple of objects", [](PyObject* op) { return PyTuple_Pack(3, op, op, op); }},
    {"tuple of another size",
     [](PyObject* op) {
         PyObject* tuple = PyTuple_Pack(3, op, op, op);
         if (tuple != nullptr) {
             _PyTuple_Resize(&tuple, 300);
         }
         return tuple;
     }},
    {"slice of a list",
     [](PyObject* op) {
         return with_list(op, [](PyObject* list) { return PyList_GetSlice(list, 2, 18); });
     }},
    {"tuple of a list", [](PyObject* op) { return with_list(op, PyList_AsTuple); }},
    {"list with a slice replaced",
     [](PyObject* op) {
         return with_list(op, [](PyObject* list) {
             return done_if(PyList_SetSlice(list, 0, 12, list) == 0 &&
                            PyList_Insert(list, 3, Py_None) == 0 && PyList_Extend(list, list) == 0);
         });
     }},
    {"copy of a dict", [](PyObject* op) { return with_dict(op, PyDict_Copy); }},
    {"keys", [](PyObject* op) { return with_dict(op, PyDict_Keys); }},
    {"values", [](PyObject* op) { return with_dict(op, PyDict_Values); }},
    {"items", [](PyObject* op) { return with_dict(op, PyDict_Items); }},
    {"dict with another's items",
     [](PyObject* op) {
         return with_dict(op, [](PyObject* dict) {
             PyObject* other = PyDict_New();
             const bool ok = other != nullptr && PyDict_Update(other, dict) == 0;
             Py_XDECREF(other);
             return done_if(ok);
         });
     }},
    {"dict with a default",
     [](PyObject* op) {
         return with_dict(op, [](PyObject* dict) {
             return done_if(PyDict_SetDefault(dict, Py_None, Py_None) != nullptr);
         });
     }},
    {"values of a format",
     [](PyObject* op) {
         return Py_BuildValue("[O(Ni){sN}d]", op, Py_NewRef(op), 1000, "key", Py_NewRef(op), 0.5);
     }},
    {"C values of arguments",
     [](PyObject* op) {
         PyObject* args = Py_BuildValue("(ssO)", "one", "two", op);
         char* one = nullptr;
         char* two = nullptr;
         PyObject* object;
         const bool ok = args != nullptr && PyArg_ParseTuple(args, "esetO", nullptr, &one, nullptr,
                                                             &two, &object) == 1;
         if (ok) {
             PyMem_Free(one);
             PyMem_Free(two);
         }
         Py_XDECREF(args);
         return done_if(ok);
     }},
    {"C values of keyword arguments",
     [](PyObject* op) {
         return with_dict(op, [](PyObject* kwargs) {
             static const char* names[] = {"a", "b", nullptr};
             PyObject* args = PyTuple_New(0);
             PyObject *a, *b;
             const bool ok = args != nullptr &&
                             PyArg_ParseTupleAndKeywords(args, kwargs, "OO", names, &a, &b) == 1;
             Py_XDECREF(args);
             return done_if(ok);
         });
     }},
    {"a call with keyword arguments",
     [](PyObject* op) {
         return with_dict(op, [](PyObject* kwargs) {
             PyObject* function = PyCFunction_New(&fast_method_def, nullptr);
             PyObject* args = PyTuple_New(20);
             PyObject* result = function == nullptr || args == nullptr
                                    ? nullptr
                                    : PyObject_Call(function, args, kwargs);
             Py_XDECREF(function);
             Py_XDECREF(args);
             return result;
         });
     }},
    {"a call with arguments",
     [](PyObject* op) {
         return PyObject_CallFunctionObjArgs(reinterpret_cast<PyObject*>(&PyList_Type), op,
                                             nullptr);
     }},
};

void discard(PyObject* op) {
    if (Py_TYPE(op) == &ThingType) {  // made without GenericAlloc: not in the record
        PyObject_GC_Del(op);
    } else if (Py_TYPE(op) == &PlainItemsType) {
        PyObject_GC_Del(op);
    } else if (Py_TYPE(op) == &AtomType) {
        PyObject_Free(op);
    } else {
        Py_DECREF(op);
    }
}

TEST_P(MemoryFailure, OfAnythingThatMakesAnObjectIsAMemoryError) {
    ASSERT_EQ(PyType_Ready(&AtomType), 0);
    ASSERT_EQ(PyType_Ready(&PlainItemsType), 0);
    for (const ObjectMaker& maker : kObjectMakers) {
        SCOPED_TRACE(maker.name);
        const Py_ssize_t count = Py_REFCNT(target_);
        const int failures = fail_each_allocation([&](Failing& failing) {
            PyObject* op = failing([&] { return maker.make(target_); });
            if (op != nullptr) {
                EXPECT_EQ(PyErr_Occurred(), nullptr);
                discard(op);
            } else if (failing.failed() > 0) {
                expect_raised(PyExc_MemoryError);
            } else {
                expect_raised(PyExc_TypeError);  // list takes no argument: the call itself arrived
            }
            EXPECT_EQ(Py_REFCNT(target_), count);
        });
        EXPECT_GE(failures, 2) << "it allocates nothing, so this shows nothing";
    }
}

TEST_P(MemoryFailure, OfAnAppendLeavesTheList) {
    fail_each_allocation([&](Failing& failing) {
        PyObject* list = PyList_New(0);
        Py_ssize_t size = 0;
        for (int i = 0; i < 40; ++i) {
            const Py_ssize_t count = Py_REFCNT(target_);
            if (failing([&] { return PyList_Append(list, target_); }) == 0) {
                ++size;
                EXPECT_EQ(Py_REFCNT(target_), count + 1);
            } else {
                expect_raised(PyExc_MemoryError);
                EXPECT_EQ(Py_REFCNT(target_), count);
            }
            ASSERT_EQ(PyList_Size(list), size);
        }
        for (Py_ssize_t i = 0; i < size; ++i) {
            ASSERT_EQ(PyList_GetItem(list, i), target_);
        }
        Py_DECREF(list);
    });
}

TEST_P(MemoryFailure, OfEmptyingAListLeavesIt) {
    fail_each_allocation([&](Failing& failing) {
        PyObject* list = filled_list(target_);
        if (failing([&] { return PyList_Clear(list); }) == 0) {
            EXPECT_EQ(PyList_Size(list), 0);
        } else {
            expect_raised(PyExc_MemoryError);
            EXPECT_EQ(PyList_Size(list), 20);
        }
        Py_DECREF(list);
        EXPECT_EQ(Py_REFCNT(target_), 1);
    });
}

TEST_P(MemoryFailure, OfAnInsertionLeavesTheDict) {
    fail_each_allocation([&](Failing& failing) {
        PyObject* dict = PyDict_New();
        std::vector<long> inside;
        for (long i = 0; i < 40; ++i) {
            PyObject* key = PyLong_FromLong(i);
            if (failing([&] { return PyDict_SetItem(dict, key, target_); }) == 0) {
                inside.push_back(i);
            } else {
                expect_raised(PyExc_MemoryError);
            }
            Py_DECREF(key);
            ASSERT_EQ(PyDict_Size(dict), static_cast<Py_ssize_t>(inside.size()));
        }
        Py_ssize_t position = 0;
        PyObject *key, *value;
        for (const long expected : inside) {
            ASSERT_EQ(PyDict_Next(dict, &position, &key, &value), 1);
            EXPECT_EQ(PyLong_AsLong(key), expected);
            EXPECT_EQ(value, target_);
        }
        EXPECT_EQ(PyDict_Next(dict, &position, &key, &value), 0);
        Py_DECREF(dict);
        EXPECT_EQ(Py_REFCNT(target_), 1);
    });
}

TEST_P(MemoryFailure, OfALookUpByTextRaises) {
    PyObject* dict = PyDict_New();
    ASSERT_EQ(PyDict_SetItemString(dict, "there", target_), 0);
    const int failures = fail_each_allocation([&](Failing& failing) {
        if (failing([&] { return PyDict_SetItemString(dict, "there", Py_None); }) < 0) {
            expect_raised(PyExc_MemoryError);
            EXPECT_EQ(PyDict_GetItemString(dict, "there"), target_);
        }
        EXPECT_EQ(PyDict_SetItemString(dict, "there", target_), 0);
        // Documented to hide errors: NULL without an exception.
        PyObject* found = failing([&] { return PyDict_GetItemString(dict, "there"); });
        EXPECT_TRUE(found == target_ || (found == nullptr && failing.failed() > 0));
        EXPECT_EQ(PyErr_Occurred(), nullptr);
    });
    EXPECT_GT(failures, 0);
    Py_DECREF(dict);
}

TEST_P(MemoryFailure, OfAMessageLeavesAnExceptionAllTheSame) {
    const int failures = fail_each_allocation([&](Failing& failing) {
        failing([] {
            PyErr_SetString(PyExc_ValueError, "a message");
            return 0;
        });
        expect_raised(failing.failed() > 0 ? PyExc_MemoryError : PyExc_ValueError);
        const uint64_t failed = failing.failed();
        failing([] { return PyErr_Format(PyExc_KeyError, "%d of %s", 7, "many"); });
        expect_raised(failing.failed() > failed ? PyExc_MemoryError : PyExc_KeyError);
    });
    EXPECT_GT(failures, 0);
}

TEST_P(MemoryFailure, OfAResizeLeavesTheObject) {
    ASSERT_EQ(PyType_Ready(&PlainItemsType), 0);
    int grown = 0;
    fail_each_allocation([&](Failing& failing) {
        auto* op = PyObject_GC_NewVar(PlainItems, &PlainItemsType, 4);
        for (PyObject*& item : op->items) {
            item = target_;
        }
        if (PlainItems* larger = failing([&] { return PyObject_GC_Resize(PlainItems, op, 400); })) {
            op = larger;
            ++grown;
        } else {
            expect_raised(PyExc_MemoryError);
            EXPECT_EQ(Py_SIZE(op), 4);
            EXPECT_EQ(Py_REFCNT(op), 1);
        }
        EXPECT_EQ(op->items[0], target_);
        // What shrinks needs no memory.
        const Py_ssize_t before = Py_SIZE(op);
        PlainItems* smaller = failing([&] { return PyObject_GC_Resize(PlainItems, op, 1); });
        ASSERT_NE(smaller, nullptr) << "from " << before;
        EXPECT_EQ(Py_SIZE(smaller), 1);
        EXPECT_EQ(smaller->items[0], target_);
        EXPECT_EQ(PyErr_Occurred(), nullptr);
        PyObject_GC_Del(smaller);
    });
    EXPECT_GT(grown, 0);
}

TEST_P(MemoryFailure, OfABufferRaisesNothing) {
    struct Family {
        void* (*allocate)(size_t);
        void* (*zeroed)(size_t, size_t);
        void* (*resize)(void*, size_t);
        void (*free)(void*);
    };
    for (const Family& family :
         {Family{PyMem_Malloc, PyMem_Calloc, PyMem_Realloc, PyMem_Free},
          Family{PyObject_Malloc, PyObject_Calloc, PyObject_Realloc, PyObject_Free},
          Family{PyMem_RawMalloc, PyMem_RawCalloc, PyMem_RawRealloc, PyMem_RawFree}}) {
        const int failures = fail_each_allocation([&](Failing& failing) {
            family.free(failing([&] { return family.zeroed(3, 100); }));
            auto* p = static_cast<char*>(failing([&] { return family.allocate(100); }));
            if (p == nullptr) {
                EXPECT_GT(failing.failed(), 0u);
                p = static_cast<char*>(family.allocate(100));
            }
            std::fill(p, p + 100, 'x');
            if (void* larger = failing([&] { return family.resize(p, 10000); })) {
                p = static_cast<char*>(larger);
            }
            EXPECT_EQ(std::count(p, p + 100, 'x'), 100);
            family.free(p);
            EXPECT_EQ(PyErr_Occurred(), nullptr);
        });
        EXPECT_GT(failures, 0);
    }
}

TEST_P(MemoryFailure, OfABufferThatShrinksIsNone) {
    auto* p = static_cast<char*>(PyMem_Malloc(10000));
    std::fill(p, p + 10000, 'x');
    Failing failing(0, 1);
    auto* smaller = static_cast<char*>(failing([&] { return PyMem_Realloc(p, 10); }));
    ASSERT_NE(smaller, nullptr);
    EXPECT_EQ(std::count(smaller, smaller + 10, 'x'), 10);
    EXPECT_EQ(failing.failed(), 1u) << "it did not try to move, so this shows nothing";
    PyMem_Free(smaller);
}

// A refusal of the system itself, when blocks or their side tables must grow. A heap grows only once,
// so this is for one policy.
class Growth : public MemoryFailure {};

TEST_P(Growth, ThatTheSystemRefusesLeavesTheHeapUsable) {
    constexpr int kObjects = 600'000;
    PyGC_Disable();  // it has nothing to find and would take most of the time
    PyObject* all = PyList_New(kObjects);
    int refused = 0;
    for (int i = 0; i < kObjects; ++i) {
        Failing failing(1, 1);  // the allocation passes, what it needs of the system does not
        PyObject* op = failing([] { return PyTuple_New(2); });
        if (op == nullptr) {
            expect_raised(PyExc_MemoryError);
            ++refused;
            op = PyTuple_New(2);
        }
        ASSERT_NE(op, nullptr);
        PyList_SET_ITEM(all, i, op);
    }
    EXPECT_GE(refused, 2) << "the heap did not grow, so this shows nothing";
    Py_DECREF(all);
    PyGC_Enable();
}

// Where the trashcan's stack cannot grow, things that are too many for it die by nested calls.
TEST_P(MemoryFailure, OfTheTrashcanIsNoLeak) {
    constexpr int kDepth = 2000, kWide = 40;
    const int failures = fail_each_allocation([&](Failing& failing) {
        PyObject* outer = new_thing(kDepth);
        int made = 1;
        for (int id = kDepth - 1; id > 0; --id, ++made) {
            PyObject* op = new_thing(id);
            thing(op)->slots[0] = outer;
            if (id % 7 == 0) {
                PyObject* wide = PyTuple_New(kWide);
                for (Py_ssize_t i = 0; i < kWide; ++i, ++made) {
                    PyTuple_SET_ITEM(wide, i, new_thing(kDepth + 1));
                }
                thing(op)->slots[1] = wide;
            }
            outer = op;
        }
        record.calls.clear();
        failing([&] {
            Py_DECREF(outer);
            return 0;
        });
        EXPECT_EQ(record.count(Call::kDealloc), made);
        EXPECT_EQ(record.live, 1) << "the target alone";
    });
    EXPECT_GT(failures, 0);
}

EVERY_RUNTIME(MemoryFailure);
INSTANTIATE_TEST_SUITE_P(Counts, Growth, testing::Values(kOwnedCounts));

}  // namespace
}  // namespace ouro::test
