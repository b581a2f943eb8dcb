// A context variable is what it was set to in the calling thread's context: each thread begins with an empty one, and a
// context is entered by one thread at a time. Contexts, variables and tokens are collected in cycles. Watchers are told
// which context is current. Source: "Context Variables Objects" in the C API documentation.

#include <thread>

#include "tests/contract/text.hpp"

namespace ouro::test {
namespace {

using ContextVariables = Things;

// What a variable is, as shown() has it; "none".
std::string value_of(PyObject* var) {
    PyObject* value = nullptr;
    EXPECT_EQ(PyContextVar_Get(var, nullptr, &value), 0);
    return value == nullptr ? "none" : shown(value);
}

TEST_P(ContextVariables, AreSetInTheContextThatIsCurrent) {
    Kept kept;
    PyObject* var = kept(PyContextVar_New("var", nullptr));
    PyObject* context = kept(PyContext_New());
    EXPECT_TRUE(PyContextVar_CheckExact(var));
    EXPECT_TRUE(PyContext_CheckExact(context));
    ASSERT_EQ(PyContext_Enter(context), 0);
    PyObject* token = kept(PyContextVar_Set(var, kept(PyLong_FromLong(1))));
    EXPECT_TRUE(PyContextToken_CheckExact(token));
    EXPECT_EQ(value_of(var), "1");
    PyObject* copy = kept(PyContext_CopyCurrent());
    PyObject* same = kept(PyContext_Copy(context));
    EXPECT_EQ(PyContext_Enter(context), -1);
    EXPECT_EQ(take_error().type, "RuntimeError");
    kept(PyContextVar_Set(var, kept(PyLong_FromLong(2))));
    EXPECT_EQ(value_of(var), "2");
    ASSERT_EQ(PyContext_Exit(context), 0);
    EXPECT_EQ(PyContext_Exit(context), -1);
    EXPECT_EQ(take_error().type, "RuntimeError");
    EXPECT_EQ(value_of(var), "none");
    EXPECT_EQ(shown(PyObject_GetItem(copy, var)), "1") << "as it was when it was copied";
    EXPECT_EQ(PyObject_RichCompareBool(copy, same, Py_EQ), 1);
    EXPECT_EQ(PyContextVar_Reset(var, token), -1);
    EXPECT_EQ(take_error().type, "ValueError") << "the token is of another context";
    ASSERT_EQ(PyContext_Enter(context), 0);
    EXPECT_EQ(PyContextVar_Reset(var, token), 0);
    EXPECT_EQ(value_of(var), "none");
    EXPECT_EQ(PyContextVar_Reset(var, token), -1);
    EXPECT_EQ(take_error().type, "RuntimeError") << "the token was used";
    ASSERT_EQ(PyContext_Exit(context), 0);
}

TEST_P(ContextVariables, AreOfEachThread) {
    Kept kept;
    PyObject* var = kept(PyContextVar_New("var", nullptr));
    PyObject* context = kept(PyContext_New());
    ASSERT_EQ(PyContext_Enter(context), 0);
    kept(PyContextVar_Set(var, kept(PyLong_FromLong(1))));
    PyThreadState* state = PyEval_SaveThread();
    std::thread([var, context] {
        const PyGILState_STATE before = PyGILState_Ensure();
        EXPECT_EQ(value_of(var), "none");
        EXPECT_EQ(PyContext_Enter(context), -1) << "another thread is in it";
        EXPECT_EQ(take_error().type, "RuntimeError");
        PyObject* number = PyLong_FromLong(2);
        Py_XDECREF(PyContextVar_Set(var, number));  // goes with the thread
        Py_DECREF(number);
        EXPECT_EQ(value_of(var), "2");
        PyGILState_Release(before);
    }).join();
    PyEval_RestoreThread(state);
    EXPECT_EQ(value_of(var), "1");
    ASSERT_EQ(PyContext_Exit(context), 0);
}

TEST_P(ContextVariables, AreCollectedInCycles) {
    PyObject* context = PyContext_New();
    PyObject* list = PyList_New(0);
    PyObject* var = PyContextVar_New("var", list);
    ASSERT_EQ(PyContext_Enter(context), 0);
    PyObject* token = PyContextVar_Set(var, list);
    ASSERT_EQ(PyContext_Exit(context), 0);
    for (PyObject* op : {context, var, token}) {
        PyList_Append(list, op);
    }
    PyGC_Collect();
    drop({context, var, token, list});
    EXPECT_GE(PyGC_Collect(), 4);
}

int switches = 0;
PyObject* switched_to = nullptr;  // borrowed

TEST_P(ContextVariables, AreWatched) {
    const auto note = [](PyContextEvent event, PyObject* op) {
        EXPECT_EQ(event, Py_CONTEXT_SWITCHED);
        ++switches;
        switched_to = op;
        return 0;
    };
    Kept kept;
    PyObject* context = kept(PyContext_New());
    switches = 0;
    const int id = PyContext_AddWatcher(note);
    ASSERT_GE(id, 0);
    ASSERT_EQ(PyContext_Enter(context), 0);
    EXPECT_EQ(switched_to, context);
    ASSERT_EQ(PyContext_Exit(context), 0);
    EXPECT_EQ(switched_to, Py_None);
    EXPECT_EQ(PyContext_ClearWatcher(id), 0);
    ASSERT_EQ(PyContext_Enter(context), 0);
    ASSERT_EQ(PyContext_Exit(context), 0);
    EXPECT_EQ(switches, 2);
    EXPECT_EQ(PyContext_ClearWatcher(id), -1);
    EXPECT_EQ(take_error().type, "ValueError");
    EXPECT_EQ(PyContext_ClearWatcher(100), -1);
    EXPECT_EQ(take_error().type, "ValueError");
    for (int i = 0; i < 8; ++i) {
        EXPECT_EQ(PyContext_AddWatcher(note), i);
    }
    EXPECT_EQ(PyContext_AddWatcher(note), -1);
    EXPECT_EQ(take_error().type, "RuntimeError");
}

EVERY_WAY_OF_COUNTING(ContextVariables);

}  // namespace
}  // namespace ouro::test
