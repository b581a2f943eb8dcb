// A thread that traverses a list or a dict concurrently with its writer is shown objects that were in it, each whole
// until the thread's next quiescent point, though they may be dead by then; whatever the writer does, and
// whatever it puts into memory that is free (inv.heap.freed-whole).

#include <array>
#include <optional>
#include <set>

#include "core/mutator/traversal.hpp"
#include "core/mutator/world.hpp"
#include "core/object/object.hpp"
#include "tests/systematic/runtime.hpp"

namespace ouro::test {
namespace {

class ATraversal : public Runtime {};

struct Seen {
    std::set<long> numbers;  // of all that was ever in the container
    size_t count = 0;
};

// Alive or dead, it is a witness with its number, and stays so.
int see(PyObject* op, void* arg) {
    auto* seen = static_cast<Seen*>(arg);
    ++seen->count;
    EXPECT_TRUE(heap::in_heap(op)) << op;
    if (!heap::in_heap(op)) {
        return 1;
    }
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(object::type_of(op), &WitnessType);
        EXPECT_TRUE(seen->numbers.contains(witness(op)->number)) << witness(op)->number;
        point("seen");
    }
    return testing::Test::HasFailure() ? 1 : 0;
}

void traverse(PyObject* container, std::set<long> numbers, int rounds, size_t most) {
    std::optional<mutator::Traversal> traversal;
    {
        const Attached here;
        const mutator::Stopped stopped;
        traversal.emplace();
        traversal->pause();
    }
    for (int i = 0; i < rounds; ++i) {
        traversal->resume();
        Seen seen{numbers};
        EXPECT_EQ(Py_TYPE(container)->tp_traverse(container, see, &seen), 0);
        EXPECT_LE(seen.count, most);
        traversal->pause();
    }
}

// What is freed is wanted at once for something else.
void elsewhere() {
    safepoint();
    PyObject* other = new_witness(-1);
    void* memory = PyMem_Malloc(4 * sizeof(PyObject*));
    std::memset(memory, 0x5A, 4 * sizeof(PyObject*));
    point("elsewhere");
    PyMem_Free(memory);
    Py_DECREF(other);
}

std::shared_ptr<Held> list_of(long size) {
    PyObject* list = PyList_New(0);
    for (long i = 0; i < size; ++i) {
        PyObject* item = new_witness(i);
        EXPECT_EQ(PyList_Append(list, item), 0);
        Py_DECREF(item);
    }
    return hold(list);
}

void change_a_list(Execution& run) {
    auto list = list_of(4);
    run.thread("traverses", [list] { traverse(list->get(), {0, 1, 2, 3, 4, 5}, 2, 5); });
    run.thread("writes", [list] {
        const Attached here;
        EXPECT_EQ(PyList_SetItem(list->get(), 1, new_witness(4)), 0);
        elsewhere();
        PyObject* item = new_witness(5);  // the fifth needs another array
        EXPECT_EQ(PyList_Append(list->get(), item), 0);
        Py_DECREF(item);
        elsewhere();
        EXPECT_EQ(PyList_Type.tp_clear(list->get()), 0);
        elsewhere();
    });
}

TEST_P(ATraversal, OfAListThatIsReplacedGrownAndCleared) {
    explore_runtime(500, change_a_list);
}

TEST_P(ATraversal, OfAListInEverySchedule) {
    exhaust_runtime(1, change_a_list);
}

// Cleared and filled again, in arrays of memory that had something else in it: a size that counts the
// items of one array is not taken for another's.
TEST_P(ATraversal, OfAListThatIsFilledAgain) {
    explore_runtime(500, [](Execution& run) {
        auto list = list_of(0);
        auto prepared = std::make_shared<std::atomic<bool>>(false);
        run.thread("traverses", [list, prepared] {
            wait_until([&] { return prepared->load(); });
            traverse(list->get(), {1, 2, 3}, 3, 3);
        });
        run.thread("writes", [list, prepared] {
            const Attached here;
            std::array<void*, 8> junk;
            for (void*& p : junk) {
                p = PyMem_Malloc(4 * sizeof(PyObject*));
                std::memset(p, 0x5A, 4 * sizeof(PyObject*));
            }
            for (void* p : junk) {
                PyMem_Free(p);
            }
            *prepared = true;
            for (long size = 1; size <= 3; ++size) {
                for (long i = 1; i <= size; ++i) {
                    PyObject* item = new_witness(i);
                    EXPECT_EQ(PyList_Append(list->get(), item), 0);
                    Py_DECREF(item);
                }
                safepoint();
                EXPECT_EQ(PyList_Type.tp_clear(list->get()), 0);
            }
        });
    });
}

// `most`: references that one traversal is shown.
void change_a_dict(Execution& run, PyObject* (*new_key)(long number), size_t most) {
    auto dict = hold(PyDict_New());
    auto keys = hold(PyList_New(0));
    for (long i = 0; i <= 6; ++i) {
        PyObject* key = new_key(10 + i);
        EXPECT_EQ(PyList_Append(keys->get(), key), 0);
        Py_DECREF(key);
    }
    const auto put = [keys](PyObject* to, long key, long number) {
        PyObject* value = new_witness(number);
        EXPECT_EQ(PyDict_SetItem(to, PyList_GET_ITEM(keys->get(), key), value), 0);
        Py_DECREF(value);
    };
    for (long i = 0; i < 5; ++i) {
        put(dict->get(), i, i);
    }
    run.thread("traverses", [dict, most] {
        traverse(dict->get(), {0, 1, 2, 3, 4, 5, 6, 10, 11, 12, 13, 14, 15, 16}, 2, most);
    });
    run.thread("writes", [dict, put] {
        const Attached here;
        put(dict->get(), 1, 5);
        elsewhere();
        put(dict->get(), 6, 6);  // another table
        elsewhere();
        PyDict_Clear(dict->get());
        elsewhere();
    });
}

TEST_P(ATraversal, OfADictThatIsReplacedRehashedAndCleared) {
    explore_runtime(300, [](Execution& run) {
        change_a_dict(
            run, [](long number) { return PyUnicode_FromFormat("%ld", number); }, 7);
    });
}

TEST_P(ATraversal, OfADictWhoseKeysAreVisited) {
    explore_runtime(300, [](Execution& run) { change_a_dict(run, new_witness, 14); });
}

FREE_RUNTIMES(ATraversal);

}  // namespace
}  // namespace ouro::test
