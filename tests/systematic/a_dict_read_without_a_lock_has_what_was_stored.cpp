// A dict that is looked up without its lock gives a value that the key had during the call, alive, or
// says that there was none; whatever writers do concurrently with it, and none of those loses what another stores.

#include "tests/systematic/runtime.hpp"

namespace ouro::test {
namespace {

class ADictReadWithoutALock : public Runtime {};

constexpr long kNone = -1;

// A dict, and keys 0, 1, ... of which the first so many are in it, with the values 0, 1, ...
class Filled {
public:
    // `dict` is empty; the reference is this one's.
    Filled(size_t keys, size_t filled, PyObject* dict = PyDict_New()) : dict_(dict) {
        for (size_t i = 0; i < keys; ++i) {
            keys_.push_back(PyLong_FromLong(static_cast<long>(1000 + i)));
        }
        for (size_t i = 0; i < filled; ++i) {
            set(i, static_cast<long>(i));
        }
    }
    ~Filled() {
        Py_DECREF(dict_);
        for (PyObject* key : keys_) {
            EXPECT_EQ(Py_REFCNT(key), 1);
            Py_DECREF(key);
        }
    }
    Filled(const Filled&) = delete;
    Filled& operator=(const Filled&) = delete;

    void set(size_t key, long number) const {
        PyObject* value = new_shared_witness(number);
        EXPECT_EQ(PyDict_SetItem(dict_, keys_[key], value), 0);
        Py_DECREF(value);
    }
    long get(size_t key) const {
        PyObject* value = nullptr;
        const int found = PyDict_GetItemRef(dict_, keys_[key], &value);
        EXPECT_EQ(found, value != nullptr ? 1 : 0);
        return value == nullptr ? kNone : take_number(value);
    }
    void remove(size_t key) const { EXPECT_EQ(PyDict_DelItem(dict_, keys_[key]), 0); }
    // Of an ordered one.
    void move(size_t key, bool last) const {
        PyObject* none = PyObject_CallMethod(dict_, "move_to_end", "Oi", keys_[key], last ? 1 : 0);
        EXPECT_EQ(none, Py_None);
        Py_XDECREF(none);
    }
    bool contains(size_t key) const { return PyDict_Contains(dict_, keys_[key]) == 1; }
    void clear() const { PyDict_Clear(dict_); }

