/* Module objects: what they hold, how they are defined and executed, and how they are imported. */
#include "tests/same/same.h"

static PyObject* add_one(PyObject* self, PyObject* arg) {
    (void)self;
    return PyNumber_Add(arg, I(1));
}
static PyObject* module_name(PyObject* self, PyObject* unused) {
    (void)unused;
    return PyModule_GetNameObject(self);
}
static PyMethodDef functions[] = {
    {"add_one", add_one, METH_O, "add_one(x)\n--\n\nAdds one."},
    {"module_name", module_name, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

CASE(a_module_by_name) {
    PyObject* m = T(PyModule_New("some.module"));
    see("module", m);
    see("type", (PyObject*)Py_TYPE(m));
    got("name", PyModule_GetNameObject(m));
    say("%s", PyModule_GetName(m));
    got("__doc__", PyObject_GetAttrString(m, "__doc__"));
    got("__package__", PyObject_GetAttrString(m, "__package__"));
    got("__loader__", PyObject_GetAttrString(m, "__loader__"));
    got("__spec__", PyObject_GetAttrString(m, "__spec__"));
    done("dict", PyDict_Size(PyModule_GetDict(m)));
    got("no such name", PyObject_GetAttrString(m, "nothing"));
    got("no file", PyModule_GetFilenameObject(m));
    done("no definition", PyModule_GetDef(m) == NULL);
    done("no state", PyModule_GetState(m) == NULL);
    done("doc", PyModule_SetDocString(m, "A doc."));
    got("__doc__", PyObject_GetAttrString(m, "__doc__"));
}

CASE(a_module_without_its_name) {
    PyObject* m = T(PyModule_New("m"));
    done("delete", PyObject_DelAttrString(m, "__name__"));
    got("name", PyModule_GetNameObject(m));
    got("no such name", PyObject_GetAttrString(m, "nothing"));
    see("module", m);
}

CASE(what_is_no_module) {
    done("dict", PyModule_GetDict(V("[]")) == NULL);
    got("name", PyModule_GetNameObject(V("[]")));
    done("def", PyModule_GetDef(V("[]")) == NULL);
    done("state", PyModule_GetState(V("[]")) == NULL);
    done("add", PyModule_AddObject(V("[]"), "x", Py_None));
}

CASE(things_are_added_to_a_module) {
    PyObject* m = T(PyModule_New("m"));
    PyObject* list = V("[]");
    ALIVE_BEFORE(list);
    done("AddObjectRef", PyModule_AddObjectRef(m, "list", list));
    see_count(list);
    done("AddObject", PyModule_AddObject(m, "again", Py_NewRef(list)));
    see_count(list);
    done("int", PyModule_AddIntConstant(m, "number", 42));
    done("text", PyModule_AddStringConstant(m, "text", "value"));
    done("type", PyModule_AddType(m, &PyLong_Type));
    done("functions", PyModule_AddFunctions(m, functions));
    done("NULL", PyModule_AddObjectRef(m, "x", NULL));
    PyErr_SetString(PyExc_KeyError, "from before");
    done("NULL with an exception", PyModule_AddObjectRef(m, "x", NULL));
    got("number", PyObject_GetAttrString(m, "number"));
    got("text", PyObject_GetAttrString(m, "text"));
    got("int", PyObject_GetAttrString(m, "int"));
    got("add_one", PyObject_CallMethod(m, "add_one", "i", 4));
    got("module_name", PyObject_CallMethod(m, "module_name", NULL));
    see("function", T(PyObject_GetAttrString(m, "add_one")));
    got("its module",
        PyObject_GetAttrString(T(PyObject_GetAttrString(m, "add_one")), "__module__"));
    got("its doc", PyObject_GetAttrString(T(PyObject_GetAttrString(m, "add_one")), "__doc__"));
    got("its signature",
        PyObject_GetAttrString(T(PyObject_GetAttrString(m, "add_one")), "__text_signature__"));
}

static PyObject* module_getattr(PyObject* self, PyObject* name) {
    (void)self;
    if (PyUnicode_CompareWithASCIIString(name, "bad") == 0) {
        PyErr_SetString(PyExc_ValueError, "bad name");
        return NULL;
    }
    return PyUnicode_FromFormat("computed %U", name);
}
DEFINE(getattr_definition, "__getattr__", module_getattr, METH_O);

CASE(a_module_may_answer_for_missing_names) {
    PyObject* m = T(PyModule_New("m"));
    done("add", PyModule_AddObject(m, "__getattr__", function_of(&getattr_definition)));
    got("x", PyObject_GetAttrString(m, "x"));
    got("bad", PyObject_GetAttrString(m, "bad"));
    got("__name__", PyObject_GetAttrString(m, "__name__"));
}

typedef struct {
    PyObject* held;
    int executed;
} State;
static int state_traverse(PyObject* m, visitproc visit, void* arg) {
    State* state = PyModule_GetState(m);
    Py_VISIT(state->held);
    return 0;
}
static int state_clear(PyObject* m) {
    State* state = PyModule_GetState(m);
    Py_CLEAR(state->held);
    return 0;
}
static void state_free(void* m) {
    say("the module is freed");
    (void)state_clear((PyObject*)m);
}
static int exec_first(PyObject* m) {
    State* state = PyModule_GetState(m);
    say("exec finds %d", state->executed);
    state->executed = 1;
    return PyModule_AddIntConstant(m, "first", 1);
}
static int exec_second(PyObject* m) {
    State* state = PyModule_GetState(m);
    say("the second exec finds %d", state->executed);
    return PyModule_AddIntConstant(m, "second", 2);
}
static PyModuleDef_Slot phased_slots[] = {
    {Py_mod_exec, (void*)exec_first}, {Py_mod_exec, (void*)exec_second}, {0, NULL}};
static PyModuleDef phased = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "phased",
    .m_doc = "In phases.",
    .m_size = sizeof(State),
    .m_methods = functions,
    .m_slots = phased_slots,
    .m_traverse = state_traverse,
    .m_clear = state_clear,
    .m_free = state_free,
};

static PyObject* spec_named(const char* name) {
    return T(PyObject_CallNoArgs(T(derive("Spec", OBJECT_TYPE, V("{s:s}", "name", name)))));
}

CASE(a_module_in_phases) {
    PyObject* m = PyModule_FromDefAndSpec(&phased, spec_named("named.otherwise"));
    see("module", m);
    got("name", PyModule_GetNameObject(m));
    got("doc", PyObject_GetAttrString(m, "__doc__"));
    got("not yet", PyObject_GetAttrString(m, "first"));
    done("no state yet", PyModule_GetState(m) == NULL);
    done("exec", PyModule_ExecDef(m, &phased));
    got("first", PyObject_GetAttrString(m, "first"));
    got("second", PyObject_GetAttrString(m, "second"));
    got("function", PyObject_CallMethod(m, "module_name", NULL));
    done("definition", PyModule_GetDef(m) == &phased);
    done("tracked", PyObject_GC_IsTracked(m));
    Py_DECREF(m);
    say("dropped");
}

CASE(a_module_in_a_cycle_through_its_state) {
    PyObject* m = PyModule_FromDefAndSpec(&phased, spec_named("cycle"));
    done("exec", PyModule_ExecDef(m, &phased));
    ((State*)PyModule_GetState(m))->held = Py_NewRef(m);
    Py_DECREF(m);
    done("anything collected", PyGC_Collect() > 0);
}

CASE(two_modules_of_one_definition) {
    PyObject* a = PyModule_FromDefAndSpec(&phased, spec_named("a"));
    PyObject* b = PyModule_FromDefAndSpec(&phased, spec_named("b"));
    done("exec", PyModule_ExecDef(a, &phased));
    done("two states", PyModule_GetState(a) != PyModule_GetState(b));
    done("no state of the other", PyModule_GetState(b) == NULL);
    Py_DECREF(a);
    Py_DECREF(b);
}

static int exec_fails(PyObject* m) {
    (void)m;
    PyErr_SetString(PyExc_ValueError, "exec failed");
    return -1;
}
static int exec_fails_silently(PyObject* m) {
    (void)m;
    return -1;
}
static int exec_succeeds_and_raises(PyObject* m) {
    (void)m;
    PyErr_SetString(PyExc_ValueError, "raised all the same");
    return 0;
}

static void try_exec(const char* label, int (*function)(PyObject*)) {
    PyModuleDef_Slot slots[] = {{Py_mod_exec, (void*)function}, {0, NULL}};
    PyModuleDef def = {.m_base = PyModuleDef_HEAD_INIT, .m_name = "failing", .m_slots = slots};
    PyObject* m = T(PyModule_FromDefAndSpec(&def, spec_named("failing")));
    done(label, PyModule_ExecDef(m, &def));
    same_release();
}

CASE(an_exec_that_fails) {
    try_exec("with an exception", exec_fails);
    try_exec("without one", exec_fails_silently);
}

CASE_LEFT_OUT(an_exec_that_succeeds_and_raises, "3.13 keeps what was raised as the cause") {
    try_exec("succeeds and raises", exec_succeeds_and_raises);
}

static PyObject* create_other(PyObject* spec, PyModuleDef* def) {
    (void)spec;
    (void)def;
    return PyUnicode_FromString("not a module");
}

static PyObject* create_nothing(PyObject* spec, PyModuleDef* def) {
    (void)spec;
    (void)def;
    return NULL;
}

CASE(a_module_that_creates_itself) {
    PyModuleDef_Slot slots[] = {{Py_mod_create, (void*)create_other}, {0, NULL}};
    PyModuleDef def = {.m_base = PyModuleDef_HEAD_INIT, .m_name = "other", .m_slots = slots};
    got("other", PyModule_FromDefAndSpec(&def, spec_named("other")));
    def.m_size = 8;
    got("with state", PyModule_FromDefAndSpec(&def, spec_named("other")));
    slots[0].value = (void*)create_nothing;
    def.m_size = 0;
    got("NULL", PyModule_FromDefAndSpec(&def, spec_named("other")));
    same_release();
}

CASE(definitions_that_cannot_be) {
    PyModuleDef_Slot unknown[] = {{77, NULL}, {0, NULL}};
    PyModuleDef_Slot twice[] = {
        {Py_mod_create, (void*)create_other}, {Py_mod_create, (void*)create_other}, {0, NULL}};
    PyModuleDef def = {.m_base = PyModuleDef_HEAD_INIT, .m_name = "bad", .m_slots = unknown};
    got("an unknown slot", PyModule_FromDefAndSpec(&def, spec_named("bad")));
    def.m_slots = twice;
    got("create twice", PyModule_FromDefAndSpec(&def, spec_named("bad")));
    def.m_slots = NULL;
    def.m_size = -1;
    got("a negative size", PyModule_FromDefAndSpec(&def, spec_named("bad")));
    def.m_size = 0;
    got("a spec without a name", PyModule_FromDefAndSpec(&def, Py_None));
    same_release();
}

CASE(a_module_in_one_phase) {
    static PyModuleDef def = {.m_base = PyModuleDef_HEAD_INIT,
                              .m_name = "single",
                              .m_doc = "One.",
                              .m_size = -1,
                              .m_methods = functions};
    PyObject* m = T(PyModule_Create(&def));
    see("module", m);
    got("function", PyObject_CallMethod(m, "add_one", "i", 1));
    done("no state", PyModule_GetState(m) == NULL);
    done("definition", PyModule_GetDef(m) == &def);
}

CASE(a_module_in_one_phase_has_no_slots) {
    static PyModuleDef def = {
        .m_base = PyModuleDef_HEAD_INIT, .m_name = "single", .m_slots = phased_slots};
    got("create", PyModule_Create(&def));
}

CASE(a_definition_is_an_object) {
    static PyModuleDef def = {.m_base = PyModuleDef_HEAD_INIT, .m_name = "defined"};
    PyObject* op = PyModuleDef_Init(&def);
    done("itself", op == (PyObject*)&def);
    see("type", (PyObject*)Py_TYPE(op));
}

CASE(imports) {
    PyObject* m = T(PyImport_ImportModule("custom"));
    got("no such module", PyImport_ImportModule("no_such_module_at_all"));
    done("by object", T(PyImport_Import(S("custom"))) == m);
    done("by level",
         T(PyImport_ImportModuleLevel("custom", NULL, NULL, V("(s)", "Custom"), 0)) == m);
    done("added", PyImport_AddModule("made_up") != NULL);
    see("made up", PyImport_AddModule("made_up"));
    done("in the dict", PyDict_GetItemString(PyImport_GetModuleDict(), "made_up") ==
                            PyImport_AddModule("made_up"));
    done("not there", PyImport_GetModule(S("not_there")) == NULL);
    done("remove", PyDict_DelItemString(PyImport_GetModuleDict(), "made_up"));
    got("empty", PyImport_ImportModule(""));
}

CASE(a_type_is_the_same_in_both_names) {
    PyObject* builtins = T(PyImport_ImportModule("builtins"));
    PyObject* sys = T(PyImport_ImportModule("sys"));
    done("int", T(PyObject_GetAttrString(builtins, "int")) == (PyObject*)&PyLong_Type);
    done("ValueError", T(PyObject_GetAttrString(builtins, "ValueError")) == PyExc_ValueError);
    got("len", PyObject_CallMethod(builtins, "len", "(s)", "abc"));
    got("repr", PyObject_CallMethod(builtins, "repr", "s", "abc"));
    got("abs", PyObject_CallMethod(builtins, "abs", "i", -5));
    got("isinstance", PyObject_CallMethod(builtins, "isinstance", "iO", 1, &PyLong_Type));
    got("getattr", PyObject_CallMethod(builtins, "getattr", "isi", 1, "nothing", 7));
    got("sorted", PyObject_CallMethod(builtins, "sorted", "([iii])", 3, 1, 2));
    got("maxsize", PyObject_GetAttrString(sys, "maxsize"));
    done("modules", T(PyObject_GetAttrString(sys, "modules")) == PyImport_GetModuleDict());
}

CASE(the_names_of_a_module_are_those_of_its_dict) {
    PyObject* m = T(PyModule_New("named"));
    done("add", PyModule_AddIntConstant(m, "five", 5));
    got("names", PyObject_Dir(m));
    done("names", PyModule_AddObjectRef(m, "__dir__", (PyObject*)&PyList_Type));
    got("its own", PyObject_Dir(m));
}
