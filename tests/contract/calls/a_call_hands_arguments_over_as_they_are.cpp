// A call of what has a vectorcall function makes neither a tuple nor a dict; a call of what has none makes
// them, and a call by tuple and dict is taken apart. Source: "Call Protocol": PyObject_Vectorcall,
// PyObject_VectorcallDict, PyVectorcall_Call, PyVectorcall_Function, PyVectorcall_NARGS,
// PY_VECTORCALL_ARGUMENTS_OFFSET, PyObject_CallFunction, PyObject_CallFunctionObjArgs.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

// What a callable was called with; the objects are borrowed.
struct HandedOver {
    std::vector<PyObject*> args;
    std::vector<std::pair<std::string, PyObject*>> keywords;
    bool may_use_the_place_before = false;
    size_t tracked = 0;  // containers alive during the call
};
HandedOver handed_over;

// Callable by vectorcall.
struct Fast {
    PyObject ob_base;
    vectorcallfunc call;
};

PyObject* receive_vector(PyObject*, PyObject* const* args, size_t nargsf, PyObject* names) {
    handed_over = HandedOver();
    handed_over.tracked = tracked_objects();
    const Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
    handed_over.args.assign(args, args + nargs);
    for (Py_ssize_t i = 0; names != nullptr && i < PyTuple_GET_SIZE(names); ++i) {
        handed_over.keywords.emplace_back(PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, i)),
                                          args[nargs + i]);
    }
    handed_over.may_use_the_place_before = (nargsf & PY_VECTORCALL_ARGUMENTS_OFFSET) != 0;
    if (handed_over.may_use_the_place_before) {
        PyObject** before = const_cast<PyObject**>(args) - 1;
        PyObject* there = *before;
        *before = Py_None;
        *before = there;
    }
    return Py_NewRef(Py_None);
}

PyTypeObject FastType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Fast",
    .tp_basicsize = sizeof(Fast),
    .tp_vectorcall_offset = offsetof(Fast, call),
    .tp_call = PyVectorcall_Call,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
};

// Callable by tp_call alone.
PyObject* receive_tuple(PyObject*, PyObject* args, PyObject* kwargs) {
    handed_over = HandedOver();
    handed_over.tracked = tracked_objects();
    for (Py_ssize_t i = 0; i < PyTuple_Size(args); ++i) {
        handed_over.args.push_back(PyTuple_GetItem(args, i));
    }
    Py_ssize_t position = 0;
    PyObject *key, *value;
    while (kwargs != nullptr && PyDict_Next(kwargs, &position, &key, &value)) {
        handed_over.keywords.emplace_back(PyUnicode_AsUTF8(key), value);
    }
    return Py_NewRef(Py_None);
}

PyTypeObject SlowType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Slow",
    .tp_basicsize = sizeof(PyObject),
    .tp_call = receive_tuple,
    .tp_flags = Py_TPFLAGS_DEFAULT,
};

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

class Vectorcall : public Things {
protected:
    void SetUp() override {
        Things::SetUp();
        ASSERT_EQ(PyType_Ready(&FastType), 0);
        ASSERT_EQ(PyType_Ready(&SlowType), 0);
        fast_ = FastType.tp_alloc(&FastType, 0);
        reinterpret_cast<Fast*>(fast_)->call = receive_vector;
        slow_ = SlowType.tp_alloc(&SlowType, 0);
        a_ = new_thing(1);
        b_ = new_thing(2);
        c_ = new_thing(3);
        key_ = PyUnicode_FromString("key");
        names_ = PyTuple_Pack(1, key_);
    }
    void TearDown() override {
        for (PyObject* op : {a_, b_, c_}) {
            EXPECT_EQ(Py_REFCNT(op), 1) << "arguments are borrowed";
        }
        drop({fast_, slow_, a_, b_, c_, key_, names_});
        handed_over = HandedOver();
        Things::TearDown();
    }
    static void expect_none(PyObject* result) { EXPECT_EQ(result, Py_None); }

    PyObject *fast_, *slow_, *a_, *b_, *c_, *key_, *names_;
};

TEST_P(Vectorcall, MakesNoContainer) {
    PyObject* args[] = {nullptr, a_, b_, c_};
    const size_t tracked = tracked_objects();
    expect_none(PyObject_Vectorcall(fast_, args + 1, 2 | PY_VECTORCALL_ARGUMENTS_OFFSET, names_));
    EXPECT_THAT(handed_over.args, ElementsAre(a_, b_));
    EXPECT_THAT(handed_over.keywords, ElementsAre(Pair("key", c_)));
    EXPECT_TRUE(handed_over.may_use_the_place_before);
    EXPECT_EQ(handed_over.tracked, tracked);
    EXPECT_EQ(args[0], nullptr);

    expect_none(PyObject_CallNoArgs(fast_));
    EXPECT_THAT(handed_over.args, IsEmpty());
    EXPECT_EQ(handed_over.tracked, tracked);
    expect_none(PyObject_CallOneArg(fast_, a_));
    EXPECT_THAT(handed_over.args, ElementsAre(a_));
    EXPECT_TRUE(handed_over.may_use_the_place_before);
    EXPECT_EQ(handed_over.tracked, tracked);
    expect_none(PyObject_CallFunctionObjArgs(fast_, a_, b_, nullptr));
    EXPECT_THAT(handed_over.args, ElementsAre(a_, b_));
    EXPECT_FALSE(handed_over.may_use_the_place_before);
    EXPECT_EQ(handed_over.tracked, tracked);
    expect_none(PyObject_CallFunction(fast_, "OO", c_, b_));
    EXPECT_THAT(handed_over.args, ElementsAre(c_, b_));
    EXPECT_EQ(handed_over.tracked, tracked);
}

