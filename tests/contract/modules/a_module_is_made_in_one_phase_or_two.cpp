// PyModule_Create makes a module at once; PyModule_FromDefAndSpec makes one that PyModule_ExecDef then executes.
// A definition's state, traversal, clear and free are those of its modules. Source: "Module Objects", "Initializing
// C modules" in the C API documentation.

#include "tests/contract/things.hpp"
#include "tests/support/failing.hpp"

namespace ouro::test {
namespace {

using Definitions = Things;

struct State {
    PyObject* held;
    int executed;
};

State* state_of(PyObject* op) {
    return static_cast<State*>(PyModule_GetState(op));
}

int traversed, cleared, freed;

int traverse(PyObject* op, visitproc visit, void* arg) {
    ++traversed;
    EXPECT_NE(PyModule_GetState_DuringGC(op), nullptr) << "not without the state";
    Py_VISIT(static_cast<State*>(PyModule_GetState_DuringGC(op))->held);
    return 0;
}

int clear(PyObject* op) {
    ++cleared;
    Py_CLEAR(state_of(op)->held);
    return 0;
}

void release(void* op) {
    ++freed;
    clear(static_cast<PyObject*>(op));
}

PyMethodDef phase_functions[] = {
    {"executed",
     [](PyObject* self, PyObject*) { return PyLong_FromLong(state_of(self)->executed); },
     METH_NOARGS, nullptr},
    {}};

int execute(PyObject* op) {
    ++state_of(op)->executed;
    return 0;
}

PyModuleDef_Slot phase_slots[] = {
    {Py_mod_exec, reinterpret_cast<void*>(execute)},
    {Py_mod_exec, reinterpret_cast<void*>(execute)},
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
    {0, nullptr}};

PyModuleDef one_phase = {PyModuleDef_HEAD_INIT,
                         "one",
                         "A module.",
                         sizeof(State),
                         phase_functions,
                         nullptr,
                         traverse,
                         clear,
                         release};
PyModuleDef two_phases = {
    PyModuleDef_HEAD_INIT, "two",    "A module.", sizeof(State), phase_functions,
    phase_slots,           traverse, clear,       release};

// What an importer knows of a module: an object with a name.
PyObject* new_spec(const char* name) {
    PyObject* op = PyModule_New("spec");
    EXPECT_EQ(PyModule_AddStringConstant(op, "name", name), 0);
    return op;
}

PyObject* make(PyModuleDef* def, const char* name = "m") {
    PyObject* spec = new_spec(name);
    PyObject* op = PyModule_FromDefAndSpec(def, spec);
    Py_DECREF(spec);
    return op;
}

void forget_calls() {
    traversed = cleared = freed = 0;
}

TEST_P(Definitions, MakeAModuleAtOnce) {
    forget_calls();
    PyObject* op = PyModule_Create(&one_phase);
    ASSERT_NE(op, nullptr);
    EXPECT_STREQ(PyModule_GetName(op), "one");
    EXPECT_EQ(PyModule_GetDef(op), &one_phase);
    ASSERT_NE(state_of(op), nullptr);
    EXPECT_EQ(state_of(op)->executed, 0) << "the state is zeroed";
    void* token = nullptr;
    EXPECT_EQ(PyModule_GetToken(op, &token), 0);
    EXPECT_EQ(token, &one_phase);
    PyObject* doc = PyObject_GetAttrString(op, "__doc__");
    EXPECT_STREQ(PyUnicode_AsUTF8(doc), "A module.");
    Py_DECREF(doc);
    PyObject* other = PyModule_Create(&one_phase);
    EXPECT_NE(other, op);
    EXPECT_NE(state_of(other), state_of(op));
    Py_DECREF(op);
    Py_DECREF(other);
    EXPECT_EQ(PyGC_Collect(), 6);
    EXPECT_EQ(freed, 2);
}

TEST_P(Definitions, MakeAModuleThatIsExecutedLater) {
    forget_calls();
    PyObject* op = make(&two_phases, "a.two");
    ASSERT_NE(op, nullptr);
    EXPECT_STREQ(PyModule_GetName(op), "a.two") << "the spec's name, not the definition's";
    EXPECT_EQ(PyModule_GetDef(op), &two_phases);
    EXPECT_EQ(state_of(op), nullptr);
    PyGC_Collect();
    EXPECT_EQ(traversed, 0) << "the state was asked for and is not there";
    ASSERT_EQ(PyModule_ExecDef(op, &two_phases), 0);
    EXPECT_EQ(state_of(op)->executed, 2) << "by every slot, in turn";
    PyGC_Collect();
    EXPECT_GT(traversed, 0);
    Py_DECREF(op);
    EXPECT_EQ(PyGC_Collect(), 3);
    EXPECT_EQ(freed, 1);
}

TEST_P(Definitions, ThatWereNotExecutedFreeNothing) {
    forget_calls();
    Py_DECREF(make(&two_phases));
    PyGC_Collect();
    EXPECT_EQ(traversed + cleared + freed, 0);
}

// What a module's state holds is the module's: a cycle through it is garbage with the module.
TEST_P(Definitions, TraverseAndClearTheState) {
    forget_calls();
    PyObject* op = make(&two_phases);
    ASSERT_EQ(PyModule_ExecDef(op, &two_phases), 0);
    PyObject* thing = new_thing();
    refer(thing, 0, op);
    state_of(op)->held = thing;
    PyGC_Collect();
    EXPECT_EQ(record.live, 1);
    Py_DECREF(op);
    EXPECT_EQ(PyGC_Collect(), 4);
    EXPECT_EQ(record.live, 0);
    EXPECT_GE(cleared, 1);
    EXPECT_EQ(freed, 1);
}

TEST_P(Definitions, ThatCannotBeAreRefused) {
    struct Case {
        const char* message;
        PyModuleDef_Slot slots[3];
        Py_ssize_t size;
    };
    static auto create = reinterpret_cast<void*>(
        +[](PyObject*, PyModuleDef*) -> PyObject* { return PyList_New(0); });
    static auto nothing =
        reinterpret_cast<void*>(+[](PyObject*, PyModuleDef*) -> PyObject* { return nullptr; });
    static auto raises = reinterpret_cast<void*>(+[](PyObject*, PyModuleDef*) -> PyObject* {
        PyErr_SetString(PyExc_ValueError, "raised in create");
        return nullptr;
    });
    static auto both = reinterpret_cast<void*>(+[](PyObject*, PyModuleDef*) -> PyObject* {
        PyErr_SetString(PyExc_ValueError, "raised in create");
        return PyModule_New("m");
    });
    static Case cases[] = {
        {"SystemError: module m: m_size may not be negative for multi-phase initialization",
         {},
         -1},
        {"SystemError: module m has multiple create slots",
         {{Py_mod_create, create}, {Py_mod_create, create}},
         0},
        {"SystemError: module m has more than one 'multiple interpreters' slots",
         {{Py_mod_multiple_interpreters, nullptr}, {Py_mod_multiple_interpreters, nullptr}},
         0},
        {"SystemError: module m has more than one 'gil' slot",
         {{Py_mod_gil, nullptr}, {Py_mod_gil, nullptr}},
         0},
        {"SystemError: module m uses unknown slot ID 99", {{99, nullptr}}, 0},
        {"SystemError: creation of module m failed without setting an exception",
         {{Py_mod_create, nothing}},
         0},
        {"ValueError: raised in create", {{Py_mod_create, raises}}, 0},
        {"SystemError: creation of module m raised unreported exception",
         {{Py_mod_create, both}},
         0},
        {"SystemError: module m is not a module object, but requests module state",
         {{Py_mod_create, create}},
         8},
        {"SystemError: module m specifies execution slots, but did not create a ModuleType "
         "instance",
         {{Py_mod_create, create}, {Py_mod_exec, reinterpret_cast<void*>(execute)}},
         0},
    };
    for (Case& each : cases) {
        SCOPED_TRACE(each.message);
        PyModuleDef def = {PyModuleDef_HEAD_INIT,
                           "m",
                           nullptr,
                           each.size,
                           nullptr,
                           each.slots,
                           nullptr,
                           nullptr,
                           nullptr};
        EXPECT_EQ(make(&def), nullptr);
        const Unraisable error = take_error();
        EXPECT_EQ(error.type + ": " + error.message, each.message);
    }
}

TEST_P(Definitions, MayMakeWhatIsNoModule) {
    static PyModuleDef_Slot creates[] = {
        {Py_mod_create, reinterpret_cast<void*>(+[](PyObject* spec, PyModuleDef* def) -> PyObject* {
             PyObject* name = PyObject_GetAttrString(spec, "name");
             EXPECT_STREQ(PyUnicode_AsUTF8(name), "m");
             EXPECT_STREQ(def->m_name, "thing");
             Py_DECREF(name);
             return PyList_New(0);
         })},
        {0, nullptr}};
    static PyModuleDef def = {
        PyModuleDef_HEAD_INIT, "thing", nullptr, 0, nullptr, creates, nullptr, nullptr, nullptr};
    PyObject* op = make(&def);
    ASSERT_NE(op, nullptr) << take_error().message;
    EXPECT_TRUE(PyList_CheckExact(op));
    Py_DECREF(op);
}

TEST_P(Definitions, FailAsTheirExecutionDoes) {
    struct Case {
        const char* message;
        int (*execute)(PyObject*);
    };
    static const Case cases[] = {
        {"SystemError: execution of module m failed without setting an exception",
         [](PyObject*) { return -1; }},
        {"ValueError: raised in exec",
         [](PyObject*) {
             PyErr_SetString(PyExc_ValueError, "raised in exec");
             return -1;
         }},
        {"SystemError: execution of module m raised unreported exception",
         [](PyObject*) {
             PyErr_SetString(PyExc_ValueError, "raised in exec");
             return 0;
         }},
    };
    for (const Case& each : cases) {
        PyModuleDef_Slot one[] = {{Py_mod_exec, reinterpret_cast<void*>(each.execute)},
                                  {0, nullptr}};
        PyModuleDef def = {
            PyModuleDef_HEAD_INIT, "m", nullptr, 0, nullptr, one, nullptr, nullptr, nullptr};
        PyObject* op = make(&def);
        EXPECT_EQ(PyModule_ExecDef(op, &def), -1);
        PyObject* raised = PyErr_GetRaisedException();
        PyObject* cause = PyException_GetCause(raised);
        const std::string message = Py_TYPE(raised)->tp_name + (": " + message_of(raised));
        EXPECT_EQ(message, each.message);
        const bool is_reported = message.find("unreported") == std::string::npos;
        EXPECT_EQ(cause == nullptr, is_reported) << "what was not reported is the cause";
        Py_XDECREF(cause);
        Py_DECREF(raised);
        Py_DECREF(op);
    }
}

TEST_P(Definitions, WithSlotsAreNotForOnePhase) {
    EXPECT_EQ(PyModule_Create(&two_phases), nullptr);
    expect_raised(PyExc_SystemError, "module two: PyModule_Create is incompatible with m_slots");
    EXPECT_EQ(PyState_FindModule(&two_phases), nullptr);
    PyObject* op = make(&two_phases);
    EXPECT_EQ(PyState_AddModule(op, &two_phases), -1);
    expect_raised(PyExc_SystemError, "PyState_AddModule called on module with slots");
    EXPECT_EQ(PyState_RemoveModule(&two_phases), -1);
    expect_raised(PyExc_SystemError, "PyState_RemoveModule called on module with slots");
    Py_DECREF(op);
    PyGC_Collect();
}

TEST_P(Definitions, MayBeMarkedByAToken) {
    static char token;
    static PyModuleDef_Slot marked[] = {{Py_mod_token, &token}, {0, nullptr}};
    static PyModuleDef def = {
        PyModuleDef_HEAD_INIT, "m", nullptr, 0, nullptr, marked, nullptr, nullptr, nullptr};
    PyObject* op = make(&def);
    void* found = nullptr;
    EXPECT_EQ(PyModule_GetToken(op, &found), 0);
    EXPECT_EQ(found, &token);
    EXPECT_EQ(PyModule_GetToken_DuringGC(op, &found), 0);
    EXPECT_EQ(found, &token);
    Py_DECREF(op);
}

TEST_P(Definitions, AreInitialisedOnce) {
    static PyModuleDef def = {
        PyModuleDef_HEAD_INIT, "m", nullptr, 0, nullptr, nullptr, nullptr, nullptr, nullptr};
    PyObject* op = PyModuleDef_Init(&def);
    EXPECT_EQ(op, reinterpret_cast<PyObject*>(&def));
    EXPECT_TRUE(Py_IS_TYPE(op, &PyModuleDef_Type));
    const Py_ssize_t index = def.m_base.m_index;
    EXPECT_GT(index, 0);
    PyModuleDef_Init(&def);
    EXPECT_EQ(def.m_base.m_index, index);
}

TEST_P(Definitions, WithoutMemoryMakeNothing) {
    PyObject* spec = new_spec("m");
    PyObject* first = PyModule_FromDefAndSpec(&two_phases, spec);  // names that stay for ever
    ASSERT_EQ(PyModule_ExecDef(first, &two_phases), 0);
    Py_DECREF(first);
    PyGC_Collect();
    const int failures = fail_each_allocation([spec](auto& failing) {
        PyObject* op = failing([spec] {
            PyObject* made = PyModule_FromDefAndSpec(&two_phases, spec);
            if (made != nullptr && PyModule_ExecDef(made, &two_phases) < 0) {
                Py_CLEAR(made);
            }
            return made;
        });
        EXPECT_EQ(op == nullptr, PyErr_Occurred() != nullptr);
        if (op == nullptr) {
            expect_raised(PyExc_MemoryError);
        }
        Py_XDECREF(op);
        PyGC_Collect();
    });
    EXPECT_GT(failures, 3);
    Py_DECREF(spec);
}

EVERY_RUNTIME(Definitions);

}  // namespace
}  // namespace ouro::test
