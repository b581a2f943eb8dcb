// What C code asks the runtime for beside objects: clocks, files, signals, audit hooks, dictionaries of threads, options.
// Source: "PyTime C API", "File Objects", "Operating System Utilities", "System Functions", PyThreadState_GetDict,
// "Python Initialization Configuration".
// label: concurrency

#include <csignal>
#include <cstdio>
#include <cwchar>

#include "tests/contract/modules.hpp"
#include "tests/contract/text.hpp"
#include "tests/contract/threads.hpp"

namespace ouro::test {
namespace {

class System : public ModuleTest {
protected:
    // The dictionaries of the thread and of all stay until these end.
    void SetUp() override {
        ModuleTest::SetUp();
        ASSERT_NE(PyThreadState_GetDict(), nullptr);
        ASSERT_NE(PyInterpreterState_GetDict(PyInterpreterState_Get()), nullptr);
        expect_no_more();
    }
};

TEST_P(System, ClocksGoOn) {
    PyTime_t before, after;
    ASSERT_EQ(PyTime_Monotonic(&before), 0);
    ASSERT_EQ(PyTime_MonotonicRaw(&after), 0);
    EXPECT_LE(before, after);
    ASSERT_EQ(PyTime_PerfCounter(&before), 0);
    ASSERT_EQ(PyTime_PerfCounterRaw(&after), 0);
    EXPECT_LE(before, after);
    ASSERT_EQ(PyTime_Time(&before), 0);
    ASSERT_EQ(PyTime_TimeRaw(&after), 0);
    EXPECT_GT(before, PyTime_t{1'600'000'000} * 1'000'000'000);
    EXPECT_EQ(PyTime_AsSecondsDouble(1'500'000'000), 1.5);
}

TEST_P(System, FilesAreOpenedByPath) {
    Kept kept;
    FILE* file = Py_fopen(kept.str("/dev/null"), "r");
    ASSERT_NE(file, nullptr);
    EXPECT_EQ(Py_FdIsInteractive(file, "null"), 0);
    EXPECT_EQ(Py_fclose(file), 0);
    EXPECT_EQ(Py_fopen(kept.str("/no/such/file"), "r"), nullptr);
    EXPECT_EQ(take_error().type, "FileNotFoundError");
    EXPECT_EQ(Py_fopen(kept(PyLong_FromLong(1)), "r"), nullptr);
    EXPECT_EQ(take_error().type, "TypeError");
    EXPECT_EQ(PyFile_GetLine(kept.str("x"), 0), nullptr);
    EXPECT_EQ(take_error().type, "AttributeError");
}

TEST_P(System, SignalsHaveHandlers) {
    const PyOS_sighandler_t before = PyOS_getsig(SIGUSR1);
    EXPECT_EQ(PyOS_setsig(SIGUSR1, SIG_IGN), before);
    EXPECT_EQ(PyOS_getsig(SIGUSR1), SIG_IGN);
    EXPECT_EQ(PyOS_setsig(SIGUSR1, before), SIG_IGN);
}

// Hooks stay for the rest of the process.
int hook_calls;
bool hook_refuses;
TEST_P(System, AuditHooksAreTold) {
    static bool is_added = false;
    if (!is_added) {
        is_added = true;
        ASSERT_EQ(PySys_AddAuditHook(
                      [](const char* event, PyObject* arguments, void* data) {
                          if (std::string_view(event) != "contract.event") {
                              return 0;
                          }
                          EXPECT_EQ(data, &hook_calls);
                          EXPECT_TRUE(PyTuple_Check(arguments));
                          hook_calls += 1 + static_cast<int>(PyTuple_GET_SIZE(arguments));
                          if (hook_refuses) {
                              PyErr_SetString(PyExc_RuntimeError, "no");
                              return -1;
                          }
                          return 0;
                      },
                      &hook_calls),
                  0);
    }
    hook_calls = 0;
    hook_refuses = false;
    EXPECT_EQ(PySys_Audit("contract.event", "ii", 1, 2), 0);
    EXPECT_EQ(hook_calls, 3);
    EXPECT_EQ(PySys_Audit("contract.event", "i", 1), 0);
    EXPECT_EQ(hook_calls, 5);
    EXPECT_EQ(PySys_AuditTuple("contract.event", nullptr), 0);
    EXPECT_EQ(hook_calls, 6);
    EXPECT_EQ(PySys_Audit("another", nullptr), 0);
    EXPECT_EQ(PySys_AuditTuple("contract.event", Py_None), -1);
    EXPECT_EQ(take_error().type, "TypeError");
    hook_refuses = true;
    EXPECT_EQ(PySys_Audit("contract.event", nullptr), -1);
    EXPECT_EQ(take_error().type, "RuntimeError");
    hook_refuses = false;
}

TEST_P(System, ThreadsHaveADictionaryEach) {
    PyObject* mine = PyThreadState_GetDict();
    ASSERT_NE(mine, nullptr);
    EXPECT_EQ(PyThreadState_GetDict(), mine);
    Kept kept;
    PyObject* list = kept(PyList_New(0));
    ASSERT_EQ(PyDict_SetItemString(mine, "contract", list), 0);
    PyObject* of_all = PyInterpreterState_GetDict(PyInterpreterState_Get());
    ASSERT_NE(of_all, nullptr);
    on_another_thread([&] {
        PyObject* other = PyThreadState_GetDict();
        EXPECT_NE(other, mine);
        EXPECT_EQ(PyDict_SetItemString(other, "list", list), 0);
        EXPECT_EQ(PyInterpreterState_GetDict(PyInterpreterState_Get()), of_all);
    });
    EXPECT_EQ(Py_REFCNT(list), 2) << "the other thread's went with it";
    ASSERT_EQ(PyDict_DelItemString(mine, "contract"), 0);
}

TEST_P(System, TextOfTheSystemIsDecoded) {
    size_t size = 0;
    wchar_t* wide = Py_DecodeLocale("a\xc3\xa9\xff", &size);
    ASSERT_NE(wide, nullptr);
    EXPECT_EQ(size, 3U);
    EXPECT_EQ(std::wstring(wide), (std::wstring{L'a', L'\u00e9', static_cast<wchar_t>(0xDCFF)}));
    char* back = Py_EncodeLocale(wide, nullptr);
    ASSERT_NE(back, nullptr);
    EXPECT_STREQ(back, "a\xc3\xa9\xff");
    PyMem_Free(back);
    PyMem_RawFree(wide);
    const wchar_t bad[] = {L'a', static_cast<wchar_t>(0xD800), 0};
    EXPECT_EQ(Py_EncodeLocale(bad, &size), nullptr);
    EXPECT_EQ(size, 1U);
}

TEST_P(System, ModulesGiveTheirAttributes) {
    Kept kept;
    PyObject* size = kept(PyImport_ImportModuleAttrString("sys", "maxsize"));
    EXPECT_EQ(PyLong_AsSsize_t(size), PY_SSIZE_T_MAX);
    PyObject* again = kept(PyImport_ImportModuleAttr(kept.str("sys"), kept.str("maxsize")));
    EXPECT_EQ(PyObject_RichCompareBool(size, again, Py_EQ), 1);
    EXPECT_EQ(PyImport_ImportModuleAttrString("sys", "no such"), nullptr);
    EXPECT_EQ(take_error().type, "AttributeError");
    EXPECT_EQ(PyImport_ImportModuleAttrString("no_such_module", "x"), nullptr);
    EXPECT_EQ(take_error().type, "ModuleNotFoundError");
}

TEST_P(System, OptionsHaveNames) {
    int number = -1;
    EXPECT_EQ(PyConfig_GetInt("utf8_mode", &number), 0);
    EXPECT_EQ(number, 1);
    EXPECT_EQ(PyConfig_Get("no such option"), nullptr);
    EXPECT_EQ(taken_error(), "ValueError: unknown config option name: no such option");
    EXPECT_EQ(PyConfig_Set("verbose", Py_None), -1);
    EXPECT_EQ(take_error().type, "ValueError");
    EXPECT_EQ(PyConfig_GetInt("executable", &number), -1);
    EXPECT_EQ(take_error().type, "TypeError");
    PyObject* names = PyConfig_Names();
    ASSERT_NE(names, nullptr);
    EXPECT_TRUE(PyFrozenSet_Check(names));
    Py_DECREF(names);
    EXPECT_EQ(PyTraceMalloc_Track(0, 16, 16), -2);
    EXPECT_EQ(PyTraceMalloc_Untrack(0, 16), -2);
}

TEST_P(System, TheOldestKeysOfThreads) {
    const int key = PyThread_create_key();
    ASSERT_NE(key, -1);
    int value = 5;
    EXPECT_EQ(PyThread_get_key_value(key), nullptr);
    EXPECT_EQ(PyThread_set_key_value(key, &value), 0);
    EXPECT_EQ(PyThread_get_key_value(key), &value);
    PyThread_delete_key_value(key);
    EXPECT_EQ(PyThread_get_key_value(key), nullptr);
    PyThread_delete_key(key);
}

EVERY_WAY_OF_COUNTING(System);

}  // namespace
}  // namespace ouro::test
