// A list that is read without its lock gives an item that was in that place during the call, alive, or
// says that there was none; whatever a writer does concurrently with it.

#include "tests/systematic/runtime.hpp"

namespace ouro::test {
namespace {

class AListReadWithoutALock : public Runtime {};

std::shared_ptr<Held> list_of(long size) {
    PyObject* list = PyList_New(0);
    for (long i = 0; i < size; ++i) {
        PyObject* item = new_shared_witness(i);
        EXPECT_EQ(PyList_Append(list, item), 0);
        Py_DECREF(item);
    }
    return hold(list);
}

// The number of the item; -1: there was none.
long number_at(PyObject* list, Py_ssize_t index) {
    PyObject* item = PyList_GetItemRef(list, index);
    if (item == nullptr) {
        EXPECT_TRUE(PyErr_ExceptionMatches(PyExc_IndexError));
        PyErr_Clear();
        return -1;
    }
    return take_number(item);
}

void append(PyObject* list, long number) {
    PyObject* item = new_shared_witness(number);
    EXPECT_EQ(PyList_Append(list, item), 0);
    Py_DECREF(item);
}

// Each item is counted once, by the list alone.
void expect_numbers(PyObject* list, const std::vector<long>& numbers) {
    ASSERT_EQ(PyList_Size(list), static_cast<Py_ssize_t>(numbers.size()));
    for (size_t i = 0; i < numbers.size(); ++i) {
        PyObject* item = PyList_GET_ITEM(list, i);
        EXPECT_EQ(number_of(item), numbers[i]);
        EXPECT_EQ(Py_REFCNT(item), 1);
    }
}

// Room for four: the fifth item needs another array, and what is allocated then may take the place of the
// first.
void grow_beside_a_reader(Execution& run, int appended) {
    auto list = list_of(4);
    run.thread("appends", [list, appended] {
        const Attached here;
        for (long i = 0; i < appended; ++i) {
            append(list->get(), 4 + i);
            void* other = PyMem_Malloc(4 * sizeof(PyObject*));
            std::memset(other, 0x5A, 4 * sizeof(PyObject*));
            PyMem_Free(other);
        }
    });
    run.thread("reads", [list] {
        const Attached here;
        const Py_ssize_t size = PyList_Size(list->get());
        EXPECT_EQ(number_at(list->get(), 0), 0);
        EXPECT_EQ(number_at(list->get(), 3), 3);
        for (const Py_ssize_t i : {4, 5}) {
            const long number = number_at(list->get(), i);
            EXPECT_TRUE(number == i || (number == -1 && i >= size)) << number;
        }
    });
    run.after([list, appended] {
        std::vector<long> numbers;
        for (long i = 0; i < 4 + appended; ++i) {
            numbers.push_back(i);
        }
        expect_numbers(list->get(), numbers);
    });
}

TEST_P(AListReadWithoutALock, WhileItGrows) {
    explore_runtime(300, [](Execution& run) { grow_beside_a_reader(run, 2); });
}

TEST_P(AListReadWithoutALock, WhileItGrowsInEverySchedule) {
    exhaust_runtime(2, [](Execution& run) { grow_beside_a_reader(run, 1); });
}

// The slot of what is replaced is used at once for what is in no list.
void replace_beside_readers(Execution& run, int readers, int rounds) {
    auto list = list_of(1);
    run.thread("replaces", [list, rounds] {
        const Attached here;
        for (int i = 0; i < rounds; ++i) {
            for (long number : {1, 2}) {
                EXPECT_EQ(PyList_SetItem(list->get(), 0, new_shared_witness(number)), 0);
                PyObject* elsewhere = new_shared_witness(-1);
                point("elsewhere");
                Py_DECREF(elsewhere);
            }
        }
    });
    for (int reader = 0; reader < readers; ++reader) {
        run.thread("reads", [list, rounds] {
            const Attached here;
            for (int i = 0; i < 2 * rounds; ++i) {
                const long number = number_at(list->get(), 0);
                EXPECT_TRUE(number >= 0 && number <= 2) << number;
            }
        });
    }
    run.after([list] { expect_numbers(list->get(), {2}); });
}

TEST_P(AListReadWithoutALock, WhileAnItemIsReplaced) {
    explore_runtime(500, [](Execution& run) { replace_beside_readers(run, 2, 2); });
}

TEST_P(AListReadWithoutALock, WhileAnItemIsReplacedInEverySchedule) {
    exhaust_runtime(2, [](Execution& run) { replace_beside_readers(run, 1, 1); });
}

// Nobody lets others take references: a reader asks for the lock, once.
TEST_P(AListReadWithoutALock, WhoseItemsAreTheWritersAlone) {
    explore_runtime(300, [](Execution& run) {
        auto list = list_of(1);
        run.thread("replaces", [list] {
            const Attached here;
            for (long number : {1, 2, 3}) {
                EXPECT_EQ(PyList_SetItem(list->get(), 0, new_witness(number)), 0);
                safepoint();
            }
        });
        run.thread("reads", [list] {
            const Attached here;
            for (int i = 0; i < 3; ++i) {
                EXPECT_GE(number_at(list->get(), 0), 0);
                EXPECT_GE(number_at(list->get(), 0), 0);
            }
        });
        run.after([list] { expect_numbers(list->get(), {3}); });
    });
}

// An array that is so large that its writer frees it at its next safepoint, if nobody can be reading it.
TEST_P(AListReadWithoutALock, WhileItsOldArrayIsReclaimed) {
    explore_runtime(200, [](Execution& run) {
        constexpr Py_ssize_t kItems = 40 << 10;
        auto list = hold(PyList_New(kItems));
        PyList_SET_ITEM(list->get(), 0, new_shared_witness(0));
        for (Py_ssize_t i = 1; i < kItems; ++i) {
            PyList_SET_ITEM(list->get(), i, Py_NewRef(Py_None));
        }
        run.thread("appends", [list] {
            const Attached here;
            EXPECT_EQ(PyList_Append(list->get(), Py_None), 0);
            safepoint();
            safepoint();
        });
        run.thread("reads", [list] {
            const Attached here;
            EXPECT_EQ(number_at(list->get(), 0), 0);
            EXPECT_EQ(number_at(list->get(), 0), 0);
        });
        run.after([list] { EXPECT_EQ(PyList_Size(list->get()), kItems + 1); });
    });
}

TEST_P(AListReadWithoutALock, LosesNoItemOfTwoWhoAppend) {
    explore_runtime(300, [](Execution& run) {
        auto list = list_of(3);
        for (const long first : {10L, 20L}) {
            run.thread("appends", [list, first] {
                const Attached here;
                append(list->get(), first);
                append(list->get(), first + 1);
            });
        }
        run.after([list] {
            ASSERT_EQ(PyList_Size(list->get()), 7);
            long sum = 0;
            for (Py_ssize_t i = 3; i < 7; ++i) {
                sum += number_of(PyList_GET_ITEM(list->get(), i));
            }
            EXPECT_EQ(sum, 10 + 11 + 20 + 21);
        });
    });
}

FREE_RUNTIMES(AListReadWithoutALock);

}  // namespace
}  // namespace ouro::test
