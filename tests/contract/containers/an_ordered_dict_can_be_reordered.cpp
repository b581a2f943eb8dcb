// OrderedDict: items are where they were moved, through growth and deletion; counts of keys and values are exact; cycles
// through its items and through its attributes are collected. Source: "Dictionary Objects", and the documentation of
// collections.OrderedDict.

#include <algorithm>
#include <random>

#include "tests/contract/things.hpp"
#include "tests/support/scale.hpp"

namespace ouro::test {
namespace {

using OrderedDict = Things;

PyObject* call(PyObject* op, const char* name, PyObject* key, bool last) {
    return key == nullptr ? PyObject_CallMethod(op, name, "i", last ? 1 : 0)
                          : PyObject_CallMethod(op, name, "Oi", key, last ? 1 : 0);
}

std::vector<size_t> order_of(PyObject* dict, const std::vector<PyObject*>& keys) {
    std::vector<size_t> order;
    PyObject* key;
    for (Py_ssize_t position = 0; PyDict_Next(dict, &position, &key, nullptr) != 0;) {
        order.push_back(static_cast<size_t>(std::ranges::find(keys, key) - keys.begin()));
    }
    return order;
}

TEST_P(OrderedDict, AgreesWithAListUnderRandomUse) {
    std::mt19937 random(static_cast<unsigned>(seed()));
    PyObject* dict = PyODict_New();
    std::vector<PyObject*> keys;
    for (long i = 0; i < 60; ++i) {
        keys.push_back(PyLong_FromLong(1'000'003 * (i + 1)));
    }
    std::vector<size_t> expected;
    const size_t steps = scaled(size_t{20'000});
    for (size_t step = 0; step < steps; ++step) {
        const size_t which = random() % keys.size();
        const auto place = std::ranges::find(expected, which);
        const bool is_there = place != expected.end();
        const bool last = random() % 3 != 0;
        switch (random() % 8) {
            case 0:
            case 1:
            case 2:
                ASSERT_EQ(PyODict_SetItem(dict, keys[which], dict), 0);
                if (!is_there) {
                    expected.push_back(which);
                }
                break;
            case 3:
                ASSERT_EQ(PyODict_DelItem(dict, keys[which]), is_there ? 0 : -1);
                PyErr_Clear();
                std::erase(expected, which);
                break;
            case 4: {
                PyObject* pair = call(dict, "popitem", nullptr, last);
                ASSERT_EQ(pair == nullptr, expected.empty());
                if (pair == nullptr) {
                    PyErr_Clear();
                } else {
                    const auto at = last ? expected.end() - 1 : expected.begin();
                    EXPECT_EQ(PyTuple_GetItem(pair, 0), keys[*at]);
                    expected.erase(at);
                    Py_DECREF(pair);
                }
                break;
            }
            default: {
                PyObject* none = call(dict, "move_to_end", keys[which], last);
                ASSERT_EQ(none != nullptr, is_there);
                if (none == nullptr) {
                    PyErr_Clear();
                } else {
                    std::erase(expected, which);
                    expected.insert(last ? expected.end() : expected.begin(), which);
                    Py_DECREF(none);
                }
            }
        }
        if (step % 16 == 0) {
            ASSERT_EQ(order_of(dict, keys), expected);
        }
    }
    EXPECT_EQ(order_of(dict, keys), expected);
    EXPECT_EQ(Py_REFCNT(dict), 1 + static_cast<Py_ssize_t>(expected.size()));
    for (size_t i = 0; i < keys.size(); ++i) {
        EXPECT_EQ(Py_REFCNT(keys[i]), 1 + std::ranges::count(expected, i));
    }
    PyDict_Clear(dict);
    EXPECT_EQ(Py_REFCNT(dict), 1);
    Py_DECREF(dict);
    drop(keys);
}

TEST_P(OrderedDict, IsCollectedThroughItsItemsAndItsAttributes) {
    for (const bool by_attribute : {false, true}) {
        Fate fate;
        PyObject* dict = PyODict_New();
        PyObject* name = PyUnicode_FromString("name");
        PyObject* held = new_thing(&fate);
        refer(held, 0, dict);
        if (by_attribute) {
            ASSERT_EQ(PyObject_SetAttr(dict, name, held), 0);
        } else {
            ASSERT_EQ(PyODict_SetItem(dict, name, held), 0);
        }
        drop({held, name, dict});
        EXPECT_EQ(fate.died.load(), 0);
        PyGC_Collect();
        EXPECT_EQ(fate.died.load(), 1);
    }
}

EVERY_RUNTIME(OrderedDict);

}  // namespace
}  // namespace ouro::test
