// PyErr_Print writes "module.Class: message", the notes, and before it the exceptions that it came of.
// SystemExit ends the process instead. Source: "Exception Handling", PyErr_Print, PyErr_PrintEx,
// PyErr_DisplayException, PyErr_WarnEx, PyErr_WarnFormat, PyErr_ResourceWarning; "Built-in Exceptions",
// BaseException.add_note.

#include <algorithm>
#include <utility>

#include "tests/contract/exceptions.hpp"

namespace ouro::test {
namespace {

class Printing : public Things {
protected:
    template <class Code>
    static std::string printed_by(const Code& code) {
        testing::internal::CaptureStderr();
        code();
        return testing::internal::GetCapturedStderr();
    }
    // Steals.
    static std::string printed(PyObject* exception) {
        return printed_by([&] {
            PyErr_SetRaisedException(exception);
            PyErr_Print();
            EXPECT_EQ(PyErr_Occurred(), nullptr);
        });
    }
    static void add_note(PyObject* exception, const char* note) {
        PyObject* argument = text(note);
        PyObject* none = call_method(exception, "add_note", argument);
        EXPECT_EQ(none, Py_None);
        drop({argument});
    }
};

constexpr const char* kCause =
    "\nThe above exception was the direct cause of the following exception:\n\n";
constexpr const char* kContext =
    "\nDuring handling of the above exception, another exception occurred:\n\n";

TEST_P(Printing, ClassAndMessage) {
    EXPECT_EQ(printed(make(PyExc_ValueError, {text("said")})), "ValueError: said\n");
    EXPECT_EQ(printed(make(PyExc_ValueError)), "ValueError\n");
    EXPECT_EQ(printed(make(PyExc_ValueError, {text("")})), "ValueError\n");
    EXPECT_EQ(printed(make(PyExc_KeyError, {text("")})), "KeyError: ''\n");
    EXPECT_EQ(printed(nullptr), "");
}

TEST_P(Printing, TheModuleUnlessItGoesWithoutSaying) {
    for (const auto& [name, shown] :
         {std::pair("contract.a.Own", "contract.a.Own: m\n"), std::pair("builtins.Own", "Own: m\n"),
          std::pair("__main__.Own", "Own: m\n")}) {
        PyObject* type = PyErr_NewException(name, nullptr, nullptr);
        EXPECT_EQ(printed(make(type, {text("m")})), shown);
        Py_DECREF(type);
    }
    PyGC_Collect();  // classes are cycles
}

// A class may say what it likes of its module.
TEST_P(Printing, TheModuleIsWhatTheClassSays) {
    PyObject* type = PyErr_NewException("contract.Own", nullptr, nullptr);
    ASSERT_NE(type, nullptr);
    PyObject* name = text("elsewhere");
    EXPECT_EQ(PyObject_SetAttrString(type, "__module__", name), 0);
    EXPECT_EQ(printed(make(type, {text("m")})), "elsewhere.Own: m\n");
    EXPECT_EQ(PyObject_SetAttrString(type, "__module__", Py_None), 0);
    EXPECT_EQ(printed(make(type, {text("m")})), "<unknown>.Own: m\n");
    drop({name, type});
    PyGC_Collect();
}

TEST_P(Printing, WhatItCameOf) {
    PyObject* first = make(PyExc_KeyError, {text("first")});
    PyObject* second = make(PyExc_ValueError, {text("second")});
    PyException_SetContext(second, first);
    PyObject* third = make(PyExc_TypeError, {text("third")});
    PyException_SetCause(third, second);
    EXPECT_EQ(printed(third), std::string("KeyError: 'first'\n") + kContext +
                                  "ValueError: second\n" + kCause + "TypeError: third\n");
}

TEST_P(Printing, ACauseHidesTheContext) {
    PyObject* exception = make(PyExc_ValueError, {text("m")});
    PyException_SetContext(exception, make(PyExc_KeyError, {text("context")}));
    PyException_SetCause(exception, make(PyExc_KeyError, {text("cause")}));
    EXPECT_EQ(printed(Py_NewRef(exception)),
              std::string("KeyError: 'cause'\n") + kCause + "ValueError: m\n");
    PyException_SetCause(exception, nullptr);
    EXPECT_EQ(printed(exception), "ValueError: m\n") << "even one that is none";
}

TEST_P(Printing, ARingIsPrintedOnce) {
    PyObject* a = make(PyExc_ValueError, {text("a")});
    PyObject* b = make(PyExc_ValueError, {text("b")});
    PyException_SetContext(a, Py_NewRef(b));
    PyException_SetContext(b, Py_NewRef(a));
    EXPECT_EQ(printed(Py_NewRef(a)), std::string("ValueError: b\n") + kContext + "ValueError: a\n");
    PyException_SetContext(a, nullptr);
    drop({a, b});
}

TEST_P(Printing, ALongChainNeedsNoDeepStack) {
    PyObject* exception = make(PyExc_ValueError);
    for (int i = 0; i < 20'000; ++i) {
        PyObject* next = make(PyExc_ValueError);
        PyException_SetContext(next, exception);
        exception = next;
    }
    const std::string all = printed(exception);
    EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 20'001 + 3 * 20'000);
}

TEST_P(Printing, Notes) {
    PyObject* exception = make(PyExc_ValueError, {text("m")});
    add_note(exception, "one");
    add_note(exception, "two\nlines");
    EXPECT_EQ(printed(Py_NewRef(exception)), "ValueError: m\none\ntwo\nlines\n");
    EXPECT_EQ(call_method(exception, "add_note", Py_None), nullptr);
    expect_raised(PyExc_TypeError, "note must be a str, not 'NoneType'");
    PyObject* dict = reinterpret_cast<PyBaseExceptionObject*>(exception)->dict;
    PyDict_SetItemString(dict, "__notes__", Py_True);
    EXPECT_EQ(printed(Py_NewRef(exception)), "ValueError: m\nTrue\n");
    PyObject* note = text("n");
    EXPECT_EQ(call_method(exception, "add_note", note), nullptr);
    expect_raised(PyExc_TypeError, "Cannot add note: __notes__ is not a list");
    PyObject* notes = tuple({Py_NewRef(note), Py_None});
    PyDict_SetItemString(dict, "__notes__", notes);
    EXPECT_EQ(printed(exception), "ValueError: m\nn\nNone\n");
    drop({note, notes});
}

TEST_P(Printing, WhatCannotBeSaid) {
    static PyTypeObject mute = {.ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name =
                                    "contract.Mute",
                                .tp_str = [](PyObject*) -> PyObject* {
                                    return PyErr_Format(PyExc_OverflowError, "too much");
                                },
                                .tp_flags = Py_TPFLAGS_DEFAULT,
                                .tp_base = reinterpret_cast<PyTypeObject*>(PyExc_ValueError)};
    ASSERT_EQ(PyType_Ready(&mute), 0);
    EXPECT_EQ(printed(make(object(&mute))), "contract.Mute: <exception str() failed>\n");
}

TEST_P(Printing, WithoutBeingSet) {
    PyObject* exception = make(PyExc_ValueError, {text("m")});
    EXPECT_EQ(printed_by([&] { PyErr_DisplayException(exception); }), "ValueError: m\n");
    EXPECT_EQ(Py_REFCNT(exception), 1);
    Py_DECREF(exception);
}

TEST_P(Printing, Warnings) {
    EXPECT_EQ(printed_by([] {
                  EXPECT_EQ(PyErr_WarnEx(PyExc_DeprecationWarning, "old", 1), 0);
                  EXPECT_EQ(PyErr_WarnEx(nullptr, "odd", 1), 0);
                  EXPECT_EQ(PyErr_WarnFormat(PyExc_UserWarning, 2, "%d of %s", 7, "many"), 0);
                  EXPECT_EQ(PyErr_ResourceWarning(Py_None, 1, "not %s", "closed"), 0);
                  EXPECT_EQ(PyErr_WarnExplicit(PyExc_UserWarning, "there", "a.c", 3, "m", nullptr),
                            0);
              }),
              "<sys>:0: DeprecationWarning: old\n<sys>:0: RuntimeWarning: odd\n"
              "<sys>:0: UserWarning: 7 of many\n<sys>:0: ResourceWarning: not closed\n"
              "a.c:3: UserWarning: there\n");
    EXPECT_EQ(PyErr_WarnEx(Py_None, "m", 1), -1);
    expect_raised(PyExc_TypeError, "category must be a Warning subclass, not 'NoneType'");
}

// Once: a process ends as quickly under any policy.
class Leaving : public Printing {};

TEST_P(Leaving, SystemExitEndsTheProcess) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    const auto leave = [](PyObject* exception) {
        PyErr_SetRaisedException(exception);
        PyErr_PrintEx(0);
    };
    EXPECT_EXIT(leave(make(PyExc_SystemExit)), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(leave(make(PyExc_SystemExit, {Py_None})), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(leave(make(PyExc_SystemExit, {PyLong_FromLong(3)})), testing::ExitedWithCode(3),
                "");
    EXPECT_EXIT(leave(make(PyExc_SystemExit, {text("reason")})), testing::ExitedWithCode(1),
                "^reason\n$");
}

EVERY_WAY_OF_COUNTING(Printing);
INSTANTIATE_TEST_SUITE_P(Counts, Leaving, testing::Values(kOwnedCounts));

}  // namespace
}  // namespace ouro::test