TEST_P(Vectorcall, OfWhatHasNoneMakesThem) {
    PyObject* args[] = {a_, b_, c_};
    EXPECT_EQ(PyVectorcall_Function(slow_), nullptr);
    expect_none(PyObject_Vectorcall(slow_, args, 2, names_));
    EXPECT_THAT(handed_over.args, ElementsAre(a_, b_));
    EXPECT_THAT(handed_over.keywords, ElementsAre(Pair("key", c_)));
    expect_none(PyObject_Vectorcall(slow_, args, 3, nullptr));
    EXPECT_THAT(handed_over.args, ElementsAre(a_, b_, c_));
    EXPECT_THAT(handed_over.keywords, IsEmpty());

    EXPECT_EQ(PyObject_Vectorcall(a_, args, 2, names_), nullptr);
    expect_raised(PyExc_TypeError, "'contract.Thing' object is not callable");
    EXPECT_EQ(PyVectorcall_Function(a_), nullptr);
}

TEST_P(Vectorcall, FromATupleAndADict) {
    PyObject* args = PyTuple_Pack(2, a_, b_);
    PyObject* kwargs = PyDict_New();
    for (PyObject* callable : {fast_, slow_}) {
        expect_none(PyObject_Call(callable, args, nullptr));
        EXPECT_THAT(handed_over.args, ElementsAre(a_, b_));
        EXPECT_THAT(handed_over.keywords, IsEmpty());
    }
    PyDict_SetItem(kwargs, key_, c_);
    PyDict_SetItemString(kwargs, "more", a_);
    for (PyObject* callable : {fast_, slow_}) {
        expect_none(PyObject_Call(callable, args, kwargs));
        EXPECT_THAT(handed_over.args, ElementsAre(a_, b_));
        EXPECT_THAT(handed_over.keywords, ElementsAre(Pair("key", c_), Pair("more", a_)));
        PyObject* array[] = {c_};
        expect_none(PyObject_VectorcallDict(callable, array, 1, kwargs));
        EXPECT_THAT(handed_over.args, ElementsAre(c_));
        EXPECT_THAT(handed_over.keywords, ElementsAre(Pair("key", c_), Pair("more", a_)));
        expect_none(PyObject_VectorcallDict(callable, array, 1, nullptr));
        EXPECT_THAT(handed_over.keywords, IsEmpty());
    }
    expect_none(PyVectorcall_Call(fast_, args, kwargs));
    EXPECT_THAT(handed_over.keywords, ElementsAre(Pair("key", c_), Pair("more", a_)));
    expect_none(PyCFunction_Call(fast_, args, kwargs));
    EXPECT_THAT(handed_over.args, ElementsAre(a_, b_));
    drop({args, kwargs});
}

TEST_P(Vectorcall, OfManyArguments) {
    PyObject* args = PyTuple_New(100);
    for (Py_ssize_t i = 0; i < 100; ++i) {
        PyTuple_SET_ITEM(args, i, Py_NewRef(i % 2 == 0 ? a_ : b_));
    }
    PyObject* kwargs = PyDict_New();
    PyDict_SetItem(kwargs, key_, c_);
    expect_none(PyObject_Call(fast_, args, kwargs));
    ASSERT_EQ(handed_over.args.size(), 100u);
    EXPECT_EQ(handed_over.args[99], b_);
    EXPECT_THAT(handed_over.keywords, ElementsAre(Pair("key", c_)));
    drop({args, kwargs});

    expect_none(
        PyObject_CallFunctionObjArgs(fast_, a_, b_, c_, a_, b_, c_, a_, b_, c_, a_, b_, nullptr));
    EXPECT_THAT(handed_over.args, ElementsAre(a_, b_, c_, a_, b_, c_, a_, b_, c_, a_, b_));
    expect_none(
        PyObject_CallFunction(fast_, "OOOOOOOOOOO", a_, b_, c_, a_, b_, c_, a_, b_, c_, a_, b_));
    EXPECT_THAT(handed_over.args, ElementsAre(a_, b_, c_, a_, b_, c_, a_, b_, c_, a_, b_));
}

