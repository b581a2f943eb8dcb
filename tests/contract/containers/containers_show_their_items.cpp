// The repr of a list or a tuple is made of its items', and a container within itself is shown in short.
#include "tests/contract/exceptions.hpp"
#include "tests/support/failing.hpp"

namespace ouro::test {
namespace {

class Showing : public Things {};
EVERY_WAY_OF_COUNTING(Showing);

std::string shown(PyObject* op) {
    return said(PyObject_Repr(op));
}

std::string shown_once(PyObject* op) {
    std::string all = shown(op);
    Py_DECREF(op);
    return all;
}

PyObject* list(std::initializer_list<PyObject*> items) {
    PyObject* made = PyList_New(0);
    for (PyObject* item : items) {
        PyList_Append(made, item);
        Py_DECREF(item);
    }
    return made;
}

PyObject* one() {
    return PyLong_FromLong(1);
}

TEST_P(Showing, ItemsStandBetweenBrackets) {
    EXPECT_EQ(shown_once(list({})), "[]");
    EXPECT_EQ(shown_once(list({one()})), "[1]");
    EXPECT_EQ(shown_once(list({one(), text("it's"), Py_NewRef(Py_None)})), "[1, \"it's\", None]");
    EXPECT_EQ(shown_once(tuple({})), "()");
    EXPECT_EQ(shown_once(tuple({one()})), "(1,)");
    EXPECT_EQ(shown_once(tuple({one(), list({tuple({one(), one()})})})), "(1, [(1, 1)])");
}

TEST_P(Showing, AMissingItemIsNull) {
    EXPECT_EQ(shown_once(PyList_New(2)), "[<NULL>, <NULL>]");
    EXPECT_EQ(shown_once(PyTuple_New(1)), "(<NULL>,)");
}

TEST_P(Showing, AContainerWithinItselfIsShownInShort) {
    PyObject* self = list({one()});
    PyList_Append(self, self);
    EXPECT_EQ(shown(self), "[1, [...]]");
    EXPECT_EQ(shown(self), "[1, [...]]") << "it was left as being shown";
    PyObject* outer = tuple({Py_NewRef(self), Py_NewRef(self)});
    EXPECT_EQ(shown(outer), "([1, [...]], [1, [...]])");
    PyList_SetItem(self, 1, Py_NewRef(outer));
    EXPECT_EQ(shown(outer), "([1, (...)], [1, (...)])");
    EXPECT_EQ(shown(self), "[1, ([...], [...])]");
    PyList_SetItem(self, 1, Py_NewRef(Py_None));
    Py_DECREF(outer);
    Py_DECREF(self);
}

TEST_P(Showing, ATooDeepNestIsARecursionError) {
    PyObject* nest = list({});
    for (int i = 0; i < 2 * Py_GetRecursionLimit(); ++i) {
        nest = list({nest});
    }
    EXPECT_EQ(
        shown(nest),
        "RecursionError: maximum recursion depth exceeded while getting the repr of an object");
    EXPECT_EQ(Py_ReprEnter(nest), 0) << "it was left as being shown";
    EXPECT_EQ(Py_ReprEnter(nest), 1);
    Py_ReprLeave(nest);
    Py_ReprLeave(nest);
    Py_DECREF(nest);
}

// An item that takes the list's items away, all but itself, when it is shown.
PyObject* take_away(PyObject* op) {
    PyObject* list = thing(op)->slots[0];
    PyList_SetSlice(list, 1, PyList_Size(list), nullptr);
    return text("taken");
}

PyTypeObject TakerType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Taker",
    .tp_repr = take_away,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_base = &ThingType,
};

TEST_P(Showing, AnItemMayChangeTheList) {
    ASSERT_EQ(PyType_Ready(&TakerType), 0);
    PyObject* taker = new_thing(1, &TakerType);
    PyObject* all = list({Py_NewRef(taker), one(), one()});
    refer(taker, 0, all);
    EXPECT_EQ(shown(all), "[taken]");
    refer(taker, 0, nullptr);
    Py_DECREF(taker);
    Py_DECREF(all);
}

TEST_P(Showing, WithoutMemoryItIsAMemoryError) {
    PyObject* all = list({tuple({one(), text("a text")}), Py_NewRef(Py_True)});
    const int failures = fail_each_allocation([&](Failing& failing) {
        PyObject* repr = failing([&] { return PyObject_Repr(all); });
        if (repr == nullptr) {
            expect_raised(PyExc_MemoryError);
        } else {
            EXPECT_EQ(said(repr), "[(1, 'a text'), True]");
        }
    });
    EXPECT_GT(failures, 4);
    Py_DECREF(all);
}

}  // namespace
}  // namespace ouro::test
