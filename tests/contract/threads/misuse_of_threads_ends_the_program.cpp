// Using threads and locks against their rules ends the program with a message that names the call, the
// thread and the rule, before anything is corrupted.
// label: concurrency
// a process for each case

#include <cstdlib>

#include "core/option/settings.hpp"
#include "tests/contract/threads.hpp"

namespace ouro::test {
namespace {

using Misuse = Threads;
class LockMisuse : public Threads {};

// What every message has: the call and the calling thread; then the rule.
std::string message(const std::string& call, const std::string& rule) {
    return "Fatal Python error: " + call + ": thread " +
           std::to_string(PyThread_get_thread_ident()) + ": .*" + rule;
}

// The same of a thread that the statement starts.
std::string elsewhere(const std::string& call, const std::string& rule) {
    return "Fatal Python error: " + call + ": thread [0-9]+: .*" + rule;
}

// A program under the thread sanitizer ends when the child of a fork starts a thread, if its parent had more
// than one: then what the death of such a child says is the sanitizer's.
bool child_may_start_threads() {
#ifdef __SANITIZE_THREAD__
    const option::Engine& engine = option::settings().engine_row();
    return engine.driver != option::Driver::kThread && engine.name != "stw-parallel";
#else
    return true;
#endif
}

const std::string kUnattached = "must be attached, and no thread state is attached to it";

TEST_P(Misuse, OfTheApiByAnUnattachedThread) {
    PyObject* op = new_thing(kUncounted);
    PyThreadState* other = new_state();
    const auto unattached = [](auto call) {
        PyEval_SaveThread();
        call();
    };
    const auto refused = [](const char* call) { return message(call, kUnattached); };
    EXPECT_DEATH(unattached([] { PyList_New(0); }), message("allocating an object", kUnattached));
    EXPECT_DEATH(unattached([] { PyLong_FromLong(123456); }),
                 message("allocating an object", kUnattached));
    EXPECT_DEATH(unattached([&] { PyThreadState_Clear(other); }), refused("PyThreadState_Clear"));
    EXPECT_DEATH(unattached([] { PyEval_SaveThread(); }), refused("PyEval_SaveThread"));
    EXPECT_DEATH(unattached([] { PyThreadState_Get(); }), refused("PyThreadState_Get"));
    EXPECT_DEATH(unattached([] { PyInterpreterState_Get(); }), refused("PyInterpreterState_Get"));
    EXPECT_DEATH(unattached([] { PyThreadState_DeleteCurrent(); }),
                 refused("PyThreadState_DeleteCurrent"));
    EXPECT_DEATH(unattached([] { (void)Py_MakePendingCalls(); }), refused("Py_MakePendingCalls"));
    EXPECT_DEATH(unattached([] { PyGC_Collect(); }), refused("PyGC_Collect"));
    EXPECT_DEATH(unattached([] { Ouro_CollectGeneration(0); }), refused("Ouro_CollectGeneration"));
    EXPECT_DEATH(unattached([&] {
                     PyCriticalSection section;
                     PyCriticalSection_Begin(&section, op);
                 }),
                 refused("PyCriticalSection_Begin"));
    EXPECT_DEATH(unattached([&] {
                     PyCriticalSection2 section;
                     PyCriticalSection2_Begin(&section, op, op);
                 }),
                 refused("PyCriticalSection2_Begin"));
    EXPECT_DEATH(
        {
            PyCriticalSection section;
            PyCriticalSection_Begin(&section, op);
            PyEval_SaveThread();
            PyCriticalSection_End(&section);
        },
        refused("PyCriticalSection_End"));
    PyThreadState_Clear(other);
    PyThreadState_Delete(other);
    Py_DECREF(op);
}

TEST_P(Misuse, OfAStateThatIsAttached) {
    PyThreadState* mine = PyThreadState_Get();
    PyThreadState* other = new_state();
    for (PyThreadState* state : {mine, other}) {
        EXPECT_DEATH(PyEval_RestoreThread(state),
                     message("PyEval_RestoreThread", "attached to the calling thread already"));
        EXPECT_DEATH(PyEval_AcquireThread(state),
                     message("PyEval_AcquireThread", "attached to the calling thread already"));
    }
    EXPECT_DEATH(PyThreadState_Delete(mine),
                 message("PyThreadState_Delete", "thread state [0-9]+ .*is attached"));
    EXPECT_DEATH(PyEval_ReleaseThread(other),
                 message("PyEval_ReleaseThread", "is not the calling thread's"));
    PyThreadState_Clear(other);
    PyThreadState_Delete(other);
}

// By another thread, beside the one that has it.
TEST_P(Misuse, OfAStateThatAnotherThreadHas) {
    if (!child_may_start_threads()) {
        GTEST_SKIP() << "the child could start no thread";
    }
    PyThreadState* mine = PyThreadState_Get();
    const auto aside = [](auto call) { std::thread(call).join(); };
    EXPECT_DEATH(aside([=] { PyEval_RestoreThread(mine); }),
                 elsewhere("PyEval_RestoreThread", "is attached to another thread"));
    EXPECT_DEATH(aside([=] { PyEval_AcquireThread(mine); }),
                 elsewhere("PyEval_AcquireThread", "is attached to another thread"));
    EXPECT_DEATH(aside([=] { PyThreadState_Swap(mine); }),
                 elsewhere("PyThreadState_Swap", "is attached to another thread"));
    EXPECT_DEATH(aside([=] { PyThreadState_Delete(mine); }),
                 elsewhere("PyThreadState_Delete", "is attached"));
    EXPECT_DEATH(aside([=] { PyEval_ReleaseThread(mine); }),
                 elsewhere("PyEval_ReleaseThread", "is not the calling thread's"));
}

TEST_P(Misuse, OfAStateThatIsNotCleared) {
    PyThreadState* mine = PyThreadState_Get();
    PyThreadState* other = new_state();
    EXPECT_DEATH(
        {
            PyThreadState_Swap(other);
            PyThreadState_Swap(mine);
            PyThreadState_Delete(other);
        },
        message("PyThreadState_Delete", "must be cleared first"));
    EXPECT_DEATH(PyThreadState_DeleteCurrent(),
                 message("PyThreadState_DeleteCurrent", "must be cleared first"));
    PyThreadState_Clear(other);
    PyThreadState_Delete(other);
}

TEST_P(Misuse, OfNoState) {
    EXPECT_DEATH(PyThreadState_Clear(nullptr), message("PyThreadState_Clear", "not be NULL"));
    EXPECT_DEATH(PyThreadState_Delete(nullptr), message("PyThreadState_Delete", "not be NULL"));
    EXPECT_DEATH(
        {
            PyEval_SaveThread();
            PyEval_RestoreThread(nullptr);
        },
        message("PyEval_RestoreThread", "not be NULL"));
}

TEST_P(Misuse, DetachingTwice) {
    PyThreadState* mine = PyThreadState_Get();
    EXPECT_DEATH(
        {
            PyEval_SaveThread();
            PyEval_SaveThread();
        },
        message("PyEval_SaveThread", kUnattached));
    EXPECT_DEATH(
        {
            PyEval_ReleaseThread(mine);
            PyEval_ReleaseThread(mine);
        },
        message("PyEval_ReleaseThread", "is not the calling thread's, which has no thread state"));
}

TEST_P(Misuse, ReleasingMoreThanEnsured) {
    const auto aside = [](auto call) { std::thread(call).join(); };
    EXPECT_DEATH(PyGILState_Release(PyGILState_LOCKED),
                 message("PyGILState_Release", "released more often than ensured"));
    EXPECT_DEATH(
        {
            PyGILState_Release(PyGILState_Ensure());
            PyGILState_Release(PyGILState_LOCKED);
        },
        message("PyGILState_Release", "released more often than ensured"));
    EXPECT_DEATH(
        {
            PyEval_SaveThread();
            PyGILState_Release(PyGILState_UNLOCKED);
        },
        message("PyGILState_Release", "nothing is held"));
    if (!child_may_start_threads()) {
        return;
    }
    EXPECT_DEATH(
        {
            PyEval_SaveThread();
            aside([] {
                const PyGILState_STATE before = PyGILState_Ensure();
                PyGILState_Release(before);
                PyGILState_Release(before);
            });
        },
        elsewhere("PyGILState_Release", "nothing is held"));
}

TEST_P(Misuse, UnlockingWhatIsNotLocked) {
    PyMutex mutex{};
    EXPECT_DEATH(PyMutex_Unlock(&mutex), message("PyMutex_Unlock", "is not locked"));
    PyThread_type_lock lock = PyThread_allocate_lock();
    EXPECT_DEATH(PyThread_release_lock(lock), message("PyThread_release_lock", "is not locked"));
    PyThread_free_lock(lock);
}

// The state would be attached for ever: no stop would end, and under gil nobody would run.
TEST_P(Misuse, ExitingWhileAttached) {
    if (!child_may_start_threads()) {
        GTEST_SKIP() << "the child could start no thread";
    }
    const std::string rule = "thread state [0-9]+ .*attached to it.*must detach";
    EXPECT_DEATH(
        {
            PyEval_SaveThread();
            std::thread([] { PyEval_RestoreThread(new_state()); }).join();
        },
        elsewhere("exit of a thread", rule));
    EXPECT_DEATH(
        {
            PyEval_SaveThread();
            std::thread([] { (void)PyGILState_Ensure(); }).join();
        },
        elsewhere("exit of a thread", rule));
    // In vain was what it did before.
    EXPECT_DEATH(
        {
            PyEval_SaveThread();
            std::thread([] {
                PyGILState_Release(PyGILState_Ensure());
                PyThreadState_Swap(new_state());
            }).join();
        },
        elsewhere("exit of a thread", rule));
}

// A thread may detach as late as in its destructors.
TEST_P(Misuse, NoneIsDetachingInADestructor) {
    struct Late {
        PyThreadState* state = new_state();
        Late() { PyEval_RestoreThread(state); }
        ~Late() {
            PyThreadState_Clear(state);
            PyThreadState_DeleteCurrent();
        }
    };
    Py_BEGIN_ALLOW_THREADS
    std::thread([] {
        thread_local const Late late;
        EXPECT_EQ(PyThreadState_Get(), late.state);
    }).join();
    Py_END_ALLOW_THREADS
}

// The process may end with threads attached, as any program does that does not finalize.
TEST_P(Misuse, NoneIsEndingTheProcess) {
    EXPECT_EXIT(std::exit(7), testing::ExitedWithCode(7), "");
    if (!child_may_start_threads()) {
        return;
    }
    EXPECT_EXIT(
        {
            PyEval_SaveThread();
            std::thread([] {
                PyEval_RestoreThread(new_state());
                std::exit(7);
            }).join();
        },
        testing::ExitedWithCode(7), "");
}

// -- Critical sections, where they do something --

TEST_P(LockMisuse, EndingASectionThatIsNotInnermost) {
    PyMutex a{}, b{};
    PyCriticalSection outer, inner;
    const std::string rule = "not the critical section that the thread began last";
    for (PyMutex* mutex : {&b, &a}) {
        PyCriticalSection_BeginMutex(&outer, &a);
        PyCriticalSection_BeginMutex(&inner, mutex);
        EXPECT_DEATH(PyCriticalSection_End(&outer), message("PyCriticalSection_End", rule));
        PyCriticalSection_End(&inner);
        EXPECT_DEATH(PyCriticalSection_End(&inner), message("PyCriticalSection_End", rule));
        PyCriticalSection_End(&outer);
    }
    PyCriticalSection2 two;
    PyCriticalSection2_BeginMutex(&two, &a, &b);
    PyCriticalSection_BeginMutex(&inner, &a);
    EXPECT_DEATH(PyCriticalSection2_End(&two), message("PyCriticalSection2_End", rule));
    PyCriticalSection_End(&inner);
    PyCriticalSection2_End(&two);
}

TEST_P(LockMisuse, DeletingAStateInsideASection) {
    PyMutex a{};
    PyThreadState* mine = PyThreadState_Get();
    PyThreadState* other = new_state();
    PyCriticalSection section;
    EXPECT_DEATH(
        {
            PyThreadState_Swap(other);
            PyCriticalSection_BeginMutex(&section, &a);
            PyThreadState_Swap(mine);
            PyThreadState_Clear(other);
            PyThreadState_Delete(other);
        },
        message("PyThreadState_Delete", "is inside a critical section"));
    EXPECT_DEATH(
        {
            PyThreadState_Swap(other);
            PyCriticalSection_BeginMutex(&section, &a);
            PyThreadState_Clear(other);
            PyThreadState_DeleteCurrent();
        },
        message("PyThreadState_DeleteCurrent", "is inside a critical section"));
    PyThreadState_Clear(other);
    PyThreadState_Delete(other);
}

TEST_P(LockMisuse, ExitingInsideASection) {
    EXPECT_DEATH(
        {
            PyEval_SaveThread();
            std::thread([] {
                PyEval_RestoreThread(new_state());
                static PyMutex a{};
                PyCriticalSection section;
                PyCriticalSection_BeginMutex(&section, &a);
            }).join();
        },
        elsewhere("exit of a thread", "inside a critical section"));
}

EVERY_RUNTIME(Misuse);
EVERY_FREE_RUNTIME(LockMisuse);

}  // namespace
}  // namespace ouro::test
