// Py_FinalizeEx drops the modules: those that nothing else holds die, with their state, and what is still held
// loses what its dictionary holds. A runtime that begins again makes them anew. With leaks=on what is left is told
// by type. Source: "Initialization, Finalization, and Threads", "Module Objects" in the C API documentation.
// imports modules
#include "tests/contract/imports.hpp"

namespace ouro::test {
namespace {

int mortal_inits, mortal_frees;
PyObject* held;  // a reference too many

PyMethodDef mortal_functions[] = {{"hold",
                                   [](PyObject* self, PyObject*) {
                                       held = Py_NewRef(self);
                                       return Py_NewRef(Py_None);
                                   },
                                   METH_NOARGS, nullptr},
                                  {}};

PyObject* init_mortal() {
    static PyModuleDef def = {PyModuleDef_HEAD_INIT,
                              "mortal",
                              nullptr,
                              16,
                              mortal_functions,
                              nullptr,
                              nullptr,
                              nullptr,
                              [](void*) { ++mortal_frees; }};
    ++mortal_inits;
    return PyModule_Create(&def);
}

const int mortal_appended = PyImport_AppendInittab("mortal", init_mortal);

class Ends : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override { begin(); }
    void begin() {
        ASSERT_EQ(mortal_appended, 0);
        mortal_inits = mortal_frees = 0;
        ASSERT_NO_FATAL_FAILURE(start_runtime(settings_for(GetParam(), "verify=on,leaks=on")));
    }
    // What the end says of what is left.
    static std::string end() {
        testing::internal::CaptureStderr();
        stop_runtime();
        return testing::internal::GetCapturedStderr();
    }
};

TEST_P(Ends, DropTheModules) {
    for (int round = 0; round < 3; ++round) {
        PyObject* op = PyImport_ImportModule("mortal");
        ASSERT_NE(op, nullptr) << take_error().message;
        PyObject* list = PyList_New(0);
        PyList_Append(list, op);
        EXPECT_EQ(PyModule_Add(op, "cycle", list), 0);
        Py_DECREF(op);
        EXPECT_EQ(mortal_inits, 1);
        EXPECT_EQ(mortal_frees, 0);
        EXPECT_EQ(end(), "ouro leaks: none\n");
        EXPECT_EQ(mortal_frees, 1);
        begin();
    }
    end();
}

TEST_P(Ends, EmptyTheModulesThatAreHeld) {
    static int deaths;
    deaths = 0;
    PyObject* op = PyImport_ImportModule("mortal");
    ASSERT_NE(op, nullptr) << take_error().message;
    EXPECT_EQ(
        PyModule_Add(op, "_part", PyCapsule_New(&deaths, nullptr, [](PyObject*) { ++deaths; })), 0);
    PyObject* hold = PyObject_GetAttrString(op, "hold");
    EXPECT_EQ(taken_text(PyObject_CallNoArgs(hold)), "None");
    Py_DECREF(hold);
    Py_DECREF(op);
    EXPECT_THAT(end(), testing::HasSubstr("ouro leaks: 1 module\n"));
    EXPECT_EQ(deaths, 1) << "it was in the module's dictionary";
    EXPECT_EQ(mortal_frees, 0);
    begin();
    Py_DECREF(held);
    PyGC_Collect();
    EXPECT_EQ(mortal_frees, 1);
    end();
}

TEST_P(Ends, TellWhatIsLeft) {
    PyObject* lists[] = {PyList_New(0), PyList_New(0)};
    PyObject* bytes = PyBytes_FromString("left behind");
    EXPECT_EQ(end(), "ouro leaks: 2 list\nouro leaks: 1 bytes\n");
    begin();
    for (PyObject* op : lists) {
        Py_DECREF(op);
    }
    Py_DECREF(bytes);
    EXPECT_EQ(end(), "ouro leaks: none\n") << "what was there before is nobody's leak";
}

EVERY_RUNTIME(Ends);

}  // namespace
}  // namespace ouro::test
