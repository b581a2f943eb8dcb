// An import finds a module that is built in or on the search path, makes it once, and remembers it in
// sys.modules; a package has its modules as attributes. Source: "Importing Modules" in the C API documentation.
// imports modules
#include "tests/contract/imports.hpp"

namespace ouro::test {
namespace {

using namespace std::string_literals;

int added_inits = 0;

PyObject* init_added() {
    static PyModuleDef def = {
        PyModuleDef_HEAD_INIT, "added", nullptr, 0, nullptr, nullptr, nullptr, nullptr, nullptr};
    ++added_inits;
    return PyModule_Create(&def);
}

int execute_recursive(PyObject* op) {
    PyObject* again = PyImport_ImportModule("recursive");
    EXPECT_EQ(again, op) << "while it is executed it is in sys.modules";
    Py_XDECREF(again);
    EXPECT_EQ(PyObject_GetAttrString(op, "x"), nullptr);
    expect_raised(PyExc_AttributeError,
                  "partially initialized module 'recursive' has no attribute 'x' (most likely due "
                  "to a circular import)");
    return 0;
}

PyObject* init_recursive() {
    static PyModuleDef_Slot slots[] = {{Py_mod_exec, reinterpret_cast<void*>(execute_recursive)},
                                       {Py_mod_gil, Py_MOD_GIL_NOT_USED},
                                       {0, nullptr}};
    static PyModuleDef def = {
        PyModuleDef_HEAD_INIT, "recursive", nullptr, 0, nullptr, slots, nullptr, nullptr, nullptr};
    return PyModuleDef_Init(&def);
}

PyObject* init_replaced() {
    static PyModuleDef_Slot slots[] = {{Py_mod_exec, reinterpret_cast<void*>(+[](PyObject*) {
                                            PyObject* list = PyList_New(0);
                                            const int result = PyDict_SetItemString(
                                                PyImport_GetModuleDict(), "replaced", list);
                                            Py_XDECREF(list);
                                            return result;
                                        })},
                                       {Py_mod_gil, Py_MOD_GIL_NOT_USED},
                                       {0, nullptr}};
    static PyModuleDef def = {
        PyModuleDef_HEAD_INIT, "replaced", nullptr, 0, nullptr, slots, nullptr, nullptr, nullptr};
    return PyModuleDef_Init(&def);
}

// Before the runtime starts, once for all tests.
const int built_ins_appended = PyImport_AppendInittab("added", init_added) +
                               PyImport_AppendInittab("recursive", init_recursive) +
                               PyImport_AppendInittab("replaced", init_replaced);

TEST_P(Imports, MakeABuiltInModuleOnce) {
    ASSERT_EQ(built_ins_appended, 0);
    added_inits = 0;
    PyObject* op = PyImport_ImportModule("added");
    ASSERT_NE(op, nullptr) << take_error().message;
    EXPECT_TRUE(PyModule_CheckExact(op));
    EXPECT_EQ(taken_text(PyObject_Repr(op)), "<module 'added' (built-in)>");
    EXPECT_EQ(attribute_of(op, "__package__"), "");
    PyObject* spec = PyObject_GetAttrString(op, "__spec__");
    EXPECT_EQ(taken_text(PyObject_Repr(spec)),
              "ModuleSpec(name='added', loader=None, origin='built-in')");
    EXPECT_EQ(attribute_of(spec, "has_location"), "False");
    EXPECT_EQ(attribute_of(spec, "parent"), "");
    Py_DECREF(spec);
    PyObject* again = PyImport_ImportModule("added");
    EXPECT_EQ(again, op);
    EXPECT_EQ(added_inits, 1);
    PyObject* known = PyDict_GetItemString(PyImport_GetModuleDict(), "added");
    EXPECT_EQ(known, op);
    Py_XDECREF(again);
    Py_DECREF(op);
}

TEST_P(Imports, KnowAModuleByItsName) {
    PyObject* name = PyUnicode_FromString("made.up");
    EXPECT_EQ(PyImport_GetModule(name), nullptr);
    EXPECT_EQ(PyErr_Occurred(), nullptr) << "to ask is no error";
    PyObject* op = PyImport_AddModuleObject(name);
    EXPECT_EQ(PyImport_AddModule("made.up"), op);
    EXPECT_EQ(Py_REFCNT(op), 1) << "sys.modules' own";
    PyObject* same = PyImport_AddModuleRef("made.up");
    EXPECT_EQ(same, op);
    EXPECT_EQ(Py_REFCNT(op), 2);
    Py_DECREF(same);
    same = PyImport_GetModule(name);
    EXPECT_EQ(same, op);
    Py_XDECREF(same);
    EXPECT_EQ(import_error("made.up"), "") << "what is known is not looked for";
    EXPECT_EQ(import_error("made.other"), "ModuleNotFoundError: No module named 'made'")
        << "the package is imported first";
    Py_DECREF(name);
}

TEST_P(Imports, LoadAFileOfTheSearchPath) {
    PyObject* op = PyImport_ImportModule("two_phases");
    ASSERT_NE(op, nullptr) << take_error().message;
    const std::string file = (modules_directory() / "two_phases.so").string();
    EXPECT_EQ(attribute_of(op, "__file__"), file);
    EXPECT_EQ(attribute_of(op, "__name__"), "two_phases");
    EXPECT_EQ(attribute_of(op, "__doc__"), "Made in two phases.");
    EXPECT_EQ(attribute_of(op, "version"), "1.0");
    EXPECT_EQ(taken_text(PyObject_Repr(op)), "<module 'two_phases' from '" + file + "'>");
    PyObject* spec = PyObject_GetAttrString(op, "__spec__");
    EXPECT_EQ(attribute_of(spec, "origin"), file);
    EXPECT_EQ(attribute_of(spec, "has_location"), "True");
    Py_DECREF(spec);
    PyObject* loops = PyObject_GetAttrString(op, "loops");
    EXPECT_EQ(taken_text(PyObject_CallFunction(loops, "i", 5)), "5");
    EXPECT_EQ(PyGC_Collect(), 5);
    Py_DECREF(loops);
    Py_DECREF(op);
}

TEST_P(Imports, PreferTheNameThatSaysMore) {
    for (const char* name : {"one_phase.so", "one_phase.abi3.so", "one_phase.ouro.so"}) {
        const std::string file = link("one_phase.so", name);
        PyObject* op = PyImport_ImportModule("one_phase");
        ASSERT_NE(op, nullptr) << take_error().message;
        EXPECT_EQ(attribute_of(op, "__file__"), file);
        ASSERT_EQ(PyDict_DelItemString(PyImport_GetModuleDict(), "one_phase"), 0);
        Py_DECREF(op);
    }
    PyGC_Collect();
}

TEST_P(Imports, MakeAModuleAgainThatWasForgotten) {
    const auto inits_of = [](PyObject* op) {
        PyObject* function = PyObject_GetAttrString(op, "inits");
        const std::string text = taken_text(PyObject_CallNoArgs(function));
        Py_DECREF(function);
        return text;
    };
    PyObject* op = PyImport_ImportModule("static_state");
    ASSERT_NE(op, nullptr) << take_error().message;
    const std::string first = inits_of(op);
    ASSERT_EQ(PyModule_AddStringConstant(op, "later", "is not copied"), 0);
    ASSERT_EQ(PyDict_DelItemString(PyImport_GetModuleDict(), "static_state"), 0);
    PyObject* again = PyImport_ImportModule("static_state");
    ASSERT_NE(again, nullptr) << take_error().message;
    EXPECT_NE(again, op);
    EXPECT_EQ(inits_of(again), first) << "its init function is called once in a runtime";
    EXPECT_EQ(PyObject_HasAttrString(again, "later"), 0);
    Py_DECREF(op);
    Py_DECREF(again);
}

TEST_P(Imports, OfAPackageGiveItItsModules) {
    PyObject* part = PyImport_ImportModule("package.part");
    ASSERT_NE(part, nullptr) << take_error().message;
    EXPECT_EQ(attribute_of(part, "__name__"), "package.part") << "it calls itself part";
    EXPECT_EQ(attribute_of(part, "__package__"), "package");
    PyObject* package = PyImport_ImportModule("package");
    EXPECT_EQ(attribute_of(package, "__package__"), "package");
    EXPECT_EQ(attribute_of(package, "__path__"),
              "['" + (modules_directory() / "package").string() + "']");
    PyObject* child = PyObject_GetAttrString(package, "part");
    EXPECT_EQ(child, part);
    Py_XDECREF(child);
    EXPECT_EQ(import_error("package.missing"),
              "ModuleNotFoundError: No module named 'package.missing'");
    EXPECT_EQ(import_error("two_phases.part"),
              "ModuleNotFoundError: No module named 'two_phases.part'; 'two_phases' is not a "
              "package");
    Py_XDECREF(package);
    Py_DECREF(part);
}

TEST_P(Imports, TakeADirectoryForAPackage) {
    link("package/part.so", "plain/part.so");
    PyObject* part = PyImport_ImportModule("plain.part");
    ASSERT_NE(part, nullptr) << take_error().message;
    EXPECT_EQ(attribute_of(part, "__name__"), "plain.part");
    PyObject* plain = PyImport_ImportModule("plain");
    EXPECT_EQ(PyObject_HasAttrString(plain, "__file__"), 0);
    EXPECT_EQ(attribute_of(plain, "__path__"), "['" + (own_ / "plain").string() + "']");
    Py_DECREF(plain);
    Py_DECREF(part);
}

// The statements `import a.b`, `from a import b` and `from . import b`.
TEST_P(Imports, BindWhatTheStatementSays) {
    PyObject* top = PyImport_ImportModuleLevel("package.part", nullptr, nullptr, nullptr, 0);
    EXPECT_EQ(attribute_of(top, "__name__"), "package");
    PyObject* none = PyTuple_New(0);
    PyObject* same = PyImport_ImportModuleLevel("package.part", nullptr, nullptr, none, 0);
    EXPECT_EQ(same, top);
    Py_XDECREF(same);
    Py_DECREF(none);
    PyObject* fromlist = Py_BuildValue("[ss]", "part", "nothing");
    PyObject* package = PyImport_ImportModuleLevel("package", nullptr, nullptr, fromlist, 0);
    EXPECT_EQ(package, top) << "what the package has not is for the statement to miss";
    PyObject* globals =
        Py_BuildValue("{ssss}", "__name__", "package.other", "__package__", "package");
    PyObject* relative = PyImport_ImportModuleLevel("part", globals, nullptr, fromlist, 1);
    EXPECT_EQ(attribute_of(relative, "__name__"), "package.part");
    EXPECT_EQ(PyImport_ImportModuleLevel("part", globals, nullptr, fromlist, 2), nullptr);
    expect_raised(PyExc_ImportError, "attempted relative import beyond top-level package");
    PyObject* empty = PyDict_New();
    EXPECT_EQ(PyImport_ImportModuleLevel("part", empty, nullptr, nullptr, 1), nullptr);
    EXPECT_EQ(take_error().type, "KeyError");
    EXPECT_EQ(PyImport_ImportModuleLevel("part", globals, nullptr, nullptr, -1), nullptr);
    expect_raised(PyExc_ValueError, "level must be >= 0");
    EXPECT_EQ(PyImport_ImportModule(""), nullptr);
    expect_raised(PyExc_ValueError, "Empty module name");
    for (PyObject* op : {top, fromlist, package, globals, relative, empty}) {
        Py_XDECREF(op);
    }
}

TEST_P(Imports, FindNothingByOtherNames) {
    EXPECT_EQ(import_error("nowhere"), "ModuleNotFoundError: No module named 'nowhere'");
    EXPECT_EQ(import_error("no.where"), "ModuleNotFoundError: No module named 'no'");
    PyObject* raised = nullptr;
    EXPECT_EQ(PyImport_ImportModule("nowhere"), nullptr);
    raised = PyErr_GetRaisedException();
    EXPECT_EQ(attribute_of(raised, "name"), "nowhere");
    Py_DECREF(raised);
    ASSERT_EQ(PyDict_SetItemString(PyImport_GetModuleDict(), "added", Py_None), 0);
    EXPECT_EQ(import_error("added"),
              "ModuleNotFoundError: import of added halted; None in sys.modules");
}

TEST_P(Imports, MayMeetThemselves) {
    PyObject* op = PyImport_ImportModule("recursive");
    ASSERT_NE(op, nullptr) << take_error().message;
    EXPECT_EQ(PyObject_GetAttrString(op, "x"), nullptr);
    expect_raised(PyExc_AttributeError, "module 'recursive' has no attribute 'x'");
    Py_DECREF(op);
}

TEST_P(Imports, GiveWhatTheModulePutInItsPlace) {
    PyObject* op = PyImport_ImportModule("replaced");
    ASSERT_NE(op, nullptr) << take_error().message;
    EXPECT_TRUE(PyList_CheckExact(op));
    Py_DECREF(op);
}

TEST_P(Imports, WarnOnceOfAModuleThatNeedsTheLock) {
    const bool is_free = std::string(GetParam()).find("gil") == std::string::npos;
    testing::internal::CaptureStderr();
    for (const char* name : {"two_phases", "one_phase", "static_state"}) {
        EXPECT_EQ(import_error(name), "");
    }
    const std::string warning =
        "RuntimeWarning: The global interpreter lock (GIL) has been enabled to load module "
        "'one_phase', which has not declared that it can run safely without the GIL. To override "
        "this behavior and keep the GIL disabled (at your own risk), run with PYTHON_GIL=0 or "
        "-Xgil=0.\n";
    const std::string printed = testing::internal::GetCapturedStderr();
    if (is_free) {
        EXPECT_THAT(printed, testing::EndsWith(warning));
        EXPECT_EQ(std::ranges::count(printed, '\n'), 1) << printed;
    } else {
        EXPECT_EQ(printed, "");
    }
}

// Threads that import the same at once get the same; it is made once.
TEST_P(Imports, OfSeveralThreadsMakeOneModule) {
    added_inits = 0;
    std::vector<PyObject*> found(4);
    PyThreadState* me = PyEval_SaveThread();
    std::vector<std::thread> threads;
    for (PyObject*& op : found) {
        threads.emplace_back([&op] {
            const PyGILState_STATE state = PyGILState_Ensure();
            op = PyImport_ImportModule("added");
            PyGILState_Release(state);
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    PyEval_RestoreThread(me);
    EXPECT_EQ(added_inits, 1);
    EXPECT_NE(found[0], nullptr);
    for (PyObject* op : found) {
        EXPECT_EQ(op, found[0]);
        Py_XDECREF(op);
    }
}

EVERY_RUNTIME(Imports);

}  // namespace
}  // namespace ouro::test