    // Each value is counted once, by the dict alone.
    void expect(const std::vector<long>& numbers) const {
        Py_ssize_t size = 0;
        for (size_t i = 0; i < numbers.size(); ++i) {
            EXPECT_EQ(get(i), numbers[i]) << "key " << i;
            size += numbers[i] != kNone ? 1 : 0;
        }
        EXPECT_EQ(PyDict_Size(dict_), size);
        Py_ssize_t position = 0;
        PyObject* value = nullptr;
        while (PyDict_Next(dict_, &position, nullptr, &value) != 0) {
            EXPECT_EQ(Py_REFCNT(value), 1);
        }
    }

private:
    PyObject* const dict_;
    std::vector<PyObject*> keys_;
};

// What a freed table left is written over.
void use_memory() {
    for (const size_t bytes : {size_t{144}, size_t{288}}) {
        void* other = PyMem_Malloc(bytes);
        std::memset(other, 0x5A, bytes);
        PyMem_Free(other);
    }
}

// Five entries fill the smallest table: the sixth needs another.
void grow_beside_a_reader(Execution& run) {
    auto dict = std::make_shared<Filled>(7, 5);
    run.thread("inserts", [dict] {
        const Attached here;
        dict->set(5, 5);
        use_memory();
    });
    run.thread("reads", [dict] {
        const Attached here;
        EXPECT_EQ(dict->get(0), 0);
        EXPECT_EQ(dict->get(4), 4);
        const bool there = dict->contains(5);
        const long number = dict->get(5);
        EXPECT_TRUE(number == 5 || (number == kNone && !there)) << number;
        EXPECT_EQ(dict->get(6), kNone);
    });
    run.after([dict] { dict->expect({0, 1, 2, 3, 4, 5, kNone}); });
}

TEST_P(ADictReadWithoutALock, WhileItGrows) {
    explore_runtime(300, grow_beside_a_reader);
}

TEST_P(ADictReadWithoutALock, WhileItGrowsInEverySchedule) {
    exhaust_runtime(1, grow_beside_a_reader);
}

// The slot of what is replaced is used at once for what is in no dict.
void replace_beside_readers(Execution& run, int readers, int rounds) {
    auto dict = std::make_shared<Filled>(1, 1);
    run.thread("replaces", [dict, rounds] {
        const Attached here;
        for (int i = 0; i < rounds; ++i) {
            for (const long number : {1, 2}) {
                dict->set(0, number);
                PyObject* elsewhere = new_shared_witness(-2);
                point("elsewhere");
                Py_DECREF(elsewhere);
            }
        }
    });
    for (int reader = 0; reader < readers; ++reader) {
        run.thread("reads", [dict, rounds] {
            const Attached here;
            for (int i = 0; i < 2 * rounds; ++i) {
                const long number = dict->get(0);
                EXPECT_TRUE(number >= 0 && number <= 2) << number;
            }
        });
    }
    run.after([dict] { dict->expect({2}); });
}

TEST_P(ADictReadWithoutALock, WhileAValueIsReplaced) {
    explore_runtime(500, [](Execution& run) { replace_beside_readers(run, 2, 2); });
}

TEST_P(ADictReadWithoutALock, WhileAValueIsReplacedInEverySchedule) {
    exhaust_runtime(2, [](Execution& run) { replace_beside_readers(run, 1, 1); });
}

// A key that is taken out and put back is found, or not, with a value of its own.
void remove_beside_a_reader(Execution& run, int rounds) {
    auto dict = std::make_shared<Filled>(2, 2);
    run.thread("removes", [dict, rounds] {
        const Attached here;
        for (int i = 0; i < rounds; ++i) {
            dict->remove(0);
            dict->set(0, 10 + i);
        }
    });
    run.thread("reads", [dict, rounds] {
        const Attached here;
        for (int i = 0; i <= rounds; ++i) {
            const long number = dict->get(0);
            EXPECT_TRUE(number == kNone || number == 0 || (number >= 10 && number < 10 + rounds))
                << number;
            EXPECT_EQ(dict->get(1), 1);
        }
    });
    run.after([dict, rounds] { dict->expect({9 + rounds, 1}); });
}

TEST_P(ADictReadWithoutALock, WhileKeysComeAndGo) {
    explore_runtime(300, [](Execution& run) { remove_beside_a_reader(run, 5); });
}

TEST_P(ADictReadWithoutALock, WhileAKeyComesAndGoesInEverySchedule) {
    exhaust_runtime(1, [](Execution& run) { remove_beside_a_reader(run, 1); });
}

// Whoever moves a key of an ordered dict takes it out at no time.
void move_beside_a_reader(Execution& run, int rounds, bool first) {
    auto dict = std::make_shared<Filled>(3, 3, PyODict_New());
    run.thread("moves", [dict, rounds, first] {
        const Attached here;
        dict->remove(2);  // its index word may be used again
        for (int i = 0; i < rounds; ++i) {
            dict->move(0, true);
            dict->move(first ? 0 : 1, !first);
        }
    });
    run.thread("reads", [dict, rounds] {
        const Attached here;
        for (int i = 0; i <= rounds; ++i) {
            EXPECT_EQ(dict->get(0), 0);
            EXPECT_TRUE(dict->contains(1));
        }
    });
    run.after([dict] { dict->expect({0, 1, kNone}); });
}

TEST_P(ADictReadWithoutALock, WhileKeysAreMovedToTheEnd) {
    explore_runtime(300, [](Execution& run) { move_beside_a_reader(run, 3, false); });
}

TEST_P(ADictReadWithoutALock, WhileAKeyIsMovedToBothEnds) {
    explore_runtime(300, [](Execution& run) { move_beside_a_reader(run, 3, true); });
}

TEST_P(ADictReadWithoutALock, WhileAKeyIsMovedInEverySchedule) {
    exhaust_runtime(1, [](Execution& run) { move_beside_a_reader(run, 1, false); });
}

TEST_P(ADictReadWithoutALock, WhileItIsCleared) {
    explore_runtime(300, [](Execution& run) {
        auto dict = std::make_shared<Filled>(3, 3);
        run.thread("clears", [dict] {
            const Attached here;
            dict->clear();
            use_memory();
            dict->set(0, 10);
            dict->clear();
            use_memory();
        });
        run.thread("reads", [dict] {
            const Attached here;
            for (const size_t key : {0, 2, 0}) {
                const long number = dict->get(key);
                EXPECT_TRUE(number == kNone || number == static_cast<long>(key) ||
                            (key == 0 && number == 10))
                    << number;
            }
        });
        run.after([dict] { dict->expect({kNone, kNone, kNone}); });
    });
}

TEST_P(ADictReadWithoutALock, LosesNothingOfTwoWhoInsert) {
    explore_runtime(300, [](Execution& run) {
        auto dict = std::make_shared<Filled>(8, 4);
        for (const size_t first : {4, 6}) {
            run.thread("inserts", [dict, first] {
                const Attached here;
                dict->set(first, static_cast<long>(first));
                dict->set(first + 1, static_cast<long>(first) + 1);
            });
        }
        run.after([dict] { dict->expect({0, 1, 2, 3, 4, 5, 6, 7}); });
    });
}

FREE_RUNTIMES(ADictReadWithoutALock);

}  // namespace
}  // namespace ouro::test
