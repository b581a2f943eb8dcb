// What types made from a spec know of their module and its state, in their functions and in tp_traverse. Source: "Type
// Objects", PyType_GetModule and its kin; "Supporting Cyclic Garbage Collection", the "DuringGC" functions.

#include "tests/contract/types.hpp"

namespace ouro::test {
namespace {

struct State {
    PyObject* shared;  // what all instances refer to
    int traversed;
};
struct Part {
    PyObject ob_base;
    PyObject* me;
};

int token = 0;
PyModuleDef module_def = {PyModuleDef_HEAD_INIT, "contract_module", nullptr, sizeof(State)};
PyModuleDef other_module_def = {PyModuleDef_HEAD_INIT, "contract_other"};

// Asks in a traversal what may be asked there.
int part_traverse(PyObject* op, visitproc visit, void* arg) {
    PyTypeObject* type = Py_TYPE(op);
    PyTypeObject* base = nullptr;
    auto* state = static_cast<State*>(PyType_GetModuleState_DuringGC(type));
    PyObject* module = PyType_GetModule_DuringGC(type);
    void* module_token = nullptr;
    if (state != nullptr && module != nullptr &&
        PyModule_GetState_DuringGC(module) == static_cast<void*>(state) &&
        PyModule_GetToken_DuringGC(module, &module_token) == 0 &&
        PyType_GetModuleByToken_DuringGC(type, module_token) == module &&
        PyType_GetModuleByToken_DuringGC(type, &token) == nullptr &&
        PyType_GetBaseByToken_DuringGC(type, &token, &base) == 1 && base == type &&
        PyObject_GetTypeData_DuringGC(op, type) == static_cast<void*>(op + 1)) {
        __atomic_fetch_add(&state->traversed, 1, __ATOMIC_RELAXED);
    }
    Py_VISIT(type);
    Py_VISIT(reinterpret_cast<Part*>(op)->me);
    return 0;
}

int part_clear(PyObject* op) {
    Py_CLEAR(reinterpret_cast<Part*>(op)->me);
    return 0;
}

void part_dealloc(PyObject* op) {
    PyTypeObject* type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    part_clear(op);
    type->tp_free(op);
    Py_DECREF(type);
}

PyType_Slot part_slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(part_dealloc)},
                            {Py_tp_traverse, reinterpret_cast<void*>(part_traverse)},
                            {Py_tp_clear, reinterpret_cast<void*>(part_clear)},
                            {Py_tp_token, &token},
                            {}};
PyType_Spec part_spec = {"contract.Part", sizeof(Part), 0,
                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, part_slots};

class TypesOfModules : public Things {
protected:
    void SetUp() override {
        Things::SetUp();
        module_ = PyModule_Create(&module_def);
        ASSERT_NE(module_, nullptr);
        type_ = PyType_FromModuleAndSpec(module_, &part_spec, nullptr);
        ASSERT_NE(type_, nullptr);
    }
    void TearDown() override {
        Py_CLEAR(type_);
        Py_CLEAR(module_);
        PyGC_Collect();
        Things::TearDown();
    }
    PyObject* module_ = nullptr;
    PyObject* type_ = nullptr;
};

TEST_P(TypesOfModules, Know) {
    PyTypeObject* type = as_type(type_);
    auto* state = static_cast<State*>(PyModule_GetState(module_));
    ASSERT_NE(state, nullptr);
    EXPECT_EQ(PyType_GetModule(type), module_);
    EXPECT_EQ(PyType_GetModuleState(type), state);
    EXPECT_EQ(PyType_GetModuleByDef(type, &module_def), module_);
    void* module_token = nullptr;
    ASSERT_EQ(PyModule_GetToken(module_, &module_token), 0);
    EXPECT_EQ(module_token, &module_def);
    const Py_ssize_t before = Py_REFCNT(module_);
    PyObject* found = PyType_GetModuleByToken(type, module_token);
    EXPECT_EQ(found, module_);
    EXPECT_EQ(Py_REFCNT(module_), before + 1);
    Py_XDECREF(found);
}

TEST_P(TypesOfModules, AreFoundThroughSubclasses) {
    PyObject* derived = PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyType_Type), "s(O){}",
                                              "Derived", type_);
    ASSERT_NE(derived, nullptr);
    EXPECT_EQ(PyType_GetModuleByDef(as_type(derived), &module_def), module_);
    EXPECT_EQ(PyType_GetModule(as_type(derived)), nullptr);
    expect_raised(PyExc_TypeError, "PyType_GetModule: Type 'Derived' has no associated module");
    EXPECT_EQ(PyType_GetModuleState(as_type(derived)), nullptr);
    expect_raised(PyExc_TypeError);
    EXPECT_EQ(PyType_GetModuleState_DuringGC(as_type(derived)), nullptr);
    EXPECT_EQ(PyType_GetModule_DuringGC(as_type(derived)), nullptr);
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    Py_DECREF(derived);
}

TEST_P(TypesOfModules, SayWhatTheyDoNotKnow) {
    EXPECT_EQ(PyType_GetModule(&PyLong_Type), nullptr);
    expect_raised(PyExc_TypeError, "PyType_GetModule: Type 'int' is not a heap type");
    EXPECT_EQ(PyType_GetModuleByDef(as_type(type_), &other_module_def), nullptr);
    expect_raised(PyExc_TypeError,
                  "PyType_GetModuleByDef: No superclass of 'contract.Part' has the given module");
    EXPECT_EQ(PyType_GetModuleByToken(as_type(type_), &token), nullptr);
    expect_raised(PyExc_TypeError,
                  "PyType_GetModuleByToken: No superclass of 'contract.Part' has the given module");
}

TEST_P(TypesOfModules, AnswerInATraversal) {
    auto* state = static_cast<State*>(PyModule_GetState(module_));
    PyObject* op = PyObject_CallNoArgs(type_);
    reinterpret_cast<Part*>(op)->me = Py_NewRef(op);
    const Py_ssize_t before = Py_REFCNT(type_);
    PyGC_Collect();
    EXPECT_GT(state->traversed, 0);
    EXPECT_EQ(Py_REFCNT(type_), before);
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    Py_DECREF(op);
    EXPECT_EQ(PyGC_Collect(), 1);
}

EVERY_RUNTIME(TypesOfModules);

}  // namespace
}  // namespace ouro::test