TEST_P(Vectorcall, KeywordsAreStrings) {
    PyObject* args = PyTuple_New(0);
    PyObject* kwargs = PyDict_New();
    PyDict_SetItem(kwargs, key_, a_);
    PyDict_SetItem(kwargs, Py_None, b_);
    EXPECT_EQ(PyObject_Call(fast_, args, kwargs), nullptr);
    expect_raised(PyExc_TypeError, "keywords must be strings");
    drop({args, kwargs});
}

TEST_P(Vectorcall, OfATypeWithoutIsRefused) {
    PyObject* args = PyTuple_New(0);
    EXPECT_EQ(PyVectorcall_Call(slow_, args, nullptr), nullptr);
    expect_raised(PyExc_TypeError, "'contract.Slow' object does not support vectorcall");
    reinterpret_cast<Fast*>(fast_)->call = nullptr;
    EXPECT_EQ(PyVectorcall_Call(fast_, args, nullptr), nullptr);
    expect_raised(PyExc_TypeError, "'contract.Fast' object does not support vectorcall");
    Py_DECREF(args);
}

TEST_P(Vectorcall, IsLeftForTpCallWhereThereIsNoFunction) {
    PyMethodDef varargs = {"varargs", [](PyObject*, PyObject* args) { return Py_NewRef(args); },
                           METH_VARARGS, nullptr};
    PyObject* function = PyCFunction_New(&varargs, nullptr);
    EXPECT_EQ(PyVectorcall_Function(function), nullptr);
    PyObject* args = PyTuple_Pack(1, a_);
    PyObject* same = PyObject_Call(function, args, nullptr);
    EXPECT_EQ(same, args) << "a tuple that is there is handed on";
    drop({function, args, same});
}

TEST_P(Vectorcall, TakesArgumentsByAFormat) {
    expect_none(PyObject_CallFunction(fast_, nullptr));
    EXPECT_THAT(handed_over.args, IsEmpty());
    expect_none(PyObject_CallFunction(fast_, ""));
    EXPECT_THAT(handed_over.args, IsEmpty());
    expect_none(PyObject_CallFunction(fast_, "(OO)", a_, b_));
    EXPECT_THAT(handed_over.args, ElementsAre(a_, b_)) << "one tuple is the arguments";
    expect_none(PyObject_CallFunction(fast_, "(O)()", a_));
    EXPECT_EQ(handed_over.args.size(), 2u);
    expect_none(PyObject_CallFunction(fast_, "N", Py_NewRef(c_)));
    EXPECT_THAT(handed_over.args, ElementsAre(c_));
    EXPECT_EQ(PyObject_CallFunction(fast_, "N)", Py_NewRef(c_)), nullptr);
    expect_raised(PyExc_SystemError);
    EXPECT_EQ(PyObject_CallFunction(nullptr, "i", 1), nullptr);
    expect_raised(PyExc_SystemError, "null argument to internal routine");
    EXPECT_EQ(PyObject_CallFunctionObjArgs(nullptr, a_, nullptr), nullptr);
    expect_raised(PyExc_SystemError, "null argument to internal routine");
}

TEST_P(Vectorcall, ArgumentsOfCallObjectAreATuple) {
    PyObject* list = PyList_New(0);
    EXPECT_EQ(PyObject_CallObject(fast_, list), nullptr);
    expect_raised(PyExc_TypeError, "argument list must be a tuple");
    Py_DECREF(list);
}

// Who breaks the rule of results and exceptions is named as repr names him.
TEST_P(Vectorcall, ABreachOfTheRuleNamesTheCallable) {
    PyMethodDef nothing = {"nothing", [](PyObject*, PyObject*) -> PyObject* { return nullptr; },
                           METH_NOARGS, nullptr};
    PyMethodDef both = {"both",
                        [](PyObject*, PyObject*) {
                            PyErr_SetString(PyExc_ValueError, "and a result");
                            return Py_NewRef(Py_None);
                        },
                        METH_VARARGS, nullptr};
    PyObject* function = PyCFunction_New(&nothing, nullptr);
    EXPECT_EQ(PyObject_CallNoArgs(function), nullptr);
    expect_raised(PyExc_SystemError,
                  "<built-in function nothing> returned NULL without setting an exception");
    Py_DECREF(function);
    function = PyCFunction_New(&both, a_);
    EXPECT_EQ(PyObject_CallNoArgs(function), nullptr);
    expect_raised(PyExc_SystemError,
                  testing::MatchesRegex("<built-in method both of contract.Thing object at 0x.*> "
                                        "returned a result with an exception set"));
    Py_DECREF(function);
    reinterpret_cast<Fast*>(fast_)->call = [](PyObject*, PyObject* const*, size_t,
                                              PyObject*) -> PyObject* { return nullptr; };
    EXPECT_EQ(PyObject_CallNoArgs(fast_), nullptr);
    expect_raised(PyExc_SystemError,
                  testing::MatchesRegex("<contract.Fast object at 0x.*> "
                                        "returned NULL without setting an exception"));
}

EVERY_WAY_OF_COUNTING(Vectorcall);

}  // namespace
}  // namespace ouro::test
