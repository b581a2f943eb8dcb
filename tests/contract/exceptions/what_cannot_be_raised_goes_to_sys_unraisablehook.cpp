// PyErr_WriteUnraisable and PyErr_FormatUnraisable call sys.unraisablehook with what they know; the first one
// prints. PyErr_Print calls sys.excepthook, and prints on sys.stderr as a program has replaced it. A hook that
// fails is said to. Source: "sys", unraisablehook, excepthook, stderr.

#include "tests/contract/modules.hpp"

namespace ouro::test {
namespace {

std::vector<std::string> seen;
std::function<PyObject*(PyObject*)> on_call;

PyObject* note_call(PyObject*, PyObject* args) {
    return on_call(args);
}
PyMethodDef note_call_def = {"note_call", note_call, METH_VARARGS, nullptr};

// A file that keeps what is written to it.
PyObject* note_write(PyObject*, PyObject* text) {
    seen.push_back(PyUnicode_AsUTF8(text));
    return Py_NewRef(Py_None);
}
PyMethodDef file_methods[] = {{"write", note_write, METH_O, nullptr}, {}};
PyTypeObject FileType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.File",
    .tp_basicsize = sizeof(PyObject),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_methods = file_methods,
    .tp_new = PyType_GenericNew,
};

class Hooks : public ModuleTest {
protected:
    void SetUp() override {
        ModuleTest::SetUp();
        ASSERT_EQ(PyType_Ready(&FileType), 0);
        seen.clear();
        on_call = [](PyObject* args) {
            seen.push_back(repr_or_error(Py_NewRef(args)));
            return Py_NewRef(Py_None);
        };
        for (const char* name : {"unraisablehook", "excepthook", "stderr", "stdout"}) {
            before_.emplace_back(name, get("sys", name));
        }
    }
    void TearDown() override {
        for (const auto& [name, value] : before_) {
            EXPECT_EQ(set("sys", name.c_str(), value), 0);
            Py_DECREF(value);
        }
        for (const char* name : {"last_exc", "last_type", "last_value", "last_traceback"}) {
            PySys_SetObject(name, nullptr);
        }
        ModuleTest::TearDown();
    }
    static void hook(const char* name) {
        PyObject* function = PyCFunction_New(&note_call_def, nullptr);
        EXPECT_EQ(set("sys", name, function), 0);
        Py_DECREF(function);
    }
    static void replace(const char* name) {
        PyObject* file = PyObject_CallNoArgs(reinterpret_cast<PyObject*>(&FileType));
        EXPECT_EQ(set("sys", name, file), 0);
        Py_DECREF(file);
    }
    static std::string written() {
        std::string all;
        for (const std::string& text : seen) {
            all += text;
        }
        seen.clear();
        return all;
    }

private:
    std::vector<std::pair<std::string, PyObject*>> before_;
};

TEST_P(Hooks, AreGivenWhatIsKnown) {
    hook("unraisablehook");
    on_call = [](PyObject* args) {
        PyObject* its = PyTuple_GetItem(args, 0);
        for (const char* name : {"exc_type", "exc_value", "exc_traceback", "err_msg", "object"}) {
            seen.push_back(repr_or_error(PyObject_GetAttrString(its, name)));
        }
        return Py_NewRef(Py_None);
    };
    PyObject* where = PyLong_FromLong(77);
    PyErr_SetString(PyExc_ValueError, "lost");
    PyErr_WriteUnraisable(where);
    EXPECT_THAT(seen, testing::ElementsAre("<class 'ValueError'>", "ValueError('lost')", "None",
                                           "None", "77"));
    seen.clear();
    PyErr_SetString(PyExc_KeyError, "gone");
    PyErr_FormatUnraisable("Exception ignored in number %d", 5);
    EXPECT_THAT(seen, testing::ElementsAre("<class 'KeyError'>", "KeyError('gone')", "None",
                                           "'Exception ignored in number 5'", "None"));
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    EXPECT_THAT(record.unraisable, testing::IsEmpty()) << "the C hook was not asked";
    Py_DECREF(where);
}

TEST_P(Hooks, HaveAnArgumentThatIsShown) {
    hook("unraisablehook");
    PyErr_SetNone(PyExc_ValueError);
    PyErr_WriteUnraisable(nullptr);
    EXPECT_THAT(seen,
                testing::ElementsAre(
                    "(UnraisableHookArgs(exc_type=<class 'ValueError'>, exc_value=ValueError(), "
                    "exc_traceback=None, err_msg=None, object=None),)"));
}

TEST_P(Hooks, TheFirstOneDoesWhatIsDoneWithoutOne) {
    hook("unraisablehook");
    on_call = [](PyObject* args) {
        PyObject* first = get("sys", "__unraisablehook__");
        PyObject* result = PyObject_Call(first, args, nullptr);
        Py_DECREF(first);
        return result;
    };
    PyErr_SetString(PyExc_ValueError, "lost");
    PyErr_WriteUnraisable(nullptr);
    EXPECT_THAT(take_unraisable(), testing::ElementsAre("ValueError: lost")) << "the C hook's";
    Ouro_SetUnraisableHook(nullptr, nullptr);
    replace("stderr");
    PyErr_SetString(PyExc_ValueError, "lost");
    PyErr_WriteUnraisable(Py_True);
    EXPECT_EQ(written(), "Exception ignored in: True\nValueError: lost\n");
    PyErr_SetString(PyExc_ValueError, "nowhere");
    PyErr_WriteUnraisable(Py_None);
    EXPECT_EQ(written(), "ValueError: nowhere\n") << "None is no place";
    EXPECT_EQ(repr_or_error(call("sys", "unraisablehook", "(i)", 5)),
              "TypeError: sys.unraisablehook argument type must be UnraisableHookArgs");
}

TEST_P(Hooks, ThatFailAreSaidTo) {
    Ouro_SetUnraisableHook(nullptr, nullptr);
    hook("unraisablehook");
    on_call = [](PyObject*) {
        PyErr_SetString(PyExc_RuntimeError, "the hook's");
        return static_cast<PyObject*>(nullptr);
    };
    replace("stderr");
    PyErr_SetString(PyExc_ValueError, "lost");
    PyErr_WriteUnraisable(nullptr);
    EXPECT_THAT(written(),
                testing::MatchesRegex("Exception ignored in sys.unraisablehook: <built-in function "
                                      "note_call>\nRuntimeError: the hook's\n"));
    EXPECT_EQ(PyErr_Occurred(), nullptr);
}

TEST_P(Hooks, OfNoneAreTheFirst) {
    EXPECT_EQ(set("sys", "unraisablehook", Py_None), 0);
    PyErr_SetString(PyExc_ValueError, "lost");
    PyErr_WriteUnraisable(nullptr);
    EXPECT_THAT(take_unraisable(), testing::ElementsAre("ValueError: lost"));
}

// What a finalizer raises arrives there, too.
TEST_P(Hooks, AreGivenWhatFinalizersRaise) {
    hook("unraisablehook");
    record.on_finalize = [](Thing*) { PyErr_SetString(PyExc_ValueError, "of a finalizer"); };
    drop_ring(2, &FinalThingType);
    PyGC_Collect();
    EXPECT_EQ(seen.size(), 2u);
    record.on_finalize = nullptr;
    PyGC_Collect();
    EXPECT_EQ(record.live, 0) << "the argument kept nothing";
}

TEST_P(Hooks, ForExceptionsThatArePrinted) {
    hook("excepthook");
    PyErr_SetString(PyExc_ValueError, "printed");
    PyErr_Print();
    EXPECT_THAT(seen, testing::ElementsAre("(<class 'ValueError'>, ValueError('printed'), None)"));
    EXPECT_EQ(repr_or_error(get("sys", "last_exc")), "ValueError('printed')");
    EXPECT_EQ(repr_or_error(get("sys", "last_type")), "<class 'ValueError'>");
    EXPECT_EQ(repr_or_error(call("sys", "excepthook", "(ii)", 1, 2)), "None") << "ours";
    EXPECT_EQ(repr_or_error(call("sys", "__excepthook__", "(i)", 1)),
              "TypeError: excepthook expected 3 arguments, got 1");
}

TEST_P(Hooks, ForExceptionsThatFailAreSaidTo) {
    hook("excepthook");
    on_call = [](PyObject*) {
        PyErr_SetString(PyExc_RuntimeError, "the hook's");
        return static_cast<PyObject*>(nullptr);
    };
    replace("stderr");
    PyErr_SetString(PyExc_ValueError, "printed");
    PyErr_Print();
    EXPECT_EQ(written(), "Error in sys.excepthook:\nRuntimeError: the hook's\n\nOriginal exception "
                         "was:\nValueError: printed\n");
}

TEST_P(Hooks, WriteToTheFileThatAProgramHasPutThere) {
    replace("stderr");
    PyErr_SetString(PyExc_ValueError, "printed");
    PyErr_Print();
    EXPECT_EQ(written(), "ValueError: printed\n");
    PySys_WriteStderr("%s and %d\n", "text", 5);
    PySys_FormatStderr("%R and %U\n", Py_None, PyUnicode_InternFromString("interned"));
    EXPECT_EQ(written(), "text and 5\nNone and interned\n");
    const std::string long_one(2000, 'x');
    PySys_WriteStderr("%s", long_one.c_str());
    EXPECT_EQ(written(), std::string(1000, 'x') + "... truncated");
    PyErr_SetString(PyExc_KeyError, "kept");
    PySys_WriteStderr("beside an exception");
    expect_raised(PyExc_KeyError);
    EXPECT_EQ(written(), "beside an exception");
}

TEST_P(Hooks, WriteToTheCLibrarysWhereThatIsNoFile) {
    PyObject* number_of_its_own = PyLong_FromLong(5);
    EXPECT_EQ(set("sys", "stderr", number_of_its_own), 0);
    Py_DECREF(number_of_its_own);
    testing::internal::CaptureStderr();
    PySys_WriteStderr("lost %d\n", 1);
    PySys_FormatStderr("lost %d\n", 2);
    PyErr_SetString(PyExc_ValueError, "lost 3");
    PyErr_Print();
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "lost 1\nlost 2\nValueError: lost 3\n");
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    EXPECT_EQ(set("sys", "stderr", Py_None), 0);
    testing::internal::CaptureStderr();
    PyErr_SetString(PyExc_ValueError, "unseen");
    PyErr_Print();
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

EVERY_RUNTIME(Hooks);

}  // namespace
}  // namespace ouro::test
