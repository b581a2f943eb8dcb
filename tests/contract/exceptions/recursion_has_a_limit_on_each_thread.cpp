// Py_EnterRecursiveCall counts on each thread how deep calls nest, up to the limit. Source: "Exception
// Handling", "Recursion Control"; "sys", setrecursionlimit.

#include <thread>

#include "tests/contract/exceptions.hpp"

namespace ouro::test {
namespace {

class Recursion : public Things {
protected:
    void TearDown() override {
        Py_SetRecursionLimit(1000);
        Things::TearDown();
    }
    // How often it can be entered; left as often.
    static int depth() {
        int entered = 0;
        while (Py_EnterRecursiveCall(" in a test") == 0) {
            ++entered;
        }
        for (int i = 0; i < entered; ++i) {
            Py_LeaveRecursiveCall();
        }
        return entered;
    }
};

TEST_P(Recursion, EndsWithAnError) {
    EXPECT_EQ(Py_GetRecursionLimit(), 1000);
    EXPECT_EQ(depth(), 1000);
    expect_raised(PyExc_RecursionError, "maximum recursion depth exceeded in a test");
    EXPECT_EQ(depth(), 1000) << "a failure counts nothing";
    PyErr_Clear();
}

TEST_P(Recursion, HasTheLimitThatIsSet) {
    Py_SetRecursionLimit(7);
    EXPECT_EQ(Py_GetRecursionLimit(), 7);
    EXPECT_EQ(depth(), 7);
    PyErr_Clear();
}

TEST_P(Recursion, IsTheThreadsOwn) {
    Py_SetRecursionLimit(7);
    ASSERT_EQ(Py_EnterRecursiveCall(""), 0);
    Py_BEGIN_ALLOW_THREADS
    std::thread([] {
        const PyGILState_STATE before = PyGILState_Ensure();
        EXPECT_EQ(depth(), 7);
        PyErr_Clear();
        PyGILState_Release(before);
    }).join();
    Py_END_ALLOW_THREADS
    EXPECT_EQ(depth(), 6);
    PyErr_Clear();
    Py_LeaveRecursiveCall();
}

EVERY_RUNTIME(Recursion);

}  // namespace
}  // namespace ouro::test
